// SPDX-License-Identifier: MIT
// Drawing: which frames are in view, where, and with how much of their names.
const MARGIN = 10, PITCH = 17, PADDING = 4;
const SVG_NS = "http://www.w3.org/2000/svg", XHTML_NS = "http://www.w3.org/1999/xhtml";
let focus = 0;       // the frame that fills the width
let frameWidth = 0;  // pixels
let framesTop = 0;   // y of the first row
const inView = rows.map(row => [row.begin, row.end]); // per row: the frames of the zoomed one, or above it
const displayed = new Uint8Array(elements.length).fill(1); // in view, and wide enough to leave a trace
const LEAST_WIDTH = 0.1;

const canvas = document.createElementNS(XHTML_NS, "canvas").getContext("2d");
const advances = new Map();
function useFontOf(element) {
	const style = getComputedStyle(element);
	canvas.font = style.fontSize + " " + style.fontFamily;
}
function advance(character) {
	let width = advances.get(character);
	if (width === undefined) {
		width = /[\p{M}\u200b-\u200d]/u.test(character) ? 0 : canvas.measureText(character).width;
		advances.set(character, width);
	}
	return width;
}
// The name, or as much of it as fits with an ellipsis; "" where that would be nothing to read.
function fit(name, width) {
	const room = width - advance("\u2026");
	let used = 0, end = 0, kept = 0;
	for (const character of name) {
		used += advance(character);
		if (used > width)
			return kept < 2 ? "" : name.slice(0, end) + "\u2026";
		if (used <= room) {
			end += character.length;
			kept++;
		}
	}
	return name;
}

function label(i, x, width) {
	const room = width - 2 * PADDING;
	const shown = room < 6 ? "" : fit(nameOf(i), room);
	let text = rects[i].nextElementSibling;
	if (text === null) {
		if (shown === "")
			return;
		text = document.createElementNS(SVG_NS, "text");
		text.setAttribute("y", 12);
		elements[i].append(text);
	}
	if (text.textContent !== shown) {
		text.textContent = shown;
		elements[i].classList.toggle("w", shown !== "");
	}
	if (shown !== "")
		text.setAttribute("x", (x + PADDING).toFixed(2));
}

function spanOf(i) { // x and width on the page
	if (depths[i] < depths[focus])
		return [MARGIN, frameWidth];
	const scale = frameWidth / totals[focus];
	return [MARGIN + (starts[i] - starts[focus]) * scale, totals[i] * scale];
}

function display(i, on) {
	if (displayed[i] === on)
		return;
	displayed[i] = on;
	if (on)
		elements[i].removeAttribute("display");
	else
		elements[i].setAttribute("display", "none");
}

function drawFrame(i) {
	const [x, width] = spanOf(i);
	if (width < LEAST_WIDTH) {
		display(i, 0);
		return;
	}
	display(i, 1);
	rects[i].setAttribute("x", x.toFixed(2));
	rects[i].setAttribute("width", width.toFixed(2));
	label(i, x, width);
}

function drawFrames() {
	const path = ancestors(focus);
	rows.forEach((row, depth) => {
		const above = depth < depths[focus];
		const [begin, end] = above ? [path[depth], path[depth] + 1] : rangeIn(row, focus);
		for (let i = inView[depth][0]; i < inView[depth][1]; i++)
			if (i < begin || i >= end)
				display(i, 0);
		for (let i = begin; i < end; i++)
			drawFrame(i);
		inView[depth] = [begin, end];
		row.group.classList.toggle("above", above);
	});
}

function isInView(i) {
	return i >= inView[depths[i]][0] && i < inView[depths[i]][1];
}
function rowY(depth) {
	return framesTop + PITCH * (icicle ? depth : rows.length - 1 - depth);
}
function deepestInView() {
	let depth = rows.length - 1;
	while (inView[depth][0] === inView[depth][1])
		depth--;
	return depth;
}
function placeRows() {
	rows.forEach((row, depth) => row.group.setAttribute("transform", `translate(0 ${rowY(depth)})`));
}
// Brings rows into the part of the window below the head; where they do not fit, the first one counts.
function scrollToRows(first, last) {
	const top = Math.min(rowY(first), rowY(last)) - framesTop;
	const bottom = Math.max(rowY(first), rowY(last)) + PITCH + MARGIN - innerHeight;
	if (scrollY >= bottom && scrollY <= top)
		return;
	if (bottom > top) // too tall
		scrollTo(0, icicle ? rowY(first) - framesTop : rowY(first) + PITCH + MARGIN - innerHeight);
	else
		scrollTo(0, Math.max(bottom, Math.min(scrollY, top)));
}
