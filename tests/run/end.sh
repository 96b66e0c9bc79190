#!/bin/sh
# Processes that end without MPI_Finalize: what each rank had is there, and they end as without the tracer.
. tests/run/lib.sh

calls()
{
	"$rsd" stats --format tsv "$1" | awk -F '\t' '$1 ~ /^MPI_/ { n += $2 } END { print n }'
}

# Every call of a rank, but for MPI_Finalize: 1 Init, 1 Comm_rank, 20 Allreduce, 1 Barrier. Of several ranks the
# launcher may kill one for the death of the other, and what it returns is then up to which it saw first.
complete_but_for_the_end()
{
	case $(calls trace-$1.rsd) in
	46 | 23) "$rsd" check trace-$1.rsd | grep -q "\(no\|without\) MPI_Finalize" ;;
	*) false ;;
	esac
}

${MPICC:-mpicc} -g -O1 -w "$root/tests/run/end.c" -o "$work/untraced" || exit 1
for level in glob node dump; do
	build end $level
	for how in _exit exit thread segv abort term; do
		new_dir
		timeout 60 ${MPIEXEC:-mpiexec} -n 1 "$work/untraced" $how -1 >/dev/null 2>&1
		wanted=$?
		run 1 -- "$work/end" $how -1
		ok_if "$level: $how ends as without the tracer, and leaves its calls" \
			eval '[ $rc = $wanted ] && complete_but_for_the_end 1 && fails says out child'
		run 2 -- "$work/end" $how -1
		ok_if "$level: $how of two ranks leaves their calls" complete_but_for_the_end 2
	done
done
for level in glob node; do
	build end $level
	for how in _exit term; do
		new_dir
		run 1 RECORD_SELFCHECK=1 -- "$work/end" $how -1
		ok_if "$level: a process that ends by $how is self-checked, too" eval '"$rsd" print trace-1.rsd | grep -q "^# selfcheck: ok"'
	done
done
# Each of the two threads made ten calls with MPI_COMM_WORLD, and the one that ends left the others in the midst of more.
build end glob
for how in _exit segv term; do
	new_dir
	run 2 -- "$work/end" $how 1 threads
	ok_if "a process of three threads that ends by $how leaves the calls of all" \
		eval '[ "$("$rsd" print --expand --json trace-2.rsd.1 | grep Comm_size | grep -c COMM_WORLD)" = 20 ]'
done
# A launcher kills the others when one has ended: here, as soon as a trace that takes a while to write is begun. (MPI_Abort is a call.)
for level in node glob; do
	build end $level
	for how in exit _exit MPI_Abort; do
		new_dir
		run 1 RECORD_FILE=t -- "$work/end" killed:$how -1
		for i in $(seq 100); do
			[ -e t.0 ] && break
			sleep 0.1
		done
		ok_if "$level: a rank that is killed while it ends by $how leaves its calls" eval 'case $(calls t.0) in 20023 | 20024) ;; *) false ;; esac'
	done
done
# The call that it is in, as callbacks know it for sure.
while read -r how wanted; do
	new_dir
	run 1 RECORD_FILE=t -- "$work/end" $how -1
	ok_if "$how: the call that a rank was in is told" eval '"$rsd" check t.0 | grep -qx "incomplete: rank 0: $wanted"'
done <<-END
	in:term ended by signal 15, without MPI_Finalize, in MPI_Reduce_local
	in:segv ended by signal 11, without MPI_Finalize, in MPI_Reduce_local
	in:exit no MPI_Finalize, in MPI_Reduce_local
	in:_exit ended by _exit, without MPI_Finalize, in MPI_Reduce_local
	in:MPI_Abort MPI_Abort, in MPI_Reduce_local
	within:term ended by signal 15, without MPI_Finalize, in MPI_Reduce_local inside MPI_Comm_call_errhandler
	left:exit no MPI_Finalize
	term ended by signal 15, without MPI_Finalize, in no MPI call
	beside:term ended by signal 15, without MPI_Finalize, in no MPI call (thread 1: MPI_Reduce_local)
	beside:exit no MPI_Finalize (thread 1: MPI_Reduce_local)
END
new_dir
run 2 -- "$work/end" segv 1
ok_if "a rank that crashes leaves its own calls" eval '[ -s trace-2.rsd.1 ] && [ "$(calls trace-2.rsd)" -ge 23 ]'
new_dir
run 2 -- "$work/end" overrun 1
ok_if "a stack that is used up ends as without the tracer" eval '[ $rc = 11 ] || [ $rc = 139 ]'
# Its runtime has a handler that prints where it was.
fortran=${MPIFORT:-mpifort}
if command -v ${fortran%% *} >/dev/null && nm "$lib/libglob.a" | grep -q ' T mpi_init_$'; then
	new_dir
	$fortran -g -w "$root/tests/run/end_fortran.f90" -o "$work/end_fortran" -L"$lib" -l:libglob.a || exit 1
	run 1 -- "$work/end_fortran"
	ok_if "a Fortran program that crashes leaves its calls" \
		eval '[ $rc != 0 ] && says err Backtrace && [ "$(calls trace-1.rsd)" = 21 ] && "$rsd" check trace-1.rsd | grep -q "signal 11"'
else
	echo "skip $suite: there is no Fortran"
fi
new_dir
run 2 -- "$work/end" handled -1
ok_if "a handler of the program's own is the only one" \
	eval '[ $rc = 0 ] && [ "$(grep -c handled out)" = 2 ] && [ "$("$rsd" check trace-2.rsd | grep -c ^complete)" = 1 ]'

# One rank hangs, and the other waits for it in MPI_Finalize until it is ended: the root, or one that has sent its trace.
for rank in 0 1; do
	new_dir
	run 2 -- "$work/end" stop $((1 - rank)) &
	until [ -e pid.0 ] && [ -e pid.1 ]; do sleep 0.2; done
	sleep 5
	kill -TERM "$(cat pid.$rank)"
	for i in $(seq 100); do
		[ -e trace-2.rsd.$rank ] && break
		sleep 0.2
	done
	kill -KILL "$(cat pid.0)" "$(cat pid.1)" 2>"$work/none"
	wait
	ok_if "rank $rank waits for one that hangs, is ended, and leaves its calls" \
		eval '[ "$(calls trace-2.rsd.$rank)" -ge 23 ] && "$rsd" check trace-2.rsd.$rank | grep -q "rank $rank: ended by signal 15, without MPI_Finalize, in MPI_Finalize"'
done
# MPI_Abort is a call of its own.
new_dir
run 2 -- "$work/end" MPI_Abort 0
ok_if "a rank that calls MPI_Abort leaves its calls" \
	eval '[ $rc != 0 ] && [ "$(calls trace-2.rsd.0)" -ge 23 ] && "$rsd" check trace-2.rsd.0 | grep -q "rank 0: MPI_Abort"'
new_dir
run 2 RECORD_FILE=t -- "$work/end" directory 0 t
ok_if "the file of all ranks can't be written: it is told" eval '[ $rc = 0 ] && says err "could not be written; each one writes its own"'
rmdir t
ok_if "and each rank's calls are in its own" exits 0 "$rsd" check t
exit $failed
