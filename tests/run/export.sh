# rsd convert to the formats of other programs: read back by their own readers, where they are installed.
. tests/run/lib.sh
build export node
new_dir
run 4 RECORD_FILE=part -- "$work/export"
build export
run 4 RECORD_FILE=x.rsd RECORD_TIME=full -- "$work/export"
run 4 RECORD_FILE=stats.rsd -- "$work/export"

to()
{
	"$rsd" convert --to "$1" -o "$2" x.rsd 2>said
}

# count FILE PATTERN: lines
count()
{
	grep -c -- "$2" "$1"
}

ok_if "an unknown format" eval 'exits 2 "$rsd" convert --to pdf -o y x.rsd 2>said && says said "otf2, perfetto, csv, tit or dot"'
ok_if "a file where a folder is to be" eval 'echo >file; exits 2 to otf2 file && says said "no folder"'
mkdir full && : >full/x
ok_if "a folder that is there" eval 'exits 2 to otf2 full && says said "is there already" && [ "$(ls full)" = x ]'
ok_if "a folder where a file is to be" eval 'exits 2 to csv full && [ "$(ls full)" = x ]'
ok_if "times as recorded are not commented on" eval 'to csv x.csv && ! grep -q estimated said'
ok_if "estimated times are" eval '"$rsd" convert --to csv -o s.csv stats.rsd 2>said && says said "times estimated" && grep -q ",estimated,MPI_Send," s.csv'

# ---- what a format has no place for
# not_in FORMAT TRACE WHAT: this, in the only line about it; nothing where it is empty.
not_in()
{
	rm -rf lost
	"$rsd" convert --no-source --to $1 -o lost $2 2>said
	if [ "$3" ]; then
		[ "$(grep -c "not in" said)" = 1 ] && grep -qx "rsd convert: not in 'lost': $3" said
	else
		[ ! -s said ]
	fi
}
for format in rsd binary; do
	ok_if "$format has all" eval 'not_in $format x.rsd "" && not_in $format stats.rsd "" && not_in $format part.1 ""'
done
ok_if "ascii has no loops, and times where each call's were kept" eval \
	'not_in ascii x.rsd loops && not_in ascii stats.rsd "loops, statistics of times" && "$rsd" convert --to rsd -o flat.rsd lost && not_in ascii flat.rsd ""'
sites="call stacks but for the call site"
for format in csv perfetto; do
	ok_if "what $format has not" not_in $format x.rsd "loops, $sites, meta data"
done
ok_if "what OTF2 has not" not_in otf2 x.rsd "loops, arguments that OTF2 has no record for, $sites, meta data"
ok_if "what tit has not" not_in tit stats.rsd "loops, arguments that SimGrid has no action for, call stacks, meta data"
ok_if "what dot has not" not_in dot x.rsd "each call's time, arguments and results, meta data"
for rank in 0 1 3; do
	cp part.$rank few.$rank
done
ok_if "that a trace is incomplete" eval '"$rsd" convert --to csv -o few.csv few 2>said && says said "that it is incomplete"'
ok_if "merge and resolve tell it, too" eval '"$rsd" merge --to ascii -o lost part 2>said && grep -q "not in .lost.: .*statistics of times" said && "$rsd" resolve --to ascii -o lost x.rsd 2>said && grep -q "not in .lost.: loops" said'

# ---- csv
rows=$("$rsd" print --expand x.rsd | wc -l)
ok_if "csv: a row a call" [ "$(($(wc -l <x.csv) - 1))" = "$rows" ]
cat >rows.py <<'END'
import csv
for r in csv.DictReader(open('x.csv', newline='')):
    if r['rank'] == '1' and r['function'] == 'MPI_Isend':
        assert tuple(r['arg_' + k] for k in ('count', 'datatype', 'dest', 'tag', 'comm')) == ('1', 'MPI_INT', '2', '5', 'MPI_COMM_WORLD'), r
        assert r['time'] == 'kept' and float(r['duration']) >= 0 and '+0x' in r['site'] and r['arg_source'] == ''
        break
else:
    raise SystemExit('no such row')
END
command -v python3 >/dev/null && ok_if "csv: arguments" python3 rows.py

# ---- Chrome's JSON
cat >flows.py <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
ev = d['traceEvents']
s = {e['id']: e for e in ev if e['ph'] == 's'}
f = {e['id']: e for e in ev if e['ph'] == 'f'}
x = [e for e in ev if e['ph'] == 'X']
assert len(s) == 4 * 2 * 3 + 3 + 4 * 3 + 2 + 4, len(s)
assert set(s) == set(f)
for i in s:
    assert s[i]['ts'] < f[i]['ts']
    # each end lies in a call of its thread
    for e in (s[i], f[i]):
        assert any(c['pid'] == e['pid'] and c['ts'] <= e['ts'] <= c['ts'] + c['dur'] + 1e-3 for c in x)
sizes = sorted(c['args'].get('count') for c in x if c['name'] == 'MPI_Send' and c['args']['tag'] in (1, 2, 3) and c['pid'])
assert sizes == [10, 20, 30], sizes
if 'estimated' in d['otherData']['times']: # a root is not done before all have come
    for name, root in ('MPI_Gather', 2), ('MPI_Reduce', 1):
        c = [e for e in x if e['name'] == name]
        done = next(e['ts'] + e['dur'] for e in c if e['pid'] == root)
        assert len(c) == 4 and done > max(e['ts'] for e in c), name
