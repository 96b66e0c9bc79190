# The commands of rsd: what they print, what they compare, how they end.
. tests/run/lib.sh
for level in glob node dump; do
	${MPICC:-mpicc} -g -O1 -w "$root/tests/run/app.c" -o "$work/app-$level" -L"$lib" -l:lib$level.a || exit 1
done
new_dir
run 4 RECORD_FILE=x.rsd RECORD_CALLS=all -- "$work/app-glob" 40
run 4 RECORD_FILE=node RECORD_CALLS=all -- "$work/app-node" 40
run 4 RECORD_FILE=dump RECORD_CALLS=all -- "$work/app-dump" 40
run 4 RECORD_FILE=y.rsd RECORD_CALLS=all -- "$work/app-glob" 41

# ---- the program itself
for command in run print stats diff check merge convert profile codegen config; do
	ok_if "rsd $command --help" eval '"$rsd" '$command' --help | grep -q "^usage: rsd '$command'"'
	ok_if "rsd help $command" eval '"$rsd" help '$command' >said && "$rsd" '$command' --help | cmp - said'
	ok_if "rsd $command: an unknown option" eval \
		'exits 2 "$rsd" '$command' --foo 2>said && [ "$(cat said)" = "rsd '$command': unknown option '\''--foo'\''" ]'
done
ok_if "no command" exits 2 "$rsd"
ok_if "an unknown command" eval 'exits 2 "$rsd" shout 2>said && says said "unknown command"'
ok_if "--version" eval '"$rsd" --version | grep -q "^rsd [0-9]"'
ok_if "an option without its argument" eval 'exits 2 "$rsd" print --rank 2>said && says said "needs an argument"'
ok_if "a rank that is no number" exits 2 "$rsd" print --rank=one x.rsd
ok_if "a rank that is not in the trace" exits 2 "$rsd" print --expand --rank=4 x.rsd
ok_if "a file that is not there, by name" eval \
	'exits 2 "$rsd" print absent 2>said && grep -q "^rsd print: .*absent.*: No such file or directory" said'

# ---- print
"$rsd" print --expand --json x.rsd >events
ok_if "print --expand --json: an object a call" [ "$(grep -c '^{"rank":[0-3],"thread":0,"call":"MPI_.*}$' events)" = "$(wc -l <events)" ]
ok_if "print --expand --json: arguments" eval \
	'grep -q "\"rank\":1,\"thread\":0,\"call\":\"MPI_Isend\",\"args\":{\"count\":1,\"datatype\":\"MPI_INT\",\"dest\":2,\"tag\":3,\"comm\":\"MPI_COMM_WORLD\",\"request\":\"request-[0-9]*\"}" events'
ok_if "print --expand --json: ignored statuses" grep -q '"array_of_statuses":"MPI_STATUSES_IGNORE"' events
ok_if "print --expand --json: call sites" grep -q '"site":{"module":"app-glob","offset":"0x[0-9a-f]*"}' events
"$rsd" print --expand --json --rank=2 x.rsd >events2
grep '^{"rank":2,' events | cmp - events2 >why 2>&1
ok_if "print --rank: the lines of that rank" eval 'grep "^{\"rank\":2," events | cmp - events2'
"$rsd" print --json x.rsd >structure
ok_if "print --json: a loop with its count" grep -q '"loop":\(39\|40\),' structure
ok_if "print --json: a peer relative to the rank" grep -q '"dest":"rank+1"' structure
if command -v python3 >/dev/null; then
	ok_if "print --json is JSON" eval 'python3 -m json.tool structure && "$rsd" stats --format=json x.rsd | python3 -m json.tool'
fi
"$rsd" print x.rsd >text
ok_if "print: the loop, indented" eval 'grep -q "^loop \(39\|40\)" text && grep -q "^    MPI_Waitall(" text'
run 1 RECORD_FILE=flags.rsd -- "$work/app-glob" flags
ok_if "print: counts are not read as hexadecimal numbers" eval \
	'"$rsd" print flags.rsd >text && grep -qF "flag=0 x9 1" text && "$rsd" print --json flags.rsd | grep -qF "\"flag\":\"0 x9 1\""'
