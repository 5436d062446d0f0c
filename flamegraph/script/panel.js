// SPDX-License-Identifier: MIT
// What the plain SVG does not have: the bar below the subtitle, the box with a frame's details, the mark of the
// keyboard. The head stays at the top of the window.
function make(name, attributes, parent) {
	const element = document.createElementNS(XHTML_NS, name);
	for (const key in attributes)
		element.setAttribute(key, attributes[key]);
	if (parent)
		parent.append(element);
	return element;
}
function makeSvg(name, attributes, parent) {
	const element = document.createElementNS(SVG_NS, name);
	for (const key in attributes)
		element.setAttribute(key, attributes[key]);
	parent.append(element);
	return element;
}

const BAR_HEIGHT = 38;
const head = document.getElementById("head");
const title = document.getElementById("title");
const fullTitle = svg.querySelector("title").textContent;
const paragraphs = [...head.querySelectorAll(".sub")].map(
	group => ({ group, text: [...group.children].map(line => line.textContent).join(" ") }));
const mark = makeSvg("rect", { id: "mark", height: 16, display: "none" }, svg);
svg.append(head);
const backdrop = makeSvg("rect", { id: "backdrop", width: "100%" }, head);
head.prepend(backdrop);
const barHolder = makeSvg("foreignObject", { height: BAR_HEIGHT }, head);
const bar = make("div", { class: "bar" }, barHolder);
const crumbs = make("nav", { class: "crumbs", "aria-label": "Zoomed to" }, bar);
const found = make("output", { class: "found", "aria-live": "polite" }, bar);
const searchBox = make("input", {
	type: "search", placeholder: "Search, e.g. ^std::|alloc   [ / ]", "aria-label": "Search frames by regular expression",
	title: "Regular expression; capital letters make it case-sensitive. Enter: next match", spellcheck: "false",
	autocomplete: "off",
}, bar);
const resetButton = make("button", { type: "button", class: "reset", title: "Show everything (Esc)" }, bar);
resetButton.textContent = "Reset";
const tipHolder = makeSvg("foreignObject", { id: "tip", width: 1, height: 1, display: "none" }, svg);
const tip = make("div", { class: "tip", role: "status" }, tipHolder);
const tipName = make("strong", {}, tip);
const tipDetails = make("span", {}, tip);

// Lines of words that fit; gives their number.
function breakLines({ group, text }, y, width) {
	const lines = [];
	useFontOf(group.firstElementChild || group);
	let line = "";
	for (const word of text.split(" ")) {
		const longer = line === "" ? word : line + " " + word;
		if (line !== "" && canvas.measureText(longer).width > width) {
			lines.push(line);
			line = word;
		} else {
			line = longer;
		}
	}
	lines.push(line);
	group.replaceChildren();
	lines.forEach((content, i) => {
		makeSvg("text", { x: MARGIN, y: y + 17 * i }, group).textContent = content;
	});
	return lines.length;
}

function fitTitle(width) {
	const style = getComputedStyle(title);
	canvas.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
	advances.clear();
	title.textContent = fit(fullTitle, width);
	advances.clear();
}

// Gives the height of the head.
function placeHead(pageWidth) {
	const width = pageWidth - 2 * MARGIN;
	let y = 46;
	fitTitle(width);
	for (const paragraph of paragraphs)
		y += 17 * breakLines(paragraph, y, width);
	barHolder.setAttribute("y", y - 12);
	barHolder.setAttribute("width", pageWidth);
	backdrop.setAttribute("height", y - 12 + BAR_HEIGHT);
	return y - 12 + BAR_HEIGHT;
}
function keepHeadInSight() {
	head.setAttribute("transform", `translate(0 ${Math.max(0, scrollY)})`);
}

function crumb(i, last) {
	const button = make("button", { type: "button", title: nameOf(i) }, crumbs);
	button.textContent = nameOf(i);
	if (last)
		button.setAttribute("aria-current", "location");
	button.addEventListener("click", () => zoom(i));
}
// The way to the zoomed frame: the root, and as many of the last ones as there is room for.
function showCrumbs() {
	const path = ancestors(focus), from = Math.max(1, path.length - 5);
	crumbs.replaceChildren();
	if (focus === 0) {
		make("span", { class: "hint" }, crumbs).textContent = "Click a frame to zoom; arrow keys and Enter walk";
		return;
	}
	crumb(0, false);
	if (from > 1)
		make("span", {}, crumbs).textContent = "\u2026";
	path.slice(from).forEach((i, n, all) => crumb(i, n === all.length - 1));
	while (crumbs.scrollWidth > crumbs.clientWidth && crumbs.children.length > 3) {
		if (crumbs.children[1].localName === "button")
			crumbs.children[1].before(make("span", {}));
		crumbs.children[1].textContent = "\u2026";
		crumbs.children[2].remove();
	}
}

function describe(i) {
	let text = details[i];
	if (focus !== 0 && depths[i] > depths[focus])
		text = text.replace(/\n|$/, `\n${formatPercent(totals[i], totals[focus])} of the zoomed frame$&`);
	return text;
}
// Beside the point, inside the window.
// A template's name can be thousands of characters long, and would hide the picture and the numbers below it. Both ends
// tell the most.
function shortName(name) {
	const letters = name.length > 360 ? [...name] : [];
	return letters.length > 360 ? letters.slice(0, 230).join("") + " \u2026 " + letters.slice(-120).join("") : name;
}

function showTip(i, x, y) {
	takeTitle(i);
	tipName.textContent = shortName(names[i]);
	tipDetails.textContent = describe(i);
	tipHolder.removeAttribute("display");
	tipHolder.setAttribute("width", Math.min(640, innerWidth - 8));
	const box = tip.getBoundingClientRect();
	const pageWidth = frameWidth + 2 * MARGIN;
	tipHolder.setAttribute("height", Math.ceil(box.height) + 8);
	const left = x + 14 + box.width > pageWidth ? Math.max(4, Math.min(x - 14, pageWidth - 4) - box.width) : x + 14;
	const top = y + 18 + box.height > innerHeight ? Math.max(4, y - 12 - box.height) : y + 18;
	tipHolder.setAttribute("x", left);
	tipHolder.setAttribute("y", top + scrollY);
}
function hideTip() {
	tipHolder.setAttribute("display", "none");
}
