# tools/: rsd, with its symbolizer and the page of its report, and rsd-replay.

# Parts of rsd take libraries that may not be there: each is built where they are found, and else what is in tools/absent
# stands for it (parts.h). WITHOUT="otf2 report source" leaves them out all the same.
CHART_JS ?= /usr/share/javascript/chart.js/chart.js
find_library = $(shell CC='$(CC)' CPPFLAGS='$(CPPFLAGS)' LDFLAGS='$(LDFLAGS)' scripts/find-library $1 $(B))
otf2_flags := $(if $(filter otf2,$(WITHOUT)),,$(call find_library,otf2))
jansson_flags := $(if $(filter report,$(WITHOUT)),,$(call find_library,jansson))
symbols_flags := $(if $(filter source,$(WITHOUT)),,$(call find_library,symbols))
chart_js := $(if $(filter report,$(WITHOUT)),,$(wildcard $(CHART_JS)))
report := $(if $(jansson_flags),$(chart_js))
report_lacks := $(if $(jansson_flags),,jansson)$(if $(jansson_flags)$(chart_js),, and )$(if $(chart_js),,Chart.js)
$(call keep_file,$(B)/parts_found.h,#define RSD_LACKS_OTF2 "%s"\n#define RSD_LACKS_REPORT "%s"\n#define RSD_LACKS_SOURCE "%s"\n,\
	'$(if $(otf2_flags),,OTF2)' '$(report_lacks)' '$(if $(symbols_flags),,libelf$(comma) liblzma$(comma) zlib or libstdc++.a)')
# What they are compiled with, and what is linked.
parts_include := $(patsubst -I%,-isystem %,$(filter -I% -D%,$(otf2_flags) $(jansson_flags) $(symbols_flags)))
symbolize_libs := $(filter-out -I% -D%,$(symbols_flags))
parts_libs := $(filter-out -I% -D%,$(otf2_flags) $(if $(report),$(jansson_flags)))

tools_src := $(filter-out tools/rsd_replay.c $(if $(report),,tools/cmd_report.c),$(wildcard tools/*.c)) \
	$(wildcard tools/codegen/*.c) \
	$(filter-out $(if $(otf2_flags),,tools/export/otf2%),$(wildcard tools/export/*.c)) $(if $(otf2_flags),,tools/absent/otf2.c) \
	$(if $(report),$(wildcard tools/report/*.c),tools/absent/report.c)
tools_obj := $(tools_src:tools/%.c=$(B)/tools/%.o)
$(B)/tools/%.o: tools/%.c $(B)/flags | need
	$(COMPILE)
	$(Q)$(CC) $(base) -Itools -Itools/symbolize $(parts_include) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
# Of the MPI that was built first: what another one lacks is of no harm.
$(B)/prototypes.c: $(ENGINE) $(specs) | $(G)/stamp
	$(Q)cp $(G)/prototypes.c $@
$(B)/prototypes.o: $(B)/prototypes.c $(B)/flags
	$(COMPILE)
	$(Q)$(CC) $(base) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
# The symbolizer is a library of its own: what it needs besides common/ is linked as shared libraries, but for
# the C++ runtime, of which it takes the demangler only (name.c says why: the shared one hides that).
symbolize_src := $(wildcard tools/symbolize/*.c)
symbolize_obj := $(patsubst tools/%.c,$(B)/tools/%.o,$(if $(symbols_flags),$(symbolize_src),tools/absent/symbolize.c))
symbolize_san := $(symbolize_src:tools/%.c=$(S)/tools/%.o)
$(B)/libsymbolize.a: $(symbolize_obj) $(B)/parts_found.h
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $(symbolize_obj)
$(B)/tools/parts.o: $(B)/parts_found.h
# The page of rsd report: its parts where page.html names them, as an object whose bytes are called _binary_page_*.
$(B)/report/page: $(wildcard tools/report/page/*) $(CHART_JS) tools/report/include.awk $(B)/flags
	$(Q)mkdir -p $(@D) && awk -v chart='$(CHART_JS)' -f tools/report/include.awk tools/report/page/page.html > $@
$(B)/report/page.o: $(B)/report/page
	$(call say,LD,$@)
	$(Q)cd $(@D) && $(LD) -r -b binary -z noexecstack -o $(@F) page
bin/rsd: $(tools_obj) $(if $(report),$(B)/report/page.o) $(B)/prototypes.o $(B)/libsymbolize.a $(B)/libcommon.a
	$(call say,LINK,$@) && mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ZSTD_A) $(symbolize_libs) $(parts_libs) -lm
	$(Q)$@ --version | sed -n 's|^without|  $@ is built &|p'

# It defines some PMPI functions (steer.h), which must be found before the MPI library's by the
# tracer that records it.
replay_obj := $(patsubst tools/%.c,$(M)/tools/%.o,tools/rsd_replay.c $(wildcard tools/replay/*.c)) \
	$(M)/gen/replay_calls.o $(M)/gen/optab.o
replay_tools := alike compare format format_event parts preload same source tool
$(M)/tools/%.o: tools/%.c $(B)/flags $(M)/flags | need $(G)/stamp
	$(COMPILE)
	$(Q)$(CC) $(base) -Itools -Itools/replay -I$(G) $(MPI_CPPFLAGS) $(CPPFLAGS) $(CFLAGS) -pthread -c $< -o $@
$(REPLAY): $(replay_obj) $(replay_tools:%=$(B)/tools/%.o) $(B)/libsymbolize.a $(B)/libcommon.a
	$(call say,LINK,$@) && mkdir -p $(@D)
	$(Q)$(MPICC) $(CFLAGS) $(LDFLAGS) -pthread -Wl,--export-dynamic-symbol='PMPI_*' -o $@ $^ $(ZSTD_A) $(symbolize_libs) -ldl
