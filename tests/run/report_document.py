"""The document in a page of rsd report, held against rsd stats and the calls themselves.

	report_document.py RSD PAGE TRACE
"""
import collections, json, re, subprocess, sys

rsd, page, trace = sys.argv[1:4]
text = open(page).read()
doc = json.loads(re.search(r'<script type="application/json" id="document">(.*?)</script>', text, re.S).group(1))
nprocs = doc["run"]["nprocs"]


def stats(*options):
	lines = subprocess.run([rsd, "stats", "--format", "tsv", *options, trace], check=True, capture_output=True, text=True).stdout.splitlines()
	head = lines[0].split("\t")
	return [dict(zip(head, line.split("\t"))) for line in lines[1:]]


def number(s):
	return float(s) if s else None


def same_rows(key, want, got):
	assert set(want) == set(got), (key, set(want) ^ set(got))
	for k in want:
		assert want[k] == got[k], (key, k, want[k], got[k])


def expected(row, seconds):
	return [int(row["calls"]), number(row["bytes_sent"]), number(row["bytes_received"])] + ([number(row["time"])] if seconds else [])


def add_up(key):
	sums = collections.defaultdict(lambda: [0, 0, 0, None])
	for func, site, calls, sent, received, unknown, time, _ in doc["calls"]["rows"]:
		s = sums[key(doc["calls"]["functions"][func][0], doc["calls"]["sites"][site])]
		s[0] += calls
		s[1] = None if unknown or s[1] is None else s[1] + sent
		s[2] = None if unknown or s[2] is None else s[2] + received
		if time:
			s[3] = (s[3] or 0) + time[1]
	return {k: v[:3] + [None if v[3] is None else v[3] / 1e9] for k, v in sums.items()}


late = {(doc["calls"]["functions"][r[0]][0], doc["calls"]["sites"][r[1]]): r[6] and r[6][8] for r in doc["calls"]["rows"]}
for r in stats("--by", "site", "--source"):
	got = late[r["function"], r["site"]]
	assert (not got and not r["before_max"]) or (got[1] / 1e9 == number(r["before_max"]) and got[2] == int(r["before_rank"])), (r, got)
	assert not got or 0 <= got[0] / 1e9 <= number(r["before"]), (r, got)

same_rows("function", {r["function"]: expected(r, True) for r in stats()}, add_up(lambda f, s: f))
same_rows("site", {(r["function"], r["site"]): expected(r, True) for r in stats("--by", "site", "--source")}, add_up(lambda f, s: (f, s)))

by_rank = collections.defaultdict(lambda: [0, 0, 0])
for r in stats("--by", "rank"):
	for i, v in enumerate(expected(r, False)):
		by_rank[int(r["rank"])][i] += v or 0
assert doc["load"]["width"] == 1
for rank in range(nprocs):
	for i, name in enumerate(("calls", "sent", "received")):
		assert doc["load"][name][5 * rank + 1] == by_rank[rank][i], (name, rank)


def members(run):
	ranks = [run[0]]
	for k in range(1, len(run), 2):
		ranks = [r + i * run[k + 1] for r in ranks for i in range(run[k])]
	return ranks


got = collections.defaultdict(lambda: [0, 0])
links = doc["links"]
for row, of, relative, to, messages, size in links["links"]:
	for run in links["sets"][of]:
		for r in members(run):
			cell = got[r, (r + to) % nprocs if relative else to]
			cell[0] += messages
			cell[1] += size

# What the program of this test does: communicators by what it makes them from.
want = collections.defaultdict(lambda: [0, 0])
world, windows, sizes = {}, {}, {"MPI_CHAR": 1, "MPI_INT": 4, "MPI_DOUBLE": 8}
columns, lost = nprocs // 2, 0
flat = not doc["loops"]["nodes"]	# it tells no members but those of communicators that all ranks are in
events = subprocess.run([rsd, "print", "--expand", "--json", trace], check=True, capture_output=True, text=True).stdout.splitlines()
for e in map(json.loads, events):
	a, r = e["args"], e["rank"]
	if "error" in e:	# it sent nothing
		continue
	if e["call"] == "MPI_Comm_split":
		world[r, a["newcomm"]] = sorted((x for x in range(nprocs) if x % 2 == r % 2), reverse=True)
	elif e["call"] == "MPI_Cart_create":
		world[r, a["comm_cart"]] = list(range(nprocs))
	elif e["call"] == "MPI_Cart_sub":
		world[r, a["newcomm"]] = [r // columns * columns + i for i in range(columns)]
	elif e["call"] == "MPI_Win_create":
		windows[r, a["win"]] = a["comm"]
	elif isinstance(a.get("target_rank"), int):
		if flat:
			lost += 1
			continue
		comm = windows[r, a["win"]]
		to = a["target_rank"] if comm == "MPI_COMM_WORLD" else world[r, comm][a["target_rank"]]
		want[r, to][0] += 1
		want[r, to][1] += a["origin_count"] * sizes[a["origin_datatype"]]
	elif isinstance(a.get("dest"), int):
		if flat and len(world.get((r, a["comm"]), range(nprocs))) < nprocs:
			lost += 1
			continue
		to = a["dest"] if a["comm"] == "MPI_COMM_WORLD" else world[r, a["comm"]][a["dest"]]
		want[r, to][0] += 1
		want[r, to][1] += a.get("count", a.get("sendcount")) * sizes[a.get("datatype", a.get("sendtype"))]
same_rows("cell", dict(want), dict(got))
assert links["lostMessages"] == lost
calls = sum(r[2] for r in doc["calls"]["rows"])
assert calls == len(events)
if not flat:
	assert sum(n[4] for n in doc["loops"]["nodes"] if n[1] >= 0) == calls
assert sum(e[2] for e in doc["paths"]["ends"]) == calls
