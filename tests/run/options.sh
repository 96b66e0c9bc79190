# record.in and the environment: what they set, what wins, and what a fault in them leads to.
. tests/run/lib.sh
build app

# A faulty option is named with its place, and the program ends in MPI_Init: it has printed nothing.
refused()
{
	[ "$rc" != 0 ] && [ "$rc" != 124 ] && says err "$1" && fails says out result
}

faulty_line()
{
	new_dir
	printf "$1" >record.in
	run 4 -- "$work/app"
	ok_if "record.in: $4" refused "record.in:$2: '$3'"
}

faulty_line 'text\n-1\n4096\nx.rsd\n' 1 text "a format that is none"
faulty_line 'rsd\nten\n4096\nx.rsd\n' 2 ten "a window that is no number"
faulty_line 'rsd\n-2\n4096\nx.rsd\n' 2 -2 "a window below -1"
faulty_line 'rsd\n-1\n0\nx.rsd\n' 3 0 "a request table without places"
faulty_line 'rsd\n-1\n99999999999999999999\nx.rsd\n' 3 99999999999999999999 "a request table beyond all bounds"
faulty_line '# four lines\n\nrsd # text\n-1\n40x\nx.rsd\n' 5 40x "comments and blank lines count as lines of the file"
faulty_line 'rsd\n-1\n4096\ntrace-%%q.rsd\n' 4 'trace-%q.rsd' "an unknown % in the file's name"
faulty_line 'rsd\n-1\n4096\nx.rsd\nmore\n' 5 more "a fifth line"

new_dir
printf 'rsd\nten\n4096\nx.rsd\n' >record.in
run 4 -- "$work/app"
ok_if "a fault is told once, by rank 0" [ "$(grep -c 'record.in:2' err)" = 1 ]
ok_if "what is allowed is told" says err "allowed: -1"

new_dir
printf 'nonsense\nten\n-5\nx.rsd\n' >record.in
run 2 -- "$work/app"
ok_if "every faulty line is named" eval "says err record.in:1: && says err record.in:2: && says err record.in:3:"

new_dir
printf 'rsd\nten\n4096\nx.rsd\n' >record.in
run 2 RECORD_ON_ERROR=warn -- "$work/app"
ok_if "RECORD_ON_ERROR=warn: told, and the program runs" eval '[ $rc = 0 ] && says err record.in:2: && says out "result 90"'
ok_if "RECORD_ON_ERROR=warn: the rest of record.in holds" "$rsd" check x.rsd

new_dir
mkdir record.in
run 2 -- "$work/app"
ok_if "record.in is a folder" refused record.in
new_dir
mkfifo record.in
run 2 -- "$work/app"
ok_if "record.in is a pipe" refused "record.in: cannot be read: it is a pipe"
timeout 120 "$rsd" config 2>said
rc=$?
ok_if "config: record.in is a pipe" eval '[ $rc = 2 ] && says said "it is a pipe"'

new_dir
printf '\nrsd\n-1\n1\n%%p.rsd\n' >record.in
run 4 -- "$work/app"
ok_if "too many live requests: the setting in force is named" says err "size is 1 (record.in:4), but up to"
ok_if "too many live requests are told once a run" [ "$(grep -c 'live at once' err)" = 1 ]
run 2 RECORD_REQUESTS=1 -- "$work/app"
ok_if "too many live requests: a variable is named" says err "size is 1 (RECORD_REQUESTS)"
for calls in +Foo all,-MPI_Foo* +MPI_Send,-mpi_recv; do
	new_dir
	run 2 RECORD_CALLS=$calls -- "$work/app"
	ok_if "RECORD_CALLS=$calls: no such function" refused "RECORD_CALLS: '${calls##*,}' fits no function"
done
for setting in RECORD_FORMAT=xml RECORD_WINDOW=many RECORD_REQUESTS=-1 RECORD_STACK=half RECORD_TIME=now \
	RECORD_CALLS=MPI_Send RECORD_HISTO=200 RECORD_SELFCHECK=yes RECORD_ON_ERROR=cry RECORD_CONFIG=absent.in; do
	new_dir
	run 2 $setting -- "$work/app"
	ok_if "$setting is refused by name" refused "${setting%%=*}: "
done

new_dir
run 2 RECORD_FROMAT=xml RECORD_NONE_OF_OURS=1 -- "$work/app"
ok_if "variables that are no options are told once, and the program runs" eval \
	'[ $rc = 0 ] && says out "result 90" && [ "$(cat err | sort)" = "record: RECORD_FROMAT: no such option; did you mean RECORD_FORMAT?
record: RECORD_NONE_OF_OURS: no such option" ]'
ok_if "config: a variable that is no option" eval \
	'exits 1 env RECORD_FROMAT=xml "$rsd" config 2>said && says said "rsd config: RECORD_FROMAT: no such option; did you mean"'
ok_if "config: RECORD_CALLS names no function" eval \
	'exits 1 env "RECORD_CALLS=-MPI_Recv,+MPI_Sned,-MPI_I*" "$rsd" config 2>said && [ "$(grep -c . said)" = 1 ] && says said "+MPI_Sned"'
