# RECORD_HISTO: counts that differ by little, of messages, loops and collectives, are kept as histograms; who reads the trace is
# told, and totals are exact.
. tests/run/lib.sh
build jitter

size()
{
	stat -c %s "$1"
}
totals()
{
	"$rsd" stats --format tsv "$1" 2>/dev/null | cut -f 1-4 | grep '^MPI_\(Send\|Irecv\)'
}
calls()
{
	"$rsd" print --expand --json --rank 1 "$1" 2>/dev/null | sed 's/"t":.*//; s/"site":.*//'
}

new_dir
run 4 RECORD_FORMAT=binary RECORD_FILE=exact -- "$work/jitter"
sent=$(sed -n 's/^sent //p' out)
run 4 RECORD_FORMAT=binary RECORD_FILE=off RECORD_HISTO=off -- "$work/jitter"
run 4 RECORD_FORMAT=binary RECORD_FILE=zero RECORD_HISTO=0 -- "$work/jitter"
run 4 RECORD_FORMAT=binary RECORD_FILE=lossy RECORD_HISTO=5 -- "$work/jitter"
run 4 RECORD_FORMAT=rsd RECORD_FILE=lossy.rsd RECORD_HISTO=5 -- "$work/jitter"

ok_if "off and 0: equal, and nothing is lossy" eval '"$rsd" diff exact off && "$rsd" diff exact zero && ! "$rsd" check zero | grep -q lossy'
"$rsd" check exact >said
ok_if "without it no trace is lossy" fails says said lossy
"$rsd" check lossy >said
rc=$?
ok_if "check: sound, and says which columns" eval '[ $rc = 0 ] && says said "lossy: MPI_Irecv count, MPI_Send count (within 5 %)"'
ok_if "a tenth of the size, or less" [ "$(($(size lossy) * 10))" -le "$(size exact)" ]
ok_if "totals are exact" [ "$(totals lossy)" = "$(totals exact)" ]
ok_if "so are sums over what is drawn, of the rest, too" eval '[ "$("$rsd" print --expand --json lossy 2>/dev/null | sed -n "s/.*MPI_Send\".*\"count\":\([0-9]*\).*/\1/p" | awk "{ s += \$1 } END { print s }")" = "$sent" ]'
"$rsd" print --expand --json lossy 2>/dev/null | sed -n 's/.*MPI_Send".*"count":\([0-9]*\).*/\1/p' | sort -n | sed -n '1p;501p;$p' | tr '\n' ' ' >said
ok_if "what is beyond the percentage is as it was; extremes are exact" eval 'grep -q "^8 970 1030 $" said'
calls lossy >a
calls lossy >b
ok_if "any two readers draw the same" eval 'cmp a b && [ "$(sort -u a | wc -l)" -gt 20 ]'
"$rsd" print lossy >said 2>saying
ok_if "print: what the columns are, and that they are lossy" eval 'grep -q "count=.*~1000(970..1030)" said && says saying lossy'
"$rsd" print --json lossy >said 2>/dev/null
ok_if "print --json, too" says said '~1000(970..1030)'
for command in "stats" "diff lossy" "convert --to csv -o x.csv" "convert --to ascii -o x.ascii" "codegen -o x.c"; do
	"$rsd" $command lossy >said 2>saying
	rc=$?
	ok_if "$command says that it is lossy" eval '[ $rc = 0 ] && says saying "lossy: MPI_Irecv count, MPI_Send count"'
done
ok_if "ascii says so itself" says x.ascii 'meta "drawn" "MPI_Irecv count, MPI_Send count (within 5 %)"'
"$rsd" convert --to rsd lossy -o x.rsd && "$rsd" convert --to binary x.rsd -o y
ok_if "rsd and binary hold the same" eval '"$rsd" diff lossy x.rsd && cmp lossy y && head -1 x.rsd | grep -qx "rsd 4"'
ok_if "text recorded is as text converted" "$rsd" diff lossy lossy.rsd
sed 's/^\(	@scalar .* 970\):/\1/' x.rsd >z.rsd
"$rsd" check z.rsd >said 2>saying
rc=$?
ok_if "a histogram that is damaged" eval '[ $rc = 2 ] && says saying "not a value of a histogram"'

run 4 RECORD_FORMAT=binary RECORD_FILE=near RECORD_HISTO=0.1 -- "$work/jitter"
"$rsd" check near >said
ok_if "beyond the percentage counts stay exact" eval '[ "$(totals near)" = "$(totals exact)" ] && [ "$(size near)" -gt "$(($(size lossy) * 2))" ]'

build jitter node
run 4 RECORD_FORMAT=rsd RECORD_FILE=each RECORD_HISTO=5 -- "$work/jitter"
"$rsd" merge each.0 each.1 each.2 each.3 -o joined
ok_if "histograms of ranks join, offline too" eval '"$rsd" check joined && [ "$(totals joined)" = "$(totals exact)" ]'

build jitter
run 2 RECORD_FORMAT=binary RECORD_FILE=checked RECORD_HISTO=5 RECORD_SELFCHECK=1 -- "$work/jitter" 500
"$rsd" check checked >said
ok_if "the self-check is of exact traces" eval 'says err "RECORD_HISTO is off" && ! says said lossy'

