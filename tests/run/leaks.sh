#!/bin/sh
# What looks a program over for leaks at its end (gcc -fsanitize=address) finds none of the tracer's: the exit code is the program's.
. tests/run/lib.sh
# Libraries by their names: a word like "mpi" is in the names of our own files, too.
for l in libmpi libmpich libopen-rte libopen-pal libpmix libucs libucp libuct libhwloc libevent "<unknown"; do
	echo "leak:$l"
done >"$work/known"
checked()
{
	${MPICC:-mpicc} -g -O1 -w -pthread -fsanitize=address "$root/tests/run/$1.c" -o "$work/$1.$2" ${3-}
}
clean()
{
	_ranks=$1
	shift
	run "$_ranks" ASAN_OPTIONS=fast_unwind_on_malloc=0:malloc_context_size=40 LSAN_OPTIONS=suppressions="$work/known" "$@" && [ "$rc" = 0 ]
}

new_dir
if ! checked app plain || ! checked modules plain; then
	echo "skip $suite: this compiler has no address sanitizer"
	exit 0
fi
if ! clean 2 -- "$work/app.plain" threads; then
	echo "skip $suite: untraced, the program is not clean: $(head -n 1 err)"
	exit 0
fi
checked app glob "$lib/libglob.a"
new_dir
clean 2 RECORD_FILE=x.rsd -- "$work/app.glob" threads
ok_if "threads" [ $rc = 0 ]

# Modules that come and go: what is known of them is replaced.
for n in one two; do
	${MPICC:-mpicc} -w -shared -fPIC -DLENGTH=1 "$root/tests/run/part.c" -o "$work/$n.so"
done
checked modules glob "$lib/libglob.a"
new_dir
cp "$work/one.so" part.so && cp "$work/two.so" next.so
clean 1 RECORD_FILE=x.rsd -- "$work/modules.glob" "$PWD/part.so" "$PWD/next.so"
ok_if "libraries that were unloaded" [ $rc = 0 ]
exit $failed
