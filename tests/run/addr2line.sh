#!/bin/sh
# rsd addr2line: calls whose chains are known by construction, in programs built in many ways.
. tests/run/lib.sh
tools_only
CC=${CC:-gcc}
src=$root/tests/run/addr2line.c

line_of()
{
	grep -n "at $1 \*/" "$src" | cut -d : -f 1
}

# What addr2line has to say of the calls 1 to 4.
{
	printf 'leaf\naddr2line.c:%s\nmiddle\naddr2line.c:%s\nouter\naddr2line.c:%s\n' \
		"$(line_of leaf)" "$(line_of middle)" "$(line_of outer)"
	printf 'leaf\naddr2line.c:%s\nouter\naddr2line.c:%s\n' "$(line_of leaf)" "$(line_of direct)"
	printf 'outer\naddr2line.c:%s\nmain\naddr2line.c:%s\n' "$(line_of plain)" "$(line_of main)"
} >"$work/chains"

# compile FLAGS...: the program in a new folder, linked from an object there (which split DWARF needs)
compile()
{
	new_dir
	env CCACHE_DISABLE=1 "$CC" -O2 -w "$@" -c "$src" -o prog.o && "$CC" "$@" prog.o -o prog && ./prog >marks
}

addresses()
{
	base=$(nm prog 2>/dev/null | sed -n 's/ . __executable_start$//p')
	for m in $(cut -d ' ' -f 2 marks); do
		printf '%x\n' $((0x$m + 0x${base:-0}))
	done
}

chains_are()
{
	# shellcheck disable=SC2046
	"$rsd" addr2line "$@" -f -i -C -s -e prog $(cat at) | sed 's/ (discriminator [0-9]*)$//' >got && cmp got "$work/chains"
}

# built NAME FLAGS...: one test
built()
{
	name=$1
	shift
	if compile "$@" 2>"$work/said"; then
		addresses >at
		ok_if "$name" chains_are
	else
		echo "skip $suite: $name: $CC does not build it: $(head -n 1 "$work/said")"
	fi
}

for v in 2 3 4 5; do
	built "DWARF $v" -g -gdwarf-$v
done
built "DWARF 64" -g -gdwarf64
built "non-PIE" -g -no-pie -fno-pie
built "no optimisation" -g -O0
built "function sections" -g -ffunction-sections -Wl,--gc-sections
built "-g1" -g1
built "LTO" -g -flto
built "compressed: zlib" -g -gz=zlib
built "compressed: zlib-gnu" -g -gz=zlib-gnu
if compile -g 2>"$work/said" && objcopy --compress-debug-sections=zstd prog 2>"$work/said"; then
	addresses >at
	ok_if "compressed: zstd" chains_are
else
	echo "skip $suite: compressed: zstd: $(head -n 1 "$work/said")"
fi
built "strict DWARF 3, function sections" -g -gdwarf-3 -gstrict-dwarf -ffunction-sections
# The library's other way: a program that loads the extra files itself.
"$CC" -I "$root/common/inc" -I "$root/tools/symbolize" "$root/tests/run/prepared.c" \
	"$root/build/libsymbolize.a" "$root/build/libcommon.a" \
	-lelf -llzma -lz -lzstd "$("$CC" -print-file-name=libstdc++.a)" -pthread -o "$work/prepared" || exit 1