ok_if "config: a malformed item of RECORD_CALLS" eval \
	'exits 1 env RECORD_CALLS=-MPI_Recv,MPI_Send "$rsd" config 2>said && says said "MPI_Send" && fails says said MPI_Recv'

# A folder that is not there: the program ends in MPI_Init, and rsd config tells it before.
for file in traces/%p.rsd traces/t.rsd; do
	for from in record.in:4 RECORD_FILE; do
		new_dir
		case $from in
		RECORD_FILE) setting=RECORD_FILE=$file ;;
		*) setting=FROM=$from && printf 'rsd\n-1\n4096\n%s\n' $file >record.in ;;
		esac
		told="$from: '$file' can't be the trace file: cannot write"
		ok_if "$from: $file, no such folder: config tells it" eval \
			'exits 1 env $setting "$rsd" config >shown 2>said && says said "rsd config: $told" && says shown $file'
		run 2 $setting -- "$work/app"
		ok_if "$from: $file, no such folder: it is told in MPI_Init" eval \
			'refused "record: $told" && says err "allowed: a path in a folder that is there" && [ ! -e traces ]'
		run 2 $setting RECORD_ON_ERROR=warn -- "$work/app"
		ok_if "$from: $file, no such folder, warn: the default" eval '[ $rc = 0 ] && says err "record: $told" && "$rsd" check trace-2.rsd'
		mkdir traces
		ok_if "$from: $file: config is content when it is there, and leaves nothing in it" eval \
			'exits 0 env $setting "$rsd" config >shown 2>said && [ -z "$(ls traces)" ]'
	done
done
new_dir
ok_if "config: a folder whose name only the run knows" exits 0 env RECORD_FILE=%j/x.rsd "$rsd" config
for name in %d %j ./%d%j; do
	ok_if "config: a name that only the run knows: $name" exits 0 env RECORD_FILE=$name "$rsd" config
done

new_dir
run 4 -- "$work/app"
ok_if "no record.in: trace-4.rsd, and silence" eval '[ $rc = 0 ] && [ ! -s err ] && "$rsd" check trace-4.rsd'

new_dir
printf '  rsd\t# comment\r\n\n# another\n10\n16\n  sub dir/%%p.rsd  \n' >record.in
mkdir "sub dir"
run 2 -- "$work/app"
ok_if "comments, blanks, CR LF and a path with a blank" "$rsd" check "sub dir/2.rsd"

new_dir
printf 'ascii\n-1\n4096\nfrom-file.rsd\n' >record.in
run 2 RECORD_FORMAT=rsd RECORD_FILE=from-env.rsd -- "$work/app"
ok_if "the environment wins" eval '[ ! -e from-file.rsd ] && "$rsd" check from-env.rsd'

new_dir
printf 'rsd\n-1\n4096\nother.rsd\n' >elsewhere.in
run 2 RECORD_CONFIG=elsewhere.in -- "$work/app"
ok_if "RECORD_CONFIG names another record.in" "$rsd" check other.rsd

new_dir
run 2 RECORD_FILE=%p-%j-%d.rsd SLURM_JOB_ID=777 -- "$work/app"
ok_if "%p, %j and %d in the file's name" eval 'ls 2-777-????????-??????.rsd'

new_dir
run 2 RECORD_STACK=off RECORD_TIME=off -- "$work/app"
"$rsd" print --expand --json trace-2.rsd >events
ok_if "RECORD_STACK=off: no call sites" eval '[ $rc = 0 ] && grep -q MPI_Waitall events && fails grep -q offset events'
ok_if "and rsd check says why" eval '"$rsd" check trace-2.rsd >said && says said "no call sites (RECORD_STACK=off)"'
ok_if "RECORD_TIME=off: no times" fails grep -q '"dur"' events
for mode in full site; do
	new_dir
	run 2 RECORD_STACK=$mode RECORD_TIME=full -- "$work/app"
	"$rsd" print --expand --json trace-2.rsd >events
	ok_if "RECORD_STACK=$mode: call sites" eval '[ $rc = 0 ] && grep MPI_Waitall events | grep -q offset'
	ok_if "RECORD_TIME=full: each call's time" eval 'grep MPI_Waitall events | grep -q "\"dur\""'
done

new_dir
run 2 RECORD_CALLS=-MPI_I*,+MPI_Wtime -- "$work/app"
"$rsd" stats --format tsv trace-2.rsd >table
ok_if "RECORD_CALLS leaves functions out" eval '[ $rc = 0 ] && grep -q ^MPI_Waitall table && fails grep -q ^MPI_Irecv table'

new_dir
run 4 RECORD_SELFCHECK=1 -- "$work/app" wild
ok_if "RECORD_SELFCHECK=1 on a nondeterministic program" eval '[ $rc = 0 ] && "$rsd" check trace-4.rsd'
new_dir
run 2 RECORD_WINDOW=1 RECORD_SELFCHECK=1 -- "$work/app" 50
ok_if "a window of 1 loses folding, not events" \
	eval '[ $rc = 0 ] && "$rsd" stats --format tsv trace-2.rsd | grep -q "^MPI_Allreduce	100"'
exit $failed
