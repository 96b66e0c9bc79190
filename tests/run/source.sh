#!/bin/sh
# Source lines of call sites: in text and JSON, through inlining, and not those of another build.
. tests/run/lib.sh
new_dir
build source
line()
{
	grep -n "/\* $1 \*/" "$root/tests/run/source.c" | cut -d: -f1
}

${MPICC:-mpicc} -g -O1 -w "$root/tests/run/source.c" -o "$work/plain" || exit 1
run 2 -- "$work/source"
ok_if "a call site is a line in a function" eval '"$rsd" print --source trace-2.rsd >said && says said "  source.c:$(line INIT) in main"'
ok_if "an inlined one says into what" eval 'says said "source.c:$(line BCAST) in inner <- outer source.c:$(line INNER)"'
ok_if "expanded too" eval '"$rsd" print --expand --source trace-2.rsd >said && says said "source.c:$(line BARRIER) in outer"'
cat >check.py <<'END'
import json, sys
want = [int(x) for x in sys.argv[1:4]]
sites = {e["call"]: e["site"] for e in map(json.loads, sys.stdin)}
b = sites["MPI_Bcast"]
assert b["file"].endswith("/source.c") and b["line"] == want[0] and b["function"] == "inner", b
assert [(i["function"], i["line"]) for i in b["inlined"]] == [("outer", want[1])], b
assert sites["MPI_Barrier"]["inlined"] == [] and sites["MPI_Barrier"]["line"] == want[2], sites
assert b["module"] == "source" and b["offset"].startswith("0x"), b
END
ok_if "JSON has file, line, column, function, inlined" eval \
	'"$rsd" print --expand --json --source trace-2.rsd | python3 check.py $(line BCAST) $(line INNER) $(line BARRIER)'
