// SPDX-License-Identifier: MIT
// Search by regular expression over the names. The share counts every part of the time once, however many matching
// frames lie above each other there, and only what is in view: it is a share of the zoomed frame.
let matches = null; // null: no search; else one flag per frame

// null: no regular expression. Outside of Unicode mode a needless backslash is no error: operator\<\<
function compile(text) {
	const flags = /[A-Z]/.test(text.replace(/\\./g, "")) ? "" : "i";
	for (const mode of ["u", ""])
		try {
			return new RegExp(text, flags + mode);
		} catch (error) {
			continue;
		}
	return null;
}

function markMatches(pattern) {
	const known = new Map();
	const flags = new Uint8Array(elements.length);
	for (let i = 0; i < elements.length; i++) {
		const name = nameOf(i);
		let matched = known.get(name);
		if (matched === undefined)
			known.set(name, matched = pattern !== null && pattern.test(name));
		flags[i] = matched ? 1 : 0;
		if (matched !== (matches !== null && matches[i] === 1))
			elements[i].classList.toggle("hit", matched);
	}
	return flags;
}

function search(text) {
	const pattern = text === "" ? null : compile(text);
	const invalid = text !== "" && pattern === null;
	const flags = markMatches(pattern);
	matches = pattern === null ? null : flags;
	framesGroup.classList.toggle("searching", matches !== null);
	searchBox.setAttribute("aria-invalid", invalid);
	if (searchBox.value !== text)
		searchBox.value = text;
	showFound();
	saveState();
}

// What matches in view: value, counted once, and number of frames.
function matchedInView() {
	const covered = new Uint8Array(elements.length); // matches, or lies above or below one that does
	let value = 0, count = 0;
	for (let depth = depths[focus]; depth < rows.length; depth++) {
		const [begin, end] = inView[depth];
		for (let i = begin; i < end; i++) {
			const below = covered[parents[i]]; // what lies below the zoomed frame is not looked at
			if (matches[i] && !below)
				value += totals[i];
			count += matches[i];
			covered[i] = below || matches[i];
		}
	}
	return { value, count };
}

found.title = "Of the zoomed frame; what several matching frames share counts once, frames too narrow to be drawn do not";
function showFound() {
	if (searchBox.getAttribute("aria-invalid") === "true") {
		found.textContent = "no regular expression";
		return;
	}
	if (matches === null) {
		found.textContent = "";
		return;
	}
	const { value, count } = matchedInView();
	const share = formatPercent(value, totals[focus]);
	found.textContent = `matched ${share}, ${formatValue(value)} in ${formatCount(count)} frame${count === 1 ? "" : "s"}`;
}

// The next frame in view that matches, from `from` on, around the end; -1: none.
function nextMatch(from, step) {
	if (matches === null)
		return -1;
	const count = elements.length;
	for (let n = 1; n <= count; n++) {
		const i = (((from + step * n) % count) + count) % count;
		if (matches[i] && isInView(i))
			return i;
	}
	return -1;
}
