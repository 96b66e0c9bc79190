#!/bin/sh
# Programs that start others: parents and children have a trace each.
. tests/run/lib.sh

${MPICC:-mpicc} -g -O1 -w "$root/tests/run/spawn.c" -o "$work/untraced" || exit 1
new_dir
run 2 -- "$work/untraced" one
[ $rc = 0 ] || {
	echo "skip $suite: MPI_Comm_spawn fails with this MPI"
	exit 0
}

# has TRACE CALLS
has()
{
	"$rsd" check "$1" | grep -q "^complete: 2 ranks, $2 events"
}

# Both worlds: MPI_Init, Comm_rank, Comm_get_parent, Intercomm_merge, Comm_rank, 20 Allreduce, Bcast, Comm_free, Comm_disconnect,
# Finalize; parents have one call more.
for level in glob node dump; do
	build spawn $level
	for how in one several; do
		new_dir
		run 2 RECORD_FILE=t RECORD_SELFCHECK=1 -- "$work/spawn" $how
		ok_if "$level, $how: all say what they say untraced" \
			eval '[ $rc = 0 ] && [ "$(sort out | tr "\n" ,)" = "child 2 of 6,child 3 of 6,parent 0 of 6,parent 1 of 6," ] && fails says err record:'
		ok_if "$level, $how: the parents' trace is in its place, and has their calls" has t 60
		ok_if "$level, $how: what they have spawned has one of its own" \
			eval 'has "$(ls | sed -n "s/\(t\.spawned-[0-9]*\).*/\1/p" | sort -u)" 58'
	done
done

build spawn
new_dir
run 2 RECORD_FILE=t -- "$work/spawn" unseen
ok_if "started unseen: the parents' trace is in its place, whole" has t 60
ok_if "started unseen: each of what they have spawned has one of its own" \
	[ "$(ls | grep -c '^t\.spawned-[0-9]*\.[01]$')" = 2 ]
new_dir
run 2 RECORD_FILE=t -- "$work/spawn" several
ok_if "the root's commands are in the trace, and nothing of them elsewhere" \
	eval '"$rsd" print --expand --json t --rank 0 | grep spawn_multiple | grep -q "\"array_of_maxprocs\":\[1,1\]" &&
		"$rsd" print --expand --json t --rank 1 | grep spawn_multiple | fails grep -q array_of_maxprocs'
run 2 RECORD_FILE=none -- "$replay" t
ok_if "a replay of the parents starts nothing, tells it, and ends" \
	eval '[ $rc = 0 ] && cat out err | grep -q "2 *MPI_Comm_spawn_multiple starts programs"'
new_dir
run 2 RECORD_FILE=t RECORD_SELFCHECK=1 -- "$work/spawn" ports
ok_if "ranks that meet at a port are in one trace" \
	eval '[ $rc = 0 ] && has t 66 && "$rsd" print --expand --json t --rank 1 | grep -q MPI_Comm_connect'
run 2 RECORD_FILE=none -- "$replay" t
ok_if "a replay of them tells what it leaves out, and ends" \
	eval '[ $rc = 0 ] && cat out err | grep -q "1 *MPI_Comm_accept meets other programs"'
exit $failed
