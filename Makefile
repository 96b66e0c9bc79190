# Everything is built, tested and installed from here. The libraries are in this file, tools, tests, bench
# and installing in mk/.
#
#	make			lib/lib{dump,node,glob}.{a,so} and bin/
#	make demo		traces an example on 4 ranks, proves the trace lossless, and plays it
#	make check		all tests; ends with "N passed, N failed"
#	make bench		what a recorded call costs, and how large traces get
#	make install PREFIX=/usr/local DESTDIR=		(mk/install.mk; uninstall, dist, deb, too)
#
# Options: V=1 shows commands; DEBUG=1 builds -O0 with assertions on; WERROR=1 makes
# warnings errors; CC, CFLAGS, MPICC are as usual. `make MPICC=mpicc.openmpi` builds for
# another MPI, side by side: build/openmpi/, lib/openmpi/; `make MPICC=smpicc` for SimGrid's SMPI.

MPICC ?= mpicc
PREFIX ?= /usr/local
ifeq ($(origin CC),default)
CC := gcc
endif
LD ?= ld
OBJCOPY ?= objcopy
NM ?= nm

# Which MPI: the default one has no folder of its own in lib/. mpicc.x is x, xcc is x.
mpicc_name := $(notdir $(firstword $(MPICC)))
mpi := $(or $(patsubst .%,%,$(suffix $(mpicc_name))),$(if $(filter mpicc,$(mpicc_name)),mpich,$(patsubst %cc,%,$(mpicc_name))))
mpicc_show := $(shell $(MPICC) -show 2>/dev/null)
# Where programs are linked as shared objects, a simulator loads one for each rank into its own process.
loaded := $(filter -shared,$(mpicc_show))
MPIEXEC ?= $(if $(loaded),smpirun,$(if $(filter openmpi,$(mpi)),$(CURDIR)/tests/mpiexec-openmpi,mpiexec))
MPICXX ?= $(subst mpicc,mpicxx,$(MPICC))
# A wrapper for Fortran may find another MPI's library first (Open MPI's on Debian).
MPIFORT ?= $(subst mpicc,mpifort,$(MPICC)) $(if $(filter-out mpich,$(mpi)),$(filter -L%,$(mpicc_show)))
# The library of MPI's Fortran layer; in Open MPI it is two, of which mpi_f08's needs mpif.h's.
MPI_LIBDIRS := $(patsubst -L%,%,$(filter -L%,$(mpicc_show)))
fortran_found = $(wildcard $(foreach d,$(MPI_LIBDIRS),$(foreach l,$2,$d/lib$l.$1)))
MPI_FORTRAN := $(or $(firstword $(foreach e,so a,$(call fortran_found,$e,mpichfort mpifort))),\
	$(call fortran_found,so,mpi_usempif08 mpi_mpifh))
LIB := lib$(if $(filter-out mpich,$(mpi)),/$(mpi))
B := build
M := $(B)/$(mpi)
S := $(B)/san

ifdef DEBUG
CFLAGS ?= -g -O0
debug := -DRSD_DEBUG
else
CFLAGS ?= -O2 -g
endif
warn := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(if $(WERROR),-Werror)
# XSI adds to POSIX 2008 what it took over from there: realpath.
std := -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700
include libsrc/Makefile.libsrc
# Asynchronous unwind tables: the runtime walks the stack through its own frames.
pic := -fPIC -fno-semantic-interposition -fasynchronous-unwind-tables -pthread
base := $(std) $(warn) $(debug) $(libsrc_defines) -Icommon/inc -I$(B) -MMD -MP
san := $(std) $(warn) -DRSD_DEBUG -Icommon/inc -I$(B) -MMD -MP -g -O1 -fno-omit-frame-pointer \
	-fsanitize=address,undefined -fno-sanitize-recover=undefined
ZSTD_A = $(shell $(CC) -print-file-name=libzstd.a)

