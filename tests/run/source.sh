#!/bin/sh
# Source lines of call sites: in text and JSON, through inlining, and not those of another build.
. tests/run/lib.sh
new_dir
build source
line()
{
	grep -n "/\* $1 \*/" "$root/tests/run/source.c" | cut -d: -f1
}

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
ok_if "stats by site" eval '"$rsd" stats --by site --source --format tsv trace-2.rsd >said && says said "source.c:$(line BARRIER) in outer"'
ok_if "the binary moved" eval 'mkdir -p "moved$work" && mv "$work/source" "moved$work/" && "$rsd" print --source trace-2.rsd 2>why >said &&
	says why "no source lines: " && says said "source+0x" && "$rsd" print --source --debug-root="$PWD/moved" trace-2.rsd >said && says said "source.c:$(line INIT) in main"'
sed 's/i < 3/i < 4/' "$root/tests/run/source.c" >other.c
${MPICC:-mpicc} -g -O1 -w other.c -o "$work/source" -L"$lib" -l:libglob.a
ok_if "another build is refused by name" eval '"$rsd" print --source trace-2.rsd 2>why >said && says why "$work/source'"' is not the build that was traced"'" && fails says said "source.c:"'
exit $failed
