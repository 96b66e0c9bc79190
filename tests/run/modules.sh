#!/bin/sh
# Modules that were unloaded, replaced or deleted while the program ran, and code of no module.
. tests/run/lib.sh
build modules
part()
{
	${MPICC:-mpicc} -g -O1 -w -shared -fPIC -Wl,--build-id -DLENGTH="$2" "$root/tests/run/part.c" -o "$1"
}
part "$work/one.so" 1 && part "$work/two.so" 2222 || {
	echo "FAIL $suite: the library does not build"
	exit 1
}
id_of()
{
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}
line=$(grep -n '/\* CALL \*/' "$root/tests/run/part.c" | cut -d: -f1)

for stack in full site; do
	new_dir
	cp "$work/one.so" part.so && cp "$work/two.so" next.so
	run 1 RECORD_STACK=$stack RECORD_FILE=x.rsd -- "$work/modules" "$PWD/part.so" "$PWD/next.so"
	ok_if "$stack: the trace is complete" eval '[ $rc = 0 ] && "$rsd" check x.rsd'
	ok_if "$stack: both libraries of one name are known by their build ids" eval \
		'says x.rsd "\"$PWD/part.so\" \"$(id_of "$work/one.so")\"" && says x.rsd "\"$PWD/part.so\" \"$(id_of "$work/two.so")\""'
	"$rsd" print --expand --source x.rsd >said 2>why
	ok_if "$stack: without them calls are at module and offset, and the message names it" eval \
		'[ "$(grep -c "MPI_Bcast.*/part.so+0x[0-9a-f]*" said)" = 2 ] && says why "$PWD/part.so"'
	cp "$work/two.so" part.so
	"$rsd" print --expand --source x.rsd >said 2>why
	ok_if "$stack: with the second one there, its line is known, and the first one is refused" eval \
		'[ "$(grep -c "MPI_Bcast.*part.c:$line in work" said)" = 1 ] && says why "part.so'"' is not the build that was traced"'"'
done
"$rsd" print --expand --json x.rsd >events
if [ "$(uname -m)" = x86_64 ]; then
	ok_if "code of no module has its address, and no other name" eval 'grep MPI_Barrier events | grep -q "\"module\":null,\"offset\":\"0x"'
fi

# A library named relative to the folder that the program was in.
new_dir
cp "$work/one.so" part.so && cp "$work/two.so" next.so
run 1 RECORD_FILE=x.rsd -- "$work/modules" ./part.so ./next.so
ok_if "a relative name is kept as the whole path" says x.rsd "\"$(pwd -P)/part.so\""

# Without symbols and debug information.
new_dir
cp "$work/one.so" part.so && cp "$work/two.so" next.so && cp part.so kept.so
strip part.so next.so
run 1 RECORD_FILE=x.rsd -- "$work/modules" "$PWD/part.so" "$PWD/next.so"
strip -o part.so kept.so
"$rsd" print --expand --source x.rsd >said 2>why
ok_if "stripped: module and offset, and what is exported has its name" eval '[ "$(grep -c "MPI_Bcast.*/part.so+0x[0-9a-f]*" said)" = 2 ] &&
	[ "$(grep -c "MPI_Bcast.*/part.so+0x[0-9a-f]* in work$" said)" = 1 ] && says why "part.so'"'"' is stripped"'
run 1 RECORD_STACK=off RECORD_FILE=x.rsd -- "$work/modules" "$PWD/part.so" "$PWD/kept.so"
ok_if "off: no sites, and no modules" eval '[ $rc = 0 ] && fails grep -q -e "^module" -e "^signature" x.rsd'
exit $failed
