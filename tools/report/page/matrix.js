/*
 * The communication matrix. Links say which ranks send how far; a view of it (a square of ranks) is worked out from
 * them when it is looked at, in bins where it has more ranks than fit, down to single ranks.
 */
const BINS = 256;
const sets = doc.links.sets;

/* What all links of a set and distance have in common is worked out once. */
const patterns = (() => {
	const at = new Map();
	for (const [, set, relative, to, messages, size] of doc.links.links) {
		const key = `${set} ${relative} ${to}`;
		if (!at.has(key))
			at.set(key, { set, relative, to, messages: 0, bytes: 0 });
		at.get(key).messages += messages;
		at.get(key).bytes += size;
	}
	return [...at.values()];
})();

/*
 * Calls add(row, column, n) for the senders of a set that are in the view, n of them at once where they fall into
 * one bin. A run is [first, count, stride, count, stride ...], outermost first.
 */
function spread(set, relative, to, view, add) {
	const { x0, x1, y0, y1, width } = view;

	/* Steps of a stride from v until 'end' is reached or passed. */
	const steps = (v, end, stride) => Math.ceil((end - v) / stride);

	function line(s, n, stride) {
		for (let i = 0; i < n;) {
			const from = s + i * stride;
			if (from >= y1)
				return;
			if (from < y0) {
				i += steps(from, y0, stride);
				continue;
			}
			const bin = Math.floor((from - y0) / width);
			let m = Math.min(n - i, steps(from, Math.min(y1, y0 + (bin + 1) * width), stride));
			let d = to;
			if (relative) {
				d = (from + to) % nprocs;
				const column = Math.floor((d - x0) / width);
				const edge = d < x0 ? x0 : d >= x1 ? nprocs : Math.min(x1, x0 + (column + 1) * width);
				m = Math.min(m, steps(d, Math.min(edge, nprocs), stride));
			}
			if (d >= x0 && d < x1)
				add(bin, Math.floor((d - x0) / width), m);
			else if (!relative)
				return;
			i += m;
		}
	}
	/* Dimension k of a run and those inside of it; 'extent' is how far they reach. */
	function block(run, k, s, extent, members) {
		if (s >= y1 || s + extent < y0)
			return;
		const d = relative ? (s + to) % nprocs : to, far = relative ? d + extent : d;
		if (far < nprocs) {
			if (far < x0 || d >= x1)
				return;
			const row = Math.floor((s - y0) / width), column = Math.floor((d - x0) / width);
			if (s >= y0 && d >= x0 && s + extent < y1 && far < x1 && row === Math.floor((s + extent - y0) / width) &&
				column === Math.floor((far - x0) / width)) {
				add(row, column, members);
				return;
			}
		}
		const n = run[k], stride = run[k + 1];
		if (k + 2 >= run.length) {
			line(s, n === undefined ? 1 : n, stride || 1);
			return;
		}
		for (let i = 0; i < n; i++)
			block(run, k + 2, s + i * stride, extent - (n - 1) * stride, members / n);
	}
	for (const run of sets[set]) {
		let extent = 0, members = 1;
		for (let k = 1; k < run.length; k += 2) {
			extent += (run[k] - 1) * run[k + 1];
			members *= run[k];
		}
		block(run, 1, run[0], extent, members);
	}
}

/* Cells of a raster that lie in the view, and how much of each one bin has of it. */
function spreadCells(raster, size, view, add) {
	const { x0, x1, y0, y1, width } = view, w = raster.width;

	for (let i = 0; i < raster.cells.length; i += size) {
		const y = raster.cells[i] * w, x = raster.cells[i + 1] * w;
		const yEnd = Math.min(y + w, nprocs), xEnd = Math.min(x + w, nprocs);
		if (y >= y1 || yEnd <= y0 || x >= x1 || xEnd <= x0)
			continue;
		for (let r = Math.max(0, Math.floor((y - y0) / width)); y0 + r * width < Math.min(yEnd, y1); r++) {
			const high = Math.min(yEnd, y0 + (r + 1) * width, y1) - Math.max(y, y0 + r * width);
			for (let c = Math.max(0, Math.floor((x - x0) / width)); x0 + c * width < Math.min(xEnd, x1); c++) {
				const wide = Math.min(xEnd, x0 + (c + 1) * width, x1) - Math.max(x, x0 + c * width);
				add(r, c, i, (high * wide) / ((yEnd - y) * (xEnd - x)));
			}
		}
	}
}

