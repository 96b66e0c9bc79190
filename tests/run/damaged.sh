# Damaged and foreign files: every command says what is wrong, and ends with 2.
. tests/run/lib.sh
build app
new_dir
run 4 RECORD_FILE=x.rsd -- "$work/app"
run 4 RECORD_FILE=x.bin RECORD_FORMAT=binary -- "$work/app"

# refused FILE: exit 2 with a message that names the file, for every command.
refused()
{
	for command in print check stats; do
		timeout 120 "$rsd" $command "$1" >shown 2>said
		_rc=$?
		[ $_rc = 2 ] && grep -q "$1" said || {
			echo "rsd $command: exit $_rc: $(head -c 300 said)"
			return 1
		}
	done
}

ok_if "a file that is not there" refused absent.rsd
: >empty.rsd
ok_if "an empty file" refused empty.rsd
echo "hello" >foreign.rsd
ok_if "a file of something else" refused foreign.rsd
head -c 5000 /dev/urandom >random.rsd
ok_if "random bytes" refused random.rsd
mkdir folder.rsd
ok_if "a folder" refused folder.rsd

for f in x.rsd x.bin; do
	len=$(wc -c <$f)
	bad=
	i=1
	while [ $i -lt 20 ]; do
		head -c $((len * i / 20)) $f >cut-$f
		refused cut-$f >>why 2>&1 || bad="$bad $i/20"
		i=$((i + 1))
	done
	ok_if "$f truncated at 19 places" [ -z "$bad" ]
	bad=
	i=0
	while [ $i -lt 40 ]; do
		at=$((len * i / 40))
		byte=$(od -An -tu1 -j $at -N 1 $f)
		cp $f flip-$f
		printf "\\$(printf '%03o' $((byte ^ 1 << i % 8)))" | dd of=flip-$f bs=1 seek=$at conv=notrunc 2>/dev/null
		refused flip-$f >>why 2>&1 || bad="$bad $at"
		i=$((i + 1))
	done
	ok_if "$f with one bit flipped, at 40 places$bad" [ -z "$bad" ]
done
ok_if "the message tells the offset" eval 'head -c 700 x.rsd >y.rsd; "$rsd" check y.rsd 2>&1 | grep -Eq "^rsd check: y.rsd:[0-9]+: "'
ok_if "the message tells the line of a text" eval \
	'sed "5s/.*/nonsense/" x.rsd >y.rsd; "$rsd" check y.rsd 2>&1 | grep -Eq "^rsd check: y.rsd:[0-9]+: line 5: "'
ok_if "diff with a damaged file ends with 2" exits 2 "$rsd" diff x.rsd y.rsd
exit $failed