run 4 RECORD_FILE=edge.rsd -- "$work/app-glob" edge
ok_if "print: the rank is added to numbers, not to names" eval \
	'"$rsd" print edge.rsd | grep -qF "dest=(rank-1 MPI_PROC_NULL rank+1 MPI_PROC_NULL) x5, "'
ok_if "print --rank: that rank's peers are ranks" eval \
	'"$rsd" print --rank 1 edge.rsd >said && says said "dest=(0 MPI_PROC_NULL 2 MPI_PROC_NULL) x5, " && says said "rank=1)" && fails grep "rank[+-]" said'
ok_if "print --json --rank: its ranks" eval '"$rsd" print --json --rank 1 edge.rsd | grep -q "^{\"nprocs\":4,\"ranks\":\"1\","'
ok_if "print: no colours but on a terminal" fails grep -q "$(printf '\033')" text
ok_if "print --color=always" eval '"$rsd" print --color=always x.rsd | grep -q "$(printf "\\033")"'
ok_if "a full disk is reported" eval 'exits 2 "$rsd" print --expand x.rsd >/dev/full 2>said && says said "No space left"'
ok_if "a closed pipe is not commented on" eval '{ "$rsd" print --expand --json x.rsd 2>said; echo $? >code; } | : ; [ ! -s said ]'

# What is in a trace is shown, and not obeyed by the terminal.
strange=$work/$(printf 'red\033[31m\302\233')
cp "$work/app-glob" "$strange"
run 1 RECORD_FILE=strange.rsd -- "$strange" 3
for command in "print" "print --expand" "print --json" "stats --by site" "stats --by site --format tsv" "stats --by size" check; do
	ok_if "$command: no control characters" eval \
		'"$rsd" '"$command"' strange.rsd >shown && [ -s shown ] && ! LC_ALL=C grep -q "$(printf "[\\033\\233]")" shown'
done
"$rsd" print strange.rsd >shown
ok_if "print: control characters are seen" grep -qF 'red\x1b[31m\xc2\x9b' shown

# ---- stats
"$rsd" stats --format tsv x.rsd >table
count_calls()
{
	sed -n 's/.*"call":"\(MPI_[A-Za-z_]*\)".*/\1/p' "$1" | sort | uniq -c | awk '{ print $2 "\t" $1 }'
}
count_calls events >counted
ok_if "stats: calls as in the expansion" eval 'grep ^MPI_ table | cut -f 1,2 | sort | cmp - counted'
ok_if "stats: bytes" grep -q '^MPI_Isend	160	640	0	' table
for t in node dump; do
	"$rsd" stats --format tsv $t | grep ^MPI_ | cut -f 1-4 | sort >$t.table
	ok_if "stats of $t: the same calls and bytes" eval 'grep ^MPI_ table | cut -f 1-4 | sort | cmp - '$t.table
