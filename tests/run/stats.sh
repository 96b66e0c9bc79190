# rsd stats by each key, its page, and rsd diff --stats: sums agree, whatever they are split by.
. tests/run/lib.sh
build export dump
new_dir
run 4 RECORD_FILE=dump -- "$work/export" 5
build export
run 4 RECORD_FILE=x.rsd -- "$work/export" 5
run 4 RECORD_FILE=full.rsd RECORD_TIME=full -- "$work/export" 5
run 4 RECORD_FILE=short.rsd -- "$work/export" 3
run 4 RECORD_FILE=none.rsd RECORD_TIME=off -- "$work/export" 5

# sums FILE KEY: calls, bytes sent, bytes received of all rows; with a function by function
sums()
{
	"$rsd" stats --by "$2" --format tsv "$1" | awk -F '\t' -v by="$2" 'NR > 1 {
		k = by == "function" ? 0 : 1
		n[$(1 + k)] += $(2 + k); s[$(1 + k)] += $(3 + k); r[$(1 + k)] += $(4 + k)
	} END { for (f in n) print f, n[f], s[f], r[f] }' | sort
}

for t in x.rsd full.rsd dump; do
	sums $t function >by.function
	for key in site rank comm; do
		ok_if "$t: by $key, the same calls and bytes" eval 'sums '$t' '$key' >by && [ -s by ] && cmp by by.function'
	done
	sums $t message >by.message
	ok_if "$t: by message, the same of what moves data" eval \
		'[ "$(wc -l <by.message)" = 9 ] && [ -z "$(comm -23 by.message by.function)" ]'
	"$rsd" stats --by message --format tsv $t >table
	ok_if "$t: sizes of messages" eval 'grep -q "^16-31	MPI_Send	2	50	" table || grep -q "^16-31	MPI_Send	2	" table'
	ok_if "$t: communicators" eval '"$rsd" stats --by comm --format tsv '$t' | grep -q "^comm[0-9]*	MPI_Bcast	4	128	128"'
done

# time KEY FILE: seconds of all rows
seconds()
{
	"$rsd" stats --by "$1" --format tsv "$2" | awk -F '\t' -v by="$1" 'NR > 1 { t += $(5 + (by != "function")) } END { printf "%.6f\n", t }'
}

for key in site comm; do
	ok_if "times by $key add up" eval \
		'awk -v a=$(seconds function x.rsd) -v b=$(seconds '$key' x.rsd) "BEGIN { exit !(a > 0 && a - b < 1e-4 && b - a < 1e-4) }"'
done
ok_if "times by rank, where every call's were kept" eval \
	'awk -v a=$(seconds function full.rsd) -v b=$(seconds rank full.rsd) "BEGIN { exit !(a > 0 && a - b < 1e-4 && b - a < 1e-4) }"'
ok_if "none by rank elsewhere" eval '"$rsd" stats --by rank --format tsv x.rsd | awk -F "\t" "NR > 1 && \$6 != \"\" { exit 1 }"'
ok_if "no times" eval '"$rsd" stats none.rsd | grep -q "no times were kept"'

# ---- rows
ok_if "--top" eval '[ "$("$rsd" stats --by site --top 3 x.rsd | wc -l)" = 4 ]'
ok_if "--top of sizes" eval '[ "$("$rsd" stats --by size --top 2 x.rsd | wc -l)" = 3 ]'
ok_if "--sort=calls" eval '"$rsd" stats --by site --sort calls -f tsv x.rsd | tail -n +2 | cut -f 3 | sort -rnc'
ok_if "--sort=bytes" eval '[ "$("$rsd" stats --sort bytes -f tsv x.rsd | sed -n 2p | cut -f 1)" = MPI_Recv ]'
ok_if "an unknown order" eval 'exits 2 "$rsd" stats --sort size x.rsd 2>said && says said "not time, before, calls, bytes or key"'
ok_if "--top=0" exits 2 "$rsd" stats --top 0 x.rsd

