# tests/lacks: what a program uses that an MPI lacks is named as the program names it.
. tests/run/lib.sh
new_dir

# names NAME TEXT...: a program with these statements lacks NAME
names()
{
	_lacking=$1
	shift
	printf '#include <mpi.h>\nint main(void)\n{\n\t%s\n\treturn 0;\n}\n' "$*" >program.c
	[ "$(RSD_OTHER_MPI=any "$root/tests/lacks" program.c)" = "$_lacking" ]
}

ok_if "nothing" names "" "MPI_Comm comm = MPI_COMM_SELF; MPI_Barrier(comm);"
ok_if "a function" names MPI_Comm_sizee "int n; MPI_Comm_sizee(MPI_COMM_SELF, &n);"
ok_if "a constant, not the one that is like it" names MPI_ERR_OTHERR "return MPI_ERR_OTHERR;"
ok_if "a type" names MPI_Statuss "MPI_Statuss status;"
ok_if "the first of several" names MPI_Reqest "MPI_Reqest q; MPI_Wate(&q, MPI_STATUS_IGNOR);"
ok_if "other errors are none of it" names "" "MPI_Status s; s.MPI_NUMBER = 1; return MPI_Finalize(1, 2, 3);"
ok_if "with the default MPI a wrong name is the program's fault" eval \
	'names MPI_Wate "MPI_Wate();" && [ -z "$(RSD_OTHER_MPI= "$root/tests/lacks" program.c)" ]'
exit $failed
