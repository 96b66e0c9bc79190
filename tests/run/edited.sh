#!/bin/sh
# Traces as no run of a test makes them: the golden ones, and one of a grid, with a few words changed.
. tests/run/lib.sh
golden=$root/tests/golden

# edit SOURCE RESULT SED-SCRIPT
edit()
{
	sed "$3" "$1" >"$2" && python3 "$root/tests/run/seal.py" "$2"
}

# ---- what a thread recorded in parts
new_dir
parts='s/^\(place .* thread\) 1 /\1 2097152 /; s/^tree 1$/tree 2097152/'
edit "$golden/v1-ring.rsd" a "$parts"
edit "$golden/v1-ring.rsd" b "$parts; s/^	fh 1 2+1x2$/	fh 1 3+1x2/"
ok_if "parts: the trace is whole" exits 0 "$rsd" check b
ok_if "parts: equal ones" exits 0 "$rsd" diff a a
ok_if "parts: a difference in one is found" exits 1 "$rsd" diff a b
"$rsd" report --no-source -o a.html a 2>said
ok_if "parts: the page calls them so" eval 'grep -q "thread 0, part 1" a.html && fails grep -q ", after MPI_Finalize" a.html'
"$rsd" print a >shown
ok_if "parts: and rsd print, as what follows the last one" eval 'grep -qx "part 1:" shown && grep -qx "after part 1:" shown'

# ---- what only a walk finds out
new_dir
edit "$golden/v1-ring.rsd" far 's/^\(	dest \* rel\) 1x3/\1 7x3/'
for command in "print --expand" "convert --to csv -o out" "convert --to perfetto -o out"; do
	"$rsd" $command far >out 2>said
	ok_if "a peer beyond the communicator: $command names file and rank" \
		grep -q "^rsd [a-z]*: far: rank 0: place 1: peer 7 relative in a communicator of 4$" said
done

edit "$golden/v8-foreign.rsd" none 's/ ; 6 \(8796093022208 8796093022218\)$/ ; 3 \1/'
ok_if "numbers that make no column: check says of which rank" \
	eval 'exits 1 "$rsd" check none >said && says said "contradictory: rank 0: its numbers do not fit"'

# ---- only the start and end of MPI
new_dir
edit "$golden/v1-ring.rsd" start 's/^\(function [0-9]* [A-Za-z_]*\) [a-z0-9]* /\1 env /'
"$rsd" stats start >page
ok_if "stats: times of the start and end alone are times" eval 'grep -q "it started and ended MPI, in [0-9.]* [a-z]*s of all ranks" page && fails says page "no times"'

# ---- logs
new_dir
edit "$golden/v1-flat.rsd" less '/^log 3 0$/,/^complete$/{/^complete$/!d;}'
ok_if "logs: a rank without any" exits 0 "$rsd" report --no-source -o less.html less
"$rsd" convert --to csv -o less.csv less
ok_if "logs: and in CSV" [ "$(wc -l <less.csv)" = $(($("$rsd" print --expand less | wc -l) + 1)) ]
# What rank 1 calls after MPI_Finalize has a log of its own; in ascii it begins after calls with times.
last=$(sed -n 's/^place \([0-9]*\) .*/\1/p' "$golden/v1-flat.rsd" | tail -n 1)
edit "$golden/v1-flat.rsd" later "s/^log 2 0\$/log 1 1048576\\
	0 0\\
&/; s/^end /place $((last + 1)) MPI_Finalize thread 1048576 function 5 signature - nested 0\\
end /"
"$rsd" convert --to ascii -o later.ascii later
for trace in later later.ascii; do
	"$rsd" print --rank 1 $trace | grep -c MPI_ >counted
	"$rsd" print --expand --rank 1 $trace | wc -l >>counted
	"$rsd" print --json --rank 1 $trace | grep -c '"call"' >>counted
	ok_if "logs: each call once, $trace" [ "$(sort -u counted | wc -l)" = 1 ]
done

