/* SPDX-License-Identifier: MIT */
/* A finished track's tree with totals and an order to walk it in; built for as long as a reader needs it. */
#ifndef TEE_PERF_ANALYZER_TREE_H
#define TEE_PERF_ANALYZER_TREE_H

#include "analyzer/model_internal.h"
#include "analyzer/probe.h"

struct tee_perf_tree {
	const struct tee_perf_track *track;
	uint32_t count;
	uint64_t *self_ns; /* without the hooks' time, if wanted */
	uint64_t *total_ns;
	uint64_t *probe_ns;
	uint32_t *first_child, *next_sibling; /* 0: none */
	uint32_t *depth;                      /* of the root: 0 */
};

/* probe: NULL for none (probe_ns is then 0). net: takes probe_ns off self_ns (not below 0). 0, or -1 out of memory. */
int tee_perf_tree_build(struct tee_perf_tree *tree, const struct tee_perf_track *track,
			const struct tee_perf_probe *probe, bool net);
void tee_perf_tree_clear(struct tee_perf_tree *tree);

/* Walks depth first, without recursion: enter before the children, leave after them. The root has depth 0. A callback
 * that returns nonzero ends the walk with that value. */
struct tee_perf_tree_visitor {
	int (*enter)(void *argument, const struct tee_perf_tree *tree, uint32_t node, uint32_t depth);
	int (*leave)(void *argument, const struct tee_perf_tree *tree, uint32_t node, uint32_t depth); /* may be NULL */
	void *argument;
};
int tee_perf_tree_walk(const struct tee_perf_tree *tree, const struct tee_perf_tree_visitor *visitor);

#endif