for v in 4 5; do
	built "split, DWARF $v" -g -gsplit-dwarf -gdwarf-$v
	ok_if "split, DWARF $v, prepared" eval \
		'"$work/prepared" ./prog $(cat at) >got && sed -i "s/^wanted: 2$//; /^$/d" got && cmp got "$work/chains"'
	ok_if "split, DWARF $v, prepared: nothing is there" eval \
		'"$work/prepared" ./prog -n $(cat at) >got && says got "wanted: 2" && says got "addr2line.c:$(line_of leaf)" && ! grep -q middle got'
	mkdir moved && mv prog prog.dwo moved && cd moved && cp ../at .
	ok_if "split, DWARF $v, moved with its .dwo" chains_are
	mv prog.dwo away
	ok_if "split, DWARF $v: without it, lines are left" eval \
		'"$rsd" addr2line -f -i -s -e prog $(cat at) >got && says got "addr2line.c:$(line_of leaf)" && ! grep -q middle got'
	ok_if "split, DWARF $v: and what is missing is told" eval \
		'"$rsd" addr2line --json -e prog $(head -n 1 at) | grep -q "\"missing\":\"[^\"]*prog.dwo: not there\""'
	env CCACHE_DISABLE=1 "$CC" -O1 -w -g -gsplit-dwarf -gdwarf-$v "$src" -c -o prog.o
	ok_if "split, DWARF $v: a .dwo of another build is not used" eval \
		'"$rsd" addr2line --json -e prog $(head -n 1 at) | grep -q "\"missing\":\"[^\"]*prog.dwo: of another build\""'
	ok_if "split, DWARF $v, prepared: nor there" eval \
		'"$work/prepared" ./prog $(head -n 1 at) >got && grep -q "^missing: .*prog.dwo: of another build" got && says got "addr2line.c:$(line_of leaf)"'
	# The dwp of binutils packs version 4 only, that of LLVM 14 hangs over what gcc makes.
	mv away prog.dwo
	if timeout 30 dwp -e prog -o prog.dwp 2>said && rm prog.dwo; then
		ok_if "packed, DWARF $v" chains_are
		ok_if "packed, DWARF $v, prepared" eval \
			'"$work/prepared" ./prog $(cat at) >got && sed -i "s/^wanted: .*$//; /^$/d" got && cmp got "$work/chains"'
	else
		echo "skip $suite: packed, DWARF $v: there is no dwp for it"
	fi
done

# gcc splits the last step of LTO only, and then the names are out of reach of its .dwo.
if compile -g -gsplit-dwarf -flto 2>"$work/said"; then
	addresses >at
	ok_if "split LTO: functions that the debug information does not name have symbols" eval \
		'[ "$("$rsd" addr2line -f -s -e prog $(sed -n 3p at))" = "$(printf "outer\naddr2line.c:%s" "$(line_of plain)")" ]'
fi

# ---- files of their own
compile -g && addresses >at
objcopy --only-keep-debug prog prog.debug && objcopy --strip-all --add-gnu-debuglink=prog.debug prog
ok_if "debug link" chains_are
mkdir .debug && mv prog.debug .debug
ok_if "debug link, in .debug" chains_are
printf 'x' >>.debug/prog.debug
ok_if "debug link: another checksum" fails chains_are
compile -g -Wl,--build-id=0x0123456789abcdef && addresses >at
mkdir -p debugroot/.build-id/01
objcopy --only-keep-debug prog debugroot/.build-id/01/23456789abcdef.debug && strip prog
ok_if "build id" chains_are --debug-root debugroot
compile -g -Wl,--build-id=0x0123456789abcdee && strip prog
mkdir -p debugroot/.build-id/01
cp "$work/$((nr - 1))/debugroot/.build-id/01/23456789abcdef.debug" debugroot/.build-id/01/23456789abcdee.debug
addresses >at
ok_if "build id: a file of another build" fails chains_are --debug-root debugroot
if command -v dwz >/dev/null; then
	compile -g && addresses >at
	cp prog twin && dwz -m common prog twin 2>said
	ok_if "dwz, with a supplementary file" eval '[ -e common ] && chains_are'
fi
if command -v xz >/dev/null && compile -g0; then
	addresses >at
	cp prog symbols && strip -g symbols && xz symbols
	objcopy --strip-all --add-section .gnu_debugdata=symbols.xz prog
	ok_if "stripped, with symbols in .gnu_debugdata" eval \
		'"$rsd" addr2line -f -e prog $(cat at) | paste -s -d " " | grep -qx "outer ??:? outer ??:? outer ??:? main ??:?"'
fi
compile -g0 && addresses >at
printf 'static __attribute__((noinline)) int local(int x)\n{\n\treturn x * 3;\n}\nint main(int c, char **v)\n{\n\treturn local(c);\n}\n' >local.c
"$CC" -O1 -o local local.c && ok_if "no debug information: a local function has the file of the symbol table" eval \
	'[ "$("$rsd" addr2line -f -e local $(nm local | sed -n "s/ t local$//p"))" = "$(printf "local\nlocal.c:?")" ]'
