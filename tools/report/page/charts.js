/* Charts of the bundled library: functions, sizes, durations, ranks. */
Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;
Chart.defaults.font.family = 'system-ui, "DejaVu Sans", sans-serif';

/* (Re)makes a chart in the theme's colours. */
const charts = new Map();
function chart(canvas, config) {
	if (charts.has(canvas))
		charts.get(canvas).destroy();
	Chart.defaults.color = color('faint');
	Chart.defaults.borderColor = color('line');
	charts.set(canvas, new Chart(canvas, config));
}

function axis(title, text, more = {}) {
	return { title: { display: true, text: title }, ticks: { callback: text, maxRotation: 0, autoSkipPadding: 12, ...more.ticks }, ...more.axis };
}

/* Each tick of a logarithmic axis would be too many: those of powers of ten. */
const tens = text => v => (Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9 ? text(v) : null);

function functionsChart() {
	const value = f => (timed ? (f.time ? f.time.total : 0) : f.calls);
	const top = byFunction.slice().sort((a, b) => value(b) - value(a)).slice(0, 10);
	byId('functions-chart').parentElement.style.height = `${70 + 24 * top.length}px`;
	chart(byId('functions-chart'), {
		type: 'bar',
		data: {
			labels: top.map(f => f.name),
			datasets: [{ data: top.map(value), backgroundColor: top.map(f => color(kinds[kindOf(f.func)].color)), maxBarThickness: 22 }],
		},
		options: {
			indexAxis: 'y',
			plugins: { legend: { display: false }, tooltip: { callbacks: { label: i => (timed ? duration(i.raw) : count(i.raw)) } } },
			scales: { x: axis(timed ? 'time of all ranks' : 'calls', timed ? duration : count) },
		},
	});
}

const sizeLabel = b => (b === 0 ? '0' : b === 1 ? '1 B' : `${bytes(2 ** (b - 1))} \u2013`);

/* Calls and bytes by size, of kinds. */
const sizes = (() => {
	const bins = new Map();
	for (const r of rows) {
		for (let i = 0; i < r.sizes.length; i += 3) {
			const b = r.sizes[i];
			if (!bins.has(b))
				bins.set(b, { bin: b, calls: 0, bytes: 0, kind: [0, 0, 0, 0] });
			const x = bins.get(b);
			x.calls += r.sizes[i + 1];
			x.bytes += r.sizes[i + 2];
			x.kind[kindOf(r.func)] += r.sizes[i + 1];
		}
	}
	return [...bins.values()].sort((a, b) => a.bin - b.bin);
})();

function sizesChart() {
	if (!sizes.length) {
		byId('sizes-chart').parentElement.hidden = true;
		byId('sizes-table').replaceChildren(el('p', { class: 'note' }, 'No call moves data.'));
		return;
	}
	const first = sizes[0].bin, last = sizes[sizes.length - 1].bin;
	const all = Array.from({ length: last - first + 1 }, (_, i) => sizes.find(s => s.bin === first + i));
	chart(byId('sizes-chart'), {
		type: 'bar',
		data: {
			labels: all.map((_, i) => sizeLabel(first + i)),
			datasets: kinds.map((k, n) => ({
				label: k.name, data: all.map(s => (s && s.kind[n]) || null), backgroundColor: color(k.color), maxBarThickness: 40, skipNull: true,
			})).filter(d => d.data.some(v => v)),
		},
		options: {
			plugins: { tooltip: { callbacks: { label: i => `${i.dataset.label}: ${count(i.raw)} calls` } } },
			scales: { x: axis('bytes', function (v) { return this.getLabelForValue(v); }), y: axis('calls', tens(count), { axis: { type: 'logarithmic', min: 0.5 }, ticks: { autoSkip: false } }) },
		},
	});
}

function showSizes() {
	if (!sizes.length)
		return;
	sortedTable('sizes-table', 'sizes-rows', [
		{ name: 'size', value: s => s.bin, text: s => (s.bin < 2 ? sizeLabel(s.bin) : `${bytes(2 ** (s.bin - 1))} \u2013 ${bytes(2 ** s.bin)}`) },
		{ name: 'calls', number: true, value: s => s.calls, text: s => count(s.calls) },
		{ name: 'bytes', number: true, value: s => s.bytes, text: s => bytes(s.bytes) },
	], sizes, { by: 1, rows: 64 });
	byId('sizes-table').append(el('p', { class: 'note' }, 'Size of type times count, as arguments say: of what is sent, else of what there is room for. ' +
		'Of collectives the block that they name; of arrays of counts each element.'));
}

