# rsd profile: what each of its files says, and that they fit together.
. tests/run/lib.sh
build export
new_dir
run 4 RECORD_FILE=x.rsd -- "$work/export" 5
"$rsd" profile -o p x.rsd 2>said
ok_if "written" eval '[ ! -s said ] && [ -s p/README ]'
ok_if "each file is described in README" eval 'for f in p/*.txt; do grep -q "^$(basename "$f")\$" p/README || exit 1; done'
ok_if "read again it is the same" eval '"$rsd" profile -o q x.rsd && diff -r p q'

# ---- where to
ok_if "an older profile is replaced as a whole" eval ': >p/stale && "$rsd" profile -o p x.rsd && [ ! -e p/stale ] && diff -r p q'
mkdir other && echo mine >other/states.txt
ok_if "another folder is refused, and left alone" eval \
	'exits 2 "$rsd" profile -o other x.rsd 2>said && says said "was not written by this command" && [ "$(cat other/states.txt)" = mine ] && [ "$(ls other)" = states.txt ]'
ok_if "so is a file" eval 'echo x >file; exits 2 "$rsd" profile -o file x.rsd 2>said && says said "no folder"'
mkdir empty
ok_if "an empty folder is taken" eval '"$rsd" profile -o empty x.rsd && [ -s empty/README ]'
ok_if "nothing is left beside it" eval '[ -z "$(ls -d ./*.tmp.* 2>/dev/null)" ]'
ok_if "no folder named" exits 2 "$rsd" profile x.rsd

# ---- what they say
ok_if "functions: calls" grep -q '^[0-9]* MPI_Isend p2p 20 1$' p/functions.txt
ok_if "call sites: module, offset, file:line:column, function" \
	grep -q '^[0-9]* /.*/export 0x[0-9a-f]* /.*export\.c:[0-9]*:[0-9]* ring$' p/callsites.txt
ok_if "loops: total, entries, average, maximum" grep -q '^[0-9]* BGN loop \(20 4 5 5\|16 4 4 4\) [0-9]* -1 4 .*export\.c:' p/loops.txt
ok_if "loops: as many ends, and the program's" eval \
	'[ "$(grep -c "BGN loop" p/loops.txt)" = "$(grep -c "END loop" p/loops.txt)" ] && [ "$(tail -n 1 p/loops.txt)" = "* END program" ]'
ok_if "loop counts are those of the loops" eval \
	'sed -n "s/.*BGN loop \([0-9]*\) [0-9]* [^ ]* [0-9]* \([0-9]*\) .*/\2 \1/p" p/loops.txt | sort -n | diff - p/loop_counts.txt'
ok_if "states: a tree with one root" eval \
	'[ "$(grep -c "^0 0 ROOT\$" p/states.txt)" = 1 ] && awk "NR > 1 && (\$2 >= \$1 || \$1 != NR - 1) { exit 1 }" p/states.txt'
ok_if "states: functions, loops, calls" eval \
	'grep -q "^[0-9]* [0-9]* main@export+0x[0-9a-f]*$" p/states.txt && grep -q "^[0-9]* [0-9]* loop0$" p/states.txt && grep -q "^[0-9]* [0-9]* MPI_Isend$" p/states.txt'
ok_if "a loop's position is in a frame of the tree" eval \
	'while read -r state position loop own where; do grep -q "^$own [0-9]* loop$loop$" p/states.txt || exit 1; done <p/loop_positions.txt'
calls=$("$rsd" print --expand x.rsd | wc -l)
ok_if "transitions and beginnings are all the calls" eval \
	'[ "$(cat p/transitions.txt p/initial_state.txt | awk "/^#/ { next } { sum += \$NF } END { print sum }")" = '"$calls"' ]'
ok_if "places: calls" eval '[ "$(awk "{ sum += \$6 } END { print sum }" p/places.txt)" = '"$calls"' ]'

place()
{
	awk -v name="$1" 'NR == FNR { if ($2 == name) id = $1; next } $2 == id { print $1; exit }' p/functions.txt p/places.txt
}
# The ring sends twice to each, from two places, received at two: by order, not by which is waited for first.
sed 's/  MSG/\
&/g' p/dependences.txt >lines
ok_if "dependences: the first receive takes from the first send" eval \
	'grep -A1 "^[0-9]*@[0-9]* NOM" lines | grep -q "MSG $(place MPI_Isend)@[0-9]*|0(5):20:80"'
ok_if "dependences: of wildcards, with what was sent" eval \
	'[ "$(grep -c "|0([123]):1:[123]0$" lines)" = 3 ]'
ok_if "dependences: in each of the two groups" eval 'grep -q "|2(9):1:64$" lines && grep -q "|3(9):1:64$" lines'
ok_if "communicators: the order of the group, and two groups" eval \
	'grep -q "^[23] 0 2 3,1$" p/communicators.txt && grep -q "^4 -1 4 0,2|3,1$" p/communicators.txt'
ok_if "all messages are in it" eval '[ "$(sed -n "s/.*):\([0-9]*\):[0-9]*$/\1/p" lines | awk "{ sum += \$1 } END { print sum }")" = $((4 * 2 * 5 + 3 + 4 * 3 + 2 + 4)) ]'

run 4 RECORD_FILE=flat RECORD_FORMAT=ascii -- "$work/export"
ok_if "a flat trace has no loops" eval 'exits 2 "$rsd" profile -o r flat 2>said && says said "flat trace"'
exit $failed
