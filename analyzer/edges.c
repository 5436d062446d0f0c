/* SPDX-License-Identifier: MIT */
#include "analyzer/edges.h"
#include "analyzer/tree.h"

#include <stdlib.h>

struct builder {
	struct tee_perf_edges *edges;
	const struct tee_perf_recording *recording;
	uint32_t track;
	uint32_t *slots; /* edge + 1, 0 free */
	uint32_t mask;
};

static uint32_t *find_slot(const struct builder *builder, uint32_t caller, uint32_t callee)
{
	uint64_t key = (uint64_t)caller << 32 | callee;
	uint32_t place = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & builder->mask;
	for (; builder->slots[place] != 0; place = (place + 1) & builder->mask) {
		const struct tee_perf_edge *edge = &builder->edges->edges[builder->slots[place] - 1];
		if (edge->caller == caller && edge->callee == callee)
			break;
	}
	return &builder->slots[place];
}

static int grow(struct builder *builder)
{
	struct tee_perf_edges *edges = builder->edges;
	if (tee_perf_grow(&edges->edges, edges->count, &edges->capacity, sizeof *edges->edges) != 0)
		return -1;
	if (builder->slots != NULL && builder->mask + 1 >= edges->capacity * 2)
		return 0;
	uint32_t *slots = calloc((size_t)edges->capacity * 2, sizeof *slots);
	if (slots == NULL)
		return -1;
	free(builder->slots);
	builder->slots = slots;
	builder->mask = edges->capacity * 2 - 1;
	for (uint32_t i = 0; i < edges->count; i++)
		*find_slot(builder, edges->edges[i].caller, edges->edges[i].callee) = i + 1;
	return 0;
}

/* The edge that leads to a node; NULL: out of memory. */
static struct tee_perf_edge *find_edge(struct builder *builder, const struct tee_perf_tree *tree, uint32_t node)
{
	const struct tee_perf_cct *cct = &tree->track->cct;
	const struct tee_perf_symbols *symbols = builder->recording->symbols;
	uint32_t caller = tee_perf_symbols_of(symbols, builder->track, cct->nodes[cct->parents[node]].function);
	uint32_t callee = tee_perf_symbols_of(symbols, builder->track, cct->nodes[node].function);
	uint32_t *slot = find_slot(builder, caller, callee);
	if (*slot == 0) {
		if (grow(builder) != 0)
			return NULL;
		slot = find_slot(builder, caller, callee);
		builder->edges->edges[builder->edges->count++] =
		    (struct tee_perf_edge){ .caller = caller, .callee = callee };
		*slot = builder->edges->count;
	}
	return &builder->edges->edges[*slot - 1];
}

/* The root, or a node that was made but never entered. */
static bool is_nothing(const struct tee_perf_tree *tree, uint32_t node)
{
	return node == 0 || (tree->total_ns[node] == 0 && tree->track->cct.nodes[node].calls == 0);
}

static int enter_node(void *argument, const struct tee_perf_tree *tree, uint32_t node, uint32_t depth)
{
	(void)depth;
	if (is_nothing(tree, node))
		return 0;
	struct tee_perf_edge *edge = find_edge(argument, tree, node);
	if (edge == NULL)
		return -1;
	edge->calls += tree->track->cct.nodes[node].calls;
	edge->self_ns += tree->self_ns[node];
	if (edge->open++ == 0)
		edge->total_ns += tree->total_ns[node];
	return 0;
}

static int leave_node(void *argument, const struct tee_perf_tree *tree, uint32_t node, uint32_t depth)
{
	(void)depth;
	struct tee_perf_edge *edge = is_nothing(tree, node) ? NULL : find_edge(argument, tree, node); /* it exists */
	if (edge != NULL)
		edge->open--;
	return 0;
}

int tee_perf_edges_build(struct tee_perf_edges *edges, const struct tee_perf_recording *recording,
			 struct tee_perf_error *err)
{
	*edges = (struct tee_perf_edges){ 0 };
	struct builder builder = { .edges = edges, .recording = recording };
	struct tee_perf_tree_visitor visitor = { enter_node, leave_node, &builder };
	int result = grow(&builder);
	for (; builder.track < recording->model->track_count && result == 0; builder.track++) {
		struct tee_perf_tree tree;
		result = tee_perf_tree_build(&tree, recording->model->tracks[builder.track], NULL, false);
		if (result == 0)
			result = tee_perf_tree_walk(&tree, &visitor);
		tee_perf_tree_clear(&tree);
	}
	free(builder.slots);
	if (result == 0)
		return 0;
	tee_perf_edges_clear(edges);
	return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the edges between functions");
}

void tee_perf_edges_clear(struct tee_perf_edges *edges)
{
	free(edges->edges);
	*edges = (struct tee_perf_edges){ 0 };
}