/* Durations: bin b holds 2^(b-1) .. 2^b ns. */
function histogram(canvas, bins) {
	const at = new Map();
	for (let i = 0; i < bins.length; i += 2)
		at.set(bins[i], bins[i + 1]);
	const first = Math.min(...at.keys()), last = Math.max(...at.keys());
	const list = Array.from({ length: last - first + 1 }, (_, i) => first + i);
	chart(canvas, {
		type: 'bar',
		data: {
			labels: list.map(b => (b ? `${duration(2 ** (b - 1))} \u2013` : '0')),
			datasets: [{ data: list.map(b => at.get(b) || null), backgroundColor: color('p2p'), maxBarThickness: 40 }],
		},
		options: {
			plugins: { legend: { display: false }, tooltip: { callbacks: { label: i => `${count(i.raw)} calls` } } },
			scales: { x: axis('duration', function (v) { return this.getLabelForValue(v); }), y: axis('calls', tens(count), { axis: { type: 'logarithmic', min: 0.5 }, ticks: { autoSkip: false } }) },
		},
	});
}

/* ---- load of ranks ---- */
const loads = [
	{ key: 'time', name: 'time in MPI', text: duration },
	{ key: 'calls', name: 'calls', text: count },
	{ key: 'sent', name: 'bytes sent', text: bytes },
	{ key: 'received', name: 'bytes received', text: bytes },
].filter(l => doc.load[l.key]);

function ranksChart() {
	const load = loads.find(l => l.key === byId('ranks-what').value) || loads[0];
	const list = doc.load[load.key], width = doc.load.width, bins = [];
	let sum = 0, least = null, most = null;
	for (let i = 0; i < list.length; i += 5) {
		const first = (i / 5) * width, nr = Math.min(width, nprocs - first);
		const b = { first, end: first + nr, min: list[i], mean: list[i + 1] / nr, max: list[i + 2], minRank: list[i + 3], maxRank: list[i + 4] };
		sum += list[i + 1];
		least = !least || b.min < least.min ? b : least;
		most = !most || b.max > most.max ? b : most;
		bins.push(b);
	}
	const mean = sum / nprocs, single = width === 1;
	const set = (name, pick, c) => ({
		label: name, data: bins.map(pick), backgroundColor: color(c), borderColor: color(c), pointRadius: 0, borderWidth: 1.5, stepped: 'middle', maxBarThickness: 40,
	});
	chart(byId('ranks-chart'), {
		type: single && nprocs <= 128 ? 'bar' : 'line',
		data: {
			labels: bins.map(b => (single ? String(b.first) : `${b.first}\u2013${b.end - 1}`)),
			datasets: single ? [set(load.name, b => b.mean, 'p2p')]
				: [set('most', b => b.max, 'coll'), set('mean', b => b.mean, 'p2p'), set('least', b => b.min, 'wait')],
		},
		options: {
			interaction: { mode: 'index', intersect: false },
			plugins: { legend: { display: !single }, tooltip: { callbacks: { title: i => rankRange(bins[i[0].dataIndex].first, bins[i[0].dataIndex].end), label: i => `${i.dataset.label}: ${load.text(i.raw)}` } } },
			scales: { x: axis('rank', function (v) { return this.getLabelForValue(v); }), y: axis(load.name, load.text, { axis: { beginAtZero: true } }) },
		},
	});
	byId('ranks-note').textContent = `Mean ${load.text(mean)}; least ${load.text(least.min)} on rank ${least.minRank}, most ${load.text(most.max)} on rank ${most.maxRank}: ` +
		`${mean > 0 ? (most.max / mean).toFixed(2) : '1.00'} times the mean.` + (doc.load.time ? '' : timed ? ' Times by rank are kept with RECORD_TIME=full only; the table of call sites says which rank had the longest call.' : '');
}

function showRanks() {
	byId('ranks-what').replaceChildren(...loads.map(l => el('option', { value: l.key }, l.name)));
	byId('ranks-what').addEventListener('change', ranksChart);
}