function viewOf(x0, y0, span) {
	const width = Math.ceil(span / BINS);
	return { x0, y0, x1: Math.min(nprocs, x0 + span), y1: Math.min(nprocs, y0 + span), width, nr: Math.ceil(span / width), span };
}

function binned(view) {
	const nr = view.nr, out = { messages: new Float64Array(nr * nr), bytes: new Float64Array(nr * nr) };
	for (const p of patterns)
		spread(p.set, p.relative, p.to, view, (r, c, n) => {
			out.messages[r * nr + c] += n * p.messages;
			out.bytes[r * nr + c] += n * p.bytes;
		});
	spreadCells(doc.links.raster, 4, view, (r, c, i, part) => {
		out.messages[r * nr + c] += part * doc.links.raster.cells[i + 2];
		out.bytes[r * nr + c] += part * doc.links.raster.cells[i + 3];
	});
	return out;
}

/* What each row has in a cell. */
function sitesOf(cell) {
	const sums = new Map();
	function put(row, messages, size) {
		if (!sums.has(row))
			sums.set(row, { ...(rows[row] || { name: '', text: 'further call sites' }), messages: 0, size: 0 });
		sums.get(row).messages += messages;
		sums.get(row).size += size;
	}
	for (const [row, set, relative, to, messages, size] of doc.links.links)
		spread(set, relative, to, cell, (r, c, n) => put(row, n * messages, n * size));
	spreadCells(doc.links.rasterByRow, 5, cell, (r, c, i, part) => {
		const cells = doc.links.rasterByRow.cells;
		put(cells[i + 4], part * cells[i + 2], part * cells[i + 3]);
	});
	return [...sums.values()];
}

/* ---- drawing ---- */

/* Cividis, in steps: dark to light in the dark theme, the other way round in the light one. */
const scale = [[0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115], [138, 134, 120], [165, 156, 116], [195, 179, 105], [225, 204, 85], [254, 232, 56]];
function shade(v) {
	const dark = document.documentElement.dataset.theme === 'dark';
	const at = (dark ? v : 1 - v) * (scale.length - 1), i = Math.min(scale.length - 2, Math.floor(at)), f = at - i;
	return scale[i].map((x, k) => Math.round(x + f * (scale[i + 1][k] - x)));
}

const matrix = { view: viewOf(0, 0, nprocs), data: null, at: null, drag: null, size: 0, left: 54, top: 26, level: null };

function matrixValues() {
	return matrix.data[byId('matrix-what').value];
}

