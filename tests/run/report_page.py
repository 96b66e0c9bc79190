"""Looks at a page of rsd report in a browser, as a person does.

	report_page.py RSD PAGE TRACE loads|numbers|cell|keys|timeline|no_timeline|late|large|flat
"""
import os, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser

rsd, page, trace, what = sys.argv[1:5]


def table(b, name):
	"""Rows of cells: the exact value of a number, the text of others."""
	return b.value("[...document.querySelectorAll('#%s tbody tr')].map(r => [...r.cells].map(c => 'value' in c.dataset ? c.dataset.value : c.textContent))" % name)


def loads(b):
	assert not b.complaints, b.complaints
	assert all(r.startswith(("file:", "data:", "about:")) for r in b.requests), b.requests
	assert b.value("typeof window.hurt") == "undefined"
	assert "</script>" in b.value("document.getElementById('meta').textContent")
	b.click("#theme")
	assert b.value("document.documentElement.dataset.theme") == "dark"
	assert not b.complaints, b.complaints


def numbers(b):
	lines = subprocess.run([rsd, "stats", "--format", "tsv", trace], check=True, capture_output=True, text=True).stdout.splitlines()
	want = {f[0]: f for f in (line.split("\t") for line in lines[1:])}
	got = {r[0]: r for r in table(b, "functions-rows")}
	assert set(want) == set(got), set(want) ^ set(got)
	for name, w in want.items():
		g = got[name]
		assert [float(x or -1) for x in w[1:4]] == [float(x or -1) for x in g[1:4]], (w, g)
		assert abs(float(w[4]) - float(g[4]) / 1e9) < 1e-9, (w, g)
	shown = b.value("document.getElementById('figure-calls').textContent").replace("\u202f", "")
	assert int(shown) == sum(int(w[1]) for w in want.values()), shown


def cell(b, name="cell-rows"):
	# rank 0 sends to rank 1: the second cell of the first row
	size = b.value("document.getElementById('matrix-canvas').clientWidth") - 62
	nr = b.value("Number(document.getElementById('figure-ranks').textContent)")
	b.click("#matrix-canvas", 54 + size // nr + size // nr // 2, 26 + size // nr // 2)
	assert b.value("document.getElementById('cell-title').textContent") == "rank 0 \u2192 rank 1"
	rows = table(b, "cell-rows")
	assert any(r[1] == "MPI_Isend" and r[2] == "20" and r[3] == str(10 * 64 + 10 * 16) for r in rows), rows
	assert any("in ring" in r[0] for r in rows), rows
	sums = b.value("({...document.getElementById('cell-sums').dataset})")
	assert sums["messages"] == str(sum(int(r[2]) for r in rows)) and sums["bytes"] == str(sum(int(r[3]) for r in rows)), (sums, rows)


def keys(b):
	b.value("document.getElementById('matrix-canvas').focus()")
	for key in ("ArrowRight", "ArrowRight", "Enter"):
		b.key(key)
	assert b.value("document.getElementById('cell-title').textContent") == "rank 0 \u2192 rank 1"
	b.value("document.querySelector('#sites-rows tbody tr').focus()")
	b.key("Enter")
	assert b.value("document.querySelector('#site h3').textContent")
	b.value("document.getElementById('phases-canvas').focus()")
	b.key("ArrowRight")
	assert "calls" in b.value("document.getElementById('phases-said').textContent")
	folded = b.value("document.querySelectorAll('#loops-tree details[open]').length")
	b.value("document.querySelector('#loops-tree summary').focus()")
	b.key("Enter")
	assert b.value("document.querySelectorAll('#loops-tree details[open]').length") != folded
	assert not b.complaints, b.complaints


def no_timeline(b):
	assert b.value("document.getElementById('timeline').textContent").split() == "Timeline No timeline: times by rank need RECORD_TIME=full.".split()
	assert b.value("document.getElementById('timeline-canvas').offsetHeight") == 0


def late(b):
	rows = "document.querySelectorAll('#late-rows tbody tr')"
	assert b.value("document.getElementById('late').hidden") is False and b.value(rows + ".length") > 0
	beyond = b.value("[...%s].map(r => Number(r.lastChild.dataset.value))" % rows)
	assert beyond == sorted(beyond, reverse=True) and beyond[0] > 0, beyond


def timeline(b):
	assert b.value("!document.getElementById('timeline').hidden && document.getElementById('timeline-canvas').width > 300")
	b.value("document.getElementById('timeline-canvas').focus()")
	b.key("+")
	b.key("ArrowRight")
	assert not b.complaints, b.complaints


def large(b):
	assert b.value("document.getElementById('figure-ranks').dataset.value") == "1048576"
	assert b.value("document.getElementById('figure-sites').dataset.value") == "10000"
	b.value("document.getElementById('matrix-canvas').focus()")
	for key in ("ArrowRight",) + ("+",) * 24 + ("ArrowRight", "ArrowRight", "Enter"):
		b.key(key)
	assert b.value("document.getElementById('cell-title').textContent").startswith("rank "), "down to single ranks"
	assert not b.complaints, b.complaints


def flat(b):
	timeline(b)
	cell(b)


with Browser() as b:
	b.open("file://" + os.path.abspath(page), "document.documentElement.dataset.ready === 'yes'")
	globals()[what](b)
