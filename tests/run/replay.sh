# rsd-replay: what it refuses, what it leaves behind, how it ends, and how much it needs.
. tests/run/lib.sh
here=$root/tests/run
build app
for level in node dump; do
	build app $level
	mv "$work/app" "$work/app-$level"
done
build app
export TMPDIR="$work/tmp"
mkdir "$TMPDIR"

# play N ARGS... leaves $rc, and the files out and err; a replay that does not end is no replay.
play()
{
	_np=$1
	shift
	timeout 60 "${MPIEXEC:-mpiexec}" -n "$_np" "$replay" "$@" >out 2>err </dev/null
	rc=$?
}

nothing_left()
{
	[ -z "$(ls -A "$TMPDIR")" ] || {
		ls -A "$TMPDIR"
		return 1
	}
	! ps -eo pid,args | grep "[/]rsd-replay.*$work"
}

# By and by: processes that were killed need a moment to be gone.
all_gone()
{
	for _i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		nothing_left >/dev/null && return 0
		sleep 0.25
	done
	nothing_left
}

# refused TEXT: exit 2 with a message, of one rank, and no replay.
refused()
{
	[ "$rc" = 2 ] && says err "$1" && fails says out "replayed on" && [ "$(grep -c "^rsd-replay: " err)" = 1 ]
}

# ---- options
new_dir
run 2 RECORD_FILE="$dir/x.rsd" -- "$work/app" 20
for option in --time-scale=x --time-scale=-1 --time-scale= --timeout=x --timeout=-1 --timeout=nan --timeout=inf; do
	"$replay" $option x.rsd >out 2>err
	rc=$?
	ok_if "$option is refused" eval '[ $rc = 2 ] && says err "rsd-replay: ${option%=*} " && says err "not a number"'
done
for option in --foo -z --record; do
	"$replay" $option >out 2>err
	rc=$?
	ok_if "$option is refused" eval '[ $rc = 2 ] && says err "rsd-replay: " && says err "$option"'
done
"$replay" >out 2>err
rc=$?
ok_if "no trace" eval '[ $rc = 2 ] && says err "rsd-replay: "'
"$replay" x.rsd y.rsd >out 2>err
rc=$?
ok_if "two traces" eval '[ $rc = 2 ] && says err "rsd-replay: "'
ok_if "--help" eval '"$replay" --help | grep -q "^usage: mpiexec -n P rsd-replay"'
ok_if "--version" eval '"$replay" --version | grep -q "^rsd-replay [0-9]"'
play 2 --timeout=0 --time-scale 0 --sleep x.rsd
ok_if "--timeout=0: never" eval '[ $rc = 0 ] && says out "replayed on 2 ranks"'
ok_if "the report: calls by function" grep -q "^MPI_Allreduce  *40 " out
play 2 -q -n x.rsd
ok_if "--quiet: silence" eval '[ $rc = 0 ] && [ ! -s out ] && [ ! -s err ]'

# ---- traces that are none, or of something else
play 3 --verify x.rsd
ok_if "another number of ranks" refused "'x.rsd' is a trace of 2 ranks, and this is a run of 3"
play 2 --foo x.rsd
ok_if "an unknown option, of one rank" refused "--foo"
play 2 absent.rsd
ok_if "a trace that is missing" refused "absent.rsd"
head -c 2000 x.rsd >cut.rsd
play 2 --verify cut.rsd
ok_if "a trace that is cut off" refused "cut.rsd"
sed 's/MPI_SUM/MPI_SUL/' x.rsd >flip.rsd
play 2 flip.rsd
ok_if "a trace with flipped bits" refused "flip.rsd"
sed 's/MPI_Allreduce/MPI_Allreduca/' x.rsd >edited.rsd && "$here/seal.py" edited.rsd
play 2 --verify edited.rsd
ok_if "a function that this MPI lacks" refused "MPI_Allreduca"
sed 's/MPI_SUM/MPI_SAM/' x.rsd >edited.rsd && "$here/seal.py" edited.rsd
play 2 --verify edited.rsd
ok_if "a constant that this MPI lacks" refused "MPI_SAM"
ok_if "what is refused leaves nothing behind" all_gone

# ---- every level, every format
run 2 RECORD_FILE="$dir/node" -- "$work/app-node" 20
run 2 RECORD_FILE="$dir/dump" -- "$work/app-dump" 20
"$rsd" convert --to binary -o x.bin x.rsd
for t in node dump x.bin; do
	play 2 -q -n --verify $t
	ok_if "$t is played" eval '[ $rc = 0 ] && [ ! -s out ]'