ok_if "the structure as JSON, too" eval '"$rsd" print --json --source trace-2.rsd | python3 -m json.tool >said && says said "\"function\": \"outer\""'
ok_if "whole stacks" eval '"$rsd" print --expand --stack --source trace-2.rsd 2>why >said && says said "source.c:$(line BARRIER) in outer < source.c:$(line CALL) in main < "'
ok_if "whole stacks in JSON" eval '"$rsd" print --expand --json --stack --source trace-2.rsd 2>why | python3 -c "
import json, sys
s = {e[\"call\"]: e[\"stack\"] for e in map(json.loads, sys.stdin)}[\"MPI_Barrier\"]
assert [f.get(\"function\") for f in s[:2]] == [\"outer\", \"main\"] and s[1][\"line\"] == $(line CALL), s
"'
ok_if "stats by site" eval '"$rsd" stats --by site --source --format tsv trace-2.rsd >said && says said "source.c:$(line BARRIER) in outer"'
# ---- put into the trace
ok_if "resolved: the same, in every format" eval '"$rsd" print --expand --source trace-2.rsd >direct && "$rsd" resolve -o resolved.rsd trace-2.rsd &&
	"$rsd" resolve --to binary -o resolved.bin trace-2.rsd && "$rsd" convert --to ascii -o resolved.ascii resolved.bin &&
	for f in rsd bin ascii; do "$rsd" print --expand --source resolved.$f >said && cmp said direct || exit 1; done'
ok_if "and calls and stacks are the same" "$rsd" diff trace-2.rsd resolved.bin
run 2 RECORD_FILE=ranks.rsd -- env LD_PRELOAD="$lib/libnode.so" "$work/plain"
ok_if "resolved rank by rank, then merged" eval 'for r in 0 1; do "$rsd" resolve -o one.$r ranks.rsd.$r || exit 1; done; "$rsd" merge -o both.rsd one.0 one.1'
ok_if "diff shows source lines" eval '! "$rsd" diff --source resolved.rsd both.rsd >said; says said "source.c:$(line INIT) in main"'
mkdir -p "sources/run" && cp "$root/tests/run/source.c" sources/run
ok_if "sources that were moved" eval '"$rsd" print --expand --json --source --source-root "$PWD/sources" trace-2.rsd >said && says said "\"file\":\"$PWD/sources/run/source.c\""'
ok_if "put into the trace as they are now, too" eval '"$rsd" resolve --source-root "$PWD/sources" -o moved.rsd trace-2.rsd && says moved.rsd "\"$PWD/sources/run/source.c\""'
ok_if "none of that name: as compiled" eval '"$rsd" print --expand --json --source --source-root "$PWD/moved" trace-2.rsd >said && says said "\"file\":\"$root/tests/run/source.c\""'

# ---- without the binary, or with another one
ok_if "the binary moved" eval 'mkdir -p "moved$work" && mv "$work/source" "moved$work/" && "$rsd" print --source trace-2.rsd 2>why >said &&
	says why "no source lines: " && says said "source+0x" && "$rsd" print --source --debug-root="$PWD/moved" trace-2.rsd >said && says said "source.c:$(line INIT) in main"'
sed 's/i < 3/i < 4/' "$root/tests/run/source.c" >other.c
${MPICC:-mpicc} -g -O1 -w other.c -o "$work/source" -L"$lib" -l:libglob.a
ok_if "another build is refused by name" eval '"$rsd" print --source trace-2.rsd 2>why >said && says why "$work/source'"' is not the build that was traced"'" && fails says said "source.c:"'
ok_if "the resolved trace needs none, and says nothing" eval '"$rsd" print --expand --source resolved.rsd 2>why >said && cmp said direct && [ ! -s why ]'
ok_if "to resolve is refused by name, too" eval '"$rsd" resolve -o none.rsd trace-2.rsd 2>why && says why "is not the build that was traced" && "$rsd" print --source none.rsd >said 2>why && says said "source+0x"'
objcopy --remove-section .note.gnu.build-id "moved$work/source" "$work/source"
ok_if "so is one without its build id" eval '"$rsd" print --source trace-2.rsd 2>why >said && says why "$work/source'"' is not the build that was traced"'" && fails says said "source.c:"'
rm -f "$work/source" "$work/plain"

# ---- built without -g: the function is known, and why there is no line
${MPICC:-mpicc} -O1 -w "$root/tests/run/source.c" -o "$work/bare" -L"$lib" -l:libglob.a
run 2 RECORD_FILE=bare.rsd -- "$work/bare"
ok_if "without -g: the function, and a hint" eval '"$rsd" print --expand --source bare.rsd 2>why >said &&
	grep -q "MPI_Barrier.* bare+0x[0-9a-f]* in outer$" said && grep -q "MPI_Init.* in main$" said &&
	[ "$(wc -l <why)" = 1 ] && says why "bare'"'"' was built without -g: no source lines" && says why "--debug-root=DIR"'
ok_if "in JSON the function alone is added" eval '"$rsd" print --expand --json --source bare.rsd 2>why | python3 -c "
import json, sys
s = {e[\"call\"]: e[\"site\"] for e in map(json.loads, sys.stdin)}[\"MPI_Barrier\"]
assert set(s) == {\"module\", \"offset\", \"function\"} and s[\"function\"] == \"outer\", s
"'
ok_if "stats and profile have it" eval '"$rsd" stats --by=site --source bare.rsd 2>why >said && grep -q "^bare+0x[0-9a-f]* in outer  *MPI_Barrier" said &&
	"$rsd" profile -o bare.profile bare.rsd 2>why && grep -q " \* outer$" bare.profile/callsites.txt && says why "was built without -g"'
ok_if "so has a resolved trace, and the hint" eval '"$rsd" resolve -o named.rsd bare.rsd 2>why && says why "was built without -g" &&
	"$rsd" print --source named.rsd 2>why >said && says said " in outer" && says why "had none when it was resolved"'
strip "$work/bare"
ok_if "stripped: module and offset, and the hint" eval '"$rsd" print --source bare.rsd 2>why >said && fails says said " in outer" && says said "  bare+0x" &&
	[ "$(wc -l <why)" = 1 ] && says why "is stripped: no source lines"'
ok_if "merged ones, neither" eval '"$rsd" print --source both.rsd 2>why >said && says said "source.c:$(line BCAST) in inner <- outer source.c:$(line INNER)" && [ ! -s why ]'
ok_if "no output file" exits 2 "$rsd" resolve trace-2.rsd
exit $failed
