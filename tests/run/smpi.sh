#!/bin/sh
# SimGrid's SMPI: all ranks in one process, by the thousand. Which wrappers see which calls, whether ranks keep
# apart, and what thousands of them merge to.
. tests/run/lib.sh
first_mpi_only "it has an MPI of its own"

command -v smpicc >/dev/null 2>&1 || {
	echo "skip smpi: SimGrid's smpicc is not there (libsimgrid-dev)"
	exit 0
}
lib=$root/lib/smpi
[ -s "$lib/libglob.a" ] || {
	echo "skip smpi: lib/smpi is not built (make MPICC=smpicc)"
	exit 0
}

cat >"$work/platform.xml" <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="host-" suffix="" radical="0-1023" speed="1Gf" bw="1GBps" lat="1us"/>
</platform>
END

# link NAME SOURCE OPTIONS...
link()
{
	_out=$1 _source=$2
	shift 2
	smpicc -g -O1 "$root/$_source" -o "$work/$_out" -L"$lib" "$@" || {
		echo "FAIL $suite: $_out does not link"
		exit 1
	}
}

# simulate N ENV... -- OPTIONS PROGRAM ARGS...: as run; no time for what is computed, a clock that costs none.
simulate()
{
	_np=$1
	shift
	_env=
	while [ "$1" != -- ]; do
		_env="$_env $1"
		shift
	done
	shift
	env $_env timeout 300 smpirun -np "$_np" -platform "$work/platform.xml" --cfg=smpi/wtime:0 \
		--cfg=smpi/simulate-computation:no --log=root.thres:warning "$@" >out 2>err </dev/null
	rc=$?
}

complete()
{
	[ "$rc" = 0 ] && "$rsd" check "$1" >checked && grep -q "^complete: $2 ranks" checked
}

for level in dump node glob; do
	link cg-$level bench/cg.c -l$level
done
new_dir
simulate 16 RECORD_FILE=dump -- "$work/cg-dump" 2 3
ok_if "16 ranks, each with a file of its own: libdump" complete dump 16
simulate 16 RECORD_FILE=node RECORD_SELFCHECK=1 -- "$work/cg-node" 2 3
ok_if "libnode" complete node 16
simulate 16 RECORD_FILE=glob RECORD_SELFCHECK=1 -- "$work/cg-glob" 2 3
ok_if "libglob, and its trace expands to the log kept beside it" eval 'complete glob 16 && "$rsd" print glob | grep -q "^# selfcheck: ok"'
ok_if "the same calls in all three" eval '"$rsd" diff --ignore-sites dump node && "$rsd" diff --ignore-sites node glob'
ok_if "the program is named, not the copy that a rank was loaded from" \
	eval '"$rsd" print --source glob >printed && says printed "# program: $work/cg-glob" && says printed "cg.c:" && fails says printed "_0.so"'
for run in 1 2; do
	simulate 4 RECORD_FILE=timed$run RECORD_TIME=full -- "$work/cg-glob" 1 3
	"$rsd" print --expand --json timed$run >times$run
done
ok_if "times are the simulated ones: the same in every run" eval 'grep -q "\"dur\":0.00" times1 && cmp times1 times2'

new_dir
link stencil bench/stencil2d.c -lglob -Wl,-Bsymbolic
simulate 1024 RECORD_FILE=big RECORD_FORMAT=binary -- --cfg=smpi/privatization:mmap "$work/stencil" 3
ok_if "1,024 ranks of a stencil, their data swapped (mmap)" complete big 1024
ok_if "they merge to less than 2,048 bytes" eval '[ "$(wc -c <big)" -lt 2048 ] || { wc -c big; false; }'

new_dir
cat >"$work/short.c" <<'END'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	exit(0);
}
END
smpicc -g "$work/short.c" -o "$work/short" -L"$lib" -lglob
simulate 4 RECORD_FILE=short -- "$work/short"
ok_if "ranks that end without MPI_Finalize leave what they had" \
	eval '[ $rc = 0 ] && [ "$(ls short.[0-3] | wc -l)" = 4 ] && "$rsd" check short | grep -q "without MPI_Finalize\|no MPI_Finalize"'
exit $failed
