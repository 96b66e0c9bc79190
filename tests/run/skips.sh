# What tests skip, and tell: what a program uses that an MPI lacks (tests/lacks), and cases that use such (tests/run-all).
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

ok_if "lacking: nothing" names "" "MPI_Comm comm = MPI_COMM_SELF; MPI_Barrier(comm);"
ok_if "lacking: a function" names MPI_Comm_sizee "int n; MPI_Comm_sizee(MPI_COMM_SELF, &n);"
ok_if "lacking: a constant, not the one that is like it" names MPI_ERR_OTHERR "return MPI_ERR_OTHERR;"
ok_if "lacking: a type" names MPI_Statuss "MPI_Statuss status;"
ok_if "lacking: the first of several" names MPI_Reqest "MPI_Reqest q; MPI_Wate(&q, MPI_STATUS_IGNOR);"
ok_if "lacking: other errors are none of it" names "" "MPI_Status s; s.MPI_NUMBER = 1; return MPI_Finalize(1, 2, 3);"
ok_if "lacking: with the default MPI a wrong name is the program's fault" eval \
	'names MPI_Wate "MPI_Wate();" && [ -z "$(RSD_OTHER_MPI= "$root/tests/lacks" program.c)" ]'

# A project of stand-ins, whose suites say what they were given.
mkdir -p project/tests shared/cases
cp "$root/tests/run-all" "$root/tests/lacks" project/tests
for f in project/tests/replay-cases shared/cases/run-cases; do
	printf '#!/bin/sh\nwhile getopts d:l:p: _; do :; done\nshift $((OPTIND - 1))\necho "ok   given $*"\n' >$f
	chmod +x $f
done
echo 'int main(void) { return 0; }' >shared/cases/fit.c
printf '#include <mpi.h>\nint main(void) { return MPI_Wate(); }\n' >shared/cases/unfit.c
touch shared/cases/fit.expect shared/cases/unfit.expect
why="skip case unfit: this MPI lacks MPI_Wate"

# suites NAMES...: out is what they say
suites()
{
	RSD_OTHER_MPI=any project/tests/run-all "$@" >out 2>&1
}

suites replay-cases
ok_if "run-all: replay-cases alone tells what it leaves out" eval 'says out "$why" && says out "given fit"'
suites cases replay-cases
ok_if "run-all: of two suites one does" eval '[ "$(grep -c "^$why" out)" = 1 ] && [ "$(grep -c "given fit$" out)" = 4 ]'
rm shared/cases/fit.*
suites cases replay-cases
ok_if "run-all: nothing that is fit is not all" eval 'fails grep "given" out && says out "0 passed, 0 failed"'
exit $failed
