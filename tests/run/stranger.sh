#!/bin/sh
# The tracer of one MPI, preloaded into a program of another one: the program runs as without it, and that is told.
. tests/run/lib.sh

case ${RSD_OTHER_MPI:-mpich} in
mpich) cc=mpicc.openmpi exec=$root/tests/mpiexec-openmpi ;;
*) cc=mpicc.mpich exec=mpiexec.mpich ;;
esac
command -v $cc >"$work/none" && $cc -g -O1 -w "$root/tests/run/stranger.c" -o "$work/stranger" || {
	echo "skip stranger: there is no other MPI"
	exit $failed
}
$cc -g -O1 -w -shared -fPIC "$root/tests/run/plugin.c" -o "$work/plugin.so" &&
	${CC:-cc} -g -O1 -w "$root/tests/run/host.c" -o "$work/host" -ldl || exit 1
told="record: the program is of"

for level in dump node glob; do
	new_dir
	MPIEXEC=$exec
	run 2 RECORD_FILE=t -- env LD_PRELOAD="$lib/lib$level.so" "$work/stranger" 0 ""
	sort out >sorted
	ok_if "$level: it runs as untraced, with its arguments" eval \
		'[ $rc = 0 ] && [ "$(cat sorted)" = "0 of 2: 1; '"'0' ''"' -
1 of 2: 1; '"'0' ''"' -" ]'
	ok_if "$level: it is told, once" [ "$(grep -cF "$told" err)" = 1 ]
	ok_if "$level: there is no trace" [ "$(echo t*)" = "t*" ]
	new_dir
	run 2 RECORD_FILE=t -- env LD_PRELOAD="$lib/lib$level.so" "$work/host" "$work/plugin.so"
	ok_if "$level: MPI that comes later: the program runs as untraced" eval '[ $rc = 0 ] && [ "$(grep -c "^0 1 1$" out)" = 2 ]'
	ok_if "$level: MPI that comes later: it is told, once" [ "$(grep -cF "$told" err)" = 1 ]
done
# What else is preloaded stays; the exit code is the program's; a name with a link in it is the tracer's, too.
new_dir
ln -s "$lib" there
other=$(ldd "$work/host" | sed -n 's/.*=> \(.*libc\.so[^ ]*\) .*/\1/p')
timeout 300 env LD_PRELOAD="$other there/libglob.so" "$work/stranger" 7 >out 2>err </dev/null
rc=$?
ok_if "what else is preloaded stays, and the exit code is the program's" eval '[ $rc = 7 ] && says out "0 of 1: 0; '"'7'"' $other"'
new_dir
timeout 300 "$rsd" run -L "$lib" -o t -- "$exec" -n 2 "$work/stranger" 0 >out 2>err </dev/null
rc=$?
ok_if "rsd run says why there is no trace" eval \
	'[ $rc = 1 ] && says err "no trace was written: the program is of another MPI than the tracer" && [ "$(grep -c "of 2: 1" out)" = 2 ]'
exit $failed
