#!/bin/sh
# What `make install` installs works where it was put, for those who come by pkg-config, by rsd config or by bash.
. tests/run/lib.sh

prefix=$work/a/prefix
env -u MAKEFLAGS make -s install PREFIX="$prefix" >/dev/null 2>&1 || exit 1
rsd=$prefix/bin/rsd
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" MANPATH="$prefix/share/man" PATH="$prefix/bin:$PATH"
includes=$(for word in $(${MPICC:-mpicc} -show); do case $word in -I*) echo "$word" ;; esac; done)
${CC:-cc} -g -w $includes -c "$root/tests/run/app.c" -o "$work/app.o" || exit 1

for level in glob node dump; do
	new_dir
	${CC:-cc} "$work/app.o" $(pkg-config --libs record-$level) -o "$work/app"
	run 2 -- "$work/app" 40
	ok_if "pkg-config --libs record-$level links a program that is traced" \
		eval '[ $rc = 0 ] && "$rsd" check trace-2.rsd | grep -q "^complete: 2 ranks"'
done
new_dir
${CC:-cc} "$work/app.o" $(rsd config --libs) -o "$work/app"
run 2 -- "$work/app" 40
ok_if "rsd config --libs does, without a compiler wrapper" \
	eval '[ $rc = 0 ] && "$rsd" check trace-2.rsd | grep -q "^complete: 2 ranks"'
ok_if "rsd config --lib-dir says where the libraries are" eval '[ "$(rsd config --lib-dir)" = "$prefix/lib" ] &&
	${MPICC:-mpicc} "$work/app.o" -L$(rsd config --lib-dir) -l:libnode.a -o "$work/app" && exits 2 rsd config --lib-dir --libs && exits 2 rsd config --lib-dir x'
ok_if "the version is the same everywhere" \
	[ "rsd $(pkg-config --modversion record-glob)" = "$(rsd --version)" ]

# Each command that rsd tells of has a manual page; the files have theirs.
pages()
{
	rsd --help | sed -n 's/^  \([a-z0-9]*\)  .*/rsd-\1.1/p'
	echo rsd.1 rsd-replay.1 record.in.5 rsd-trace.5
}
lacking()
{
	for page in $(pages); do
		[ -s "$prefix/share/man/man${page##*.}/$page" ] || echo "$page"
	done
}
ok_if "each command has a manual page" eval '[ -z "$(lacking)" ]'

complete()
{
	bash -c '. "$0"; COMP_WORDS=(rsd "$@"); COMP_CWORD=$#; _rsd; echo "${COMPREPLY[*]}"' \
		"$prefix/share/bash-completion/completions/rsd" "$@"
}
ok_if "bash completes a command" eval '[ "$(complete pri)" = print ] && [ "$(complete conv)" = convert ] && [ "$(complete help pri)" = print ]'
ok_if "bash completes the values of an option" \
	eval '[ "$(complete convert --to = o)" = otf2 ] && [ "$(complete convert -t p)" = perfetto ] && [ "$(complete stats --by = ra)" = rank ]'
ok_if "bash completes rsd-replay's options" [ "$(bash -c '. "$0"; COMP_WORDS=(rsd-replay --veri); COMP_CWORD=1; _rsd_replay; echo "${COMPREPLY[*]}"' \
	"$prefix/share/bash-completion/completions/rsd-replay")" = --verify ]
ok_if "bash completes an option" eval '[ "$(complete print --exp)" = --expand ] && [ "$(complete config --lib-)" = --lib-dir ]'

# Taken away again is what was put there, and nothing else.
prefix=$work/b/prefix
mkdir -p "$prefix/lib/pkgconfig" "$prefix/share/doc/record-viewer" && echo mine | tee "$prefix/lib/libglobal.a" "$prefix/lib/pkgconfig/record-player.pc" \
	"$prefix/share/doc/record-viewer/README" >/dev/null
(cd "$prefix" && find . ! -type d | sort) >"$work/before"
in_root()
{
	(cd "$root" && env -u MAKEFLAGS make -s "$@" PREFIX=/prefix DESTDIR="$work/b") >/dev/null
}
ok_if "make uninstall leaves what was there before" eval 'in_root install && [ -x "$prefix/bin/rsd" ] && in_root uninstall &&
	(cd "$prefix" && find . ! -type d | sort) | cmp "$work/before" - && [ ! -d "$prefix/share/doc/record" ]'
ok_if "it may be done again" in_root uninstall

# What tests are asked for decides what is built.
needs()
{
	(cd "$root" && env -u MAKEFLAGS -u RSD_LIB make -n check-now SUITES="$1" B="$work/none") 2>&1
}
ok_if "make check SUITES=engine builds the engine only" eval 'needs engine >"$work/needs"; says "$work/needs" "$work/none/wrapper-engine" && fails says "$work/needs" "bin/rsd"'
ok_if "make check SUITES=unit builds no tools" eval 'needs unit >"$work/needs"; says "$work/needs" "unit/check_" && fails says "$work/needs" "-o bin/rsd"'
ok_if "make check SUITES=link builds them, and no unit tests" eval 'needs link >"$work/needs"; says "$work/needs" "-o bin/rsd" && fails says "$work/needs" "unit/check_"'

if [ "${RSD_OTHER_MPI:-}" ]; then
	echo "skip $suite: make deb: the package is of the default MPI"
elif command -v dpkg-shlibdeps >/dev/null; then
	cd "$root" && package=$(env -u MAKEFLAGS make -s deb | tail -n 1)
	mkdir "$work/deb" && dpkg-deb -x "$package" "$work/deb"
	new_dir
	${MPICC:-mpicc} "$work/app.o" -L"$work/deb/usr/lib" -l:libglob.a -o "$work/app"
	run 2 -- "$work/app" 40
	ok_if "make deb: the package's archive traces, its rsd reads" \
		eval '[ $rc = 0 ] && "$work/deb/usr/bin/rsd" check trace-2.rsd | grep -q "^complete: 2 ranks"'
	ok_if "make deb: it names what it depends on" \
		eval 'dpkg-deb -f "$root/$package" Depends | grep -q libelf'
else
	echo "skip $suite: make deb: no dpkg-dev"
fi
exit $failed
