/* The timeline: what each rank did when, where the trace keeps every call's times. */
const timeline = { from: 0, to: doc.timeline ? doc.timeline.end : 0, left: 54, lane: 0, width: 0, drag: null };

function drawTimeline() {
	const t = doc.timeline, canvas = byId('timeline-canvas');
	timeline.width = (canvas.parentElement.clientWidth || 900) - timeline.left - 8;
	timeline.lane = Math.max(5, Math.min(24, Math.floor(420 / t.lanes.length)));
	const c = canvasOf(canvas, timeline.left + timeline.width + 8, t.lanes.length * timeline.lane + 24);
	const span = timeline.to - timeline.from, x = v => timeline.left + ((v - timeline.from) / span) * timeline.width;
	c.fillStyle = color('card');
	c.fillRect(timeline.left, 0, timeline.width, t.lanes.length * timeline.lane);
	c.save();
	c.beginPath();
	c.rect(timeline.left, 0, timeline.width, t.lanes.length * timeline.lane);
	c.clip();
	if (t.listed)
		drawCalls(c, x);
	else
		drawBins(c, x);
	c.restore();
	c.fillStyle = color('faint');
	c.textBaseline = 'middle';
	c.textAlign = 'right';
	const every = Math.ceil(14 / timeline.lane);
	t.lanes.forEach((l, i) => i % every === 0 && c.fillText(String(l[0]), timeline.left - 6, (i + 0.5) * timeline.lane));
	c.textAlign = 'center';
	for (let i = 0; i <= 5; i++)
		c.fillText(duration((timeline.from + (span * i) / 5) * 1e9), Math.min(timeline.left + timeline.width - 24, Math.max(timeline.left + 12, x(timeline.from + (span * i) / 5))), t.lanes.length * timeline.lane + 14);
	if (timeline.drag && timeline.drag.moved) {
		c.strokeStyle = color('focus');
		c.strokeRect(Math.min(timeline.drag.x, timeline.drag.toX), 0, Math.abs(timeline.drag.toX - timeline.drag.x), t.lanes.length * timeline.lane);
	}
}

function drawCalls(c, x) {
	const fills = kinds.map(k => color(k.color));
	for (const [lane, row, start, dur] of doc.timeline.calls) {
		const from = x(start / 1e9), to = x((start + dur) / 1e9);
		if (to < timeline.left || from > timeline.left + timeline.width)
			continue;
		c.fillStyle = fills[kindOf(rows[row].func)];
		c.fillRect(from, lane * timeline.lane, Math.max(0.6, to - from), timeline.lane - 1);
	}
}

/* A bin's colour is that of the kind with most of its time, its height the share of time in MPI. */
function drawBins(c, x) {
	const t = doc.timeline, fills = kinds.map(k => color(k.color));
	t.lanes.forEach(([, bins], lane) => {
		for (let b = 0; b < bins.length; b++) {
			if (bins[b] < 0)
				continue;
			const share = Math.max(0.12, (bins[b] % 101) / 100), from = x(b * t.width);
			c.fillStyle = fills[Math.floor(bins[b] / 101)];
			c.fillRect(from, lane * timeline.lane + (1 - share) * (timeline.lane - 1), x((b + 1) * t.width) - from + 0.3, share * (timeline.lane - 1));
		}
	});
}

function sayTimeline(px, py) {
	const t = doc.timeline, lane = Math.floor(py / timeline.lane);
	const at = timeline.from + ((px - timeline.left) / timeline.width) * (timeline.to - timeline.from);
	if (lane < 0 || lane >= t.lanes.length || px < timeline.left)
		return;
	let text = `rank ${t.lanes[lane][0]} at ${duration(at * 1e9)}`;
	if (t.listed) {
		const call = t.calls.find(c => c[0] === lane && c[2] <= at * 1e9 && c[2] + c[3] >= at * 1e9);
		if (call)
			text += `: ${rows[call[1]].name}, ${duration(call[3])}, ${rows[call[1]].text}`;
	} else {
		const v = t.lanes[lane][1][Math.floor(at / t.width)];
		if (v >= 0)
			text += `: ${v % 101}\u00a0% of the time in MPI, mostly ${kinds[Math.floor(v / 101)].name}`;
	}
	byId('timeline-said').textContent = text;
}

function timelineView(from, to) {
	const least = Math.max(1e-7, doc.timeline.end / 1e6), span = Math.max(least, Math.min(doc.timeline.end, to - from));
	timeline.from = Math.max(0, Math.min(doc.timeline.end - span, from));
	timeline.to = timeline.from + span;
	drawTimeline();
}
function timelineZoom(factor) {
	const middle = (timeline.from + timeline.to) / 2, half = ((timeline.to - timeline.from) / 2) * factor;
	timelineView(middle - half, middle + half);
}

function showTimeline() {
	const t = doc.timeline, canvas = byId('timeline-canvas');
	if (!t) {
		canvas.style.display = 'none';
		byId('timeline-note').textContent = `No timeline: ${doc.noTimeline}.`;
		return;
	}
	const button = (name, f) => el('button', { type: 'button', onclick: f }, name);
	byId('timeline-tools').replaceChildren(button('+', () => timelineZoom(0.5)), button('\u2212', () => timelineZoom(2)), button('All', () => timelineView(0, t.end)), kindKey());
	const at = e => {
		const box = canvas.getBoundingClientRect();
		return { x: e.clientX - box.left, y: e.clientY - box.top };
	};
	canvas.addEventListener('pointerdown', e => {
		timeline.drag = { x: at(e).x, toX: at(e).x, moved: false };
		canvas.setPointerCapture(e.pointerId);
	});
	canvas.addEventListener('pointermove', e => {
		const p = at(e), d = timeline.drag;
		sayTimeline(p.x, p.y);
		if (!d)
			return;
		d.toX = p.x;
		d.moved = d.moved || Math.abs(d.toX - d.x) > 5;
		drawTimeline();
	});
	canvas.addEventListener('pointerup', () => {
		const d = timeline.drag, time = px => timeline.from + ((px - timeline.left) / timeline.width) * (timeline.to - timeline.from);
		timeline.drag = null;
		if (d && d.moved)
			timelineView(time(Math.min(d.x, d.toX)), time(Math.max(d.x, d.toX)));
	});
	canvas.addEventListener('keydown', e => {
		const step = (timeline.to - timeline.from) / 4;
		const act = { '+': () => timelineZoom(0.5), '-': () => timelineZoom(2), Escape: () => timelineView(0, t.end), ArrowLeft: () => timelineView(timeline.from - step, timeline.to - step), ArrowRight: () => timelineView(timeline.from + step, timeline.to + step) }[e.key];
		if (act) {
			act();
			e.preventDefault();
		}
	});
	byId('timeline-note').textContent = 'Drag to look closer. Keys: + and \u2212 zoom, arrows move, Escape shows all.' +
		(t.lanes.length < doc.run.nrRanks ? ` ${t.lanes.length} of ${count(doc.run.nrRanks)} ranks are shown, evenly chosen.` : '') +
		(t.listed ? '' : ' Too many calls to show each: colour is the kind with most of the time, height its share.') + (t.cut ? ' The end was left out: there are too many calls.' : '');
}

function kindKey() {
	return el('span', { class: 'key' }, ...kinds.map(k => el('span', {}, el('i', { style: `background: var(--${k.color})` }), k.name)));
}
