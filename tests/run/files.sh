# Where the trace goes, what happens when it cannot go there, and which formats there are.
. tests/run/lib.sh
build app
for level in glob dump node; do
	${MPICC:-mpicc} -g -O1 -w "$root/tests/run/app.c" -o "$work/app-$level" -L"$lib" -l:lib$level.a || exit 1
done

# The program's own result is unharmed and the trouble is told.
unharmed()
{
	[ "$rc" = 0 ] && says out "result 180" && says err "record:"
}

new_dir
run 4 RECORD_FILE=/dev/full -- "$work/app"
ok_if "a full disk" unharmed
new_dir
for level in dump node; do
	new_dir
	run 2 RECORD_FILE=/dev/full -- "$work/app-$level"
	ok_if "lib$level: a full disk" eval '[ $rc = 0 ] && says out "result 90" && says err "cannot write" && [ ! -e /dev/full.0 ]'
	run 2 RECORD_FILE=/dev/null -- "$work/app-$level"
	ok_if "lib$level: /dev/null stays a device" eval '[ $rc = 0 ] && [ ! -s err ] && [ -c /dev/null ] && [ ! -e /dev/null.0 ]'
done
# Told before anything is computed.
for level in glob dump node; do
	new_dir
	mkdir x-2.rsd
	run 2 RECORD_FILE=x-%p.rsd -- "$work/app-$level"
	ok_if "lib$level: a folder in the trace's place" eval \
		'[ $rc != 0 ] && fails says out result && says err "x-%p.rsd" && says err "Is a directory" && [ "$(echo *)" = "err out x-2.rsd" ]'
	run 2 RECORD_FILE=no/such/x-%p.rsd -- "$work/app-$level"
	ok_if "lib$level: a folder that is missing" eval \
		'[ $rc != 0 ] && fails says out result && [ "$(grep -c "RECORD_FILE: .*no/such/x-2.rsd.: No such file or directory" err)" = 1 ]'
done
for level in dump node; do
	new_dir
	mkdir x.1
	run 3 RECORD_FILE=x -- "$work/app-$level"
	ok_if "lib$level: one rank can't write" eval '[ $rc != 0 ] && fails says out result && says err "rank 1: cannot write"'
	run 3 RECORD_FILE=x RECORD_ON_ERROR=warn -- "$work/app-$level"
	ok_if "lib$level: one rank can't write, RECORD_ON_ERROR=warn" eval '[ $rc = 0 ] && says out result && [ -f x.0 ] && [ -f x.2 ]'
done
new_dir
run 2 RECORD_FILE=no/such/x.rsd RECORD_ON_ERROR=warn -- "$work/app"
ok_if "a folder that is missing, RECORD_ON_ERROR=warn: the default" eval \
	'[ $rc = 0 ] && says out "result 90" && says err "No such file" && "$rsd" check trace-2.rsd'
new_dir
locked=/proc
if [ "$(id -u)" != 0 ]; then
	locked=locked
	mkdir locked && chmod 500 locked
fi
run 2 RECORD_FILE=$locked/x.rsd -- "$work/app"
ok_if "a folder that may not be written" eval '[ $rc != 0 ] && fails says out result && says err "cannot write"'
new_dir
run 4 RECORD_FILE=/dev/null -- "$work/app"
ok_if "/dev/null stays a device" eval '[ $rc = 0 ] && [ -c /dev/null ]'

new_dir
run 4 RECORD_FILE=x.rsd -- "$work/app"
cp x.rsd before
# A file larger than this many blocks cannot be written: the write fails, as on a full disk.
(
	trap '' XFSZ
	ulimit -f 0
	RECORD_FILE=x.rsd timeout 300 "${MPIEXEC:-mpiexec}" -n 4 "$work/app" 20 2>/dev/null | cat >/dev/null
) </dev/null
ok_if "an older trace survives a write that fails" cmp x.rsd before
ok_if "no side file is left behind" [ "$(ls | grep -c x.rsd)" = 1 ]