# ---- a call that fails in the replay only
new_dir
cat >fails.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
	MPI_Request q[3];
	int got[3], one = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Irecv(&got[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &q[0]);
	MPI_Irecv(&got[1], 1, MPI_INT, 0, 777, MPI_COMM_WORLD, &q[1]);
	MPI_Irecv(&got[2], 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &q[2]);
	MPI_Send(&one, 1, MPI_INT, 0, 777, MPI_COMM_WORLD);
	MPI_Wait(&q[1], MPI_STATUS_IGNORE);
	MPI_Send(&one, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
	MPI_Wait(&q[2], MPI_STATUS_IGNORE);
	MPI_Send(&one, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	MPI_Wait(&q[0], MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
END
${MPICC:-mpicc} -g -w fails.c -o fails -L"$lib" -l:libglob.a
run 1 RECORD_FILE=x -- ./fails
edit x wrong 's/^	tag \* 777$/	tag * -777/'
timeout 60 ${MPIEXEC:-mpiexec} -n 1 "$replay" wrong >said 2>&1
ok_if "fails in the replay: the call is told" grep -q "MPI_Irecv.*returned an error, other than" said
ok_if "and its MPI_Wait, which finds no request, and no other" [ "$(grep -c "1 .*MPI_Wait.*uses a request" said)" = 1 ]

# ---- errors that no MPI has: more than anyone counts one by one, and numbers that make no column
edit x many 's/^\treturn \* 0$/\treturn * 1+1x100000000000/'
for words in stats "stats --format tsv" "report -o page" "diff --stats x"; do
	timeout 20 "$rsd" $words many >said 2>&1
	rc=$?
	ok_if "errors: rsd $words of more than can be counted one by one" [ $rc -le 2 ]
done
"$rsd" stats many >said
ok_if "errors: and few are listed" says said "and 996 or more kinds"
edit x none 's/^\treturn \* 0$/\treturn * 0 ; 1 5/'
for words in stats "stats --format tsv" "report -o page" "diff --stats x"; do
	timeout 20 "$rsd" $words none >said 2>err
	rc=$?
	ok_if "errors: rsd $words of numbers that make no column" eval '[ $rc = 2 ] && says err "numbers of a rank do not fit"'
done

# ---- requests of several threads, from before slots had owners
# (One thread at a time is in MPI: in a run of one process MPICH 4.0 wakes nobody who waits for another thread's message: doc/mpis.md.)
new_dir
cat >old.c <<'END'
#include <mpi.h>
#include <pthread.h>
static void *work(void *arg)
{
	MPI_Request q;
	int in = 0, out = 7;

	MPI_Recv_init(&in, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &q);
	MPI_Start(&q);
	MPI_Send(&out, 1, MPI_INT, 0, 5, MPI_COMM_SELF);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Request_free(&q);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	MPI_Finalize();
	return 0;
}
END
${MPICC:-mpicc} -g -w -pthread old.c -o old -L"$lib" -l:libglob.a
run 1 RECORD_FILE=x -- ./old
"$rsd" convert --to ascii -o x.ascii x
edit x.ascii before 's/request=persistent1\.0)/request=persistent0)/; s/request=persistent1\.0,/request=persistent0,/'
ok_if "old requests: their names are changed" [ "$(grep -c "=persistent0[,)]" before)" = 4 ]
timeout 60 ${MPIEXEC:-mpiexec} -n 1 "$replay" before >said 2>&1
rc=$?
ok_if "old requests: a thread's own is the one that is meant" [ $rc = 0 ]

# ---- a grid larger than the world
new_dir
cat >grid.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
	int dims[] = { 2, 1, 1, 1 }, periods[] = { 0, 0, 0, 0 }, remain[] = { 1, 0, 0, 0 };
	MPI_Comm grid, line;

	MPI_Init(&argc, &argv);
	MPI_Cart_create(MPI_COMM_WORLD, 4, dims, periods, 0, &grid);
	MPI_Cart_sub(grid, remain, &line);
	MPI_Barrier(line);
	MPI_Finalize();
	return 0;
}
END
${MPICC:-mpicc} -g -w grid.c -o grid -L"$lib" -l:libglob.a
run 2 RECORD_FILE=x -- ./grid
edit x huge 's/^	dims \* 2 1x3$/	dims * 65536x4/'
ok_if "grid: its sides are changed" fails cmp -s x huge
for format in csv dot perfetto otf2; do
	"$rsd" convert --no-source --to $format -o out.$format huge 2>said
	ok_if "grid: $format of one that no world has room for" [ $? -le 2 ]
done
: >file
ok_if "a folder in what is a file" exits 2 "$rsd" convert --to otf2 -o file/x x
exit $failed
