/* SPDX-License-Identifier: MIT */
/* Which frames are drawn, in which row, and from where to where. */
#ifndef TEE_PERF_FLAMEGRAPH_LAYOUT_H
#define TEE_PERF_FLAMEGRAPH_LAYOUT_H

#include "flamegraph/tree.h"

/* A frame that is drawn. */
struct flame_placed {
	uint64_t start; /* in values, from the left edge */
	uint32_t node;
};

/* What is not drawn: how many, and how much of the total. */
struct flame_hidden {
	uint64_t count, value;
};

struct flame_layout {
	const struct flame_node *nodes; /* the tree's, or those of reversed */
	size_t node_count;
	struct flame_node *reversed; /* owned; NULL unless asked for */
	uint32_t *ranks;             /* of each frame in the order of name, module, file, line */
	uint64_t *totals;            /* of each node: self and all below */
	uint64_t min_value;          /* a frame with a smaller total is narrower than the minimum */
	struct flame_placed *placed; /* row by row from the root's, each from left to right */
	size_t placed_count, placed_capacity;
	size_t *rows; /* row r is placed[rows[r]] to placed[rows[r + 1]] */
	size_t row_count;
	struct flame_hidden narrow; /* frames; in a reversed tree counted up to the depth limit */
	struct flame_hidden deep;   /* frames below the depth limit; in a reversed tree the stacks that go on there */
};

/* Fails with class RESOURCE. The caller frees with flame_layout_free, also after a failure. */
int flame_layout(struct flame_layout *layout, const struct tee_perf_flame *flame,
		 const struct tee_perf_flame_options *options, double frame_width_px, unsigned max_depth,
		 struct tee_perf_error *err);
void flame_layout_free(struct flame_layout *layout);

/* The value that the options' unit means. */
static inline uint64_t flame_value(const struct flame_node *node, enum tee_perf_flame_unit unit)
{
	return unit == TEE_PERF_FLAME_CALLS ? node->calls : node->self;
}

/* reverse.c: fills layout->reversed with the tree merged from the leaves, without what would not be drawn, which it
 * counts. Needs ranks and min_value. -1 out of memory. */
int flame_reverse(struct flame_layout *layout, const struct tee_perf_flame *flame, enum tee_perf_flame_unit unit,
		  unsigned max_depth);

#endif