new_dir
run 4 RECORD_FILE=x.rsd -- "$work/app" chdir
ok_if "a relative path means the folder the program started in" "$rsd" check x.rsd
mkdir -p start/away
printf 'rsd\n-1\n4096\nhere.rsd\n' >start/record.in
for level in glob dump; do
	run 2 -- sh -c 'cd start && exec "$1" away' sh "$work/app-$level"
	ok_if "lib$level: a program that goes elsewhere before MPI_Init" eval '[ $rc = 0 ] && says out result && "$rsd" check start/here.rsd; [ -z "$(ls start/away)" ]'
	rm -f start/here*
done

new_dir
run 4 RECORD_FILE=x -- "$work/app-dump"
ok_if "libdump: one file a rank" eval '[ $rc = 0 ] && [ "$(echo x.*)" = "x.0 x.1 x.2 x.3" ] && "$rsd" check x'
cp -r . ../dump
new_dir
run 4 RECORD_FILE=x -- "$work/app-node"
ok_if "libnode: one file a rank" eval '[ $rc = 0 ] && [ "$(echo x.*)" = "x.0 x.1 x.2 x.3" ] && "$rsd" check x'
ok_if "libnode and libdump tell the same" "$rsd" diff --ignore-sites ../dump/x x

new_dir
run 4 RECORD_FILE=x.rsd -- "$work/app"
ok_if "libglob: one file a run" eval '[ $rc = 0 ] && [ "$(echo x*)" = x.rsd ] && "$rsd" check x.rsd'
ok_if "libglob and libdump tell the same" "$rsd" diff --ignore-sites ../dump/x x.rsd
ok_if "the format is rsd by default: text, with a version" eval 'head -n 1 x.rsd | grep -q rsd && fails grep -qP "\x00" x.rsd'
run 4 RECORD_FILE=x.bin RECORD_FORMAT=binary -- "$work/app"
ok_if "binary" eval '[ $rc = 0 ] && "$rsd" check x.bin'
ok_if "binary and rsd tell the same" "$rsd" diff x.rsd x.bin
run 4 RECORD_FILE=x.txt RECORD_FORMAT=ascii -- "$work/app"
ok_if "ascii: an event a line" eval '[ $rc = 0 ] && [ "$(grep -c MPI_Allreduce x.txt)" -ge 40 ]'

new_dir
run 4 RECORD_FILE=a.rsd -- "$work/app" 40
run 4 RECORD_FILE=b.rsd -- "$work/app" 800
a=$(cat a.rsd | wc -c)
b=$(cat b.rsd | wc -c)
ok_if "twenty times the steps: $a and $b bytes, about the same" [ "$b" -gt 0 -a "$b" -lt $((a + a / 4)) ]
ok_if "different runs differ" exits 1 "$rsd" diff a.rsd b.rsd

# Of several ranks the launcher kills one for the death of the other, and returns that of which it saw first.
new_dir
run 1 RECORD_FILE=y.rsd -- "$work/app" exit
ok_if "exit without MPI_Finalize: the program's own exit code" [ "$rc" = 3 ]
run 2 RECORD_FILE=x.rsd -- "$work/app" exit
ok_if "exit without MPI_Finalize: what there is was written" "$rsd" print --expand --json x.rsd
ok_if "exit without MPI_Finalize: rsd check says it is incomplete" exits 1 "$rsd" check x.rsd

for l in node dump; do
	new_dir
	run 1 RECORD_FILE=x.rsd -- "$work/app-$l" many
	ok_if "lib$l: a call of too many values does not end the program" [ "$rc" = 0 ]
	ok_if "lib$l: it is told" says err "MPI_Group_translate_ranks has more than"
	"$rsd" check x.rsd >shown 2>&1
	ok_if "lib$l: it makes the trace incomplete" says shown "incomplete: rank 0: a call of MPI_Group_translate_ranks"
	"$rsd" print --expand x.rsd >shown 2>&1
	ok_if "lib$l: the calls before and after it are there" \
		[ "$(grep -c MPI_Group_translate_ranks shown)$(grep -c MPI_Group_free shown)" = 21 ]
done
exit $failed
