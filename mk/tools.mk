# tools/: rsd, with its symbolizer and the page of its report, and rsd-replay.

tools_src := $(filter-out tools/rsd_replay.c,$(wildcard tools/*.c)) \
	$(wildcard tools/codegen/*.c) $(wildcard tools/export/*.c) $(wildcard tools/report/*.c)
tools_obj := $(tools_src:tools/%.c=$(B)/tools/%.o)
$(B)/tools/%.o: tools/%.c $(B)/flags | need
	$(COMPILE)
	$(Q)$(CC) $(base) -Itools -Itools/symbolize $(CPPFLAGS) $(CFLAGS) -c $< -o $@
# Of the MPI that was built first: what another one lacks is of no harm.
$(B)/prototypes.c: $(ENGINE) $(specs) | $(G)/stamp
	$(Q)cp $(G)/prototypes.c $@
$(B)/prototypes.o: $(B)/prototypes.c $(B)/flags
	$(COMPILE)
	$(Q)$(CC) $(base) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
# The symbolizer is a library of its own: what it needs besides common/ is linked as shared libraries, but for
# the C++ runtime, of which it takes the demangler only (name.c says why: the shared one hides that).
symbolize_src := $(wildcard tools/symbolize/*.c)
symbolize_obj := $(symbolize_src:tools/%.c=$(B)/tools/%.o)
symbolize_san := $(symbolize_src:tools/%.c=$(S)/tools/%.o)
# Of rsd convert --to=otf2.
OTF2_LIBS = $(shell pkg-config --libs otf2 2>/dev/null || echo -lotf2)
symbolize_libs = -lelf -llzma -lz $(shell $(CC) -print-file-name=libstdc++.a)
$(B)/libsymbolize.a: $(symbolize_obj)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^
# The page of rsd report: its parts where page.html names them, as an object whose bytes are called _binary_page_*.
CHART_JS ?= /usr/share/javascript/chart.js/chart.js
$(B)/report/page: $(wildcard tools/report/page/*) $(CHART_JS) tools/report/include.awk $(B)/flags
	$(Q)mkdir -p $(@D) && awk -v chart='$(CHART_JS)' -f tools/report/include.awk tools/report/page/page.html > $@
$(B)/report/page.o: $(B)/report/page
	$(call say,LD,$@)
	$(Q)cd $(@D) && $(LD) -r -b binary -z noexecstack -o $(@F) page
bin/rsd: $(tools_obj) $(B)/report/page.o $(B)/prototypes.o $(B)/libsymbolize.a $(B)/libcommon.a
	$(call say,LINK,$@) && mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ZSTD_A) $(symbolize_libs) $(OTF2_LIBS) -ljansson -lm

# It defines some PMPI functions (steer.c), which must be found before the MPI library's by the
# tracer that records it.
replay_obj := $(patsubst tools/%.c,$(M)/tools/%.o,tools/rsd_replay.c $(wildcard tools/replay/*.c)) \
	$(M)/gen/replay_calls.o $(M)/gen/optab.o
replay_tools := alike compare format format_event preload same source tool
$(M)/tools/%.o: tools/%.c $(B)/flags $(M)/flags | need $(G)/stamp
	$(COMPILE)
	$(Q)$(CC) $(base) -Itools -Itools/replay -I$(G) $(MPI_CPPFLAGS) $(CPPFLAGS) $(CFLAGS) -pthread -c $< -o $@
$(REPLAY): $(replay_obj) $(replay_tools:%=$(B)/tools/%.o) $(B)/libsymbolize.a $(B)/libcommon.a
	$(call say,LINK,$@) && mkdir -p $(@D)
	$(Q)$(MPICC) $(CFLAGS) $(LDFLAGS) -pthread -Wl,--export-dynamic-symbol='PMPI_*' -o $@ $^ $(ZSTD_A) $(symbolize_libs) -ldl