print(len(x))
END
if command -v python3 >/dev/null; then
	ok_if "perfetto: valid, a flow for each message, none backwards" eval 'to perfetto x.json && [ "$(python3 flows.py x.json)" = "$rows" ]'
	ok_if "perfetto: the same with estimated times" eval \
		'"$rsd" convert --to perfetto -o s.json stats.rsd 2>/dev/null && python3 flows.py s.json'
fi

# ---- OTF2
small()
{
	(
		ulimit -f 1
		exits 2 "$rsd" convert --to "$1" -o "small-$1" x.rsd 2>said
	) && [ -z "$(ls -d small-* 2>/dev/null)" ]
}
for to in otf2 perfetto csv tit; do
	ok_if "$to: files that may not grow: a message, and nothing is left" small $to
done
if command -v otf2-print >/dev/null; then
	ok_if "otf2: written" to otf2 otf
	otf2-print otf/traces.otf2 >events 2>why
	otf2-print -G otf/traces.otf2 >defs 2>>why
	ok_if "otf2: read without complaint" [ ! -s why ]
	ok_if "otf2: an enter a call" [ "$(count events '^ENTER ')" = "$rows" ]
	ok_if "otf2: as many receives as sends" eval \
		'[ $(count events "^MPI_I*SEND ") = 45 ] && [ $(count events "^MPI_I*RECV ") = 45 ]'
	ok_if "otf2: requests end" eval \
		'[ $(count events "^MPI_ISEND ") = $(count events "^MPI_ISEND_COMPLETE ") ] && [ $(count events "^MPI_IRECV ") = $(count events "^MPI_IRECV_REQUEST ") ]'
	ok_if "otf2: a wildcard's sender, and what it sent" eval \
		'grep "^MPI_I*RECV  *0 " events | grep "Sender: 3" | grep -q "Tag: 3, Length: 30"'
	ok_if "otf2: ranks of a communicator" eval \
		'grep -q "^MPI_RECV  *1 .*Sender: 0 (\"Main thread\" <3>), Communicator: \"Communicator [0-9]*\".*Tag: 9, Length: 64" events'
	ok_if "otf2: roots and bytes" eval \
		'grep -q "^MPI_COLLECTIVE_END  *1 .*BCAST.*Communicator: \"Communicator.*Root: 1 .*Sent: 64, Received: 0" events &&
		grep -q "^MPI_COLLECTIVE_END  *2 .*GATHER.*MPI_COMM_WORLD.*Root: 2 .*Sent: 4, Received: 16" events'
	ok_if "otf2: a collective that does not block" eval \
		'[ $(count events "^NON_BLOCKING_COLLECTIVE_REQUEST ") = 4 ] && [ $(count events "^NON_BLOCKING_COLLECTIVE_COMPLETE .*BARRIER.*Communicator ") = 4 ]'
	ok_if "otf2: groups" eval \
		'grep -q "2 Members: 3 (\"Main thread\" <3>), 1 (\"Main thread\" <1>)" defs && grep -q "^INTER_COMM .*Intercommunicator" defs'
	ok_if "otf2: source lines" eval 'grep -q "^SOURCE_CODE_LOCATION .*export.c.*Line Number: [1-9]" defs'
	ok_if "otf2: rank by rank, in the order of time" eval 'awk "/^(ENTER|LEAVE|MPI)/ { if (\$3 + 0 < t[\$2]) exit 1; t[\$2] = \$3 + 0 }" events'
fi
if command -v otf2-estimator >/dev/null; then
	printf '%s\n' "set Region 64" "set SourceCodeLocation 64" "set Comm 8" "get Timestamp" "get MpiIrecv" \
		"get MpiCollectiveEnd" "get AttributeList SOURCE_CODE_LOCATION" >ask
	# Of the largest event, with an attribute and a time of its own.
	ok_if "otf2-estimator: events take no more than it says" eval \
		'most=$(otf2-estimator <ask | awk "{ sum += \$NF } END { print sum }") &&
		[ $(cat otf/traces/*.evt | wc -c) -le $((most * $(count events "^[A-Z]") + 4096)) ]'
fi

# ---- SimGrid
ok_if "tit: written" to tit ti
ok_if "tit: a file a rank" eval '[ "$(ls ti | grep -c "^rank-[0-3].ti")" = 4 ] && grep -q "^1 isend 2 [0-9]* 4 6" ti/rank-1.ti'
ok_if "tit: says how to replay it" grep -q "smpirun -np 4 " ti/README
if command -v smpirun >/dev/null; then
	ok_if "tit: smpi_replay runs it" eval \
		'(cd ti && timeout 60 smpirun -np 4 -hostfile hosts.txt -platform platform.xml -replay traces.txt) >sim 2>&1 && says sim "Simulation time"'
fi

# ---- Graphviz
ok_if "dot: written" to dot x.dot
ok_if "dot: a loop with its iterations, in it a call with its number" eval 'grep -q "loop [0-9]*.n12 iterations\|loop [0-9]*.n8 iterations" x.dot && grep -q "MPI_Isend.n12 calls\|MPI_Isend.n[0-9]* calls" x.dot'
if command -v dot >/dev/null; then
	ok_if "dot: Graphviz draws it" eval 'dot -Tsvg x.dot >x.svg && grep -q "MPI_Isend" x.svg'
fi

# ---- a trace of one rank, whose messages have no other end
for f in otf2 perfetto csv tit dot; do
	ok_if "$f: one rank's trace" eval '"$rsd" convert --to '$f' -o one.'$f' part.1 2>said && [ -s one.'$f' ]'
done
exit $failed
