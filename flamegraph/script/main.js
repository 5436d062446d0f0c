// SPDX-License-Identifier: MIT
// What happens on what.
let cursor = -1; // the frame that the keyboard is on

function layOut() {
	const pageWidth = Math.max(320, svg.clientWidth || innerWidth);
	frameWidth = pageWidth - 2 * MARGIN;
	framesTop = placeHead(pageWidth);
	const height = framesTop + rows.length * PITCH + MARGIN;
	svg.setAttribute("width", "100%");
	svg.setAttribute("height", Math.max(height, innerHeight));
	useFontOf(rects[0].nextElementSibling);
	placeRows();
	drawFrames();
	showCrumbs();
	showMark();
	keepHeadInSight();
}

function zoom(i) {
	focus = i;
	drawFrames();
	showFound();
	showCrumbs();
	hideTip();
	if (cursor >= 0 && !isInView(cursor))
		cursor = -1;
	showMark();
	scrollToRows(depths[focus], deepestInView());
	saveState();
}
function reset() {
	searchBox.value = "";
	search("");
	zoom(0);
}

// ---- the keyboard's frame
function showMark() {
	if (cursor < 0) {
		mark.setAttribute("display", "none");
		return;
	}
	const [x, width] = spanOf(cursor);
	mark.removeAttribute("display");
	mark.setAttribute("x", x.toFixed(2));
	mark.setAttribute("y", rowY(depths[cursor]));
	mark.setAttribute("width", Math.max(width, 1).toFixed(2));
}
function moveTo(i) {
	if (i < 0)
		return;
	const [x, width] = spanOf(i);
	takeTitle(i);
	if (cursor >= 0)
		elements[cursor].setAttribute("tabindex", -1);
	cursor = i;
	const element = elements[i];
	const attributes = { tabindex: 0, role: "treeitem", "aria-level": depths[i] + 1,
			     "aria-label": names[i] + ", " + describe(i) };
	for (const key in attributes)
		element.setAttribute(key, attributes[key]);
	showMark();
	scrollToRows(depths[i], depths[i]);
	if (document.activeElement !== searchBox)
		element.focus({ preventScroll: true });
	showTip(i, x + Math.min(width / 2, 300), rowY(depths[i]) - scrollY);
}
function widestChild(i) {
	let widest = -1;
	if (depths[i] + 1 === rows.length)
		return -1;
	const [begin, end] = rangeIn(rows[depths[i] + 1], i);
	for (let child = begin; child < end; child++)
		if (isInView(child) && (widest < 0 || totals[child] > totals[widest]))
			widest = child;
	return widest;
}
function beside(i, step) {
	const [begin, end] = inView[depths[i]];
	return i + step >= begin && i + step < end ? i + step : -1;
}

const outward = icicle ? "ArrowUp" : "ArrowDown";
const inward = icicle ? "ArrowDown" : "ArrowUp";
const keys = {
	[outward]: i => moveTo(parents[i]),
	[inward]: i => moveTo(widestChild(i)),
	ArrowLeft: i => moveTo(beside(i, -1)),
	ArrowRight: i => moveTo(beside(i, 1)),
	Enter: i => zoom(i),
	Backspace: () => zoom(Math.max(0, parents[focus])),
	n: i => moveTo(nextMatch(i, 1)),
	N: i => moveTo(nextMatch(i, -1)),
};

function onSearchKey(event) {
	if (event.key !== "Enter")
		return;
	event.preventDefault();
	moveTo(nextMatch(cursor < 0 ? -1 : cursor, event.shiftKey ? -1 : 1));
}
function onKey(event) {
	const inBar = bar.contains(event.target);
	const control = event.ctrlKey || event.metaKey;
	if (control && event.key === "f" || event.key === "/" && !control && event.target !== searchBox) {
		event.preventDefault();
		searchBox.focus();
		searchBox.select();
	} else if (event.key === "Escape") {
		event.preventDefault();
		if (document.activeElement !== null)
			document.activeElement.blur();
		hideTip();
		reset();
	} else if (event.target === searchBox) {
		onSearchKey(event);
	} else if (!inBar && !control && !event.altKey && Object.hasOwn(keys, event.key)) {
		event.preventDefault();
		if (cursor >= 0 || event.key === "Backspace")
			keys[event.key](cursor);
		else
			moveTo(event.key.toLowerCase() === "n" ? nextMatch(-1, 1) : focus);
	}
}

// ---- zoom and search stand in the address, so that a reload or a link keeps them
function saveState() {
	const state = new URLSearchParams();
	if (focus !== 0)
		state.set("zoom", focus);
	if (searchBox.value !== "")
		state.set("search", searchBox.value);
	try {
		history.replaceState(null, "", "#" + state);
	} catch (error) {
		// not every place that shows an SVG has an address of its own
	}
}
function loadState() {
	const state = new URLSearchParams(location.hash.slice(1));
	const zoomed = Number(state.get("zoom"));
	if (state.has("search"))
		search(state.get("search"));
	if (Number.isInteger(zoomed) && zoomed > 0 && zoomed < elements.length)
		zoom(zoomed);
}

// ---- pointer and window
function frameAt(event) {
	const element = event.target instanceof Element ? event.target.closest("#frames > g > g") : null;
	return element === null ? -1 : element.flameIndex;
}
framesGroup.addEventListener("click", event => {
	const i = frameAt(event);
	if (i >= 0)
		zoom(i);
});
let pointer = "";
framesGroup.addEventListener("pointermove", event => {
	const i = frameAt(event), place = event.clientX + " " + event.clientY;
	if (i >= 0 && place !== pointer) // else the page has moved below it, and the keyboard's frame has the box
		showTip(i, event.clientX, event.clientY);
	pointer = place;
});
framesGroup.addEventListener("pointerleave", hideTip);
addEventListener("focusin", event => { // not on the group: Chromium lets what listens for the focus have it
	const i = frameAt(event);
	if (i >= 0 && i !== cursor)
		moveTo(i);
});
searchBox.addEventListener("input", () => {
	search(searchBox.value);
	showCrumbs(); // the share takes room from them
});
resetButton.addEventListener("click", reset);
addEventListener("keydown", onKey);
addEventListener("scroll", keepHeadInSight, { passive: true });
addEventListener("resize", layOut);

svg.removeAttribute("viewBox");
svg.classList.add("live");
framesGroup.setAttribute("role", "tree");
framesGroup.setAttribute("aria-label", fullTitle);
elements[0].setAttribute("tabindex", 0);
layOut();
layOut(); // the first one may have brought a scroll bar
scrollToRows(0, rows.length - 1);
loadState();