function drawMatrix() {
	const canvas = byId('matrix-canvas'), view = matrix.view, nr = view.nr;
	const space = Math.min(620, canvas.parentElement.clientWidth || 620) - matrix.left - 8;
	matrix.size = nr <= space ? Math.floor(space / nr) * nr : space;
	const c = canvasOf(canvas, matrix.left + matrix.size + 8, matrix.top + matrix.size + 8);
	const values = matrixValues(), log = byId('matrix-log').checked;
	let most = 0, least = Infinity;
	for (const v of values) {
		most = v > most ? v : most;
		least = v > 0 && v < least ? v : least;
	}
	matrix.level = v => (most <= least ? 1 : log ? 0.12 + (0.88 * Math.log(v / least)) / Math.log(most / least) : 0.12 + (0.88 * v) / most);
	const image = new ImageData(nr, nr);
	for (let i = 0; i < values.length; i++) {
		const rgb = values[i] > 0 ? shade(matrix.level(values[i])) : null;
		if (rgb)
			image.data.set([...rgb, 255], 4 * i);
	}
	const small = el('canvas', { width: nr, height: nr });
	small.getContext('2d').putImageData(image, 0, 0);
	c.imageSmoothingEnabled = false;
	c.fillStyle = color('card');
	c.fillRect(matrix.left, matrix.top, matrix.size, matrix.size);
	c.drawImage(small, matrix.left, matrix.top, matrix.size, matrix.size);
	c.strokeStyle = color('line');
	c.strokeRect(matrix.left - 0.5, matrix.top - 0.5, matrix.size + 1, matrix.size + 1);
	drawGrid(c, nr);
	drawTicks(c, view);
	drawMark(c);
	byId('matrix-view').textContent = view.span === nprocs ? `all ${count(nprocs)} ranks` : `senders ${view.y0}\u2013${view.y1 - 1}, receivers ${view.x0}\u2013${view.x1 - 1}`;
	if (view.width > 1)
		byId('matrix-view').textContent += `, ${count(view.width)} \u00d7 ${count(view.width)} a cell`;
	drawScale(least, most);
}

/* Lines where cells are large, and their values where these fit. */
function drawGrid(c, nr) {
	const cell = matrix.size / nr, text = byId('matrix-what').value === 'bytes' ? bytes : count, values = matrixValues();
	if (cell < 9)
		return;
	for (let i = 1; i < nr; i++) {
		c.fillStyle = color('back');
		c.fillRect(matrix.left, matrix.top + i * cell - 0.5, matrix.size, 1);
		c.fillRect(matrix.left + i * cell - 0.5, matrix.top, 1, matrix.size);
	}
	if (cell < 66)
		return;
	c.textAlign = 'center';
	c.textBaseline = 'middle';
	for (let i = 0; i < values.length; i++) {
		if (!values[i])
			continue;
		const [r, g, b] = shade(matrix.level(values[i]));
		c.fillStyle = 0.3 * r + 0.6 * g + 0.1 * b > 120 ? '#000' : '#fff';
		c.fillText(text(values[i]), matrix.left + ((i % nr) + 0.5) * cell, matrix.top + (Math.floor(i / nr) + 0.5) * cell);
	}
}

function drawTicks(c, view) {
	const cell = matrix.size / view.nr, every = Math.max(1, Math.ceil((16 + 7.5 * String(nprocs).length) / cell)), high = Math.max(1, Math.ceil(26 / cell));
	c.fillStyle = color('faint');
	c.textBaseline = 'middle';
	for (let i = 0; i < view.nr; i++) {
		const middle = (i + (view.width === 1 ? 0.5 : 0)) * cell;
		c.textAlign = view.width === 1 ? 'center' : 'left';
		if (i % every === 0)
			c.fillText(String(view.x0 + i * view.width), matrix.left + middle, matrix.top - 10);
		c.textAlign = 'right';
		if (i % high === 0)
			c.fillText(String(view.y0 + i * view.width), matrix.left - 6, matrix.top + middle + (view.width === 1 ? 0 : 6));
	}
}

/* The cell that is looked at, or the square being drawn. */
function drawMark(c) {
	const cell = matrix.size / matrix.view.nr, d = matrix.drag;
	c.strokeStyle = color('focus');
	c.lineWidth = 2;
	if (d && d.moved)
		c.strokeRect(Math.min(d.x, d.toX), Math.min(d.y, d.toY), Math.abs(d.toX - d.x), Math.abs(d.toY - d.y));
	else if (matrix.at)
		c.strokeRect(matrix.left + matrix.at.column * cell - 1, matrix.top + matrix.at.row * cell - 1, Math.max(cell, 3) + 2, Math.max(cell, 3) + 2);
	c.lineWidth = 1;
}

