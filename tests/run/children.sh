#!/bin/sh
# Children of the program write nothing, and end as they do without the tracer.
. tests/run/lib.sh

for level in glob node dump; do
	build children $level
	for seconds in off 1; do
		new_dir
		run 2 RECORD_CHECKPOINT=$seconds RECORD_FILE=t -- "$work/children"
		ok_if "$level, checkpoints $seconds: children, wait, errno and masks are as without the tracer" \
			eval '[ $rc = 0 ] && [ "$(cat out)" = done ]'
		ok_if "$level, checkpoints $seconds: children say nothing" fails says err record:
		# MPI_Init_thread, MPI_Comm_rank, 101 MPI_Comm_size, MPI_Finalize; what comes after is none.
		ok_if "$level, checkpoints $seconds: the trace is the parents'" \
			eval '"$rsd" check t | grep -q "^complete: 2 ranks, 208 events"'
		ok_if "$level, checkpoints $seconds: no other file is left" eval '[ "$(ls -A | grep -vc "^t\|^out$\|^err$")" = 0 ]'
	done
done
exit $failed
