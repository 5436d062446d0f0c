// SPDX-License-Identifier: MIT
"use strict";
// The frames, read once from the plain SVG: index 0 is the root, rows follow each other, each from left to right, so
// that a parent's index is below its children's. Values are exact; the coordinates in the SVG are not.
const svg = document.documentElement;
if (svg.localName !== "svg") // pasted into a page of something else: all that follows would be wrong there
	throw new Error("open the flame graph by itself, or with <object> or <iframe>, to zoom and search");
const framesGroup = document.getElementById("frames");
const unit = framesGroup.getAttribute("data-unit");
const icicle = framesGroup.hasAttribute("data-icicle");
const elements = [], rects = [], starts = [], totals = [], depths = [], parents = [];
const rows = []; // {group, begin, end}: frames of a depth

function readRow(group) {
	const values = group.getAttribute("data-v").split(" ");
	const row = { group, begin: elements.length, end: 0 };
	let parent = rows.length ? rows[rows.length - 1].begin : -1;
	let at = 0, element = group.firstElementChild;
	for (let i = 0; element; i += 2, element = element.nextElementSibling) {
		at += Number(values[i]);
		while (parent >= 0 && at >= starts[parent] + totals[parent])
			parent++;
		element.flameIndex = elements.length;
		elements.push(element);
		rects.push(element.children[1]);
		starts.push(at);
		totals.push(Number(values[i + 1]));
		depths.push(rows.length);
		parents.push(parent);
		at += Number(values[i + 1]);
	}
	row.end = elements.length;
	rows.push(row);
	group.removeAttribute("data-v");
}
for (let group = framesGroup.firstElementChild; group; group = group.nextElementSibling)
	readRow(group);

// Name and details of a frame come from its <title>. takeTitle also removes it, so that the browser's own tooltip
// does not cover ours.
const names = new Array(elements.length), details = new Array(elements.length);
function readTitle(i) {
	if (names[i] !== undefined)
		return;
	const text = elements[i].firstElementChild.textContent;
	const end = text.indexOf("\n");
	names[i] = text.slice(0, end);
	details[i] = text.slice(end + 1);
}
function takeTitle(i) {
	readTitle(i);
	const title = elements[i].firstElementChild;
	if (title.localName === "title")
		title.remove();
}
function nameOf(i) {
	readTitle(i);
	return names[i];
}

// The frames of a row that lie in the span of frame `top`: [begin, end).
function rangeIn(row, top) {
	const from = starts[top], to = from + totals[top];
	return [lowerBound(row, from), lowerBound(row, to)];
}
function lowerBound(row, value) {
	let low = row.begin, high = row.end;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (starts[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

function ancestors(i) { // from the root to i itself
	const path = [];
	for (; i >= 0; i = parents[i])
		path.unshift(i);
	return path;
}

// ---- numbers, as text.c writes them
function formatCount(count) {
	return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
function formatDuration(ns) {
	if (ns < 1000)
		return ns + " ns";
	for (const [size, name] of [[1e3, "us"], [1e6, "ms"], [1e9, "s"]])
		for (const decimals of [2, 1, 0]) {
			const power = Math.pow(10, decimals);
			const value = Math.round(ns / size * power);
			if (value < 1000)
				return (value / power).toFixed(decimals) + " " + name;
		}
	return formatCount(Math.round(ns / 1e9)) + " s";
}
function formatValue(value) {
	if (unit === "ns")
		return formatDuration(value);
	return formatCount(value) + " " + (value === 1 ? unit.slice(0, -1) : unit);
}
function formatPercent(part, whole) {
	const hundredths = Math.round(part * 10000 / whole);
	if (part >= whole)
		return "100 %";
	if (hundredths === 0)
		return part === 0 ? "0 %" : "<0.01 %";
	return (hundredths / 100).toFixed(2) + " %";
}
