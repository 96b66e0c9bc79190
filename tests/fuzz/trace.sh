# Traces: the golden ones, and small ones of each format.
# What rsd is made of; the report's page and the table of prototypes as they were built.
libs="build/report/page.o -lelf -llzma -lz -lzstd $(pkg-config --libs otf2 2>/dev/null || echo -lotf2) -ljansson -lm $("$clang" -print-file-name=libstdc++.a)"
compile "$(ls common/src/*.c tools/*.c tools/codegen/*.c tools/export/*.c tools/report/*.c tools/symbolize/*.c build/prototypes.c |
	grep -Ev '^tools/(rsd|rsd_replay)\.c$')" -Itools -Itools/symbolize

for f in tests/golden/v*; do
	cp "$f" "$seeds/${f##*/}"
done
