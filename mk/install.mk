# Installing, and what is made to be installed elsewhere: make install, uninstall, dist, deb.

VERSION = $(shell sed -n 's/^.define RSD_VERSION "\(.*\)"$$/\1/p' tools/tool.h)
# What is installed names where it is.
override PREFIX := $(abspath $(PREFIX))
D := $(DESTDIR)$(PREFIX)

# What a linker has to be told of the MPI library, where no compiler wrapper does it (rsd config --libs, pkg-config).
$(LIB)/mpi.libs: $(M)/flags
	$(Q)mkdir -p $(@D) && printf '%s\n' '$(filter -L% -l% -Wl$(comma)-rpath%,$(mpicc_show))' > $@

install: all
	install -d $(D)/lib/pkgconfig $(D)/bin $(D)/share/man/man1 $(D)/share/man/man5 $(D)/share/doc/record/tutorial \
		$(D)/share/bash-completion/completions
	install -m 644 $(levels:%=$(LIB)/lib%.a) $(LIB)/mpi.libs $(D)/lib
	for l in $(levels); do \
		$(call twin,$$l,$(PREFIX)/lib/lib$$l.so,$(D)/lib/lib$$l.so) || exit 1; \
		sed 's|@prefix@|$(PREFIX)|; s|@version@|$(VERSION)|; s|@level@|'$$l'|; s|@mpi@|'"$$(cat $(LIB)/mpi.libs)"'|' \
			mk/record.pc.in > $(D)/lib/pkgconfig/record-$$l.pc || exit 1; done
	install -m 755 bin/rsd $(REPLAY) $(D)/bin
	install -m 644 doc/man/*.1 $(D)/share/man/man1
	install -m 644 doc/man/*.5 $(D)/share/man/man5
	install -m 644 mk/completion.bash $(D)/share/bash-completion/completions/rsd
	ln -sf rsd $(D)/share/bash-completion/completions/rsd-replay
	install -m 644 README BUILD CHANGES LICENSE doc/*.md $(D)/share/doc/record
	install -m 644 doc/tutorial/* $(D)/share/doc/record/tutorial

# What `make install` puts there, and the folders that are record's alone.
installed = $(foreach l,$(levels),lib/lib$l.a lib/lib$l.so lib/pkgconfig/record-$l.pc) lib/mpi.libs \
	$(patsubst %,bin/%,$(notdir bin/rsd $(REPLAY))) \
	$(patsubst doc/man/%,share/man/man1/%,$(wildcard doc/man/*.1)) $(patsubst doc/man/%,share/man/man5/%,$(wildcard doc/man/*.5)) \
	$(patsubst %,share/bash-completion/completions/%,rsd rsd-replay) \
	$(patsubst %,share/doc/record/%,README BUILD CHANGES LICENSE $(notdir $(wildcard doc/*.md)) $(patsubst doc/%,%,$(wildcard doc/tutorial/*)))
uninstall:
	rm -f $(installed:%=$(D)/%)
	for d in $(D)/share/doc/record/tutorial $(D)/share/doc/record; do [ ! -d $$d ] || rmdir $$d || :; done

# What is committed, and nothing else.
dist:
	mkdir -p $(B)
	git archive --format=tar.gz --prefix=record-$(VERSION)/ -o $(B)/record-$(VERSION).tar.gz HEAD
	@echo $(B)/record-$(VERSION).tar.gz

deb: all
	+@mk/deb $(VERSION) $(B)

.PHONY: uninstall dist deb
