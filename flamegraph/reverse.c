/* SPDX-License-Identifier: MIT */
/* The tree merged from the leaves. Every node with a value of its own is a stack; a path of the reversed tree is what
 * the ends of some stacks have in common. A group of stacks is split by the frame one step further up, and its parts
 * are split later, from an explicit stack of groups: depth costs no C stack, and memory stays near the tree's. */
#include "flamegraph/layout.h"

#include <stdlib.h>
#include <string.h>

struct walker {
	uint32_t rank; /* of the frame at `at`: what groups are split by */
	uint32_t at;   /* the node that the walk has reached */
	uint32_t leaf; /* where it began: whose value counts */
};

struct group {
	size_t begin, end; /* walkers that have come the same way */
	uint32_t parent;   /* their node in the reversed tree */
	unsigned depth;    /* frames on the way, the next one included */
	bool hidden;       /* a frame on the way is too narrow: only counted from here on */
};

struct reverser {
	const struct tee_perf_flame *flame;
	struct flame_layout *layout;
	enum tee_perf_flame_unit unit;
	struct walker *walkers;
	size_t walker_count;
	struct group *groups;
	size_t group_count, group_capacity;
	size_t node_capacity;
	unsigned max_depth;
};

static int push_group(struct reverser *r, struct group group)
{
	if (r->group_count == r->group_capacity) {
		size_t wanted = r->group_capacity ? r->group_capacity * 2 : 256;
		struct group *grown = realloc(r->groups, wanted * sizeof *grown);
		if (grown == NULL)
			return -1;
		r->groups = grown;
		r->group_capacity = wanted;
	}
	r->groups[r->group_count++] = group;
	return 0;
}

static int new_node(struct reverser *r, uint32_t parent, uint32_t frame, uint32_t *index)
{
	struct flame_layout *layout = r->layout;
	if (layout->node_count == r->node_capacity) {
		size_t wanted = r->node_capacity ? r->node_capacity * 2 : 1024;
		struct flame_node *grown = realloc(layout->reversed, wanted * sizeof *grown);
		if (grown == NULL)
			return -1;
		layout->reversed = grown;
		r->node_capacity = wanted;
	}
	*index = (uint32_t)layout->node_count;
	layout->reversed[layout->node_count++] = (struct flame_node){ .parent = parent, .frame = frame };
	return 0;
}

static void add_value(struct reverser *r, uint32_t node, uint64_t value)
{
	if (r->unit == TEE_PERF_FLAME_CALLS)
		r->layout->reversed[node].calls += value;
	else
		r->layout->reversed[node].self += value;
}

static int compare_walkers(const void *left, const void *right)
{
	const struct walker *a = left, *b = right;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Most groups are of one walker or of one frame (recursion): no sorting then. */
static void sort_walkers(struct walker *walkers, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (walkers[i].rank < walkers[i - 1].rank) {
			qsort(walkers, count, sizeof *walkers, compare_walkers);
			return;
		}
}

/* Moves the walkers one step up; those that arrive at the root end here. Gives the number of the others. */
static size_t step_up(struct reverser *r, struct walker *walkers, size_t count, uint64_t *ended)
{
	const struct flame_node *nodes = r->flame->nodes;
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		struct walker walker = walkers[i];
		walker.at = nodes[walker.at].parent;
		walker.rank = r->layout->ranks[nodes[walker.at].frame];
		if (walker.at == TEE_PERF_FLAME_ROOT)
			*ended += flame_value(&nodes[walker.leaf], r->unit);
		else
			walkers[kept++] = walker;
	}
	return kept;
}

/* One frame of the reversed tree: the walkers from begin to end all stand on it. */
static int take_frame(struct reverser *r, struct group group)
{
	const struct flame_node *nodes = r->flame->nodes;
	struct flame_layout *layout = r->layout;
	struct walker *walkers = r->walkers + group.begin;
	size_t count = group.end - group.begin;
	uint64_t value = 0, calls = 0, ended = 0;
	for (size_t i = 0; i < count; i++) {
		value += flame_value(&nodes[walkers[i].leaf], r->unit);
		calls += nodes[walkers[i].leaf].calls;
	}
	if (!group.hidden && value < layout->min_value) {
		layout->narrow.value += value;
		add_value(r, group.parent, value);
		group.hidden = true;
	} else if (!group.hidden && group.depth > r->max_depth) {
		layout->deep.count += count;
		layout->deep.value += value;
		add_value(r, group.parent, value);
		return 0;
	}
	if (group.hidden) {
		layout->narrow.count++;
	} else {
		if (new_node(r, group.parent, nodes[walkers[0].at].frame, &group.parent) != 0)
			return -1;
		if (r->unit != TEE_PERF_FLAME_CALLS)
			layout->reversed[group.parent].calls = calls;
	}
	if (group.hidden && group.depth >= r->max_depth)
		return 0;
	group.end = group.begin + step_up(r, walkers, count, &ended);
	if (!group.hidden)
		add_value(r, group.parent, ended);
	group.depth++;
	return group.end > group.begin ? push_group(r, group) : 0;
}

/* Splits the last group by frame and takes each part. */
static int split_group(struct reverser *r)
{
	struct group group = r->groups[--r->group_count];
	sort_walkers(r->walkers + group.begin, group.end - group.begin);
	for (size_t begin = group.begin; begin < group.end;) {
		struct group part = group;
		part.begin = begin;
		while (begin < group.end && r->walkers[begin].rank == r->walkers[part.begin].rank)
			begin++;
		part.end = begin;
		if (take_frame(r, part) != 0)
			return -1;
	}
	return 0;
}

static int start_walkers(struct reverser *r)
{
	const struct tee_perf_flame *flame = r->flame;
	uint32_t root;
	if (new_node(r, 0, 0, &root) != 0)
		return -1;
	add_value(r, root, flame_value(&flame->nodes[0], r->unit));
	r->walkers = malloc(flame->node_count * sizeof *r->walkers);
	if (r->walkers == NULL)
		return -1;
	for (size_t i = 1; i < flame->node_count; i++) {
		const struct flame_node *node = &flame->nodes[i];
		if (flame_value(node, r->unit) != 0)
			r->walkers[r->walker_count++] = (struct walker){ .rank = r->layout->ranks[node->frame],
									 .at = (uint32_t)i,
									 .leaf = (uint32_t)i };
	}
	if (r->walker_count == 0)
		return 0;
	return push_group(r, (struct group){ .begin = 0, .end = r->walker_count, .parent = root, .depth = 1 });
}

int flame_reverse(struct flame_layout *layout, const struct tee_perf_flame *flame, enum tee_perf_flame_unit unit,
		  unsigned max_depth)
{
	struct reverser r = { .flame = flame, .layout = layout, .unit = unit, .max_depth = max_depth };
	layout->node_count = 0;
	int status = start_walkers(&r);
	while (status == 0 && r.group_count > 0)
		status = split_group(&r);
	free(r.walkers);
	free(r.groups);
	layout->nodes = layout->reversed;
	return status;
}
