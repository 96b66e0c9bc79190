# Tests: make demo, check, unit, engine-tests, tests.

# ---- unit tests, under sanitizers ----------------------------------------------------------------
$(S)/common/%.o: common/src/%.c $(B)/flags | need
	$(COMPILE)
	$(Q)$(CC) $(san) -c $< -o $@
$(M)/san/libsrc/%.o: libsrc/%.c $(B)/flags $(M)/flags | $(G)/stamp
	$(COMPILE)
	$(Q)$(CC) $(san) -Ilibsrc -I$(G) $(MPI_CPPFLAGS) -c $< -o $@
$(S)/tools/%.o: tools/%.c $(B)/flags | need
	$(COMPILE)
	$(Q)$(CC) $(san) -Itools -Itools/symbolize -c $< -o $@
$(S)/engine/%.o: wrapper-engine/%.c $(B)/flags | $(engine_gen)
	$(COMPILE)
	$(Q)$(CC) $(san) $(engine_inc) -c $< -o $@
$(S)/libcommon.a: $(common_san)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

# A test of a module outside common/ is linked with that module, a runtime's with what it uses there.
$(M)/san/libsrc.a: $(libsrc_src:libsrc/%.c=$(M)/san/libsrc/%.o)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^
$(S)/libsymbolize.a: $(symbolize_san)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^
# Those parts of the replay that can be tested without playing.
replay_parts := buffers completion graphs handles order own_calls pace requests threads
$(M)/san/replay/%.o: tools/replay/%.c $(B)/flags $(M)/flags | $(G)/stamp
	$(COMPILE)
	$(Q)$(CC) $(san) -Itools -Itools/replay $(MPI_CPPFLAGS) -c $< -o $@
$(M)/san/replay.a: $(replay_parts:%=$(M)/san/replay/%.o)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^
# Those that name source lines.
with_source := format
# Those that read columns rank by rank.
with_sweep := clocks
# Those of rsd report; other names there are taken.
report_parts := joint
module_of = $(if $(filter $1,$(with_source)),$(S)/tools/source.o $(S)/tools/tool.o) \
	$(if $(filter $1,$(with_sweep)),$(S)/tools/sweep.o) \
	$(if $(wildcard tools/symbolize/$1.c)$(filter $1,$(with_source)),$(S)/libsymbolize.a) \
	$(if $(wildcard libsrc/$1.c),$(M)/san/libsrc.a) $(if $(filter $1,$(replay_parts)),$(M)/san/replay.a) \
	$(patsubst tools/%.c,$(S)/tools/%.o,$(wildcard tools/$1.c tools/$1_*.c) $(if $(filter $1,$(report_parts)),tools/report/$1.c)) \
	$(patsubst tools/%.c,$(S)/tools/%.o,$(wildcard tools/export/$1.c)) \
	$(if $(wildcard wrapper-engine/$1.c),$(S)/engine/$1.o)
# Those that MPI is in are built for each; the others have nothing to do with which, and are the default one's.
unit_names := $(patsubst tests/unit/check_%.c,%,$(wildcard tests/unit/check_*.c))
unit_mpi := $(filter $(patsubst libsrc/%.c,%,$(wildcard libsrc/*.c)) $(replay_parts),$(unit_names))
unit_bin := $(unit_mpi:%=$(M)/unit/check_%) \
	$(if $(filter mpich,$(mpi)),$(patsubst %,$(B)/unit/check_%,$(filter-out $(unit_mpi),$(unit_names))))
unit_include := -Ilibsrc -Itools -Itools/replay -Itools/symbolize -Itools/export -Itools/report -Iwrapper-engine -Itests/unit
$(B)/unit/%.o: tests/unit/%.c $(B)/flags | need
	$(COMPILE)
	$(Q)$(CC) $(san) $(unit_include) -c $< -o $@
$(M)/unit/%.o: tests/unit/%.c $(B)/flags $(M)/flags | $(G)/stamp
	$(COMPILE)
	$(Q)$(CC) $(san) $(unit_include) -I$(G) $(MPI_CPPFLAGS) -c $< -o $@
# $(call unit_rule,MODULE,FOLDER,COMPILER)
define unit_rule
$2/unit/check_$1: $2/unit/check_$1.o $(call module_of,$1) $(S)/libcommon.a
	$$(call say,LINK,$$@)
	$$(Q)$3 -fsanitize=address,undefined -o $$@ $$^ \
		$$(shell pkg-config --libs check) -lzstd $(if $(wildcard tools/symbolize/$1.c)$(filter $1,$(with_source)),$$(symbolize_libs))
endef
$(foreach n,$(unit_mpi),$(eval $(call unit_rule,$n,$(M),$(MPICC))))
$(foreach n,$(filter-out $(unit_mpi),$(unit_names)),$(eval $(call unit_rule,$n,$(B),$(CC))))

test-programs: $(unit_bin)
unit-programs:
	@echo $(unit_bin)
unit: $(unit_bin)
	$(Q)tests/unit/run $(unit_bin)

# ---- tests: the rest -------------------------------------------------------------------------------
export MPICC MPICXX MPIFORT MPIEXEC CC
export RSD_LIB := $(LIB)
export RSD_REPLAY := $(REPLAY)
export RSD_BUILD := $(M)
export RSD_ENGINE := $(ENGINE)
export RSD_UNIT := $(unit_bin)
export RSD_OTHER_MPI := $(filter-out mpich,$(mpi))

engine-tests: $(ENGINE)
	$(Q)tests/engine/run $(ENGINE)

tests: all
	$(Q)tests/run-all functions link

demo check:
	@MPI=$(mpi) scripts/install-deps
	@$(MAKE) $@-now
demo-now: all
	@examples/demo
# SimGrid's SMPI, where it is, is tested too: another MPI, and many ranks.
smpi-libs: all
	@$(MAKE) MPICC=smpicc MPIEXEC=smpirun libs
# Only what the suites need: unit and engine test parts that are built for them, the others programs and libraries.
suites := $(or $(SUITES),all of them)
with_suite = $(if $(filter $1 all,$(suites)),$2)
smpi_libs := $(if $(filter mpich,$(mpi)),$(if $(shell command -v smpicc 2>/dev/null),smpi-libs))
check-now: $(call with_suite,unit,$(unit_bin)) $(call with_suite,engine,$(ENGINE)) $(if $(filter-out unit engine,$(suites)),all) \
		$(call with_suite,run,$(B)/bench/report_scale $(smpi_libs))
	@tests/run-all $(SUITES)
