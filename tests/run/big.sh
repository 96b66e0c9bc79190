#!/bin/sh
# A billion calls in three loops: what reads the loops answers at once, and what expands them gives every call.
. tests/run/lib.sh
tools_only

${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -O1 -w -I"$root/common/inc" "$root/bench/loops.c" \
	"$root/build/libcommon.a" -lzstd -o "$work/loops" || {
	echo "FAIL $suite: bench/loops.c does not build"
	exit 1
}
new_dir
"$work/loops" big 1000
"$work/loops" less 999
# Expanded they would take minutes.
ok_if "check" eval 'timeout 20 "$rsd" check big | grep -q "1001002000 events"'
ok_if "print" eval 'timeout 20 "$rsd" print big | grep -q "loop 1000"'
ok_if "stats" eval 'timeout 20 "$rsd" stats --format tsv big | grep -q "MPI_Allreduce.1000000000"'
ok_if "diff of equal traces" exits 0 timeout 20 "$rsd" diff big big
ok_if "diff finds an end that differs early" exits 1 timeout 20 "$rsd" diff big less

"$work/loops" small 7
"$rsd" print --expand small >text
"$rsd" print --expand --json small >json
"$rsd" convert --to ascii small -o ascii
ok_if "expanded, every call is there" eval '[ "$(wc -l <text)" = 406 ] && [ "$(wc -l <json)" = 406 ] && [ "$(grep -c MPI_Allreduce ascii)" -ge 343 ]'
seq 0 6 >seven
for i in 1 2 3 4 5 6 7; do cat seven; done >wanted
ok_if "with the values that advance, as text" eval 'sed -n "s/.*MPI_Send.*tag=\\([0-9]*\\),.*/\\1/p" text | cmp - wanted'
ok_if "and as JSON" eval 'sed -n "s/.*MPI_Send.*\"tag\":\\([0-9]*\\),.*/\\1/p" json | cmp - wanted'
exit $failed
