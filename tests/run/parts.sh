#!/bin/sh
# Libraries that are not there: rsd is built all the same, and its parts that would take them say what they lack.
. tests/run/lib.sh
build app
new_dir
run 2 RECORD_FILE=x.rsd -- "$work/app" 40

# Headers that no compiler takes, before the system's.
hide=$work/hide
mkdir -p "$hide/otf2"
for header in otf2/otf2.h jansson.h gelf.h; do echo '#error not here' >"$hide/$header"; done
hidden()
{
	CPATH=$hide PKG_CONFIG_LIBDIR=/none "$@"
}
for library in otf2 jansson symbols; do
	ok_if "$library is found where it is" eval "\"$root/scripts/find-library\" $library | grep -q -e -l"
	ok_if "$library is not found where it is not" eval "exits 1 hidden \"$root/scripts/find-library\" $library >said && [ ! -s said ]"
done

# What is built already is not built again: the copy makes what is left out.
copy=$work/copy
mkdir "$copy"
(cd "$root" && tar c --exclude=./.git --exclude='./build/san' --exclude='./build/unit' --exclude='./build/*/san' --exclude='./build/*/unit' \
	--exclude='./build/*/bench' --exclude='./build/bench' \
	--exclude='./build/deb*' --exclude='./build/record*' --exclude=./build/fuzz --exclude=./build/openmpi --exclude=./build/smpi \
	--exclude=./lib/openmpi --exclude=./lib/smpi --exclude=./build/demo --exclude=./tests .) | (cd "$copy" && tar x)
(cd "$copy" && hidden env -u MAKEFLAGS make -s bin/rsd) >made 2>&1
rsd=$copy/bin/rsd
ok_if "rsd is built without them, and make says what it lacks" eval \
	'says made "without rsd report, for lack of jansson" && says made "lack of OTF2" && says made "lack of libelf"'
ok_if "so does rsd --version" eval '"$rsd" --version >said && [ "$(grep -c "^without .*Debian" said)" = 3 ]'
ok_if "and rsd --help" eval '"$rsd" --help >said && [ "$(grep -c "^without .*Debian" said)" = 3 ]'
ok_if "rsd report" eval 'exits 2 "$rsd" report -o x.html x.rsd 2>said && says said "libjansson-dev" && [ ! -e x.html ]'
ok_if "rsd convert --to=otf2" eval \
	'exits 2 "$rsd" convert --to=otf2 -o x.otf2 x.rsd 2>said && says said "libopen-trace-format2-dev" && [ ! -e x.otf2 ]'
ok_if "rsd addr2line" eval 'exits 2 "$rsd" addr2line -e "$work/app" 0x1000 2>said && says said "built without libelf"'
ok_if "rsd print --source: module and offset" eval '"$rsd" print --source x.rsd >printed 2>said && says printed app+0x &&
	says said "no source lines: this rsd is built without libelf"'
ok_if "source lines that are in the trace are shown" eval \
	'"$root/bin/rsd" resolve -o with.rsd x.rsd && "$rsd" print --source with.rsd 2>said >printed && says printed app.c: && [ ! -s said ]'
ok_if "the rest is as it is" eval '"$rsd" check x.rsd && "$rsd" convert --to=perfetto -o x.json x.rsd && "$rsd" stats x.rsd >page'
exit $failed
