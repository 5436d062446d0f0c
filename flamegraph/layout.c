/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* qsort_r */
#include "flamegraph/layout.h"

#include <stdlib.h>
#include <string.h>

static int compare_text(const struct tee_perf_flame *flame, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(flame_text(flame, a), flame_text(flame, b));
}

static int compare_frames(const void *left, const void *right, void *context)
{
	const struct tee_perf_flame *flame = context;
	const struct flame_frame *a = &flame->frames[*(const uint32_t *)left];
	const struct flame_frame *b = &flame->frames[*(const uint32_t *)right];
	int order = compare_text(flame, a->name, b->name);
	if (order == 0)
		order = compare_text(flame, a->module, b->module);
	if (order == 0)
		order = compare_text(flame, a->file, b->file);
	return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

static int rank_frames(struct flame_layout *layout, const struct tee_perf_flame *flame)
{
	uint32_t *order = malloc(flame->frame_count * sizeof *order);
	layout->ranks = malloc(flame->frame_count * sizeof *layout->ranks);
	if (order == NULL || layout->ranks == NULL) {
		free(order);
		return -1;
	}
	for (size_t i = 0; i < flame->frame_count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, flame->frame_count, sizeof *order, compare_frames, (void *)flame);
	for (size_t i = 0; i < flame->frame_count; i++)
		layout->ranks[order[i]] = (uint32_t)i;
	free(order);
	return 0;
}

/* The lists of children, each in the order of frames. */
struct children {
	uint32_t *first, *next; /* node ids, 0 ends: the root is nobody's child */
	uint32_t *below;        /* how many nodes there are from this one on, itself included */
};

static void children_free(struct children *children)
{
	free(children->first);
	free(children->next);
	free(children->below);
}

/* A counting sort by rank, then each node from the last rank to the first goes to the front of its parent's list: all
 * lists are sorted in linear time. */
static int link_children(struct flame_layout *layout, size_t frame_count, struct children *children)
{
	size_t count = layout->node_count;
	uint32_t *order = malloc(count * sizeof *order), *starts = calloc(frame_count + 1, sizeof *starts);
	children->first = calloc(count, sizeof *children->first);
	children->next = calloc(count, sizeof *children->next);
	if (order == NULL || starts == NULL || children->first == NULL || children->next == NULL) {
		free(order);
		free(starts);
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		starts[layout->ranks[layout->nodes[i].frame] + 1]++;
	for (size_t i = 0; i < frame_count; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 0; i < count; i++)
		order[starts[layout->ranks[layout->nodes[i].frame]]++] = (uint32_t)i;
	for (size_t i = count; i-- > 0;) {
		uint32_t node = order[i], parent = layout->nodes[node].parent;
		if (node == TEE_PERF_FLAME_ROOT)
			continue;
		children->next[node] = children->first[parent];
		children->first[parent] = node;
	}
	free(order);
	free(starts);
	return 0;
}

/* Parents come before their children, so one pass from the end adds everything up. */
static int add_up(struct flame_layout *layout, struct children *children, enum tee_perf_flame_unit unit)
{
	layout->totals = malloc(layout->node_count * sizeof *layout->totals);
	children->below = malloc(layout->node_count * sizeof *children->below);
	if (layout->totals == NULL || children->below == NULL)
		return -1;
	for (size_t i = 0; i < layout->node_count; i++) {
		layout->totals[i] = flame_value(&layout->nodes[i], unit);
		children->below[i] = 1;
	}
	for (size_t i = layout->node_count; i-- > 1;) {
		layout->totals[layout->nodes[i].parent] += layout->totals[i];
		children->below[layout->nodes[i].parent] += children->below[i];
	}
	return 0;
}

static int place(struct flame_layout *layout, uint32_t node, uint64_t start)
{
	if (layout->placed_count == layout->placed_capacity) {
		size_t wanted = layout->placed_capacity ? layout->placed_capacity * 2 : 1024;
		struct flame_placed *grown = realloc(layout->placed, wanted * sizeof *grown);
		if (grown == NULL)
			return -1;
		layout->placed = grown;
		layout->placed_capacity = wanted;
	}
	layout->placed[layout->placed_count++] = (struct flame_placed){ .start = start, .node = node };
	return 0;
}

static void hide(struct flame_hidden *hidden, uint64_t count, uint64_t value)
{
	hidden->count += count;
	hidden->value += value;
}

/* Row by row: the children of each frame of the last row, side by side from its left edge. */
static int place_rows(struct flame_layout *layout, const struct children *children, unsigned max_depth)
{
	layout->rows = malloc((max_depth + 2) * sizeof *layout->rows);
	if (layout->rows == NULL || place(layout, TEE_PERF_FLAME_ROOT, 0) != 0)
		return -1;
	layout->rows[0] = 0;
	layout->rows[1] = 1;
	layout->row_count = 1;
	for (unsigned depth = 0; layout->rows[depth] < layout->placed_count; depth++) {
		for (size_t i = layout->rows[depth]; i < layout->rows[depth + 1]; i++) {
			struct flame_placed parent = layout->placed[i];
			uint64_t start = parent.start;
			for (uint32_t c = children->first[parent.node]; c != 0; c = children->next[c]) {
				if (layout->totals[c] < layout->min_value)
					hide(&layout->narrow, children->below[c], layout->totals[c]);
				else if (depth == max_depth)
					hide(&layout->deep, children->below[c], layout->totals[c]);
				else if (place(layout, c, start) != 0)
					return -1;
				start += layout->totals[c];
			}
		}
		if (layout->placed_count == layout->rows[depth + 1])
			break;
		layout->rows[depth + 2] = layout->placed_count;
		layout->row_count++;
	}
	return 0;
}

/* The smallest value that is at least min_px wide; at least 1, so that nothing without a width is drawn. */
static uint64_t smallest_value(uint64_t total, double min_px, double frame_width_px)
{
	double value = (double)total * min_px / frame_width_px;
	uint64_t whole = value >= (double)total ? total : (uint64_t)value;
	if ((double)whole < value)
		whole++;
	return whole > 0 ? whole : 1;
}

int flame_layout(struct flame_layout *layout, const struct tee_perf_flame *flame,
		 const struct tee_perf_flame_options *options, double frame_width_px, unsigned max_depth,
		 struct tee_perf_error *err)
{
	struct children children = { 0 };
	uint64_t total = options->unit == TEE_PERF_FLAME_CALLS ? flame->calls_sum : flame->self_sum;
	*layout = (struct flame_layout){ .nodes = flame->nodes, .node_count = flame->node_count };
	layout->min_value = smallest_value(total, options->min_width_px, frame_width_px);
	int status = rank_frames(layout, flame);
	if (status == 0 && options->reverse)
		status = flame_reverse(layout, flame, options->unit, max_depth);
	if (status == 0)
		status = link_children(layout, flame->frame_count, &children);
	if (status == 0)
		status = add_up(layout, &children, options->unit);
	if (status == 0)
		status = place_rows(layout, &children, max_depth);
	children_free(&children);
	if (status != 0)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory while laying out %zu frames",
				     flame->node_count);
	return 0;
}

void flame_layout_free(struct flame_layout *layout)
{
	free(layout->reversed);
	free(layout->ranks);
	free(layout->totals);
	free(layout->placed);
	free(layout->rows);
	*layout = (struct flame_layout){ 0 };
}
