# RECORD_MEMORY: what does not fold goes to disk in parts, and nothing is lost.
. tests/run/lib.sh

for level in dump node glob; do
	build irregular $level
	mkdir "$work/$level"
	mv "$work/irregular" "$work/$level"
done
${MPICC:-mpicc} -shared -fPIC -w -o "$work/full.so" "$root/tests/run/full.c" -ldl || exit 1

parts_left()
{
	grep -c 'has left memory' err
}

# The unlimited run of libdump is what the others are held against.
new_dir
run 2 RECORD_FILE="$work/all" -- "$work/dump/irregular" 10000
for level in node glob; do
	for format in rsd binary; do
		new_dir
		run 2 RECORD_MEMORY=1 RECORD_SELFCHECK=1 RECORD_VERBOSE=1 RECORD_FORMAT=$format RECORD_FILE=t -- "$work/$level/irregular" 10000
		ok_if "lib$level, $format: parts leave memory" eval '[ $rc = 0 ] && [ "$(parts_left)" -ge 4 ]'
		ok_if "lib$level, $format: the self-check of each part" fails says err differs
		ok_if "lib$level, $format: the trace is complete" "$rsd" check t
		ok_if "lib$level, $format: the calls are those of libdump" "$rsd" diff --ignore-sites "$work/all" t
		ok_if "lib$level, $format: no other file is left" eval '[ "$(ls -A | grep -vc "^t\|^out$\|^err$")" = 0 ]'
	done
done

new_dir
run 2 RECORD_MEMORY=0 RECORD_VERBOSE=1 RECORD_FILE=t -- "$work/node/irregular" 10000
ok_if "RECORD_MEMORY=0: no limit" [ "$(parts_left)" = 0 ]

new_dir
run 2 RECORD_MEMORY=1 RECORD_VERBOSE=1 LD_PRELOAD="$work/full.so" RECORD_FILE=t -- "$work/node/irregular" 10000
ok_if "a full disk is told once, by each rank" eval '[ $rc = 0 ] && [ "$(grep -c "No space left" err)" = 2 ]'
ok_if "and nothing is lost" eval '"$rsd" check t && "$rsd" diff --ignore-sites "$work/all" t'

new_dir
run 2 RECORD_MEMORY=1 RECORD_FILE=t -- "$work/node/irregular" 10000 limit
ok_if "a limit for the length of files does not end the program" eval '[ $rc = 0 ] && says err "File too large"'
ok_if "nor is anything lost" eval '"$rsd" check t && "$rsd" diff --ignore-sites "$work/all" t'

# calls FILE: how many there are, whether the trace is complete or not.
calls()
{
	"$rsd" stats --format tsv "$1" | awk 'NR > 1 { n += $2 } END { print n }'
}

new_dir
for level in node glob; do
	run 1 RECORD_MEMORY=1 RECORD_VERBOSE=1 RECORD_FILE=$level -- "$work/$level/irregular" 10000 abort
	ok_if "lib$level: a program that is ended by a signal leaves its parts" \
		eval '[ "$(parts_left)" -gt 2 ] && [ "$(calls $level)" = 20001 ]'
done

# A trace whose parts are cut off is not complete: the first section alone.
new_dir
run 1 RECORD_MEMORY=1 RECORD_FILE=t -- "$work/node/irregular" 10000
awk '{ print } /^end / { exit }' t.0 >first
"$rsd" check first >said 2>&1
ok_if "a part that is missing is told" says said "is missing"
exit $failed