done
play 2 -q -n --record again.rsd x.rsd
ok_if "--record leaves a complete trace" eval '[ $rc = 0 ] && "$rsd" check again.rsd | grep -q "^complete: 2 ranks"'
ok_if "and it is the trace that was played" "$rsd" diff x.rsd again.rsd
play 2 -q -n --record again2.rsd x.bin
ok_if "played from the binary trace it is the same" eval '[ $rc = 0 ] && "$rsd" diff again.rsd again2.rsd'
play 2 -q -n --verify again.rsd
ok_if "a replay's trace is played" [ $rc = 0 ]
ok_if "nothing is left behind" all_gone

# ---- traces that lack something
run 2 RECORD_FILE="$dir/some.rsd" RECORD_CALLS='-*,+MPI_Send' -- "$work/app" pair
play 2 --verify some.rsd
ok_if "a rank without calls takes part" eval '[ $rc = 0 ] && says out "equal: the trace of the replay is the trace"'
build app dump
run 2 RECORD_FILE="$dir/flat" RECORD_FORMAT=ascii -- "$work/app" pair
play 2 --verify flat
ok_if "an ascii trace is played, its times are told" eval '[ $rc = 0 ] && says out "; the traced run took" && says out equal:'
rm flat.1
play 2 flat
ok_if "a rank whose file is missing" refused "'flat' has no calls of rank 1"
build app
run 2 RECORD_FILE="$dir/untimed.rsd" RECORD_TIME=off -- "$work/app" 3
play 2 untimed.rsd
ok_if "a trace without times has none in the report" eval '[ $rc = 0 ] && fails says out "the traced run took"'

# ---- the examples
for f in "$root"/examples/*.c; do
	name=$(basename "$f" .c)
	${MPICC:-mpicc} -g -O1 -w "$f" -o "$work/$name" -L"$lib" -l:libglob.a -lm
	run 3 RECORD_FILE="$dir/$name.rsd" -- "$work/$name" 20
	play 3 -q -n --verify "$name.rsd"
	ok_if "examples/$name.c: the replay's trace is the trace" eval '[ $rc = 0 ] && [ ! -s out ]'
done

# ---- files are the replay's own
run 2 RECORD_FILE="$dir/file.rsd" -- "$work/app" file
rm -f app.tmp
ls >before
play 2 -q -n --verify file.rsd
ls >after
ok_if "files are played" [ $rc = 0 ]
ok_if "no file is written where the program wrote it" eval 'grep -vx "out\|err\|after" before >b; grep -vx "out\|err\|after" after >a; cmp b a'
ok_if "the folder of files is gone" nothing_left
mkdir own
TMPDIR=/nowhere play 2 -q -n --scratch=own file.rsd
ok_if "--scratch: the folder is made there, and gone" eval '[ $rc = 0 ] && [ -z "$(ls -A own)" ]'
play 2 -n --scratch=/nowhere file.rsd
ok_if "--scratch: a folder that is missing" refused "/nowhere"

# ---- a replay that can't end
run 2 RECORD_FILE="$dir/pair.rsd" -- "$work/app" pair
sed 's/^	tag 1 77$/	tag 1 78/' pair.rsd >hangs.rsd && "$here/seal.py" hangs.rsd
ok_if "(the edited trace is valid)" "$rsd" check hangs.rsd
play 2 -n --timeout=2 hangs.rsd
ok_if "a call that does not return: rank, function and place are told" eval \
	'[ $rc != 0 ] && [ $rc != 124 ] && grep -q "^rsd-replay: rank 1: thread 0 has been in MPI_Recv at app+0x[0-9a-f]* (app.c:[0-9]* in pair) for [0-9]* seconds" err'
ok_if "nothing is left behind" all_gone
sed 's/^	tag 1 77$/	tag 1 78/' file.rsd >hangs-file.rsd && "$here/seal.py" hangs-file.rsd
play 2 -n --timeout=8 hangs-file.rsd
ok_if "nor where there are files" eval '[ $rc != 0 ] && [ $rc != 124 ] && says err "in MPI_Recv" && all_gone'
play 2 -n --timeout=2 --verify hangs.rsd
ok_if "nor where it is recorded" eval '[ $rc != 0 ] && [ $rc != 124 ] && all_gone'

for signal in INT KILL; do
	for how in "" --verify; do
		timeout -s $signal 2 "${MPIEXEC:-mpiexec}" -n 2 "$replay" -n $how --timeout=20 hangs.rsd >out 2>err </dev/null
		ok_if "SIG$signal: no process is left behind, nor a file $how" all_gone
	done
done
rm -rf "${TMPDIR:?}"/*

# ---- threads that wait for each other to be done with what they free
run 1 RECORD_FILE="$dir/threads.rsd" -- "$work/app" threads
play 1 -q -n --timeout=20 threads.rsd
ok_if "threads that make and free in turns are played" eval '[ $rc = 0 ] && [ ! -s out ]'

# ---- time
run 1 RECORD_FILE="$dir/pause.rsd" -- "$work/app" pause
# took ARGS...: tenths of a second that the replay says it took; at best, as the machine may have other things to do
took()
{
	for _i in 1 2 3; do
		play 1 "$@" pause.rsd
		sed -n 's/^replayed on 1 ranks in \([0-9]*\)\.\([0-9]\).*/\1\2/p' out
	done | sort -n | head -n 1
}
full=$(took)
ok_if "--time-scale=1: ten pauses of 50 ms are kept: $full tenths of a second" [ "${full:-0}" -ge 4 ]
for how in --no-compute "--time-scale=2 --sleep"; do
	other=$(took $how)
	case $how in
	--no*) ok_if "$how takes less: $other" [ "${other:-99}" -lt "$full" ] ;;
	*) ok_if "$how takes longer: $other" [ "${other:-0}" -ge 9 ] ;;
	esac