ok_if "no debug information: names of symbols" eval \
	'"$rsd" addr2line -f -e prog $(cat at) | paste -s -d " " | grep -qx "outer ??:? outer ??:? outer ??:? main ??:?"'

# ---- the command
compile -g && addresses >at
first=$(head -n 1 at)
if command -v addr2line >/dev/null; then
	for o in "" -f -a -s -i -p "-f -i" "-a -f -i -p" "-f -p -s"; do
		"$rsd" addr2line $o -e prog $(cat at) 0 fffff zz >ours
		addr2line $o -e prog $(cat at) 0 fffff zz >theirs
		ok_if "as GNU's: $o" cmp ours theirs
	done
	printf -- '-f "-s"\n -e prog %s' $first >words
	ok_if "as GNU's: @FILE" eval '[ "$("$rsd" addr2line @words)" = "$(addr2line @words)" ]'
	text=$(nm prog | sed -n 's/ . _start$//p')
	ok_if "as GNU's: -j" eval \
		'[ "$("$rsd" addr2line -f -j .text -e prog 10)" = "$(addr2line -f -j .text -e prog 10)" ]'
fi
ok_if "addresses from standard input" eval '[ "$("$rsd" addr2line -f -e prog <at)" = "$("$rsd" addr2line -f -e prog $(cat at))" ]'
ok_if "--columns" eval '"$rsd" addr2line --columns -s -e prog $first | grep -qx "addr2line.c:$(line_of leaf):[1-9][0-9]*"'
ok_if "--json" eval '"$rsd" addr2line --json -e prog $first | python3 -c "
import json, sys
o = json.load(sys.stdin)
f = o[\"frames\"]
assert [x[\"function\"] for x in f] == [\"leaf\", \"middle\", \"outer\"], f
assert [x[\"inlined\"] for x in f] == [True, True, False], f
assert f[0][\"line\"] == $(line_of leaf) and o[\"known\"] == \"function\"
"'
# ---- a wasm module without debug information: functions a and b, and an imported one
new_dir
printf '\0asm\1\0\0\0\1\4\1\140\0\0\2\11\1\3env\1m\0\0\3\3\2\0\0' >m.wasm
printf '\12\11\2\2\0\13\4\0\1\1\13\0\23\4name\1\14\3\0\3imp\1\1a\2\1b' >>m.wasm
ok_if "wasm: offsets of the interpreter" eval '[ "$("$rsd" addr2line -f -e m.wasm 27)" = "$(printf "b\n??:?")" ]'
ok_if "wasm: offsets of AOT code" eval '[ "$("$rsd" addr2line -f --mode aot -e m.wasm 2)" = "$(printf "a\n??:?")" ]'
printf 'Exception: unreachable\n#00: 0x0027 - $f2\n#01: 0x0000 - $f1\n#02 $f0\n#03: 0x0 - _start\n#04 $f7\n' >stack
ok_if "wasm: a call stack" eval '[ "$("$rsd" addr2line --dump stack -e m.wasm | grep -v "[?#]" | paste -s -d " ")" = "Exception: unreachable b a imp _start" ]'
ok_if "wasm: a call stack of the fast interpreter" eval \
	'"$rsd" addr2line --mode fast-interp --dump - -e m.wasm <stack | sed -n 3p | grep -qx b'
ok_if "wasm: no call stack there" exits 2 "$rsd" addr2line --dump absent -e m.wasm

ok_if "no module" eval 'exits 2 "$rsd" addr2line -e absent 0 2>said && says said "absent"'
ok_if "no object file" exits 2 "$rsd" addr2line -e stack 0
ok_if "no section of that name" exits 2 "$rsd" addr2line -e m.wasm -j .absent 0
ok_if "an unknown mode" exits 2 "$rsd" addr2line -e m.wasm --mode x 0
ok_if "a closed pipe is not commented on" eval '{ yes 27 | head -n 2000 | "$rsd" addr2line -f -e m.wasm 2>said; } | head -n 1 >/dev/null; [ ! -s said ]'
exit $failed
