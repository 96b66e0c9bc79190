# record.in, with and without an environment.
libs=
compile "$(ls common/src/config*.c) common/src/util.c common/src/buf.c common/src/coder.c common/src/hash.c"

printf 'rsd\n1000\n64\ntrace.%%p.%%d.%%j.rsd\n' >"$seeds/four"
printf '# of a run\r\nbinary # compact\r\n\r\n-1\r\n' >"$seeds/comments"
printf 'ascii\n500\n\000RECORD_STACK=site\nRECORD_TIME=full\nRECORD_CALLS=all,-MPI_Wtime,+MPI_Comm_*\nRECORD_HISTO=5.5\n' >"$seeds/environment"
printf '\000RECORD_FORMAT=binary\nRECORD_WINDOW=10\nRECORD_REQUESTS=9\nRECORD_FILE=%%%%\nRECORD_MEMORY=1\nRECORD_CHECKPOINT=2\nRECORD_SELFCHECK=1\nRECORD_VERBOSE=1\nRECORD_ON_ERROR=warn\n' >"$seeds/all"