# ---- who is late: of a trace that is the same each time
golden=$root/tests/golden/v4-stencil.rsd
ok_if "the longest computation before a call, and its rank" eval '"$rsd" stats --by site -f tsv "$golden" >said &&
	head -n 1 said | grep -q "	before	max_rank	before_max	before_rank	failed$" && grep -q "^stencil2d+0x1180	MPI_Comm_rank	4	.*	0.032966144	[0-3]	0.014266368	3	0$" said'
ok_if "--sort=before" eval '[ "$("$rsd" stats --by site -s before -f tsv "$golden" | sed -n 2p | cut -f 2)" = MPI_Comm_rank ]'
ok_if "in a flat trace, too" eval '"$rsd" stats --by site -f tsv dump | awk -F "\t" "NR > 1 && (\$11 !~ /^[0-3]\$/ || \$12 == \"\" || \$13 !~ /^[0-3]\$/) { exit 1 }"'
ok_if "the page says where that differs most" eval '"$rsd" stats "$golden" >said && says said "computed before a call" &&
	grep -q "^stencil2d+0x1180  MPI_Comm_rank  *4  8.24 ms  14.3 ms  *3  *6.* ms$" said'
ok_if "sums of a rank, where every call's were kept" eval '"$rsd" stats full.rsd | grep -q "^  computed .* on rank [0-3], mean .* on rank [0-3]: "'

# only RANK FILE: calls and bytes of one rank; sites of it, added up
only()
{
	"$rsd" stats --rank "$1" -f tsv "$2" | awk -F "\t" "NR > 1 { print \$1, \$2, \$3, \$4 }" | sort
}
for t in x.rsd full.rsd dump; do
	ok_if "$t: --rank is a part of --by=rank" eval 'only 2 '$t' >said && [ -s said ] &&
		"$rsd" stats --by rank -f tsv '$t' | awk -F "\t" "\$1 == 2 { print \$2, \$3, \$4, \$5 }" | sort | cmp said -'
	for key in site comm; do
		ok_if "$t: --rank by $key, the same calls" eval 'only 2 '$t' | awk "{ n += \$2 } END { print n }" >said &&
			"$rsd" stats --rank 2 --by '$key' -f tsv '$t' | awk -F "\t" "NR > 1 { n += \$3 } END { print n }" | cmp said -'
	done
done
ok_if "--rank has its own times" eval 'a=$("$rsd" stats --by rank -f tsv full.rsd | awk -F "\t" "\$1 == 1 && \$2 == \"MPI_Recv\" { print \$6 }") &&
	[ "$a" ] && [ "$("$rsd" stats --rank 1 -f tsv full.rsd | awk -F "\t" "\$1 == \"MPI_Recv\" { print \$5 }")" = "$a" ]'
ok_if "a rank that is not there" exits 2 "$rsd" stats --rank 4 x.rsd
needs="times by rank need RECORD_TIME=full"
ok_if "no times by rank: what that takes" eval '"$rsd" stats --by rank x.rsd >said 2>why && says why "rsd stats: $needs" && "$rsd" stats --rank 1 x.rsd >said 2>why && says why "$needs" &&
	"$rsd" stats x.rsd >said 2>why && says said "$needs" && [ ! -s why ]'
ok_if "nothing of it where they are" eval '"$rsd" stats --by rank full.rsd >said 2>why && [ ! -s why ] && "$rsd" stats full.rsd >said && fails says said "$needs"'

