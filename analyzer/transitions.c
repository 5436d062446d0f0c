/* SPDX-License-Identifier: MIT */
#include "analyzer/transitions.h"
#include "analyzer/transitions_internal.h"
#include "analyzer/tree.h"
#include "analyzer/view.h"
#include "runtime/abi.h"

#include <stdlib.h>
#include <string.h>

/* ---- pairs of caller and edge, over all threads */

static struct tee_perf_transition_pair *look_up(const struct tee_perf_transition_builder *b, uint32_t caller,
						uint32_t callee, uint32_t **slot)
{
	uint64_t key = (uint64_t)caller << 32 | callee;
	uint32_t place = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & b->mask;

	for (; b->slots[place] != 0; place = (place + 1) & b->mask) {
		struct tee_perf_transition_pair *pair = &b->pairs[b->slots[place] - 1];
		if (pair->caller == caller && pair->callee == callee)
			return pair;
	}
	*slot = &b->slots[place];
	return NULL;
}

static int grow(struct tee_perf_transition_builder *b)
{
	uint32_t *unused;

	if (tee_perf_grow(&b->pairs, b->pair_count, &b->pair_capacity, sizeof *b->pairs) != 0)
		return -1;
	if (b->slots != NULL && b->mask + 1 >= b->pair_capacity * 2)
		return 0;
	uint32_t *slots = calloc((size_t)b->pair_capacity * 2, sizeof *slots);
	if (slots == NULL)
		return -1;
	free(b->slots);
	b->slots = slots;
	b->mask = b->pair_capacity * 2 - 1;
	for (uint32_t i = 0; i < b->pair_count; i++) {
		look_up(b, b->pairs[i].caller, b->pairs[i].callee, &unused);
		*unused = i + 1;
	}
	return 0;
}

static int add_pair(struct tee_perf_transition_builder *b, uint32_t caller, uint32_t callee, uint64_t calls)
{
	uint32_t *slot;
	struct tee_perf_transition_pair *pair = look_up(b, caller, callee, &slot);

	if (pair == NULL) {
		if (grow(b) != 0)
			return -1;
		look_up(b, caller, callee, &slot);
		b->pairs[b->pair_count] = (struct tee_perf_transition_pair){ caller, callee, 0 };
		pair = &b->pairs[b->pair_count++];
		*slot = b->pair_count;
	}
	pair->calls += calls;
	return 0;
}

/* ---- walking the stacks */

static uint32_t symbol_of(const struct tee_perf_transition_builder *b, const struct tee_perf_tree *tree, uint32_t node)
{
	return tee_perf_symbols_of(b->recording->symbols, b->track, tree->track->cct.nodes[node].function);
}

/* The kind of edge that a node is, 0: none. */
static uint8_t edge_of(const struct tee_perf_transition_builder *b, uint32_t symbol)
{
	const struct tee_perf_symbol *s = tee_perf_symbols_at(b->recording->symbols, symbol);
	bool edge = !s->pseudo && (s->kind == TEE_PERF_ENTRY_OCALL || s->kind == TEE_PERF_ENTRY_ECALL);

	return edge ? (uint8_t)s->kind : 0;
}

/* b->within: by node, the kind of the innermost edge at or above it. */
static int enter_node(void *argument, const struct tee_perf_tree *tree, uint32_t node, uint32_t depth)
{
	struct tee_perf_transition_builder *b = argument;
	const struct tee_perf_cct *cct = &tree->track->cct;
	uint32_t symbol = symbol_of(b, tree, node), parent = cct->parents[node];
	uint8_t edge = edge_of(b, symbol), outer = depth == 0 ? 0 : b->within[parent];

	b->within[node] = edge != 0 ? edge : outer;
	if (edge == 0 || edge == outer)
		return 0;
	struct tee_perf_transition_sum *sum = &b->sums[symbol];
	sum->calls += cct->nodes[node].calls;
	if (sum->open++ == 0)
		sum->total_ns += tree->total_ns[node];
	return add_pair(b, symbol_of(b, tree, parent), symbol, cct->nodes[node].calls);
}

static int leave_node(void *argument, const struct tee_perf_tree *tree, uint32_t node, uint32_t depth)
{
	struct tee_perf_transition_builder *b = argument;
	uint32_t symbol = symbol_of(b, tree, node);
	uint8_t edge = edge_of(b, symbol), outer = depth == 0 ? 0 : b->within[tree->track->cct.parents[node]];

	if (edge != 0 && edge != outer)
		b->sums[symbol].open--;
	return 0;
}

static int walk_track(struct tee_perf_transition_builder *b)
{
	struct tee_perf_tree tree;
	const struct tee_perf_tree_visitor visitor = { enter_node, leave_node, b };
	int result = tee_perf_tree_build(&tree, b->recording->model->tracks[b->track], NULL, false);

	if (result != 0)
		return -1;
	b->within = calloc((size_t)tree.count + 1, 1);
	result = b->within == NULL ? -1 : tee_perf_tree_walk(&tree, &visitor);
	free(b->within);
	tee_perf_tree_clear(&tree);
	return result;
}