done

# ---- a test that found a request which had failed, with an MPI that tells so only when all are complete
cat >failed.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, got[2], v[2] = { 1, 2 }, flag = 0, err = 0;
	MPI_Request q[2];
	MPI_Status st[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (rank == 0) {
		MPI_Irecv(&got[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &q[0]);
		MPI_Irecv(&got[1], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &q[1]);
		MPI_Barrier(MPI_COMM_WORLD);
		for (int i = 0; i < 1000000 && !err && !flag; i++)
			err = MPI_Testall(2, q, &flag, st);
	} else {
		MPI_Send(v, 2, MPI_INT, 0, 1, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Waitall(2, q, st);
	else
		MPI_Send(v, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
END
cat >all.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
int PMPI_Testall(int n, MPI_Request q[], int *flag, MPI_Status st[])
{
	__typeof__(&PMPI_Request_get_status) get = dlsym(RTLD_NEXT, "PMPI_Request_get_status");
	__typeof__(&PMPI_Waitall) wait = dlsym(RTLD_NEXT, "PMPI_Waitall");

	*flag = 1;
	for (int i = 0; i < n && *flag; i++)
		get(q[i], flag, MPI_STATUS_IGNORE);
	return *flag ? wait(n, q, st) : MPI_SUCCESS;
}
END
ok_if "a failed test of all, and an MPI that tells so late, are built" eval \
	'${MPICC:-mpicc} -w failed.c -o failed -L"$lib" -l:libglob.a && ${MPICC:-mpicc} -w -shared -fPIC all.c -o all.so -ldl'
run 2 RECORD_FILE="$dir/failed.rsd" -- ./failed
ok_if "the failed test is traced" eval '[ $rc = 0 ] && "$rsd" print --expand failed.rsd >shown'
if [ -z "${RSD_OTHER_MPI:-}" ] || grep -q "MPI_Testall.*= MPI_ERR_IN_STATUS" shown; then
	ok_if "a failed test of all is recorded as such" grep -q "MPI_Testall.*= MPI_ERR_IN_STATUS" shown
	run 2 -- env LD_PRELOAD="$dir/all.so" "$replay" --timeout=30 failed.rsd
	ok_if "a failed test of all ends though not all are complete" [ $rc = 0 ]
	ok_if "and finds what had failed" eval 'fails grep -q "not played" out err'
else
	echo "skip $suite: a failed test of all: this MPI tells so only when all are complete"
fi

# ---- memory
run 1 RECORD_FILE="$dir/even.rsd" RECORD_TIME=off -- "$work/app" even 12345
for n in 10000 5000000; do
	sed "s/12345/$n/g" even.rsd >even-$n.rsd && "$here/seal.py" even-$n.rsd
	timeout 200 "${MPIEXEC:-mpiexec}" -n 1 "$here/peak.py" "$replay" -n even-$n.rsd >out 2>err </dev/null
	rc=$?
	ok_if "$n times two calls are played" eval '[ $rc = 0 ] && grep -q "^MPI_Bcast  *$n " out'
	eval "peak_$n=$(sed -n 's/^peak \([0-9]*\) KiB/\1/p' out)"
done
ok_if "memory does not grow with the calls: $peak_10000 and $peak_5000000 KiB" \
	[ "${peak_5000000:-99999999}" -lt $((${peak_10000:-0} + 800)) ]
exit $failed