function drawScale(least, most) {
	const text = byId('matrix-what').value === 'bytes' ? bytes : count;
	const stops = [0, 0.25, 0.5, 0.75, 1].map(v => `rgb(${shade(0.12 + 0.88 * v)})`);
	byId('matrix-scale').replaceChildren(...(most ? [el('span', {}, text(least)), el('div', { style: `background: linear-gradient(90deg, ${stops})` }), el('span', {}, text(most))]
		: ['Nothing is sent here.']));
}

/* ---- looking closer ---- */
function setView(x0, y0, span) {
	span = Math.max(1, Math.min(nprocs, Math.round(span)));
	const clamp = v => Math.max(0, Math.min(nprocs - span, Math.round(v)));
	matrix.view = viewOf(clamp(x0), clamp(y0), span);
	matrix.data = binned(matrix.view);
	matrix.at = null;
	drawMatrix();
	showLargest();
}

function zoom(factor, column = matrix.view.nr / 2, row = matrix.view.nr / 2) {
	const v = matrix.view, span = Math.max(Math.min(4, nprocs), v.span * factor);
	setView(v.x0 + column * v.width * (1 - span / v.span), v.y0 + row * v.width * (1 - span / v.span), span);
}

function showCell(row, column) {
	const v = matrix.view;
	const cell = { y0: v.y0 + row * v.width, x0: v.x0 + column * v.width, width: v.width, nr: 1 };
	cell.y1 = Math.min(nprocs, cell.y0 + v.width);
	cell.x1 = Math.min(nprocs, cell.x0 + v.width);
	const list = sitesOf(cell), at = row * v.nr + column;
	matrix.at = { row, column };
	drawMatrix();
	byId('matrix-cell').replaceChildren(
		el('h3', { id: 'cell-title' }, `${rankRange(cell.y0, cell.y1)} \u2192 ${rankRange(cell.x0, cell.x1)}`),
		el('p', { id: 'cell-sums', 'data-messages': matrix.data.messages[at], 'data-bytes': matrix.data.bytes[at] },
			`${count(matrix.data.messages[at])} messages, ${bytes(matrix.data.bytes[at])}`),
		el('div', { id: 'cell-table' }));
	if (list.length)
		sortedTable('cell-table', 'cell-rows', [
			{ name: 'call site', class: 'site', value: r => r.text }, nameColumn,
			{ name: 'messages', number: true, value: r => r.messages, text: r => count(r.messages) },
			{ name: 'bytes', number: true, value: r => r.size, text: r => bytes(r.size) },
		], list, { by: 3, rows: 12 });
	if (doc.links.rasterByRow.width > v.width && doc.links.rasterByRow.cells.length)
		byId('matrix-cell').append(el('p', { class: 'note' }, `Sites of irregular messages are known for ${count(doc.links.rasterByRow.width)} \u00d7 ` +
			`${count(doc.links.rasterByRow.width)} ranks together: this is their share.`));
}

/* Before a cell is chosen: where most goes. */
function showLargest() {
	const what = byId('matrix-what').value, values = matrixValues(), v = matrix.view, list = [];
	for (let i = 0; i < values.length; i++)
		if (values[i] > 0)
			list.push(i);
	list.sort((a, b) => values[b] - values[a]);
	const cells = list.slice(0, 10).map(i => ({ row: Math.floor(i / v.nr), column: i % v.nr, messages: matrix.data.messages[i], size: matrix.data.bytes[i] }));
	const name = from => rankRange(from, Math.min(nprocs, from + v.width));
	byId('matrix-cell').replaceChildren(el('h3', {}, `Most ${what}`), el('div', { id: 'largest-table' }));
	sortedTable('largest-table', 'largest-rows', [
		{ name: 'from', value: c => c.row, text: c => name(v.y0 + c.row * v.width) },
		{ name: 'to', value: c => c.column, text: c => name(v.x0 + c.column * v.width) },
		{ name: 'messages', number: true, value: c => c.messages, text: c => count(c.messages) },
		{ name: 'bytes', number: true, value: c => c.size, text: c => bytes(c.size) },
	], cells, { by: what === 'bytes' ? 3 : 2, onchoose: c => showCell(c.row, c.column) });
}