/* ---- rows */

static int by_calls(const void *left, const void *right)
{
	const struct tee_perf_transition_caller *a = left, *b = right;

	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

static int by_time(const void *left, const void *right)
{
	const struct tee_perf_transition *a = left, *b = right;

	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

static int take_callers(struct tee_perf_transition *row, const struct tee_perf_transition_builder *b)
{
	for (uint32_t i = 0; i < b->pair_count; i++)
		row->caller_count += b->pairs[i].callee == row->symbol;
	row->callers = calloc((size_t)row->caller_count + 1, sizeof *row->callers);
	if (row->callers == NULL)
		return -1;
	for (uint32_t i = 0, to = 0; i < b->pair_count; i++)
		if (b->pairs[i].callee == row->symbol)
			row->callers[to++] =
			    (struct tee_perf_transition_caller){ b->pairs[i].caller, b->pairs[i].calls };
	qsort(row->callers, row->caller_count, sizeof *row->callers, by_calls);
	return 0;
}

static int add_row(struct tee_perf_transitions *transitions, const struct tee_perf_transition_builder *b,
		   const struct tee_perf_row *from)
{
	const struct tee_perf_transition_sum *sum = &b->sums[from->symbol];
	struct tee_perf_transition *row = &transitions->rows[transitions->count];
	double seconds = (double)transitions->span_ns / 1e9;

	if (sum->calls == 0 && sum->total_ns == 0)
		return 0;
	transitions->count++;
	row->symbol = from->symbol;
	row->kind = edge_of(b, from->symbol);
	row->calls = sum->calls;
	row->total_ns = sum->total_ns;
	row->mean_ns = from->mean_ns;
	row->p99_ns = from->p99_ns;
	row->per_second = seconds > 0 ? (double)sum->calls / seconds : 0;
	row->crossing_ns = (double)sum->calls * tee_perf_transition_cost_ns(&transitions->cost, row->kind);
	return take_callers(row, b);
}

static int build(struct tee_perf_transitions *transitions, struct tee_perf_transition_builder *b)
{
	uint32_t symbols = tee_perf_symbols_count(b->recording->symbols);
	int result = 0;

	b->sums = calloc((size_t)symbols + 1, sizeof *b->sums);
	transitions->rows = calloc((size_t)b->functions.count + 1, sizeof *transitions->rows);
	if (b->sums == NULL || transitions->rows == NULL || grow(b) != 0)
		return -1;
	for (; b->track < b->recording->model->track_count && result == 0; b->track++)
		result = walk_track(b);
	for (uint32_t i = 0; i < b->functions.count && result == 0; i++) {
		b->sums[b->functions.rows[i].symbol].function_calls = b->functions.rows[i].calls;
		if (edge_of(b, b->functions.rows[i].symbol) != 0)
			result = add_row(transitions, b, &b->functions.rows[i]);
	}
	if (result != 0)
		return -1;
	qsort(transitions->rows, transitions->count, sizeof *transitions->rows, by_time);
	return tee_perf_transitions_advise(transitions, b);
}

/* From the first record to the last: the host's own start and end are not the enclave's. */
static uint64_t span(const struct tee_perf_model *model)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (uint32_t i = 0; i < model->track_count; i++) {
		const struct tee_perf_track *track = model->tracks[i];
		first = track->first_ns < first ? track->first_ns : first;
		last = track->now_ns > last ? track->now_ns : last;
	}
	return first < last ? last - first : 0;
}

int tee_perf_transitions_build(struct tee_perf_transitions *transitions, const struct tee_perf_recording *recording,
			       const struct tee_perf_transition_cost *cost, struct tee_perf_error *err)
{
	struct tee_perf_transition_builder b = { .recording = recording };
	struct tee_perf_view_options by_nothing = { .by = TEE_PERF_BY_NOTHING };

	*transitions = (struct tee_perf_transitions){ .cost = *cost, .span_ns = span(recording->model) };
	if (tee_perf_view_build(&b.functions, recording, &by_nothing, err) != 0)
		return -1;
	transitions->thread_time_ns = b.functions.thread_time_ns;
	int result = build(transitions, &b);
	tee_perf_view_clear(&b.functions);
	free(b.pairs);
	free(b.slots);
	free(b.sums);
	if (result == 0)
		return 0;
	tee_perf_transitions_clear(transitions);
	return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the transitions");
}

void tee_perf_transitions_clear(struct tee_perf_transitions *transitions)
{
	for (uint32_t i = 0; transitions->rows != NULL && i < transitions->count; i++)
		free(transitions->rows[i].callers);
	free(transitions->rows);
	free(transitions->chains);
	*transitions = (struct tee_perf_transitions){ 0 };
}