# The replay's own arguments are drawn; receives have room for any of the group.
timeout 120 "${MPIEXEC:-mpiexec}" -n 4 "$replay" lossy >said 2>saying
rc=$?
ok_if "replay: plays, and says so" eval '[ $rc = 0 ] && says saying "lossy: " && ! grep -q "error" saying said'
timeout 120 "${MPIEXEC:-mpiexec}" -n 4 "$replay" --record again lossy >said 2>&1
ok_if "replay: what it sends is what was sent" [ "$(totals again | grep Send)" = "$(totals exact | grep Send)" ]
timeout 120 "${MPIEXEC:-mpiexec}" -n 4 "$replay" --verify lossy >said 2>&1
rc=$?
ok_if "replay: there is nothing to verify, and one rank says so" eval '[ $rc != 0 ] && [ "$(grep -c lossy said)" = 1 ]'
made()
{
	"$rsd" codegen "$1" -o made.c 2>saying && ${MPICC:-mpicc} -w made.c -o made -L"$lib" -l:libglob.a
}
made lossy
run 4 RECORD_FORMAT=binary RECORD_FILE=by.made -- ./made
ok_if "codegen: what it makes takes the longest message, and sends what was sent" eval '[ $rc = 0 ] && [ "$(totals by.made | grep Send)" = "$(totals exact | grep Send)" ] && says made.c "drawn from histograms are: MPI_Irecv count"'

# Loops, and a collective's counts: ranks agree, and each does as much as it did.
every()
{
	"$rsd" stats --format tsv "$1" 2>/dev/null | cut -f 1-4 | sort
}
new_dir
build varying
run 3 RECORD_FORMAT=binary RECORD_TIME=off RECORD_FILE=exact -- "$work/varying"
run 3 RECORD_FORMAT=binary RECORD_TIME=off RECORD_FILE=lossy RECORD_HISTO=10 -- "$work/varying"
"$rsd" check lossy >said
rc=$?
ok_if "loops: check says so" eval '[ $rc = 0 ] && says said "lossy: MPI_Bcast count, counts of loops at MPI_Send, counts of loops at MPI_Recv, counts of loops at MPI_Irecv (within 10 %)"'
ok_if "loops: two thirds of the size, or less" [ "$(($(size lossy) * 3))" -le "$(($(size exact) * 2))" ]
ok_if "loops: calls and bytes are those of the run" [ "$(every lossy)" = "$(every exact)" ]
"$rsd" print lossy >said 2>/dev/null
ok_if "loops: print says what their counts are" eval 'says said "loop ~10(9..11) {" && says said "count=~100(90..110)"'
"$rsd" convert --to perfetto lossy -o x.json 2>saying && "$rsd" convert --to tit lossy -o tit 2>saying && "$rsd" report --no-source lossy -o x.html 2>saying
ok_if "loops: what is made of it says that it is drawn" eval 'says x.json "\"drawn\":\"MPI_Bcast count, counts of loops at" && says tit/README "The trace is lossy" && says x.html "\"drawn\",\"MPI_Bcast count"'
"$rsd" diff exact lossy >said 2>&1
ok_if "loops: their order is lost" [ $? = 1 ]
"$rsd" convert --to rsd lossy -o x.rsd && "$rsd" convert --to binary x.rsd -o y
ok_if "loops: rsd and binary hold the same" eval '"$rsd" diff lossy x.rsd && cmp lossy y && head -1 x.rsd | grep -qx "rsd 5"'
for bad in 's/\(@each count 0 10000\) [^ ]* [0-9]*/\1 * 9/' 's/\(@each count .* 11\):[0-9]*/\1:99999999999999999999/' 's/\(@each count .*\) 9:/\1 -9:/' 's/@each count/@scalar count/'; do
	sed "$bad" x.rsd >z.rsd
	"$rsd" check z.rsd >said 2>saying
	rc=$?
	ok_if "loops: refused: $bad" eval '[ $rc = 2 ] && says saying histogram'
done
timeout 240 "${MPIEXEC:-mpiexec}" -n 3 "$replay" --record again lossy >said 2>&1
rc=$?
"$rsd" diff --ignore-sites lossy again >said 2>&1
same=$?
ok_if "loops: a replay makes the calls that are drawn" [ $rc$same = 00 ]
ok_if "loops: with the totals of the run" [ "$(every again)" = "$(every exact)" ]
made lossy
run 3 RECORD_FORMAT=binary RECORD_FILE=by.made -- ./made
ok_if "loops: so does a program made of it" eval '[ $rc = 0 ] && [ "$(every by.made)" = "$(every exact)" ]'
build varying node
run 3 RECORD_FORMAT=rsd RECORD_FILE=each RECORD_HISTO=10 -- "$work/varying"
"$rsd" check each.1 >said
ok_if "loops: a rank on its own keeps them exact" fails says said lossy
"$rsd" merge each.0 each.1 each.2 -o joined
ok_if "loops: joined offline they draw the same" "$rsd" diff --ignore-sites joined lossy
exit $failed
