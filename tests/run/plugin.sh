# A program without MPI whose plugin brings it, out of sight of all others: mpi4py's way.
. tests/run/lib.sh

${MPICC:-mpicc} -g -O1 -w -shared -fPIC "$root/tests/run/plugin.c" -o "$work/plugin.so" &&
	${CC:-cc} -g -O1 -w "$root/tests/run/host.c" -o "$work/host" -ldl || {
	echo "FAIL $suite: host or plugin does not build"
	exit 1
}

for level in dump node glob; do
	new_dir
	run 2 RECORD_SELFCHECK=1 RECORD_FILE=x.rsd -- env LD_PRELOAD="$lib/lib$level.so" "$work/host" "$work/plugin.so"
	ok_if "$level: it runs as untraced" eval '[ $rc = 0 ] && [ "$(grep -c "^0 1 1$" out)" = 2 ] && [ ! -s err ]'
	ok_if "$level: the trace is complete" "$rsd" check x.rsd
	"$rsd" stats --format tsv x.rsd >stats
	ok_if "$level: every call is in it" eval 'grep -qP "^MPI_Allreduce\t20\t" stats && grep -qP "^MPI_Initialized\t2\t" stats'
	"$rsd" print --expand x.rsd >events
	ok_if "$level: constants have their names" grep -q 'sourceweights=MPI_UNWEIGHTED.*destweights=MPI_UNWEIGHTED' events
	ok_if "$level: MPI's own functions, too" grep -q 'comm_copy_attr_fn=MPI_COMM_DUP_FN' events
done

# In Fortran 2008, too; its layer is a library of its own.
${MPIFORT:-mpifort} -g -O1 -w -shared -fPIC "$root/tests/run/plugin_f08.f90" -o "$work/plugin_f08.so" || {
	echo "FAIL $suite: the plugin in Fortran does not build"
	exit 1
}
new_dir
run 2 RECORD_SELFCHECK=1 RECORD_FILE=x.rsd -- env LD_PRELOAD="$lib/libglob.so" "$work/host" "$work/plugin_f08.so"
ok_if "Fortran 2008: it runs as untraced" eval '[ $rc = 0 ] && [ ! -s err ]'
ok_if "Fortran 2008: the trace is complete" "$rsd" check x.rsd
"$rsd" stats --format tsv x.rsd >stats
ok_if "Fortran 2008: every call is in it" [ "$(tail -n +2 stats | cut -f 2 | sort -u)" = 2 ]
"$rsd" print --expand x.rsd >events
for constant in array_of_statuses=MPI_STATUSES_IGNORE status=MPI_STATUS_IGNORE sendbuf=MPI_IN_PLACE \
	sourceweights=MPI_UNWEIGHTED comm_copy_attr_fn=MPI_COMM_DUP_FN comm_delete_attr_fn=MPI_COMM_NULL_DELETE_FN; do
	ok_if "Fortran 2008: $constant" grep -q "$constant" events
done
exit $failed