done
run 2 RECORD_FILE=full.txt RECORD_FORMAT=ascii RECORD_TIME=full -- "$work/app-node" 40
"$rsd" merge -o dump.one dump
"$rsd" convert --to rsd -o full.back full.txt.0
ok_if "libdump says in the header that it keeps every call's time" eval 'grep -aqx "meta .time. .full." dump.0 && grep -aqx "meta .time. .stats." node.0'
for t in dump dump.one full.txt full.back; do
	"$rsd" print --expand $t | sed -n 's/^[0-9]* MPI_Isend(.* for \([0-9.]*\)  .*/\1/p' | tr -d . >isends # in ns
	"$rsd" stats --format tsv $t | grep ^MPI_Isend >row
	ok_if "stats of $t: the times of the calls" eval \
		'awk "{ ns = \$1 + 0 } NR == 1 || ns < min { min = ns } NR == 1 || ns > max { max = ns } { sum += ns }
			END { printf \"%.9f\t%.9f\t%.9f\t%.9f\n\", sum / 1e9, sum / NR / 1e9, min / 1e9, max / 1e9 }" isends >times && [ -s isends ] && cut -f 5-8 row | cmp - times'
done
ok_if "stats --by rank" eval '"$rsd" stats --by rank --format tsv x.rsd | grep -q "^3	MPI_Isend	40	160	0"'
ok_if "stats --by site" eval '"$rsd" stats --by site --format tsv x.rsd | grep -q "^app-glob+0x[0-9a-f]*	MPI_Isend	160	640"'
ok_if "stats --by size" eval '"$rsd" stats --by size x.rsd | grep -q "^MPI_Waitall"'
ok_if "stats --by nothing known" exits 2 "$rsd" stats --by colour x.rsd
for level in glob node dump; do
	run 4 RECORD_FILE=moves-$level -- "$work/app-$level" moves
	"$rsd" stats --format tsv moves-$level >moves.table
	# Four rounds of each rooted one: 4 bytes from one to three others; 8 from all to one; 4 from each of 4 to one; 12 from one to each of 4.
	for row in "Bcast	16	16	48" "Reduce	16	128	32" "Gather	16	64	64" "Scatter	16	192	192" \
		"Allreduce	4	32	32" "Exscan	4	16	12" "Alltoall	4	64	64" "Reduce_scatter_block	4	64	16" "Allgather	4	16	40"; do
		ok_if "stats of $level: what MPI_${row%%	*} moves" grep -q "^MPI_$row	" moves.table
	done
	cut -f 1-4 moves.table | grep ^MPI_ | sort >sum
	"$rsd" stats --by rank --format tsv moves-$level | awk -F '\t' -v OFS='\t' '
		$2 ~ /^MPI_/ { n[$2] += $3; s[$2] += $4; r[$2] += $5 } END { for (f in n) print f, n[f], s[f], r[f] }' | sort >ranks
	ok_if "stats of $level: the ranks sum up" cmp sum ranks
done

# ---- diff, check
ok_if "diff: a trace equals itself" exits 0 "$rsd" diff x.rsd x.rsd
ok_if "diff: glob, node and dump tell the same" eval '"$rsd" diff -i x.rsd node && "$rsd" diff -i node dump && "$rsd" diff -i dump x.rsd'
ok_if "diff: sites are of one program" exits 1 "$rsd" diff x.rsd node
ok_if "diff: one step more" eval 'exits 1 "$rsd" diff x.rsd y.rsd >said && says said "rank 0, thread 0, call"'
ok_if "diff --max" eval '"$rsd" diff --max 2 x.rsd y.rsd | grep -c "^rank" | grep -qx 2'
ok_if "diff --max: there is more" eval '"$rsd" diff --max 3 x.rsd y.rsd | grep -q "^\.\.\. and more (--max=N"'
ok_if "diff --max: there is no more" eval 'exits 1 "$rsd" diff --max 4 x.rsd y.rsd >said && fails says said "and more"'
ok_if "diff: other stacks, and how to do without" eval 'exits 1 "$rsd" diff x.rsd node >said && says said "in their stacks only: --ignore-sites"'
run 4 RECORD_FILE=bare.rsd RECORD_CALLS=all RECORD_STACK=off -- "$work/app-glob" 40
ok_if "diff: a side without stacks" eval 'exits 1 "$rsd" diff x.rsd bare.rsd >said && grep -qx "     and none" said && exits 0 "$rsd" diff -i x.rsd bare.rsd'
ok_if "diff: not there" exits 2 "$rsd" diff x.rsd absent
mkdir -p moved && cp "$work/app-glob" moved
run 4 RECORD_FILE=z.rsd RECORD_CALLS=all -- moved/app-glob 40
ok_if "diff: the same program in another folder" exits 0 "$rsd" diff x.rsd z.rsd
ok_if "check: complete" eval '"$rsd" check x.rsd | grep -qx "complete: 4 ranks, $(wc -l <events) events"'
for t in node dump; do
	ok_if "check $t" eval '"$rsd" check '$t' | grep -qx "complete: 4 ranks, $(wc -l <events) events"'
done
for level in glob dump; do
	run 2 RECORD_FILE=aside-$level -- "$work/app-$level" aside
	ok_if "check aside-$level: recording was stopped on a rank" eval \
		'exits 0 "$rsd" check aside-$level >said && grep -qx "paused: on rank 1 (MPI_Pcontrol)" said && grep -q "^complete: 2 ranks" said && [ $(wc -l <said) = 2 ]'
done
run 2 RECORD_FILE=aside-all RECORD_CALLS=all -- "$work/app-glob" aside
ok_if "check: with RECORD_CALLS=all nothing stops recording" eval 'exits 0 "$rsd" check aside-all >said && [ $(wc -l <said) = 1 ]'
run 1 RECORD_FILE=less RECORD_CALLS=-MPI_All* -- "$work/app-glob" 40
ok_if "check: functions were left out" eval 'exits 0 "$rsd" check less >said && grep -qx "restricted: calls -MPI_All\* (RECORD_CALLS)" said && grep -q "^complete: 1 rank" said'
mv node.2 away
ok_if "check: a rank is missing" eval 'exits 1 "$rsd" check node >said && says said "missing: rank 2 of 4"'
mv away node.2

# ---- merge, convert
ok_if "merge: files of ranks, in any order" eval '"$rsd" merge -o m.rsd node.3 node.0 node.2 node.1 && "$rsd" diff m.rsd node && "$rsd" check m.rsd'
ok_if "merge: FILE for all of them" eval '"$rsd" merge -o m2.rsd node && "$rsd" diff m2.rsd node && "$rsd" check m2.rsd'
ok_if "merge: a rank is missing" eval '"$rsd" merge -o m3.rsd node.0 node.1 node.3 && exits 1 "$rsd" check m3.rsd >said && says said "missing: rank 2 of 4"'
ok_if "merge: a rank twice" eval 'exits 2 "$rsd" merge -o m4.rsd node.0 node.1 node.0 2>said && says said "overlap" && [ ! -e m4.rsd ]'
# Files of two runs: of other sizes, and at other times.
run 2 RECORD_FILE=small RECORD_CALLS=all -- "$work/app-node" 40
run 4 RECORD_FILE=again RECORD_CALLS=all -- "$work/app-node" 40
ok_if "merge: files of runs of other sizes" eval 'exits 2 "$rsd" merge -o m4.rsd node.3 small.0 2>said && says said "small.0 is of a run of 2 processes, node.3 of one of 4"'
ok_if "merge: files of two runs" eval 'exits 2 "$rsd" merge -o m4.rsd node.0 again.1 2>said && says said "node.0 is of a run of date 2" && says said "again.1 of one of 2" && [ ! -e m4.rsd ]'
cp node.2 small.2
ok_if "check: a file that an older and larger run left" eval 'exits 2 "$rsd" check small 2>said && says said "small.2 is of a run of 4 processes, small.0 of one of 2: one is left over"'
cp node.2 again.2
ok_if "check: a file of another run" eval 'exits 2 "$rsd" check again 2>said && says said "again.2 is of a run of date "'
${MPICC:-mpicc} -g -O1 -w "$root/tests/run/app.c" -o "$work/app-other" -L"$lib" -l:libnode.a || exit 1
run 1 RECORD_FILE=mpmd -- "$work/app-node" 40 : -n 1 "$work/app-other" 40
ok_if "merge: two programs of one run" eval '"$rsd" merge -o m5.rsd mpmd.0 mpmd.1 && "$rsd" check m5.rsd'
run 1 RECORD_FILE=session -- env TZ=UTC+1 "$work/app-node" session : -n 1 env TZ=UTC-1 "$work/app-node" session
[ $rc = 5 ] || ok_if "check: ranks with sessions, each with a date of its own" eval \
	'"$rsd" check session | grep -q "^complete: 2 ranks" && ! cmp -s session.0 session.1'
ok_if "merge: no output" exits 2 "$rsd" merge node.0
# However it is spelled, an output that is one of the inputs is told, and all of them stay.
cp node.1 before
ln -s node.1 symlink
ln node.1 hardlink
mkdir -p aside.1
for out in node.1 ./node.1 aside.1/../node.1 "$PWD/node.1" symlink hardlink; do
	ok_if "merge: onto an input (${out##*/work*/})" eval \
		'exits 2 "$rsd" merge -o "$out" node.0 node.1 node.2 node.3 2>said && says said "is the trace itself" && cmp node.1 before'
	for command in merge resolve "convert --to binary" "convert --to ascii" "convert --to csv" report codegen; do
		ok_if "$command: onto one of FILE.RANK (${out##*/})" eval \
			'exits 2 "$rsd" $command -o "$out" node 2>said && says said "is one of the files of the trace" && cmp node.1 before'
	done
done
ok_if "profile: onto an input" eval 'exits 2 "$rsd" profile -o node.1 node 2>said && cmp node.1 before'
ok_if "merge: the output is FILE of FILE.RANK" eval 'cp node.0 own.0 && "$rsd" merge -o own own && "$rsd" diff own own.0'
rm symlink hardlink
for format in rsd binary; do
	ok_if "convert --to $format" eval '"$rsd" convert --to '$format' -o c x.rsd && "$rsd" diff x.rsd c && "$rsd" check c'
done
cp x.rsd same
ok_if "convert --to ascii, which has no loops: not onto the trace itself" eval 'exits 2 "$rsd" convert --to ascii -o same same 2>said && says said "the trace itself" && cmp x.rsd same'
"$rsd" convert --to ascii -o later.ascii "$root/tests/golden/v1-later.rsd"
"$rsd" print --expand --json "$root/tests/golden/v1-later.rsd" >later
ok_if "convert --to ascii: read back, calls without times have none" eval '"$rsd" print --expand --json later.ascii | cmp - later'
ok_if "convert --to ascii" eval '"$rsd" convert --to ascii -o c.txt x.rsd && [ "$(grep -c MPI_Isend c.txt)" -ge 160 ]'
# interrupted SIGNAL OUT COMMAND...: is ended by the signal while OUT is unfinished, and nothing is left of it.
${MPICC:-mpicc} -shared -fPIC -w -o "$work/hold.so" "$root/tests/run/hold.c" -ldl || exit 1
interrupted()
{
	_signal=$1
	_out=$2
	shift 2
	rm -f held
	# (a shell's background commands ignore SIGINT)
	env --default-signal=INT LD_PRELOAD="$work/hold.so" "$@" &
	_try=0
	until [ -e held ] || [ $((_try += 1)) = 600 ]; do
		sleep 0.05
	done
	[ -e $_out.tmp.$! ] || echo "nothing is unfinished"
	kill -$_signal $!
	wait $! 2>/dev/null
	[ "$?$(echo $_out*)" = "$((128 + _signal))$_out*" ] && [ -e held ]
}
for signal in 2 15; do
	ok_if "convert: signal $signal ends it and leaves nothing" interrupted $signal long.txt "$rsd" convert --to ascii -o long.txt x.rsd
	for to in otf2 tit; do
		ok_if "convert --to $to: signal $signal leaves no folder" interrupted $signal folder "$rsd" convert --to $to -o folder x.rsd
	done
	ok_if "profile: signal $signal leaves no folder" interrupted $signal folder "$rsd" profile -o folder x.rsd
done
for command in "convert --to csv" "convert --to perfetto" "convert --to dot" "resolve --to ascii" "merge --to ascii" merge report codegen; do
	cp x.rsd itself.rsd
	ok_if "$command: not over the trace itself" eval \
		'exits 2 "$rsd" $command -o ./itself.rsd itself.rsd 2>said && says said "the trace itself" && cmp x.rsd itself.rsd'
done
cp x.rsd itself.rsd
ok_if "convert: a trace in its own place" eval '"$rsd" convert --to binary -o itself.rsd itself.rsd && "$rsd" diff x.rsd itself.rsd'
for to in rsd csv perfetto dot; do
	ok_if "convert --to $to: a full disk" eval 'exits 2 "$rsd" convert --to $to -o /dev/full x.rsd 2>said && says said "No space left"'
done
for command in report resolve codegen; do
	ok_if "$command: a full disk" eval 'exits 2 "$rsd" $command -o /dev/full x.rsd 2>said && says said "No space left"'
done
ok_if "codegen: a full disk behind standard output" eval 'exits 2 "$rsd" codegen x.rsd >/dev/full 2>said && says said "No space left"'
ok_if "convert: an unknown format" exits 2 "$rsd" convert --to pdf -o c x.rsd
ok_if "convert: nowhere to write" eval 'exits 2 "$rsd" convert --to rsd -o no/such/folder x.rsd 2>said && says said "No such file or directory"'

# What libglob does at the end, merge does later. One program, so that the call sites are the same; times are those of a run.
${MPICC:-mpicc} -g -O1 -w "$root/tests/run/app.c" -o "$work/app-plain" || exit 1
for what in 40 file; do
	for level in node glob; do
		run 4 RECORD_FILE=$level.same RECORD_TIME=off RECORD_CALLS=all LD_PRELOAD="$lib/lib$level.so" -- "$work/app-plain" $what
	done
	"$rsd" merge -o merged.same node.same
	for t in merged glob; do
		grep -v '^meta "\(level\|date\)"\|^end ' $t.same >$t.lines
	done
	ok_if "merge: the trace that libglob writes, line by line (app $what)" eval '[ -s glob.lines ] && cmp merged.lines glob.lines'
	rm -f node.same.*
done
for t in x.rsd merged.same; do
	"$rsd" convert --to binary -o there $t && "$rsd" convert --to rsd -o back there
	ok_if "convert: to binary and back is $t, byte by byte" cmp $t back
	"$rsd" convert --to binary -o again back
	ok_if "convert: and so the other way" cmp there again
done
"$rsd" convert --to binary -o there dump && "$rsd" convert --to rsd -o back there
ok_if "convert: a flat trace, there and back" eval '"$rsd" diff dump back && "$rsd" convert --to binary -o again back && cmp there again'

# ---- config
printf 'binary\n-1\n4096 # places\nfrom-%%p.rsd\n' >record.in
ok_if "config: where options come from" eval \
	'RECORD_WINDOW=9 "$rsd" config >said && grep -q "RECORD_FORMAT  *binary  *record.in:1" said && grep -q "RECORD_WINDOW  *9  *environment" said && grep -q "RECORD_TIME  *stats  *default" said'
ok_if "config: the file itself" eval '"$rsd" config | grep -q "^RECORD_CONFIG  *record.in  *default$"'
ok_if "config: another file" eval 'RECORD_CONFIG=record.in "$rsd" config | grep -q "^RECORD_CONFIG  *record.in  *environment$"'
printf 'binary\nnine\n' >record.in
ok_if "config: a malformed line" eval 'exits 1 "$rsd" config 2>said && says said "record.in:2"'
rm record.in
ok_if "config: no file" eval '"$rsd" config | grep -q "^RECORD_CONFIG  *record.in  *default (there is none)$"'
ok_if "config: RECORD_HISTO=off is allowed, as it is shown" eval 'RECORD_HISTO=off "$rsd" config | grep -q "^RECORD_HISTO  *off  *environment"'
ok_if "config --libs" eval '"$rsd" config --libs=node | grep -q -- "^-L/.*/lib -lnode -L.*-lm"'
for option in "-l dump" -ldump --libs=dump "--libs dump"; do
	ok_if "config $option" eval '"$rsd" config '"$option"' | grep -q -- "^-L/.*/lib -ldump "'
done
ok_if "config -l: no such level" exits 2 "$rsd" config -l dumb
ok_if "config -l dump: one level" exits 2 "$rsd" config -l dump node

# ---- run
"$rsd" run -o r.rsd -L "$lib" -- timeout 300 "${MPIEXEC:-mpiexec}" -n 2 "$work/app-plain" 40 >out 2>err </dev/null
rc=$?
ok_if "run: the program's result" eval '[ $rc = 0 ] && says out "result 1560" && [ ! -s err ]'
ok_if "run: its trace" eval '"$rsd" check r.rsd | grep -q "^complete: 2 ranks"'
"$rsd" run -l node -o rn -L "$lib" timeout 300 "${MPIEXEC:-mpiexec}" -n 2 "$work/app-plain" 40 >out 2>err </dev/null
ok_if "run -l node: the same" "$rsd" diff r.rsd rn
"$rsd" run -L "$lib" -- sh -c 'exit 7' 2>said
ok_if "run: the exit code is passed on" [ $? = 7 ]
ok_if "run: a signal is passed on" eval '"$rsd" run -L "$lib" -- sh -c "kill -USR1 \$\$"; [ $? = 138 ]'
ok_if "run: no MPI program" eval \
	'exits 1 "$rsd" run -L "$lib" -- true 2>said && grep -q "^rsd run: no trace was written: no MPI_Init" said'
ok_if "run: a program that ends before its trace" eval \
	'"$rsd" run -L "$lib" -- timeout 300 "${MPIEXEC:-mpiexec}" -n 1 "$work/app-plain" kill </dev/null >out 2>said; [ $? != 0 ] && says said "the program was ended"'
ok_if "run: a trace that can't be written" eval \
	'exits 1 "$rsd" run -o /dev/full -L "$lib" -- timeout 300 "${MPIEXEC:-mpiexec}" -n 1 "$work/app-plain" </dev/null >out 2>said && says said "could not write it"'
ok_if "run: a trace that only its file tells of" exits 0 \
	"$rsd" run -o f-%p.rsd -L "$lib" -- env -u RSD_RUN_NOTE timeout 300 "${MPIEXEC:-mpiexec}" -n 1 "$work/app-plain" </dev/null
ok_if "run: a run in a run" exits 0 \
	"$rsd" run -o g.rsd -L "$lib" -- sh -c "cd / && exec \"$rsd\" run -o \"$work/inner.rsd\" -L \"$lib\" -- timeout 300 \"${MPIEXEC:-mpiexec}\" -n 1 \"$work/app-plain\"" </dev/null
"$rsd" run -L "$lib" -- sh -c 'trap "exit 9" TERM; : >ready; while :; do sleep 0.1; done' 2>said &
while [ ! -e ready ]; do sleep 0.1; done
kill -TERM $!
wait $! 2>/dev/null
ok_if "run: a signal reaches the command" [ $? = 9 ]
mkdir folder
for output in "" x%z.rsd no/such/x-%p.rsd folder; do
	ok_if "run -o '$output': refused before the run" eval \
		'exits 2 "$rsd" run -o "$output" -L "$lib" -- touch was-run 2>said && says said "rsd run: --output '\''$output'\''" && [ ! -e was-run ]'
done
ok_if "run -o: a folder that only the run can name" eval \
	'exits 1 "$rsd" run -o no/%p/x.rsd -L "$lib" -- touch was-run 2>said && [ -e was-run ]'
mkdir 50%done
ok_if "run -o: in a folder with a percent sign" eval '(cd 50%done && \
	"$rsd" run -o w%%-%p.rsd -L "$lib" -- timeout 300 "${MPIEXEC:-mpiexec}" -n 1 "$work/app-plain" </dev/null) && [ -e 50%done/w%-1.rsd ]'
ok_if "run: nothing to run" exits 2 "$rsd" run
ok_if "run: no such program" exits 2 "$rsd" run -L "$lib" -- ./no-such-program
ok_if "run: no library there" eval 'exits 2 "$rsd" run -L /nowhere -- true 2>said && says said "/nowhere/libglob.so"'
exit $failed
