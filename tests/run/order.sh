#!/bin/sh
# The order of threads as a trace tells it: what is known of their ends.
. tests/run/lib.sh
build order

# until TRACE THREAD: what the trace tells
until_of()
{
	sed -n "/^object order $2\$/,/^\(object\|place\)/s/^	until [^ ]* //p" "$1" | head -n 1
}

new_dir
run 1 RECORD_FILE=x RECORD_FORMAT=rsd -- "$work/order" destroyed
ok_if "a thread that calls out of a destructor ends after that" [ "$rc,$(until_of x 1)" = 0,2 ]
new_dir
run 2 RECORD_FILE=x RECORD_FORMAT=rsd RECORD_CALLS=-MPI_Recv -- "$work/order" unrecorded
ok_if "a call that is not recorded has not begun" [ "$rc,$(until_of x 1)" = 0,2 ]
new_dir
run 1 RECORD_FILE=x RECORD_FORMAT=rsd -- "$work/order" other
ok_if "the process's first thread has an end, where another one is the main one" [ "$rc,$(until_of x 1)" = 0,1 ]
exit $failed