# ---- calls that failed moved nothing
for level in glob dump; do
	build failing $level
	run 2 RECORD_FILE=failed.$level -- "$work/failing"
	"$rsd" stats -f tsv failed.$level >said
	ok_if "$level: failed calls are counted, their bytes are not" eval 'grep -q "^MPI_Send	12	3264	0	.*	4$" said && grep -q "^MPI_Bcast	6	80	80	.*	2$" said &&
		grep -q "^MPI_Recv	8	0	4096	.*	0$" said'
	for key in rank site comm message; do
		ok_if "$level: by $key, too" eval '"$rsd" stats --by '$key' -f tsv failed.'$level' | awk -F "\t" "\$2 == \"MPI_Send\" { s += \$4; f += \$NF } END { exit !(s == 3264 && f == 4) }"'
	done
	ok_if "$level: which failed" eval '"$rsd" stats --source failed.'$level' >said &&
		grep -q "^6 calls returned an error: MPI_Send MPI_ERR_RANK 4 times, first at failing.c:[0-9]* in main; MPI_Bcast [A-Z_]* 2 times, first at failing.c:[0-9]* in main$" said'
	ok_if "$level: rsd check says how many" eval '"$rsd" check failed.'$level' >said && grep -q "^6 calls returned an error" said && grep -q "^complete: 2 ranks" said'
	ok_if "$level: rsd report has what rsd stats has" eval '"$rsd" report -o failed.html failed.'$level' && python3 "$root/tests/run/report_document.py" "$rsd" failed.html failed.'$level
done
ok_if "nothing of it where none failed" eval '"$rsd" stats x.rsd >said && fails says said "returned an error" && "$rsd" check x.rsd >said && fails says said "an error"'

# ---- the page
"$rsd" stats x.rsd >page
ok_if "a page: the run" eval 'head -n 2 page | grep -q "4 of 4 ranks, complete" && grep -q "^243 calls, .* of the time in MPI" page'
ok_if "a page: kinds, functions, sites, ranks, sizes" eval \
	'says page "point to point" && says page "of MPI" && says page "export+0x" && grep -q "calls .* on rank [0-3], mean" page && says page "####"'
ok_if "a page: not longer than one" [ "$(wc -l <page)" -le 60 ]
ok_if "plain in a pipe" fails grep -q "$(printf '\033')" page
ok_if "--color=always" eval '"$rsd" stats --color always x.rsd | grep -q "$(printf "\\033")\\[1m"'
if command -v script >/dev/null; then
	ok_if "colours on a terminal" eval 'script -qc "$rsd stats x.rsd" /dev/null </dev/null | grep -q "$(printf "\\033")\\[1m"'
	ok_if "NO_COLOR" eval 'NO_COLOR=1 script -qc "$rsd stats x.rsd" /dev/null </dev/null | fails grep -q "$(printf "\\033")\\[1m"'
fi

# ---- two runs
ok_if "diff --stats: the same calls and bytes" eval 'exits 0 "$rsd" diff --stats x.rsd full.rsd >said && says said "0 of"'
ok_if "diff --stats: others" eval 'exits 1 "$rsd" diff --stats short.rsd x.rsd >said'
ok_if "diff --stats: what changed first" grep -q '^first change: MPI_Irecv at export+0x[0-9a-f]*: 12 -> 20 calls, 48 -> 80 bytes$' said
ok_if "diff --stats: sums" grep -q '^calls 195 -> 243, bytes .*; 6 of [0-9]* call sites differ' said
ok_if "diff --stats: what changed comes first" eval '[ "$(grep -c " changed  " said)" = 6 ] && sed -n 5p said | grep -q changed'
ok_if "diff --stats --ignore-sites" eval 'exits 1 "$rsd" diff --stats -i -f tsv short.rsd x.rsd >said; grep -q "^MPI_Isend	changed	12	20	48	80	" said'
mkdir "$work/other" && ${MPICC:-mpicc} -g -O0 -w "$root/tests/run/export.c" -o "$work/other/export" -L"$lib" -l:libglob.a
run 4 RECORD_FILE=other.rsd -- "$work/other/export" 5
ok_if "diff --stats: another build is told" eval 'exits 1 "$rsd" diff --stats other.rsd x.rsd >said; says said "another build"'
ok_if "diff --stats -i: another build makes the same calls" exits 0 "$rsd" diff --stats -i other.rsd x.rsd
ok_if "diff --stats: a trace that is not there" exits 2 "$rsd" diff --stats x.rsd absent
ok_if "diff --stats --rank" exits 2 "$rsd" diff --stats --rank 1 x.rsd x.rsd
exit $failed