# Only the folders of the MPI compiler wrapper's flags, and what chooses a header (-DMPI_ABI): the rest of them is its
# distributor's taste.
MPI_CPPFLAGS := $(patsubst -I%,-isystem %,$(filter -I% -DMPI%,$(mpicc_show)))
# For what is generated: the header declares all that the library has.
declare_all := -include $(M)/gen/removed.h

MAKEFLAGS += --no-print-directory
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif
Q := $(if $(V),,@)
comma := ,
say = $(if $(V),@:,@printf '  %-6s %s\n' $1 $2)
COMPILE = $(call say,CC,$@) && mkdir -p $(@D)

# A change of compiler or flags rebuilds what it concerns. `$(call keep_file,FILE,FORMAT,WORDS)` rewrites only what changed.
flags := $(CC) $(CFLAGS) $(CPPFLAGS) $(warn) $(debug) $(libsrc_defines)
keep_file = $(shell mkdir -p $(dir $1); printf '$2' $3 | cmp -s - $1 || printf '$2' $3 > $1)
$(call keep_file,$(B)/flags,%s\n,'$(flags)')
$(call keep_file,$(M)/flags,%s\n,'$(MPICC) $(declare_all) $(MPI_CPPFLAGS) $(MPI_FORTRAN)')
# What follows from it libsrc/ranks.h says.
$(call keep_file,$(M)/gen/ranks_loaded.h,#define RSD_RANKS_LOADED %s\n#define RSD_PER_THREAD %s\n,$(if $(loaded),1 '',0 _Thread_local))

# The replay is built for the MPI it runs on, rsd for any. It is a program of its own and its tools' objects, none
# that could be loaded a time for each rank.
REPLAY := $(if $(loaded),,bin/$(if $(filter-out mpich,$(mpi)),$(mpi)/)rsd-replay)

levels := dump node glob
libs := $(foreach l,$(levels),$(LIB)/lib$(l).a $(LIB)/lib$(l).so)

.PHONY: all demo check tests bench bench-programs install unit engine-tests format-check clean \
	demo-now check-now tests-now need test-programs unit-programs libs smpi-libs
all: libs $(LIB)/mpi.libs bin/rsd $(REPLAY)
libs: $(libs)

# ---- what must be there before anything is built ------------------------------------------------
need:
	@MPI=$(mpi) MPICC='$(MPICC)' CC='$(CC)' CPPFLAGS='$(CPPFLAGS)' ZSTD_A='$(ZSTD_A)' scripts/install-deps --check build

# ---- common/: no MPI in it ----------------------------------------------------------------------
common_src := $(wildcard common/src/*.c)
common_obj := $(common_src:common/src/%.c=$(B)/common/%.o)
common_san := $(common_src:common/src/%.c=$(S)/common/%.o)

# The trace that coders of traces begin with, as a string.
$(B)/primer_text.h: doc/primer.rsd | need
	$(Q)mkdir -p $(@D) && sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $< > $@
$(B)/common/primer.o $(S)/common/primer.o: $(B)/primer_text.h

$(B)/common/%.o: common/src/%.c $(B)/flags | need
	$(COMPILE)
	$(Q)$(CC) $(base) $(CPPFLAGS) $(CFLAGS) $(pic) -c $< -o $@
$(B)/libcommon.a: $(common_obj)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

# ---- wrapper-engine/ ----------------------------------------------------------------------------
# foo.l gives foo.lex.c and foo.lex.h, foo.y gives foo.tab.c and foo.tab.h.
engine_l := $(patsubst wrapper-engine/%.l,$(B)/engine/%.lex.c,$(wildcard wrapper-engine/*.l))
engine_y := $(patsubst wrapper-engine/%.y,$(B)/engine/%.tab.c,$(wildcard wrapper-engine/*.y))
engine_gen := $(engine_l) $(engine_y)
engine_obj := $(patsubst wrapper-engine/%.c,$(B)/engine/%.o,$(wildcard wrapper-engine/*.c)) \
	$(engine_gen:.c=.o)
engine_inc := -Iwrapper-engine -I$(B)/engine
ENGINE := $(B)/wrapper-engine

$(B)/engine/%.lex.c: wrapper-engine/%.l | need
	$(call say,FLEX,$@) && mkdir -p $(@D)
	$(Q)flex -o $@ --header-file=$(@:.c=.h) $<
$(B)/engine/%.tab.c: wrapper-engine/%.y | need
	$(call say,BISON,$@) && mkdir -p $(@D)
	$(Q)bison -Werror --defines=$(@:.c=.h) -o $@ $<
$(B)/engine/%.o: wrapper-engine/%.c $(B)/flags | $(engine_gen)
	$(COMPILE)
	$(Q)$(CC) $(base) $(engine_inc) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
# What flex and bison write is not held to our warnings.
$(engine_gen:.c=.o): %.o: %.c $(B)/flags | $(engine_gen)
	$(COMPILE)
	$(Q)$(CC) $(std) -Icommon/inc -MMD -MP $(engine_inc) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
$(ENGINE): $(engine_obj) $(B)/libcommon.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(engine_obj) $(B)/libcommon.a

# ---- what the engine writes ---------------------------------------------------------------------
gen_names := wrappers fwrappers optab
G := $(M)/gen
gen_src := $(gen_names:%=$(G)/%.c) $(G)/replay_calls.c
gen_obj := $(gen_names:%=$(M)/gen/%.o)
specs := spec/roles.spec spec/constants.spec spec/mpi-spec.umpi.extract

# Open MPI 4's mpi.h declares what MPI-3.0 removed for Open MPI's own sources only, and its library has it all the same: old
# programs call it, and Fortran's.
$(G)/removed.h: $(M)/flags | need
	$(Q)mkdir -p $(@D) && echo '#define OMPI_BUILDING 1' > $@
	$(Q)printf '#include <mpi.h>\n#ifdef OPEN_MPI\nint main(void) { return PMPI_Address(0, 0); }\n#endif\n' | \
		$(MPICC) -include $@ -w -Werror=implicit-function-declaration -x c - -o $@.probe 2>/dev/null || : > $@
	$(Q)rm -f $@.probe
$(G)/mpi.i: $(M)/flags $(G)/removed.h | need
	$(call say,CPP,$@) && mkdir -p $(@D)
	$(Q)echo '#include <mpi.h>' | $(CC) $(declare_all) $(MPI_CPPFLAGS) -E -dD -x c - -o $@
# What the MPI library's Fortran layer defines, if there is one, and which of C's functions it calls.
$(G)/fortran.names: $(G)/mpi.i $(M)/flags $(MPI_FORTRAN) mk/fortran-names
	$(if $(MPI_FORTRAN),,@echo '  NOTE   $(MPICC) links with no Fortran library of MPI: Fortran is left out (MPI_FORTRAN=... names one)')
	$(Q)NM='$(NM)' mk/fortran-names $(MPI_FORTRAN) > $@
# The name it is loaded by.
$(G)/fortran_library.h: $(G)/fortran.names
	$(Q)printf '#define RSD_FORTRAN_LIBRARY "%s"\n' "$$(readelf -d '$(firstword $(MPI_FORTRAN))' 2>/dev/null | \
		sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" > $@
$(G)/stamp: $(ENGINE) $(G)/mpi.i $(G)/fortran.names $(G)/fortran_library.h $(specs)
	$(call say,ENGINE,$(G))
	$(Q)$(ENGINE) --fortran $(G)/fortran.names -o $(G) $(G)/mpi.i $(specs)
	$(Q)touch $@
$(gen_src): $(G)/stamp ;

# ---- libsrc/ and the archives ----------------------------------------------------------------------
libsrc_src := $(filter-out libsrc/level_%,$(wildcard libsrc/*.c))
libsrc_obj := $(libsrc_src:libsrc/%.c=$(M)/libsrc/%.o)
lib_flags = $(base) -Ilibsrc -I$(G) $(MPI_CPPFLAGS) $(CPPFLAGS) $(CFLAGS) $(pic) -ftls-model=initial-exec

$(M)/libsrc/%.o: libsrc/%.c $(B)/flags $(M)/flags | need $(G)/stamp
	$(COMPILE)
	$(Q)$(CC) $(lib_flags) -c $< -o $@
$(M)/gen/%.o: $(G)/%.c $(B)/flags $(M)/flags
	$(COMPILE)
	$(Q)$(CC) $(lib_flags) $(declare_all) -Wno-deprecated-declarations -c $< -o $@
# The replay's calls go into the replay program only.
$(M)/gen/replay_calls.o: $(G)/replay_calls.c $(B)/flags $(M)/flags
	$(COMPILE)
	$(Q)$(CC) $(base) $(declare_all) -Itools/replay -I$(G) $(MPI_CPPFLAGS) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

# An archive is one object in which every name but MPI's entry points is local: nothing of ours, or
# of zstd, can clash with the program. The shared twin is made from the very same object. The one
# exception is what a replay looks for (guide.h).
keep := --wildcard --keep-global-symbol='MPI_*' --keep-global-symbol='mpi_*' \
	--keep-global-symbol=rsd_guide --keep-global-symbol=_exit --keep-global-symbol=_Exit
$(M)/lib/%.o: $(M)/libsrc/level_%.o $(libsrc_obj) $(gen_obj) $(common_obj)
	$(call say,JOIN,$@) && mkdir -p $(@D)
	$(Q)$(LD) -r -o $@.all $^ $(ZSTD_A)
	$(Q)$(OBJCOPY) $(keep) $@.all $@ && rm -f $@.all
$(LIB)/lib%.a: $(M)/lib/%.o
	$(call say,AR,$@) && mkdir -p $(@D)
	$(Q)rm -f $@ && ar rcs $@ $<
# The shared twin's own name is its full path. `-Llib -lglob` finds it before the archive, and so a
# program linked that way starts without LD_LIBRARY_PATH.
#
# Preloaded, it gets into launchers and shells, too, which have no MPI: functions that are bound lazily do
# no harm there, but MPI's variables, and functions whose address is taken, must be weak. If MPI comes
# later after all, their addresses are put in then (late.h): they can't be in memory that is made read-only.
shared = $(CC) -shared -Wl,-z,lazy,-z,norelro -Wl,-soname,$1 $(LDFLAGS) -pthread -o $2 $3
$(M)/lib/%.weak.o: $(M)/lib/%.o
	$(Q)readelf -rW $< | awk '$$3 ~ /GOT/ && $$5 ~ /^(P?MPI[A-Z]*|p?mpi|ompi|OMPI_C)_/ { print $$5 }' > $@.list
	$(Q)$(OBJCOPY) --weaken-symbols=$@.list $< $@ && rm -f $@.list
#
# Where ranks are loaded into one process the tracer has to be in what is loaded for each. Such programs name MPI's
# functions weakly, too, and so take nothing out of an archive: what -lglob finds there is a linker script.
#
# $(call twin,LEVEL,ITS OWN NAME,FILE)
ifdef loaded
twin = echo 'EXTERN(rsd_guide) INPUT(-l:lib'$1'.a)' > $3
$(LIB)/lib%.so: $(LIB)/lib%.a
else
twin = $(call shared,$2,$3,$(M)/lib/$1.weak.o)
$(LIB)/lib%.so: $(M)/lib/%.weak.o
endif
	$(call say,LINK,$@) && mkdir -p $(@D)
	$(Q)$(call twin,$*,$(abspath $@),$@)

include mk/tools.mk mk/tests.mk mk/bench.mk mk/install.mk

format-check:
	$(Q)clang-format --dry-run -Werror $$(git ls-files '*.c' '*.h')

clean:
	rm -rf build lib bin

.SECONDARY:
.DELETE_ON_ERROR:
-include $(wildcard $(B)/*/*.d $(M)/*/*.d $(M)/*/*/*.d $(S)/*/*.d $(B)/tools/*/*.d $(S)/tools/*/*.d)
