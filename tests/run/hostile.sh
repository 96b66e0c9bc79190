# rsd-replay of traces that tell what can't have been: it plays them, or leaves calls out, and ends.
. tests/run/lib.sh
build hostile
new_dir
run 1 RECORD_FILE=x.txt RECORD_FORMAT=ascii -- "$work/hostile"

# edited SCRIPT: the trace after that sed script (or file of one) is played.
edited()
{
	if [ -f "$1" ]; then
		sed -f "$1" x.txt >y.txt
	else
		sed "$1" x.txt >y.txt
	fi
	"$root/tests/run/seal.py" y.txt
	! cmp -s x.txt y.txt || return 1
	run 1 -- "$replay" y.txt
	[ "$rc" = 0 ]
}

many='0, 1'
for _i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	many="$many, $many"
done
echo "/MPI_Waitsome/s/array_of_indices=\[[^]]*\]/array_of_indices=[$many]/" >many.sed
ok_if "more indices than requests" edited many.sed
ok_if "fewer indices than statuses" edited '/MPI_Waitsome/s/array_of_indices=\[[^]]*\]/array_of_indices=[]/'

# leaves_out WHY: so the report tells.
leaves_out()
{
	says out "$1" || says err "$1"
}

ok_if "MPI_Init in a callback is left out" edited 's/ MPI_Init()/& nested=1/'
ok_if "and told" leaves_out "starts or ends MPI in a callback"
ok_if "MPI_Finalize in a callback is left out" edited 's/ MPI_Finalize()/& nested=1/'
ok_if "and told" leaves_out "starts or ends MPI in a callback"
ok_if "a call inside of callbacks that there are not is left out" edited '/MPI_Barrier/s/nested=1/nested=900/'
ok_if "and told" leaves_out "called from a callback"
{
	printf '/ MPI_Barrier(/{\ns/ @.*//\n'
	for _i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		printf 'h\nG\n'
	done
	echo '}'
} >many.sed
ok_if "more calls in callbacks than are kept are left out" edited many.sed
ok_if "and told" leaves_out "after too many others"
exit $failed
