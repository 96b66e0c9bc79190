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
	sed "s,$lib/lib$level.so\$,-," out | sort >sorted
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
# LD_PRELOAD stays as it is; the exit code is the program's.
new_dir
ln -s "$lib" there
timeout 300 env LD_PRELOAD="there/libglob.so" "$work/stranger" 7 >out 2>err </dev/null
rc=$?
ok_if "LD_PRELOAD stays, and the exit code is the program's" eval '[ $rc = 7 ] && says out "0 of 1: 0; '"'7'"' there/libglob.so"'
# Constructors run once, and what they do is there once.
$cc -g -O1 -w -shared -fPIC -x c - -o "$work/libonce.so" <<-'END'
	#include <unistd.h>
	__attribute__((constructor)) static void once(void) { write(1, "begun\n", 6); }
	int once_used;
END
$cc -g -O1 -w "$root/tests/run/stranger.c" -o "$work/once" -Wl,--no-as-needed "$work/libonce.so" || exit 1
new_dir
timeout 300 env LD_PRELOAD="$lib/libglob.so" "$work/once" 0 >out 2>err </dev/null
ok_if "what libraries do when they are loaded is done once" eval '[ "$(grep -c begun out)" = 1 ] && says err "$told"'
new_dir
timeout 300 "$rsd" run -L "$lib" -o t -- "$exec" -n 2 "$work/stranger" 0 >out 2>err </dev/null
rc=$?
ok_if "rsd run says why there is no trace" eval \
	'[ $rc = 1 ] && says err "no trace was written: the program is of another MPI than the tracer" && [ "$(grep -c "of 2: 1" out)" = 2 ]'
# An MPI that is there, but not the one that is called, is no sign.
if [ -z "${RSD_OTHER_MPI:-}" ]; then
	mpi_of() { ldd "$1" | sed -n 's/.*=> \(.*libmpi[^ ]*\.so[^ ]*\) .*/\1/p' | head -n 1; }
	${MPICC:-mpicc} -g -O1 -w "$root/tests/run/stranger.c" -o "$work/own"
	new_dir
	timeout 300 env RECORD_FILE=t LD_PRELOAD="$lib/libglob.so $(mpi_of "$work/own") $(mpi_of "$work/stranger")" "$work/own" 0 >out 2>err </dev/null
	rc=$?
	ok_if "another MPI's library beside the one that is called: it is traced" eval '[ $rc = 0 ] && ! says err "$told" && "$rsd" check t'
fi
# Fortran has names of its own, some of which both MPIs have.
case $cc in
*openmpi) fc=mpifort.openmpi flags=-L/usr/lib/x86_64-linux-gnu/openmpi/lib ;;
*) fc=mpifort.mpich flags= ;;
esac
cat >"$work/fortran.f90" <<-'END'
	program stranger
	use mpi_f08
	implicit none
	integer :: rank, total
	type(MPI_Comm) :: copy
	call MPI_Init()
	call MPI_Comm_dup(MPI_COMM_WORLD, copy)
	call MPI_Comm_rank(copy, rank)
	call MPI_Allreduce(rank + 1, total, 1, MPI_INTEGER, MPI_SUM, copy)
	call MPI_Barrier(copy)
	call MPI_Comm_free(copy)
	print '(a,i0)', 'total ', total
	call MPI_Finalize()
	end program
END
if command -v $fc >"$work/none" && $fc $flags "$work/fortran.f90" -o "$work/fortran" 2>"$work/none"; then
	new_dir
	MPIEXEC=$exec
	run 2 RECORD_FILE=t -- env LD_PRELOAD="$lib/libglob.so" "$work/fortran"
	ok_if "mpi_f08: it runs as untraced, and is told, once" eval \
		'[ $rc = 0 ] && [ "$(grep -c "^total 3$" out)" = 2 ] && [ "$(grep -cF "$told" err)" = 1 ]'
else
	echo "skip stranger: $fc makes no program with mpi_f08"
fi
exit $failed