function cellAt(e) {
	const box = byId('matrix-canvas').getBoundingClientRect(), cell = matrix.size / matrix.view.nr;
	const column = Math.floor((e.clientX - box.left - matrix.left) / cell), row = Math.floor((e.clientY - box.top - matrix.top) / cell);
	const inside = column >= 0 && row >= 0 && column < matrix.view.nr && row < matrix.view.nr;
	return { x: e.clientX - box.left, y: e.clientY - box.top, column, row, inside };
}

function endDrag(e) {
	const from = matrix.drag, to = cellAt(e), v = matrix.view;
	matrix.drag = null;
	if (!from)
		return;
	if (!from.moved) {
		showCell(from.row, from.column);
		return;
	}
	const limit = n => Math.max(0, Math.min(v.nr - 1, n));
	const left = Math.min(from.column, limit(to.column)), top = Math.min(from.row, limit(to.row));
	const span = Math.max(Math.abs(from.column - limit(to.column)), Math.abs(from.row - limit(to.row))) + 1;
	setView(v.x0 + left * v.width, v.y0 + top * v.width, span * v.width);
}

function matrixKey(e) {
	const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[e.key];
	const at = matrix.at || { row: 0, column: 0 }, limit = n => Math.max(0, Math.min(matrix.view.nr - 1, n));

	if (move) {
		matrix.at = matrix.at ? { row: limit(at.row + move[0]), column: limit(at.column + move[1]) } : at;
		drawMatrix();
	} else if (e.key === 'Enter') {
		showCell(at.row, at.column);
	} else if (e.key === '+') {
		zoom(0.5, at.column + 0.5, at.row + 0.5);
	} else if (e.key === '-') {
		zoom(2);
	} else if (e.key === 'Escape') {
		setView(0, 0, nprocs);
	} else {
		return;
	}
	e.preventDefault();
}

function showMatrix() {
	const canvas = byId('matrix-canvas');
	const lost = doc.links.lostMessages;

	matrix.data = binned(matrix.view);
	showLargest();
	byId('matrix-what').addEventListener('change', () => {
		drawMatrix();
		if (!matrix.at)
			showLargest();
	});
	byId('matrix-log').addEventListener('change', drawMatrix);
	byId('matrix-in').addEventListener('click', () => zoom(0.5));
	byId('matrix-out').addEventListener('click', () => zoom(2));
	byId('matrix-all').addEventListener('click', () => setView(0, 0, nprocs));
	canvas.addEventListener('pointerdown', e => {
		const at = cellAt(e);
		matrix.drag = at.inside ? { ...at, moved: false } : null;
		canvas.setPointerCapture(e.pointerId);
	});
	canvas.addEventListener('pointermove', e => {
		const at = cellAt(e), d = matrix.drag;
		if (!d)
			return;
		d.moved = d.moved || Math.hypot(at.x - d.x, at.y - d.y) > 5;
		d.toX = at.x;
		d.toY = at.y;
		if (d.moved)
			drawMatrix();
	});
	canvas.addEventListener('pointerup', endDrag);
	canvas.addEventListener('keydown', matrixKey);
	byId('matrix-note').textContent = 'Messages from one rank to another that name their receiver: sends of any mode, the sending half of Sendrecv, ' +
		'and one-sided calls that have a count, from the rank that calls to its target whichever way the bytes go. ' +
		'A persistent send counts once, where it is made. Collectives are not in it, nor what went to MPI_PROC_NULL.' +
		(lost ? ` Left out are ${count(lost)} messages (${bytes(doc.links.lostBytes)}) in communicators and windows whose members the trace does not tell.` : '') +
		(doc.run.cut ? ' Some calls change so irregularly that not all of their messages were looked at.' : '');
}
