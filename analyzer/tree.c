/* SPDX-License-Identifier: MIT */
#include "analyzer/tree.h"

#include <stdlib.h>

void tee_perf_tree_clear(struct tee_perf_tree *tree)
{
	free(tree->self_ns);
	free(tree->total_ns);
	free(tree->probe_ns);
	free(tree->first_child);
	free(tree->next_sibling);
	free(tree->depth);
	*tree = (struct tee_perf_tree){ 0 };
}

static void link_children(struct tee_perf_tree *tree)
{
	for (uint32_t node = tree->count; node-- > 1;) { /* backwards: children stand in the order of their creation */
		uint32_t parent = tree->track->cct.parents[node];
		tree->next_sibling[node] = tree->first_child[parent];
		tree->first_child[parent] = node;
	}
	for (uint32_t node = 1; node < tree->count; node++)
		tree->depth[node] = tree->depth[tree->track->cct.parents[node]] + 1;
}

static uint64_t calls_made(const struct tee_perf_tree *tree, uint32_t node)
{
	uint64_t calls = 0;

	for (uint32_t child = tree->first_child[node]; child != 0; child = tree->next_sibling[child])
		calls += tree->track->cct.nodes[child].calls;
	return calls;
}

static void add_probe(struct tee_perf_tree *tree, const struct tee_perf_probe *probe)
{
	for (uint32_t node = 0; node < tree->count; node++) {
		const struct tee_perf_node *own = &tree->track->cct.nodes[node];
		double ns = tee_perf_probe_ns(probe, own->self_ns, own->calls, calls_made(tree, node));
		tree->probe_ns[node] = (uint64_t)(ns + 0.5);
	}
}

int tee_perf_tree_build(struct tee_perf_tree *tree, const struct tee_perf_track *track,
			const struct tee_perf_probe *probe, bool net)
{
	uint32_t count = track->cct.count;
	*tree = (struct tee_perf_tree){ .track = track,
					.count = count,
					.self_ns = calloc(count, sizeof(uint64_t)),
					.total_ns = calloc(count, sizeof(uint64_t)),
					.probe_ns = calloc(count, sizeof(uint64_t)),
					.first_child = calloc(count, sizeof(uint32_t)),
					.next_sibling = calloc(count, sizeof(uint32_t)),
					.depth = calloc(count, sizeof(uint32_t)) };
	if (tree->self_ns == NULL || tree->total_ns == NULL || tree->probe_ns == NULL || tree->first_child == NULL ||
	    tree->next_sibling == NULL || tree->depth == NULL) {
		tee_perf_tree_clear(tree);
		return -1;
	}
	link_children(tree);
	if (probe != NULL)
		add_probe(tree, probe);
	for (uint32_t node = count; node-- > 0;) { /* children have higher numbers than their parents */
		uint64_t self = track->cct.nodes[node].self_ns, probe_ns = tree->probe_ns[node];
		if (net)
			self = self > probe_ns ? self - probe_ns : 0;
		tree->self_ns[node] = self;
		tree->total_ns[node] += self;
		if (node != 0)
			tree->total_ns[track->cct.parents[node]] += tree->total_ns[node];
	}
	return 0;
}

int tee_perf_tree_walk(const struct tee_perf_tree *tree, const struct tee_perf_tree_visitor *visitor)
{
	uint32_t node = 0, depth = 0;
	for (;;) {
		int result = visitor->enter(visitor->argument, tree, node, depth);
		if (result != 0)
			return result;
		if (tree->first_child[node] != 0) {
			node = tree->first_child[node];
			depth++;
			continue;
		}
		for (;;) {
			if (visitor->leave != NULL) {
				result = visitor->leave(visitor->argument, tree, node, depth);
				if (result != 0)
					return result;
			}
			if (node == 0)
				return 0;
			if (tree->next_sibling[node] != 0) {
				node = tree->next_sibling[node];
				break;
			}
			node = tree->track->cct.parents[node];
			depth--;
		}
	}
}
