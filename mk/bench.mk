# Measuring: make bench, bench-programs.

bench_bin := $(patsubst bench/%.c,$(M)/bench/%,$(wildcard bench/*.c))
# gcc takes MPI_STATUSES_IGNORE for an array that is too short; clang does not know that warning.
# Those that make traces take what they need of common/.
$(M)/bench/%: bench/%.c $(wildcard bench/*.h) $(B)/libcommon.a $(B)/flags $(M)/flags
	$(COMPILE)
	$(Q)$(CC) $(std) $(warn) -Icommon/inc -Wno-unknown-warning-option -Wno-stringop-overflow $(MPI_CPPFLAGS) -O2 -g -c $< -o $@.o
	$(Q)$(MPICC) -o $@ $@.o $(B)/libcommon.a $(ZSTD_A)
# The merge of many simulated ranks: what the runtime is made of, without MPI.
merge_scale_obj := $(patsubst bench/merge_scale/%.c,$(M)/bench/merge_scale.o/%.o,$(wildcard bench/merge_scale/*.c))
$(M)/bench/merge_scale.o/%.o: bench/merge_scale/%.c $(B)/flags $(M)/flags | $(G)/stamp
	$(COMPILE)
	$(Q)$(CC) $(base) -Ilibsrc -Ibench/merge_scale -I$(G) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
$(B)/bench/merge_scale: $(merge_scale_obj) $(M)/libsrc/radix_tree.o $(M)/gen/optab.o $(B)/libcommon.a
	$(call say,LINK,$@) && mkdir -p $(@D)
	$(Q)$(MPICC) $(CFLAGS) $(LDFLAGS) $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc realloc free) \
		-o $@ $^ $(ZSTD_A)
# A trace of very many ranks and call sites, out of nothing.
$(B)/bench/report_scale: bench/report_scale/report_scale.c $(M)/gen/optab.o $(B)/libcommon.a
	$(call say,LINK,$@) && mkdir -p $(@D)
	$(Q)$(MPICC) $(base) -I$(G) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ZSTD_A)
bench_bin += $(B)/bench/merge_scale $(B)/bench/report_scale
bench-programs: $(bench_bin)
bench: all $(bench_bin)
	@bench/run
