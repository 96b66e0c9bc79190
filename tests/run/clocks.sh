# Clocks of hosts that do not agree: measured at the start and at the end, and then one for all.
. tests/run/lib.sh
build clocks node && mv "$work/clocks" "$work/clocks-node"
build clocks dump && mv "$work/clocks" "$work/clocks-dump"
build clocks
cc -fPIC -shared -o "$work/apart.so" "$root/tests/run/clocks_apart.c" || exit 2
command -v python3 >/dev/null || {
	echo "skip $suite: no python3"
	exit 0
}

# apart N PROGRAM ENV...: N ranks a host
apart()
{
	_n=$1 _program=$2
	shift 2
	new_dir
	run 4 RANKS_A_HOST="$_n" RECORD_FILE=x.rsd "$@" -- sh -c "LD_PRELOAD=$work/apart.so exec $work/$_program"
}

# in_order TRACE: by the csv of it
in_order()
{
	"$rsd" convert --to csv -o x.csv "$1" && python3 "$root/tests/run/clocks.py" order x.csv
}

new_dir
run 4 RECORD_FILE=x.rsd RECORD_TIME=full -- "$work/clocks"
ok_if "one host: nothing to measure" eval '"$rsd" check x.rsd && [ $(grep -c "^	\(at\|offset\|error\) \* 0$" x.rsd) = 6 ]'
ok_if "one host: in order" in_order x.rsd
ok_if "one host: the page has times on one clock" eval '"$rsd" report -o x.html x.rsd && [ -s x.html ]'

apart 1 clocks RECORD_TIME=full
ok_if "four hosts: complete" "$rsd" check x.rsd
ok_if "four hosts: in order" in_order x.rsd
ok_if "clocks survive binary, ascii and back" eval \
	'"$rsd" convert --to binary -o x.bin x.rsd && "$rsd" convert --to rsd -o y.rsd x.bin && cmp x.rsd y.rsd &&
	"$rsd" convert --to ascii -o x.ascii x.rsd && "$rsd" convert --to csv -o a.csv x.ascii && cmp x.csv a.csv'
ok_if "perfetto says how well" eval '"$rsd" convert --to perfetto -o x.json x.rsd && grep -q "clocks of ranks aligned at the start and the end, to [0-9.]* us" x.json'

apart 2 clocks-node RECORD_TIME=full
ok_if "two hosts, libnode: offsets are what they are" python3 "$root/tests/run/clocks.py" offsets 2 x.rsd.0 x.rsd.1 x.rsd.2 x.rsd.3
ok_if "two hosts, libnode: in order" in_order x.rsd
ok_if "rsd merge keeps them" eval '"$rsd" merge -o m.rsd x.rsd && cp x.csv n.csv && in_order m.rsd && cmp n.csv x.csv'

apart 1 clocks-dump
ok_if "four hosts, libdump: offsets are what they are" python3 "$root/tests/run/clocks.py" offsets 1 x.rsd.0 x.rsd.1 x.rsd.2 x.rsd.3
ok_if "four hosts, libdump: in order" in_order x.rsd

new_dir
cat >slow.c <<'END'
#include <mpi.h>
#include <unistd.h>
static int slow(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
	MPI_Barrier(MPI_COMM_SELF);
	usleep(20000);
	MPI_Barrier(MPI_COMM_SELF);
	return *flag = 0;
}
int main(int argc, char **argv)
{
	MPI_Comm dup;
	int key;

	MPI_Init(&argc, &argv);
	MPI_Comm_create_keyval(slow, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
	for (int i = 0; i < 5; i++)
		MPI_Comm_dup(MPI_COMM_SELF, &dup);
	MPI_Barrier(MPI_COMM_SELF);
	MPI_Finalize();
	return 0;
}
END
${MPICC:-mpicc} -g -w slow.c -o slow -L"$lib" -l:libglob.a
run 1 RECORD_FILE=x.rsd RECORD_TIME=full -- ./slow
"$rsd" convert --no-source --to csv -o x.csv x.rsd
ok_if "a call has its whole duration, whatever it called" python3 "$root/tests/run/clocks.py" nested x.csv

new_dir
cat >late.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct timespec a, b;
	int rank, version, subversion;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (rank)
		usleep(100000);
	MPI_Finalize();
	clock_gettime(CLOCK_MONOTONIC, &b);
	MPI_Get_version(&version, &subversion);
	if (!rank)
		printf("%.6f\n", (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec));
	return 0;
}
END
${MPICC:-mpicc} -g -w late.c -o late -L"$lib" -l:libglob.a
run 2 RECORD_FILE=x.rsd RECORD_TIME=full -- ./late
"$rsd" convert --no-source --to csv -o x.csv x.rsd
ok_if "the merge takes its time, too" python3 "$root/tests/run/clocks.py" late x.csv "$(cat out)"

apart 1 clocks
ok_if "nothing is measured where times are not kept" eval '"$rsd" check x.rsd && fails grep -q "^object clock" x.rsd && says x.rsd "rsd 3"'
exit $failed
