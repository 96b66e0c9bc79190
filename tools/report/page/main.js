/* The page: overview, theme, and everything else in turn. */
function figure(value, name, exact, id) {
	return el('div', { class: 'figure' }, el('b', { id, 'data-value': exact, title: exact }, value), el('span', {}, name));
}

function showOverview() {
	const run = doc.run, meta = new Map(run.meta), program = (meta.get('program') || run.path).split('/').pop();
	document.title = `${program}: record`;
	byId('title').textContent = program;
	byId('title').title = meta.get('program') || '';
	if (!run.complete) {
		byId('incomplete').hidden = false;
		byId('incomplete').textContent = `The trace is incomplete: ${run.why || 'not every rank reached MPI_Finalize'}`;
	}
	if (meta.has('drawn')) {
		byId('lossy').hidden = false;
		byId('lossy').textContent = `The trace is lossy; drawn from histograms are: ${meta.get('drawn')}`;
	}
	byId('figures').append(
		figure(count(run.nrRanks) + (run.nrRanks < nprocs ? ` of ${count(nprocs)}` : ''), 'ranks', run.nrRanks, 'figure-ranks'),
		figure(count(total.calls), 'calls', total.calls, 'figure-calls'),
		figure((total.unknown ? '> ' : '') + bytes(total.sent), 'sent', total.sent, 'figure-sent'),
		figure((total.unknown ? '> ' : '') + bytes(total.received), 'received', total.received, 'figure-received'),
		figure(count(doc.calls.sites.length), 'call sites', doc.calls.sites.length, 'figure-sites'));
	if (total.time) {
		const all = total.time.total + total.time.before, ends = startAndEnd();
		byId('figures').append(figure(duration(total.time.total / run.nrRanks), 'in MPI, mean of ranks', total.time.total, 'figure-time'));
		if (total.time.before)
			byId('figures').append(figure(percent((total.time.total - ends) / (all - ends || 1)), 'of the time in MPI, but for its start and end', (total.time.total - ends) / (all - ends || 1), 'figure-share'));
		showShares(all);
	}
	for (const [k, v] of [['trace', run.path], ['ranks', run.ranks], ...run.meta])
		byId('meta').append(el('tr', {}, el('th', { scope: 'row' }, k), el('td', {}, v)));
	byId('footer').textContent = `Made by rsd report, record ${run.version}. Charts by Chart.js ${Chart.version} (MIT).`;
}

/* Waiting for all processes to be there is no work of the program's. */
function startAndEnd() {
	const names = ['MPI_Init', 'MPI_Init_thread', 'MPI_Finalize'];
	return rows.filter(r => r.time && names.includes(r.name)).reduce((sum, r) => sum + r.time.total, 0);
}

/* Where the time goes, as one bar. */
function showShares(all) {
	const parts = kinds.map((k, i) => ({ ...k, ns: rows.filter(r => r.time && kindOf(r.func) === i).reduce((s, r) => s + r.time.total, 0) }));
	if (total.time.before)
		parts.push({ name: 'computation', color: 'none', ns: total.time.before });
	const shown = parts.filter(p => p.ns > 0);
	byId('shares').append(
		el('div', { class: 'shares', role: 'img', 'aria-label': shown.map(p => `${p.name} ${percent(p.ns / all)}`).join(', ') },
			...shown.map(p => el('div', { style: `background: var(--${p.color}); width: ${(100 * p.ns) / all}%`, title: p.name }))),
		el('p', { class: 'key' }, ...shown.map(p => el('span', {}, el('i', { style: `background: var(--${p.color})` }), `${p.name} ${percent(p.ns / all)}`))));
}

function setTheme(dark) {
	document.documentElement.dataset.theme = dark ? 'dark' : 'light';
	byId('theme').textContent = dark ? 'Light' : 'Dark';
	redraws.forEach(f => f());
}

function start() {
	const wanted = window.matchMedia('(prefers-color-scheme: dark)');
	setTheme(wanted.matches);
	wanted.addEventListener('change', e => setTheme(e.matches));
	byId('theme').addEventListener('click', () => setTheme(document.documentElement.dataset.theme !== 'dark'));
	showOverview();
	showMatrix();
	showFunctions();
	showSites();
	showLate();
	showSizes();
	showRanks();
	showTimeline();
	showPhases();
	showLoops();
	showPaths();
	onRedraw(drawMatrix);
	onRedraw(functionsChart);
	onRedraw(sizesChart);
	onRedraw(ranksChart);
	if (doc.timeline)
		onRedraw(drawTimeline);
	if (loopTree.children.length)
		onRedraw(drawPhases);
	for (const s of document.querySelectorAll('main > section:not([hidden])'))
		byId('nav').append(el('a', { href: `#${s.id}` }, s.querySelector('h2').textContent));
	let waiting;
	window.addEventListener('resize', () => {
		clearTimeout(waiting);
		waiting = setTimeout(() => redraws.forEach(f => f()), 100);
	});
	document.documentElement.dataset.ready = 'yes';
}
start();
