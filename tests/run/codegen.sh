# rsd codegen: the program that is written compiles by itself, and its own trace is the one it was made from.
. tests/run/lib.sh

# MPI_UNWEIGHTED and the like are small numbers with some MPIs, of which gcc then says that nothing can be read there, in any program.
new_dir
cat >unweighted.c <<'END'
#include <mpi.h>
int main(void)
{
	MPI_Comm comm;

	return MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, (int[]){ 0 }, MPI_UNWEIGHTED, 1, (int[]){ 0 },
		MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
}
END
warnings="-Wall -Werror"
${MPICC:-mpicc} $warnings -O1 -c unweighted.c 2>why || warnings="$warnings -Wno-stringop-overread"
ok_if "(a program of a person's own has no other warnings)" ${MPICC:-mpicc} $warnings -O1 -c unweighted.c

# trace NAME SOURCE RANKS ARGS...: runs SOURCE with the tracer: a.rsd in a new folder
trace()
{
	new_dir
	_source=$2
	_np=$3
	shift 3
	${MPICC:-mpicc} -O1 -w -I"$root/tests/link" "$_source" -o app -L"$lib" -l:libglob.a -lm || return
	run "$_np" RECORD_FILE=a.rsd -- ./app "$@"
}

# proxy CODE RANKS: a.rsd as a program, whose trace is b.rsd
proxy()
{
	exits "$1" "$rsd" codegen a.rsd -o proxy.c 2>report &&
		${MPICC:-mpicc} $warnings -O1 -c proxy.c &&
		${MPICC:-mpicc} proxy.o -o proxy -L"$lib" -l:libglob.a &&
		run "$2" RECORD_FILE=b.rsd -- ./proxy && [ "$rc" = 0 ]
}

# The same calls, rank by rank, but for where they are from.
same()
{
	trace "$@" && [ "$rc" = 0 ] && proxy 0 "$3" && "$rsd" diff --ignore-sites a.rsd b.rsd
}

for name in t101_modes t103_probe t104_sendrecv t105_changing t106_irregular t201_rooted t202_vector t204_inter \
	t205_nonblocking t206_persistent t207_neighbourhood t302_persistent t401_split_loop t402_dup t403_groups \
	t404_cart t405_graph t408_names t501_constructors t502_large t503_pack t953_nowhere; do
	lacks=$("$root/tests/lacks" "$root/tests/link/$name.c")
	if [ "$lacks" ]; then
		echo "skip $suite: $name: this MPI lacks $lacks"
		continue
	fi
	np=$(sed -n 's/^np //p' "$root/tests/link/$name.expect")
	ok_if "$name" same "$name" "$root/tests/link/$name.c" "${np:-2}"
done
for name in stencil ring; do
	ok_if "the example $name" same "$name" "$root/examples/$name.c" 4 30
done
for body in orders pipeline moved varying names nowhere advancing lists; do
	ok_if "$body" same "$body" "$root/tests/run/proxies.c" 4 "$body"
done

# Without stacks several calls of the program are one place.
for body in lists weights infos; do
	ok_if "$body, without stacks" eval \
		'(export RECORD_STACK=off && same "$body" "$root/tests/run/proxies.c" 4 "$body")'
done

ok_if "turns" same turns "$root/tests/run/proxies.c" 4 turns 5

# As long for any number of iterations, and what a person would have written.
trace long "$root/examples/stencil.c" 4 200
proxy 0 4
mv proxy.c long.c
run 4 RECORD_FILE=a.rsd -- ./app 20
"$rsd" codegen a.rsd >short.c
ok_if "ten times the iterations: one number differs" [ "$(diff short.c long.c | grep -c '^[<>]')" = 2 ]
ok_if "requests are in the program's own arrays" says short.c 'MPI_Waitall(8, &request[0], MPI_STATUSES_IGNORE);'
ok_if "a loop's own number" says short.c 'k, comm[0], &request[4 + k]);'

trace ring "$root/examples/ring.c" 4 10
"$rsd" codegen a.rsd >ring.c
ok_if "ranks that agree" says ring.c 'MPI_Send(sendbuf, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);'
ok_if "participants" says ring.c 'if (rank != 0) {'

# What libnode wrote: where no other rank has a call, its peers stand there in both encodings.
${MPICC:-mpicc} -O1 -w "$root/examples/ring.c" -o app -L"$lib" -l:libnode.a -lm
run 4 RECORD_FILE=a.rsd -- ./app 10
rm -f a.rsd
ok_if "a rank's own calls, of libnode" eval 'proxy 0 4 && "$rsd" diff --ignore-sites a.rsd b.rsd'

# What is left to MPI is told, but is there.
trace master_worker "$root/examples/master_worker.c" 4 20
proxy 0 4
ok_if "wildcards are kept" says proxy.c MPI_ANY_SOURCE
ok_if "wildcards are told" says report "not deterministic: MPI_Recv"
ok_if "and run" [ "$rc" = 0 ]

