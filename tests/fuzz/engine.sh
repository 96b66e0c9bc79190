# The engine: the headers and specs of its tests.
libs=
compile "$(echo wrapper-engine/*.c build/engine/*.c common/src/util.c)" -Iwrapper-engine -Dmain=engine_main -Dexit=engine_exit
export ASAN_OPTIONS=detect_leaks=0 # an engine that ends early leaves everything to the system

for dir in tests/engine/*/; do
	name=${dir#tests/engine/}
	[ -e "$dir/mpi.h" ] || continue
	{
		cat "$dir/mpi.h"
		echo ====
		cat "$dir"/*.spec
	} >"$seeds/${name%/}"
done
