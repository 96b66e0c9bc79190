/*
 * Tables that are sorted by a click on a column's name, and show some rows until more are asked for. A column:
 * { name, text(row), value(row), number, class, note }; cells of numbers carry the exact value as data-value.
 */
function sortedTable(place, id, columns, list, options = {}) {
	let by = options.by || 0, down = true, shown = options.rows || 25, chosen = null;
	const table = el('table', { id }), body = el('tbody'), more = el('button', { type: 'button', class: 'more' });
	const filter = el('input', { type: 'search', placeholder: 'filter', 'aria-label': 'Filter rows' });
	const head = columns.map((c, i) => el('th', { class: c.number ? 'n' : '', scope: 'col' },
		el('button', { type: 'button', title: c.note || `Sort by ${c.name}`, onclick: () => sortBy(i) }, c.name)));

	function sortBy(i) {
		down = by === i ? !down : columns[i].number;
		by = i;
		draw();
	}
	function compare(a, b) {
		const x = columns[by].value(a), y = columns[by].value(b);
		const order = x === y ? 0 : x === null ? -1 : y === null ? 1 : x < y ? -1 : 1;
		return down ? -order : order;
	}
	function cell(c, row) {
		const v = c.value(row);
		const td = el('td', { class: (c.number ? 'n ' : '') + (c.class || '') });
		if (c.number)
			td.dataset.value = v === null ? '' : v;
		td.append(c.number && v === null ? '\u2013' : c.text ? c.text(row) : String(v));
		return td;
	}
	function choose(row, tr) {
		if (chosen)
			chosen.classList.remove('chosen');
		chosen = tr;
		tr.classList.add('chosen');
		options.onchoose(row);
	}
	function draw() {
		const word = filter.value.toLowerCase();
		const rest = word ? list.filter(r => columns.some(c => !c.number && String(c.value(r)).toLowerCase().includes(word))) : list.slice();
		rest.sort(compare);
		body.replaceChildren(...rest.slice(0, shown).map(row => {
			const tr = el('tr', {}, ...columns.map(c => cell(c, row)));
			if (options.onchoose) {
				tr.tabIndex = 0;
				tr.addEventListener('click', () => choose(row, tr));
				tr.addEventListener('keydown', e => e.key === 'Enter' && choose(row, tr));
			}
			return tr;
		}));
		head.forEach((th, i) => th.setAttribute('aria-sort', i === by ? (down ? 'descending' : 'ascending') : 'none'));
		more.hidden = rest.length <= shown;
		more.textContent = `${count(rest.length - shown)} more`;
	}
	more.addEventListener('click', () => {
		shown += 500;
		draw();
	});
	filter.addEventListener('input', draw);
	table.append(el('thead', {}, el('tr', {}, ...head)), body);
	byId(place).replaceChildren(...(list.length > 15 ? [filter] : []), el('div', { class: 'scroll' }, table), more);
	draw();
}

/* The columns that rsd stats has. */
const siteColumns = [
	{ name: 'calls', number: true, value: r => r.calls, text: r => count(r.calls) },
	{ name: 'bytes sent', number: true, value: r => (r.unknown ? null : r.sent), text: r => bytes(r.sent) },
	{ name: 'bytes received', number: true, value: r => (r.unknown ? null : r.received), text: r => bytes(r.received) },
];
const timeColumns = timed ? [
	{ name: 'time', number: true, value: r => (r.time ? r.time.total : null), text: r => duration(r.time.total), note: 'All ranks together' },
	{ name: 'share', number: true, value: r => (r.time ? r.time.total / (total.time.total || 1) : null), text: r => percent(r.time.total / (total.time.total || 1)), note: 'Of the time in MPI' },
	{ name: 'mean', number: true, value: r => (r.time ? r.time.total / r.time.calls : null), text: r => duration(r.time.total / r.time.calls) },
	{ name: 'least', number: true, value: r => (r.time ? r.time.min : null), text: r => duration(r.time.min) },
	{ name: 'most', number: true, value: r => (r.time ? r.time.max : null), text: r => duration(r.time.max) },
] : [];
const nameColumn = { name: 'function', value: r => r.name, text: r => (r.name ? el('span', {}, dot(kindOf(r.func)), r.name) : '') };

function dot(kind) {
	return el('i', { class: 'dot', style: `background: var(--${kinds[kind].color})`, title: kinds[kind].name });
}

function showFunctions() {
	sortedTable('functions-table', 'functions-rows', [nameColumn, ...siteColumns, ...timeColumns], byFunction, { by: timed ? 4 : 1 });
}

/* The rank that has an extreme. */
function holder(rank, word) {
	return { name: word, number: true, value: r => (r.time && rank(r.time) >= 0 ? rank(r.time) : null), text: r => String(rank(r.time)) };
}

/* Who comes late to a call, as there was more to compute before it, lets others wait. */
function showLate() {
	const late = rows.filter(r => r.time && r.time.beyond > 0);
	if (!late.length || nprocs < 2) {
		byId('late').hidden = true;
		return;
	}
	sortedTable('late-table', 'late-rows', [
		{ name: 'call site', class: 'site', value: r => r.text },
		nameColumn, siteColumns[0],
		{ name: 'mean before', number: true, value: r => r.time.before / r.time.calls, text: r => duration(r.time.before / r.time.calls) },
		{ name: 'longest before', number: true, value: r => r.time.beforeMax, text: r => duration(r.time.beforeMax) },
		holder(t => t.beforeRank, 'on rank'),
		{ name: 'beyond mean', number: true, value: r => r.time.beyond, text: r => duration(r.time.beyond), note: 'What is above the mean, of all calls together' },
	], late, { by: 6, rows: 8 });
}

function showSites() {
	const columns = [
		{ name: 'call site', class: 'site', value: r => r.text },
		nameColumn, ...siteColumns, ...timeColumns,
		...(timed ? [holder(t => t.maxRank, 'rank of most')] : []),
	];
	sortedTable('sites-table', 'sites-rows', columns, rows, { by: timed ? 5 : 2, onchoose: showSite });
}

/* How long the calls of one row took, as a histogram. */
function showSite(r) {
	const place = byId('site');
	place.replaceChildren(el('h3', {}, `${r.name} at ${r.text}`));
	if (!r.time) {
		place.append(el('p', { class: 'note' }, 'No times were kept.'));
		return;
	}
	const canvas = el('canvas', { role: 'img', 'aria-label': 'Calls by duration' });
	place.append(el('p', { class: 'note' }, `${count(r.time.calls)} calls, ${duration(r.time.total)}; the longest one (${duration(r.time.max)})` +
		(r.time.maxRank >= 0 ? ` on rank ${r.time.maxRank}` : '') + `; computation before them: ${duration(r.time.before)}, at most ${duration(r.time.beforeMax)}` +
		(r.time.beforeRank >= 0 ? ` on rank ${r.time.beforeRank}` : '') + '.'),
		el('div', { class: 'chart' }, canvas));
	histogram(canvas, r.time.bins);
}
