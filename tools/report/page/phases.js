/*
 * Phases: the tree of loops lying on its side. Across is time (mean of all ranks, or calls where none was kept), in
 * the order of the program; downwards go loops into loops. Grey before a call is what the program computed.
 */
const phases = { root: loopTree, at: null, left: 0, height: 22, boxes: [] };
const weigh = node => (timed ? node.ns + node.before : node.calls);

function drawPhases() {
	const canvas = byId('phases-canvas'), width = (canvas.parentElement.clientWidth || 900) - 8;
	phases.boxes = [];
	layPhases(phases.root, 0, width);
	const deepest = phases.boxes.reduce((d, b) => Math.max(d, b.level), 0);
	const c = canvasOf(canvas, width + 8, (deepest + 1) * phases.height + 2);
	c.textBaseline = 'middle';
	for (const b of phases.boxes)
		drawPhase(c, b);
	if (phases.at) {
		c.strokeStyle = color('focus');
		c.lineWidth = 2;
		c.strokeRect(phases.at.x, phases.at.level * phases.height + 1, Math.max(2, phases.at.w), phases.height - 2);
	}
}

/* What is narrower than a third of a pixel is left out, with all inside of it. */
function layPhases(root, x, w) {
	const todo = [{ node: root, x, w, level: 0 }];
	while (todo.length) {
		const b = todo.pop(), all = weigh(b.node);
		phases.boxes.push(b);
		if (b.level >= 40 || !all)
			continue;
		let from = b.x;
		for (const n of b.node.children) {
			const part = (b.w * weigh(n)) / all;
			if (part >= 0.33)
				todo.push({ node: n, x: from, w: part, level: b.level + 1 });
			from += part;
		}
	}
}

function phaseName(node) {
	return node.kind === 'call' ? node.row.name : node.kind === 'loop' ? `loop \u00d7 ${node.text}` : node.kind === 'thread' ? node.text : 'all';
}

function drawPhase(c, b) {
	const y = b.level * phases.height + 1, h = phases.height - 2, n = b.node;
	if (n.kind === 'call') {
		const computed = timed && weigh(n) ? (b.w * n.before) / weigh(n) : 0;
		c.fillStyle = color('none');
		c.fillRect(b.x, y, computed, h);
		c.fillStyle = color(kinds[kindOf(n.row.func)].color);
		c.fillRect(b.x + computed, y, Math.max(0.4, b.w - computed), h);
		if (b.w - computed > 46)
			label(c, phaseName(n), b.x + computed + 4, y + h / 2, b.w - computed - 8, '#000');
		return;
	}
	c.fillStyle = color('card');
	c.fillRect(b.x, y, b.w, h);
	c.strokeStyle = color('line');
	c.strokeRect(b.x + 0.5, y + 0.5, Math.max(0, b.w - 1), h - 1);
	if (b.w > 34)
		label(c, phaseName(n), b.x + 5, y + h / 2, b.w - 10, color('text'));
}

function label(c, text, x, y, width, fill) {
	c.save();
	c.beginPath();
	c.rect(x, y - 11, width, 22);
	c.clip();
	c.fillStyle = fill;
	c.textAlign = 'left';
	c.fillText(text, x, y);
	c.restore();
}

function sayPhase(b) {
	const n = b.node, ranks = doc.run.nrRanks;
	byId('phases-said').textContent = `${phaseName(n)}${n.row ? ` at ${n.row.text}` : ''}: ${n.estimated ? '\u2248\u00a0' : ''}${count(n.calls)} calls` +
		(timed ? `; a rank spends ${duration(n.ns / ranks)} in MPI and ${duration(n.before / ranks)} before the calls` : '') + (n.ranks ? `; ranks ${n.ranks}` : '');
}

function choosePhase(b, closer) {
	phases.at = b;
	sayPhase(b);
	if (closer && b.node.children.length) {
		phases.root = b.node;
		phases.at = null;
	}
	drawPhases();
}

function phaseKey(e) {
	const list = phases.boxes.slice().sort((a, b) => a.level - b.level || a.x - b.x);
	const i = phases.at ? list.findIndex(b => b.node === phases.at.node) : -1, b = list[i];
	const inside = b && list.find(o => o.level === b.level + 1 && b.node.children.includes(o.node));
	const around = b && list.find(o => o.node.children.includes(b.node));
	const next = { ArrowRight: list[Math.min(list.length - 1, i + 1)], ArrowLeft: list[Math.max(0, i - 1)], ArrowDown: inside || b, ArrowUp: around || b }[e.key];

	if (e.key === 'Escape')
		choosePhase({ node: loopTree, x: 0, w: 0, level: 0 }, true);
	else if (e.key === 'Enter' && b)
		choosePhase(b, true);
	else if (next || list.length)
		if (e.key.startsWith('Arrow'))
			choosePhase(next || list[0], false);
		else
			return;
	e.preventDefault();
}

function showPhases() {
	const canvas = byId('phases-canvas');
	if (!loopTree.children.length) {
		byId('phases').hidden = true;
		return;
	}
	byId('phases-tools').replaceChildren(el('button', { type: 'button', onclick: () => choosePhase({ node: loopTree, x: 0, w: 0, level: 0 }, true) }, 'All'),
		kindKey(), ...(timed ? [el('span', { class: 'key' }, el('span', {}, el('i', { style: 'background: var(--none)' }), 'computation'))] : []));
	const find = e => {
		const box = canvas.getBoundingClientRect(), x = e.clientX - box.left, level = Math.floor((e.clientY - box.top) / phases.height);
		return phases.boxes.find(b => b.level === level && x >= b.x && x < b.x + b.w);
	};
	canvas.addEventListener('pointermove', e => {
		const b = find(e);
		if (b)
			sayPhase(b);
	});
	canvas.addEventListener('click', e => {
		const b = find(e);
		if (b)
			choosePhase(b, true);
	});
	canvas.addEventListener('keydown', phaseKey);
	byId('phases-note').textContent = (timed ? 'Widths are the time of all calls inside and of the computation before them.' : 'No times were kept: widths are calls.') +
		' Click a loop to look closer. Keys: arrows choose, Enter looks closer, Escape shows all.';
}
