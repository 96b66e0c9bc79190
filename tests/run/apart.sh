#!/bin/sh
# Processes that a launcher starts together, and that MPI takes for programs of their own: mpiexec of one MPI, program of another.
. tests/run/lib.sh
told="but each is alone in its MPI_COMM_WORLD: is mpiexec that of another MPI than the program's,"

# The variables of another launcher; those of its own MPI's mean something to it.
case ${RSD_OTHER_MPI:-mpich} in
mpich) rank=OMPI_COMM_WORLD_RANK size=OMPI_COMM_WORLD_SIZE others=mpiexec.openmpi ;;
*) rank=PMI_RANK size=PMI_SIZE others=mpiexec.mpich ;;
esac

alone()
{
	env "$@" timeout 300 "$work/app" 2 >out 2>err </dev/null
	rc=$?
}

for level in glob node; do
	build app $level
	new_dir
	case $level in
	glob) end= ;;
	*) end=.0 ;;
	esac
	for r in 2 0 1; do
		alone RECORD_FILE=t $rank=$r $size=3
		cp err err.$r
		ok_if "$level: process $r of three that MPI takes for one of one runs as ever" eval '[ $rc = 0 ] && says out result'
	done
	ok_if "$level: it is told in one line, by the first" eval \
		'[ "$(wc -l <err.0)" = 1 ] && says err.0 "record: 3 processes were started ($size), $told" && [ ! -s err.1 ] && [ ! -s err.2 ]'
	ok_if "$level: and what becomes of the traces" says err.0 "/t, and $PWD/t.started-RANK of the others"
	ok_if "$level: each has a trace of its own" [ "$(echo t*)" = "t$end t.started-1$end t.started-2$end" ]
	for f in t*; do
		ok_if "$level: $f is complete" exits 0 "$rsd" check "$f"
	done
done

# No false alarm: a batch script is one process, whatever it may start; a launcher may be used in a process of another one's.
build app
while read -r what variables; do
	new_dir
	alone RECORD_FILE=t $variables
	ok_if "nothing is told: $what" eval '[ $rc = 0 ] && [ ! -s err ] && [ "$(echo t*)" = t ]'
done <<-END
	batch SLURM_JOB_ID=17 SLURM_NTASKS=4 SLURM_PROCID=0
	one_process $rank=0 $size=1
	no_rank $size=3
END
new_dir
run 1 RECORD_FILE=t $rank=2 $size=3 -- "$work/app" 2
ok_if "nothing is told: started by mpiexec for one, in a process of another launcher" eval '[ $rc = 0 ] && [ ! -s err ] && [ "$(echo t*)" = t ]'
new_dir
run 2 RECORD_FILE=t $rank=2 $size=3 -- "$work/app" 2
ok_if "nothing is told: started by mpiexec for two" eval '[ $rc = 0 ] && [ ! -s err ] && [ "$(echo t*)" = t ]'

# In truth.
if command -v $others >"$work/none"; then
	[ $others = mpiexec.mpich ] || others=$root/tests/mpiexec-openmpi
	new_dir
	MPIEXEC=$others
	run 3 RECORD_FILE=t -- "$work/app" 2
	ok_if "mpiexec of another MPI: it is told once, and each process has its trace" eval \
		'[ "$(grep -cF "record: 3 processes were started ($size), $told" err)" = 1 ] && [ "$(echo t*)" = "t t.started-1 t.started-2" ] && "$rsd" check t'
else
	echo "skip apart: there is no $others"
fi
exit $failed
