# Shared by the whole-run tests: sourced, from the project's root.
#
#	run N ENV... -- PROGRAM ARGS	runs it on N ranks; leaves $rc, and the files out and err in $dir
#	ok_if NAME COMMAND...		one test: passes where the command succeeds
#	says FILE TEXT			TEXT (a fixed string) stands in $dir/FILE
#
# make check tests one MPI at a time. A script that has nothing to do with which says so with one of
#
#	tools_only			it uses no MPI at all: from there on there is none
#	first_mpi_only WHY
#
# and is run with the default MPI alone.
set -u
root=$(pwd)
lib=$root/${RSD_LIB:-lib}
rsd=$root/bin/rsd
replay=$root/${RSD_REPLAY:-bin/rsd-replay}
suite=$(basename "$0" .sh)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export MPIEXEC_FOLDER="$work"
failed=0
nr=0

first_mpi_only()
{
	[ -z "${RSD_OTHER_MPI:-}" ] || {
		echo "skip $suite: with the default MPI only: $1"
		exit 0
	}
}

tools_only()
{
	first_mpi_only "it uses no MPI"
	MPICC=false MPIEXEC=false lib=/nowhere replay=false
}

# A folder of its own for each run, so that no trace or record.in of another is around.
new_dir()
{
	nr=$((nr + 1))
	dir=$work/$nr
	mkdir -p "$dir" && cd "$dir" || exit 2
}

build()
{
	${MPICC:-mpicc} -g -O1 -w -pthread "$root/tests/run/$1.c" -o "$work/$1" -L"$lib" -l:lib"${2:-glob}".a || {
		echo "FAIL $suite: $1 does not link with lib${2:-glob}.a"
		exit 1
	}
}

run()
{
	_np=$1
	shift
	_env=
	while [ "$1" != -- ]; do
		_env="$_env $1"
		shift
	done
	shift
	# A hang is found in the end; a machine with much else to do is not taken for one.
	env $_env timeout 300 "${MPIEXEC:-mpiexec}" -n "$_np" "$@" >out 2>err </dev/null
	rc=$?
}

ok_if()
{
	_name=$1
	shift
	if "$@" >"$work/why" 2>&1; then
		echo "ok   $suite: $_name"
	else
		echo "FAIL $suite: $_name"
		{
			echo "exit ${rc-?}; not so: $*"
			tail -n 5 "$work/why"
			[ ! -s err ] || sed 's/^/err: /' err | head -n 8
		} | sed 's/^/       /'
		failed=1
	fi
}

says()
{
	grep -qF -- "$2" "$1"
}

fails()
{
	! "$@"
}

# exits CODE COMMAND...
exits()
{
	_want=$1
	shift
	"$@"
	_got=$?
	[ "$_got" = "$_want" ] || {
		echo "exit $_got, not $_want"
		return 1
	}
}
