"""What a trace of tests/run/clocks.c tells, run on hosts whose clocks are apart (clocks_apart.c).

	clocks.py offsets RANKS_A_HOST TRACE	the offsets are those there are, as far as the trace claims
	clocks.py order CSV			calls of different ranks are in the order in which they must have been
	clocks.py late CSV SECONDS		rank 0's MPI_Get_version is that long after MPI_Barrier, or longer
	clocks.py nested CSV			calls with a sleep in what they called have it, too
"""
import csv, re, sys

TOOK = 200_000 # ns: two clocks are looked at, one after the other, by a process that may have to wait in between


def columns(path):
    """{(kind, id): {attribute: [a value a rank]}} of the objects thread and clock."""
    out, inside, ranks = {}, None, None
    for line in open(path):
        w = line.split()
        if w[0] == 'ranks':
            ranks = [int(r) for r in re.findall(r'\d+', w[1])]
        elif w[0] == 'object':
            inside = out.setdefault((w[1], w[2]), {}) if w[1] in ('thread', 'clock') else None
        elif line[0] == '\t' and inside is not None:
            inside.setdefault(w[0], []).append(w[1:])
        else:
            inside = None
    return out, ranks


def check_offsets(a_host, paths):
    seen = 0
    for path in paths:
        objects, ranks = columns(path)
        assert len(ranks) == 1, ranks # libnode's and libdump's: every column is a value
        rank = ranks[0]
        for when in '0', '1':
            at, offset, error = (int(objects['clock', when][k][0][1]) for k in ('at', 'offset', 'error'))
            host = rank // a_host
            # own = ns + host * (7e9 + ns / 20000)
            ns = (at - host * 7_000_000_000) * 20000 // (20000 + host) if host else at
            assert abs(offset - (ns - at)) <= error + TOOK, (path, when, offset, ns - at, error)
            assert error == 0 if host == 0 else error > 0, (path, error)
            seen += 1
        assert len(objects['thread', '0']['begin']) == 1
    assert seen == 2 * len(paths), seen


def check_order(path):
    sends, receives, last = {}, {}, {}
    for r in csv.DictReader(open(path, newline='')):
        rank, begin, end = int(r['rank']), float(r['begin']), float(r['begin']) + float(r['duration'])
        assert begin >= last.get(rank, 0) - 2e-9, r
        last[rank] = end
        if r['function'] == 'MPI_Ssend':
            sends[rank, int(r['arg_tag'])] = begin
        elif r['function'] == 'MPI_Recv':
            receives[rank, int(r['arg_tag'])] = end
    assert len(sends) == len(receives) == 100, (len(sends), len(receives))
    for (rank, tag), begin in sends.items():
        assert begin < receives[(rank + 1) % 4, tag], (rank, tag)


# Of seconds with nine digits behind the point; sums of them as floats are not what they are.
def in_ns(seconds):
    return int(seconds.replace('.', ''))


def check_nested(path):
    rows = list(csv.DictReader(open(path, newline='')))
    dups = [r for r in rows if r['function'] == 'MPI_Comm_dup']
    assert len(dups) == 5 and all(in_ns(r['duration']) >= 20_000_000 for r in dups), dups
    barrier = [r for r in rows if r['function'] == 'MPI_Barrier'][-1]
    assert in_ns(barrier['begin']) >= in_ns(dups[-1]['begin']) + in_ns(dups[-1]['duration']), barrier


def check_late(path, seconds):
    rows = {r['function']: r for r in csv.DictReader(open(path, newline='')) if r['rank'] == '0'}
    barrier, after = rows['MPI_Barrier'], rows['MPI_Get_version']
    took = float(after['begin']) - float(barrier['begin']) - float(barrier['duration'])
    assert took >= 0.99 * seconds, (took, seconds) # two clocks


if sys.argv[1] == 'late':
    check_late(sys.argv[2], float(sys.argv[3]))
elif sys.argv[1] == 'nested':
    check_nested(sys.argv[2])
elif sys.argv[1] == 'offsets':
    check_offsets(int(sys.argv[2]), sys.argv[3:])
else:
    check_order(sys.argv[2])
