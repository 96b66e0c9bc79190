/* Trees that fold: a node's children are made when it is first opened, CHUNK at a time. */
const CHUNK = 200;

/* node: { line(): element, children: [] }; returns what stands for it. */
function treeNode(node, open) {
	if (!node.children.length)
		return el('div', { class: 'leaf' }, node.line());
	const details = el('details', {}, el('summary', {}, node.line()));
	details.addEventListener('toggle', () => {
		if (details.open && !details.dataset.made) {
			details.dataset.made = 'yes';
			fill(details, node.children, 0, open);
		}
	});
	if (open && open(node)) {
		details.dataset.made = 'yes';
		fill(details, node.children, 0, open);
		details.open = true;
	}
	return details;
}

function fill(place, children, from, open) {
	place.append(...children.slice(from, from + CHUNK).map(n => treeNode(n, open)));
	if (children.length <= from + CHUNK)
		return;
	const more = el('button', { type: 'button', class: 'more' }, `${count(children.length - from - CHUNK)} more`);
	more.addEventListener('click', () => {
		more.remove();
		fill(place, children, from + CHUNK, open);
	});
	place.append(more);
}

/* Buttons that unfold (as much as is bearable) and fold all. */
function treeTools(place, tree, root) {
	const draw = open => byId(tree).replaceChildren(...(() => {
		const box = el('div');
		fill(box, root.children, 0, open);
		return box.childNodes;
	})());
	let left;
	byId(place).replaceChildren(
		el('button', { type: 'button', onclick: () => {
			left = 2000;
			draw(n => (left -= n.children.length) > 0);
		} }, 'Unfold'),
		el('button', { type: 'button', onclick: () => draw(null) }, 'Fold'));
	left = 60;
	draw(n => (left -= n.children.length) > 0);
}

function sumsLine(node, all) {
	const share = timed ? node.ns / (all.ns || 1) : node.calls / (all.calls || 1);
	return el('span', { class: 'sums' }, el('i', { class: 'share', style: `width: ${Math.max(1, 90 * share)}px` }),
		`${node.estimated ? '\u2248\u00a0' : ''}${count(node.calls)} calls` + (timed ? `, ${duration(node.ns)} (${percent(share)})` : ''));
}

/* ---- loops ---- */
const loopTree = (() => {
	const root = { depth: -1, kind: 'root', children: [], calls: 0, ns: 0, before: 0 };
	const above = [root];

	for (const [depth, row, text, ranks, calls, ns, before, estimated] of doc.loops.nodes) {
		const node = { depth, text, ranks, children: [], calls: calls || 0, ns: ns || 0, before: before || 0, estimated };
		node.kind = row >= 0 ? 'call' : row === -1 ? 'loop' : 'thread';
		node.row = row >= 0 ? rows[row] : null;
		above.length = depth + 1;
		above[depth].children.push(node);
		above.push(node);
	}
	addUp(root);
	return root;
})();

/* Sums of what is inside, without recursion: nests may be deep. */
function addUp(root) {
	const order = [root];
	for (let i = 0; i < order.length; i++)
		for (const c of order[i].children)
			order.push(c);
	for (let i = order.length - 1; i >= 0; i--) {
		for (const c of order[i].children) {
			order[i].calls += c.calls;
			order[i].ns += c.ns;
			order[i].before += c.before || 0;
			order[i].estimated = order[i].estimated || c.estimated;
		}
	}
}

function showLoops() {
	for (const list = [loopTree]; list.length;) {
		const node = list.pop();
		for (const c of node.children)
			list.push(c);
		node.line = () => {
			if (node.kind === 'call')
				return el('span', {}, dot(kindOf(node.row.func)), el('span', { class: 'name' }, node.row.name), ' ',
					el('span', { class: 'site' }, node.row.text), node.ranks ? ` ranks ${node.ranks}` : '', sumsLine(node, loopTree),
					el('div', { class: 'args' }, node.text));
			return el('span', {}, el('span', { class: 'loop' }, node.kind === 'loop' ? `loop \u00d7 ${node.text}` : node.text),
				node.ranks ? ` ranks ${node.ranks}` : '', sumsLine(node, loopTree));
		};
	}
	if (!loopTree.children.length) {
		byId('loops-tree').append(el('p', { class: 'note' }, 'A flat trace has no loops: libnode, libglob and rsd merge make them.'));
		return;
	}
	treeTools('loops-tools', 'loops-tree', loopTree);
	if (doc.loops.cutTexts)
		byId('loops').append(el('p', { class: 'note' }, 'Arguments are shown of the first calls only.'));
	if (doc.loops.cut)
		byId('loops').append(el('p', { class: 'note' }, `Only the first ${count(doc.loops.nodes.length)} places and loops are here.`));
}

/* ---- calls by stack ---- */
function showPaths() {
	const root = { children: [], calls: 0, ns: 0, text: '' }, nodes = [root];

	for (const [parent, text] of doc.paths.frames) {
		const node = { text, children: [], calls: 0, ns: 0 };
		nodes[parent].children.push(node);
		nodes.push(node);
	}
	for (const [frame, row, calls, ns] of doc.paths.ends)
		nodes[frame].children.push({ row: rows[row], children: [], calls, ns });
	addUp(root);
	for (const list = [root]; list.length;) {
		const node = list.pop();
		node.children.sort((a, b) => b.ns - a.ns || b.calls - a.calls);
		for (const c of node.children)
			list.push(c);
		node.line = () => (node.row ? el('span', {}, dot(kindOf(node.row.func)), el('span', { class: 'name' }, node.row.name), sumsLine(node, root))
			: el('span', {}, el('span', { class: 'site' }, node.text), sumsLine(node, root)));
	}
	treeTools('paths-tools', 'paths-tree', root);
}