trace graph "$root/tests/link/t405_graph.c" 4
proxy 0 4
ok_if "an order of neighbours is told" says report "not deterministic: MPI_Dist_graph_create"

# What is beyond a program is told, with how often, and is left out.
trace rma "$root/tests/link/t601_rma.c" 4
proxy 1 4
ok_if "one-sided calls are named" eval 'says report "one-sided communication" && says proxy.c "not here: MPI_Put"'
ok_if "the rest runs" [ "$rc" = 0 ]
trace operations "$root/tests/link/t208_operations.c" 4
proxy 1 4
ok_if "calls from callbacks are named" eval '[ "$rc" = 0 ] && says report "called from a callback"'

trace failing "$root/tests/run/proxies.c" 4 failing 6
proxy 1 4
ok_if "failed calls among others are told" eval '[ "$rc" = 0 ] && says report "MPI_Send: some of 24 calls: failed"'

# A request is waited for where it was made. (Without its other threads that program does not end.)
trace foreign "$root/tests/link/t927_foreign_requests.c" 1
ok_if "waits for other threads' requests are told, and not made" eval 'exits 1 "$rsd" codegen a.rsd -o proxy.c 2>report &&
	${MPICC:-mpicc} $warnings -O1 -c proxy.c &&
	says report "not covered: MPI_Wait: 2 calls: uses a handle of a call that is not in the program" && fails grep -q "	MPI_Wait(" proxy.c'
trace absent "$root/tests/run/proxies.c" 4 absent 6
proxy 1 4
ok_if "so are those for other requests that are not made" eval '[ "$rc" = 0 ] &&
	says report "not covered: MPI_Wait: 24 calls: uses a handle of a call that is not in the program" && fails grep -q "	MPI_Wait(" proxy.c'
ok_if "calls for these and others are made for the others, and told" eval \
	'says report "MPI_Waitall: some of 24 calls: uses a handle" && grep -q "	MPI_Waitall(2, " proxy.c'

# A null request can't be started.
trace started "$root/tests/run/proxies.c" 4 started 6
proxy 1 4
ok_if "requests that are not made are not started with others" eval \
	'[ "$rc" = 0 ] && says report "MPI_Startall: some of 24 calls: uses a handle" && says proxy.c "MPI_Startall(present(" &&
		"$rsd" stats --format tsv b.rsd | grep -q "^MPI_Startall	24	"'

# What was not recorded
new_dir
${MPICC:-mpicc} -O1 -w "$root/examples/ring.c" -o app -L"$lib" -l:libglob.a
run 2 RECORD_FILE=a.rsd RECORD_CALLS=-MPI_Comm_size -- ./app 5
proxy 1 2
ok_if "calls that RECORD_CALLS left out are told" eval '[ "$rc" = 0 ] &&
	says report "what was not recorded is not in the program: calls -MPI_Comm_size (RECORD_CALLS)" &&
	says proxy.c "What was not recorded is not in it: calls -MPI_Comm_size (RECORD_CALLS)"'

# A request that is not made is neither cancelled nor freed.
for stack in full off; do
	RECORD_STACK=$stack trace cancelled "$root/tests/run/proxies.c" 4 cancelled 12
	proxy 1 4
	ok_if "some requests are beyond a program, stacks $stack" eval \
		'[ "$rc" = 0 ] && says report "MPI_Wait: some of 24 calls: uses a handle" && says proxy.c "!= MPI_REQUEST_NULL"'
done

trace threads "$root/tests/link/t704_thread_handles.c" 2
proxy 1 2
ok_if "calls of other threads are named" eval '[ "$rc" = 0 ] && says report "another thread"'
# A number that no thread gives to what the first one makes.
sed 's/^\tnewcomm \* 2$/\tnewcomm * 12884901893/' a.rsd >wild.rsd
python3 "$root/tests/run/seal.py" wild.rsd
ok_if "nothing is as long as a number in the trace says" eval \
	'exits 1 "$rsd" codegen wild.rsd -o proxy.c 2>report && says report "beyond all bounds" && ${MPICC:-mpicc} -c proxy.c'

# A name that no request has when it is made.
trace pipeline "$root/tests/run/proxies.c" 4 pipeline 3
sed 's/^\trequest \* 0x18$/\trequest * 5x18/' a.rsd >wild.rsd
python3 "$root/tests/run/seal.py" wild.rsd
ok_if "what is made is what is made, whatever the trace calls it" eval \
	'fails cmp -s a.rsd wild.rsd && { "$rsd" codegen wild.rsd -o proxy.c 2>report; [ $? -lt 2 ]; } && ${MPICC:-mpicc} -w -c proxy.c'

head -c 900 a.rsd >cut.rsd
ok_if "a damaged trace" exits 2 "$rsd" codegen cut.rsd
ok_if "no trace" exits 2 "$rsd" codegen none.rsd
ok_if "an output that cannot be written" exits 2 "$rsd" codegen a.rsd -o no/such/folder/x.c
exit $failed
