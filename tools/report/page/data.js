/* The document, and how numbers are said. Texts in it are strangers': they get into the page as textContent only. */
const doc = JSON.parse(document.getElementById('document').textContent);
const nprocs = doc.run.nprocs;

/* Classes of functions as the trace numbers them, and the kinds they are shown as. */
const P2P = 1, COLL = 2, COMPLETION = 3;
const kinds = [
	{ name: 'point to point', color: 'p2p' },
	{ name: 'collective', color: 'coll' },
	{ name: 'waiting and testing', color: 'wait' },
	{ name: 'other MPI', color: 'other' },
];
function kindOf(func) {
	const c = doc.calls.functions[func][1];
	return c === P2P ? 0 : c === COLL ? 1 : c === COMPLETION ? 2 : 3;
}

/* A row: what a function does at a call site. */
const rows = doc.calls.rows.map(([func, site, calls, sent, received, unknown, time, sizes], index) => ({
	index, func, site, calls, sent, received, unknown,
	name: doc.calls.functions[func][0],
	text: doc.calls.sites[site],
	time: time ? { calls: time[0], total: time[1], min: time[2], max: time[3], minRank: time[4], maxRank: time[5], before: time[6], bins: time[7], beyond: time[8][0], beforeMax: time[8][1], beforeRank: time[8][2] } : null,
	sizes,
}));
const timed = rows.some(r => r.time);

function sumRows(list, name) {
	const sum = { name, calls: 0, sent: 0, received: 0, unknown: false, time: null };
	for (const r of list) {
		sum.calls += r.calls;
		sum.sent += r.sent;
		sum.received += r.received;
		sum.unknown = sum.unknown || r.unknown;
		if (!r.time)
			continue;
		sum.time = sum.time || { calls: 0, total: 0, min: Infinity, max: 0, before: 0 };
		sum.time.calls += r.time.calls;
		sum.time.total += r.time.total;
		sum.time.before += r.time.before;
		sum.time.min = Math.min(sum.time.min, r.time.min);
		sum.time.max = Math.max(sum.time.max, r.time.max);
	}
	return sum;
}

const byFunction = (() => {
	const lists = new Map();
	for (const r of rows) {
		if (!lists.has(r.func))
			lists.set(r.func, []);
		lists.get(r.func).push(r);
	}
	return [...lists].map(([func, list]) => ({ func, ...sumRows(list, doc.calls.functions[func][0]) }));
})();
const total = sumRows(rows, 'all');

/* ---- numbers as text ---- */
const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const count = v => grouped.format(v).replaceAll(',', '\u202f');
function scaled(v, step, units) {
	let u = 0;
	while (Math.abs(v) >= step && u + 1 < units.length) {
		v /= step;
		u++;
	}
	return (v === Math.floor(v) && u === 0 ? v : v.toPrecision(3).includes('e') ? v.toFixed(0) : v.toPrecision(3)) + '\u00a0' + units[u];
}
const bytes = v => scaled(v, 1000, ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB']);
function duration(ns) {
	if (ns >= 60e9)
		return count(ns / 1e9) + '\u00a0s';
	return scaled(ns, 1000, ['ns', '\u00b5s', 'ms', 's']);
}
const percent = v => (100 * v).toFixed(v && v < 0.0995 ? 1 : 0) + '\u00a0%';
const rankRange = (a, b) => (b - a <= 1 ? `rank ${a}` : `ranks ${a}\u2013${b - 1}`);

/* ---- making elements ---- */
function el(tag, props, ...children) {
	const e = document.createElement(tag);
	for (const [k, v] of Object.entries(props || {})) {
		if (k === 'class')
			e.className = v;
		else if (k.startsWith('on'))
			e.addEventListener(k.slice(2), v);
		else if (v !== null && v !== undefined)
			e.setAttribute(k, v);
	}
	e.append(...children.filter(c => c !== null && c !== undefined));
	return e;
}
const byId = id => document.getElementById(id);
const color = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

/* What draws itself again where the theme or the width changes. */
const redraws = [];
function onRedraw(f) {
	redraws.push(f);
	f();
}

/* A canvas of the given size in CSS pixels, sharp on any screen. */
function canvasOf(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	canvas.style.width = width + 'px';
	canvas.style.height = height + 'px';
	const c = canvas.getContext('2d');
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.font = '12px system-ui, "DejaVu Sans", sans-serif';
	return c;
}
