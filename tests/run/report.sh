#!/bin/sh
# rsd report: the document in the page says what rsd stats and the calls say; and, where there is a browser, so does the page.
. tests/run/lib.sh
new_dir
tests=$root/tests/run
build report
# Open MPI's osc/rdma names the shared memory of a window by a number that groups without a common rank share: each takes away the other's.
export OMPI_MCA_osc=^rdma
# A path that would end a script, and begin one.
bad="$work/x</script><script>window.hurt=1</script>"
mkdir -p "$bad" && cp "$work/report" "$bad/report"
run 6 RECORD_FILE=stats.rsd -- "$bad/report"
run 6 RECORD_FILE=full.rsd RECORD_TIME=full -- "$bad/report"
${MPICC:-mpicc} -g -O1 -w "$tests/report.c" -o "$work/plain"
run 6 RECORD_FILE=dump.rsd -- env LD_PRELOAD="$lib/libdump.so" "$work/plain"
run 6 RECORD_FILE=off.rsd RECORD_TIME=off RECORD_STACK=off -- "$bad/report"

for kind in stats full dump off; do
	ok_if "$kind: a page" "$rsd" report -o $kind.html $kind.rsd
	ok_if "$kind: its numbers are those of rsd stats, its messages those of the calls" python3 "$tests/report_document.py" "$rsd" $kind.html $kind.rsd
done
ok_if "one file that loads nothing" eval 'fails grep -E "(src|href)=\"?(http|//)" stats.html && fails grep -F "@import" stats.html'
ok_if "texts of the trace can't end the script" eval '[ "$(grep -c "</script>" stats.html)" = 3 ]'
ok_if "no output file" exits 2 "$rsd" report stats.rsd
ok_if "a folder that is not there, before the trace is read" eval 'exits 2 "$rsd" report -o none/x.html none.rsd 2>why && says why "none/x.html"'
ok_if "a trace that is none" eval 'echo no >none.rsd; exits 2 "$rsd" report -o none.html none.rsd && [ ! -e none.html ]'
ok_if "without source lines" eval '"$rsd" report --no-source -o no.html stats.rsd && fails says no.html "report.c:"'

browser=$(PYTHONPATH=$tests PYTHONDONTWRITEBYTECODE=1 python3 -c 'import browser; print(browser.find() or "")')
if [ -z "$browser" ]; then
	echo "skip $suite: pages in a browser: there is no chromium (Debian's package of that name)"
	exit $failed
fi
look()
{
	PYTHONDONTWRITEBYTECODE=1 timeout 120 python3 "$tests/report_page.py" "$rsd" "$1.html" "$1.rsd" "$2"
}
ok_if "the page loads without a complaint, hostile names in it or not" look stats loads
ok_if "the numbers shown are those of rsd stats" look stats numbers
ok_if "a click on a cell shows its call sites" look stats cell
ok_if "keys do what clicks do" look stats keys
ok_if "a timeline, where every call's times were kept" look full timeline
ok_if "elsewhere it is said what that takes" look stats no_timeline
ok_if "who comes late" look stats late
ok_if "a flat trace" look dump flat

# ---- at large
scale=$root/build/bench/report_scale
if [ ! -x "$scale" ]; then
	echo "skip $suite: a million ranks: bench/report_scale is not built (make bench-programs)"
	exit $failed
fi
ok_if "a million ranks and ten thousand call sites: less than 5 MB" eval '"$scale" -o large.rsd && "$rsd" report --no-source -o large.html large.rsd &&
	[ "$(wc -c <large.html)" -lt 5000000 ]'
ok_if "its page, down to single ranks" look large large
exit $failed
