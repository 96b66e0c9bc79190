#!/bin/sh
# RECORD_CHECKPOINT: a rank that is killed leaves what it had some seconds before.
. tests/run/lib.sh

calls()
{
	"$rsd" stats --format tsv "$1" | awk -F '\t' '$1 ~ /^MPI_/ { n += $2 } END { print n }'
}

for level in glob node dump; do
	build end $level
	new_dir
	run 4 RECORD_FILE=t -- "$work/end" kill 2
	ok_if "$level: a rank that is killed leaves nothing without the option" [ ! -e t.2 ]
	for format in rsd binary ascii; do
		new_dir
		run 4 RECORD_CHECKPOINT=1 RECORD_FORMAT=$format RECORD_FILE=t -- "$work/end" kill 2 t.2
		# MPI_Init, MPI_Comm_rank, 20 MPI_Allreduce, MPI_Barrier
		ok_if "$level, $format: a rank that is killed leaves its calls" eval '[ "$(calls t.2)" = 23 ]'
		ok_if "$level, $format: they are marked incomplete, and it is told when that was" \
			eval '"$rsd" check t.2 | grep -q "rank 2: killed, or not ended; checkpoint of 2.* s after MPI_Init"'
		# What the launcher does to the others, and when, is up to it; each has had its first checkpoint.
		ok_if "$level, $format: ranks cut off at different times are joined" \
			eval '"$rsd" merge -o all t && "$rsd" check all | grep -E "(rank 2|ranks [0-9,-]*(2|[01]-3)[0-9,-]*): killed" && "$rsd" check all | grep "4 ranks"'
	done
	new_dir
	touch t.9
	run 2 RECORD_CHECKPOINT=1 RECORD_FILE=t -- "$work/end" none 0 t.0
	case $level in
	glob) wanted="t t.9" ;;
	*) wanted="t.0 t.1 t.9" ;;
	esac
	ok_if "$level: a run that ends well leaves the files that it always does" eval '[ "$(echo t*)" = "$wanted" ]'
	rm t.9
	ok_if "$level: and they are complete" exits 0 "$rsd" check t
	new_dir
	# One rank: of several, the launcher may kill one for the end of another.
	run 1 RECORD_CHECKPOINT=1 RECORD_FILE=t -- "$work/end" term 0 t.0
	ok_if "$level: a signal leaves the end, not a checkpoint" \
		eval '"$rsd" check t.0 | grep "ended by signal 15" && fails grep -q checkpoint t.0'
done
# The call that it hangs in.
build end glob
new_dir
run 1 RECORD_CHECKPOINT=1 RECORD_FILE=t -- "$work/end" in:kill 0 t.0
ok_if "a checkpoint tells which call the rank was in" \
	eval '"$rsd" check t.0 | grep -q "rank 0: killed, or not ended; .* s after MPI_Init, in MPI_Reduce_local$"'
# Threads record on; those that have a call in progress are held.
new_dir
run 2 RECORD_CHECKPOINT=1 RECORD_FILE=t -- "$work/end" kill 1 threads t.0
ok_if "checkpoints of a program with threads can be read" eval '"$rsd" check -w t.0 | grep -q "rank 0: \(killed\|ended by\)"'
# What does not fold has left memory in parts, which are in the checkpoint, too.
for level in node glob; do
	build irregular $level
	new_dir
	run 1 RECORD_CHECKPOINT=1 RECORD_MEMORY=1 RECORD_SELFCHECK=1 RECORD_FILE=t -- "$work/irregular" 10000
	ok_if "$level: checkpoints change nothing in the trace" eval '"$rsd" check -w t && fails says err differs'
done
exit $failed
