# The symbolizer: small programs in many kinds of debug information.
libs="-lelf -llzma -lz -lzstd $("$clang" -print-file-name=libstdc++.a)"
compile "$(echo tools/symbolize/*.c common/src/util.c common/src/buf.c common/src/coder.c common/src/hash.c)" -Itools/symbolize

# seed NAME COMMAND...: what the compiler makes of a program, in files of that name; where it can't, there is none
seed()
{
	name=$1
	shift
	[ -e "$seeds/$name" ] && return
	mkdir -p "$out/made/$name"
	(cd "$out/made/$name" && CCACHE_DISABLE=1 "$@" -w -o prog 2>/dev/null) || return
	cp "$out/made/$name/prog" "$seeds/$name"
	for dwo in "$out/made/$name"/*.dwo; do
		[ ! -e "$dwo" ] || cp "$dwo" "$seeds/$name.dwo"
	done
}
c=$PWD/tests/run/addr2line.c
cc=$PWD/tests/fuzz/seed.cc
for v in 2 3 4 5; do
	seed dwarf$v gcc -O2 -g -gdwarf-$v $c
	seed split$v gcc -O2 -g -gsplit-dwarf -gdwarf-$v $c
	seed names$v g++ -O2 -g -gdwarf-$v $cc
	seed clang$v "$clang" -O2 -g -gdwarf-$v $c
	seed clang-names$v "$clang" -O2 -g -gdwarf-$v $cc
	seed clang-split$v "$clang" -O2 -g -gsplit-dwarf -gdwarf-$v $cc
	seed wasm$v "$clang" --target=wasm32 -O2 -g -gdwarf-$v -nostdlib -Wl,--no-entry -Wl,--export-all $cc
done
seed dwarf64 gcc -O2 -g -gdwarf64 $c
seed zlib gcc -O2 -g -gz $c
seed zlib-gnu gcc -O2 -g -gz=zlib-gnu $c
seed strict g++ -O2 -g -gdwarf-3 -gstrict-dwarf -ffunction-sections $cc
seed object g++ -O2 -g -c $cc
seed lto g++ -O2 -g -flto $cc
seed unoptimised g++ -O0 -g3 $cc
seed static gcc -O2 -g -no-pie $c
seed types g++ -O2 -g -gdwarf-4 -fdebug-types-section $cc
seed split-types g++ -O2 -g -gsplit-dwarf -fdebug-types-section -c $cc
seed single "$clang" -O2 -g -gsplit-dwarf=single -gdwarf-5 -c $cc
seed fortran gfortran -O2 -g "$PWD/tests/fuzz/seed.f90"

# byte N: the byte of that value
byte()
{
	printf "\\$(printf %o "$1")"
}
# with_extra NAME MODULE EXTRA: both in one input, see symbolize.c
with_extra()
{
	[ -e "$seeds/$2" ] && [ -e "$3" ] || return
	len=$(wc -c <"$3")
	{
		cat "$seeds/$2" "$3"
		byte $((len & 255)) && byte $((len >> 8 & 255)) && byte $((len >> 16 & 255)) && byte 0
		printf xtra
	} >"$seeds/$1"
}
for v in 2 3 4 5; do
	with_extra whole-split$v split$v "$seeds/split$v.dwo"
	with_extra whole-clang-split$v clang-split$v "$seeds/clang-split$v.dwo"
done
# The dwp of binutils packs version 4, that of LLVM 5.
(cd "$out/made/split4" && timeout 20 dwp -e prog -o ../4.dwp 2>/dev/null) && with_extra packed4 split4 "$out/made/4.dwp"
for llvm_dwp in llvm-dwp llvm-dwp-14; do
	(cd "$out/made/clang-split5" && timeout 20 $llvm_dwp -e prog -o ../5.dwp 2>/dev/null) || continue
	with_extra packed5 clang-split5 "$out/made/5.dwp"
	break
done
[ -e "$seeds/dwz" ] || { cp "$seeds/names4" "$seeds/dwz" && dwz "$seeds/dwz"; } 2>/dev/null
if [ ! -e "$seeds/debugdata" ] && [ -e "$seeds/dwarf5" ]; then
	strip -g "$seeds/dwarf5" -o "$out/made/small" && xz -c "$out/made/small" >"$out/made/small.xz" &&
		objcopy --strip-all --add-section .gnu_debugdata="$out/made/small.xz" "$seeds/dwarf5" "$seeds/debugdata"
fi

