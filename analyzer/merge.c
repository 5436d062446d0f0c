/* SPDX-License-Identifier: MIT */
/* Joining what was seen of one thread in pieces: a profile that goes on where single calls end, and the segments of a
 * track that began deep in the stack. */
#include "analyzer/model_internal.h"

#include <stdlib.h>

#define NO_SEGMENT UINT32_MAX

/* While `from` is added to `into`. A segment's number is its place in from->segments; the last one has none there. */
struct merge {
	struct tee_perf_track *into;
	const struct tee_perf_track *from;
	uint32_t *function_of; /* by function of from: that of into */
	uint32_t *segment_of;  /* by node of from */
	uint64_t *segment_ns;  /* by segment: all time below its root */
	uint32_t *root_of;     /* by segment: the node of into that it ran below */
	uint32_t *node_of;     /* by node of from: that of into */
};

static bool is_stack_root(const struct tee_perf_cct *cct, uint32_t node)
{
	uint32_t function = cct->nodes[node].function;
	return cct->parents[node] == 0 && (function == TEE_PERF_PSEUDO_STACK || function == TEE_PERF_PSEUDO_GUESSED);
}

/* Which segment each node ran in, and how long each took. Stacks other than the first have no segments. */
static void measure_segments(struct merge *merge)
{
	const struct tee_perf_track *from = merge->from;
	for (uint32_t i = 0; i < from->cct.count; i++)
		merge->segment_of[i] = NO_SEGMENT;
	for (uint32_t i = 0; i < from->segment_count; i++)
		merge->segment_of[from->segments[i].root] = i;
	merge->segment_of[from->root] = from->segment_count;
	for (uint32_t i = 0; i < from->cct.count; i++) {
		uint32_t *segment = &merge->segment_of[i];
		if (*segment == NO_SEGMENT && i != 0 && i != from->cct.overflow && !is_stack_root(&from->cct, i))
			*segment = merge->segment_of[from->cct.parents[i]];
		if (*segment != NO_SEGMENT)
			merge->segment_ns[*segment] += from->cct.nodes[i].self_ns;
	}
}

/* What a record of `from` means for the frames that are open in `into`. Calls themselves are in the tree of `from`. */
static void end_frames(struct tee_perf_track *into, enum tee_perf_kind kind, uint64_t w1)
{
	struct tee_perf_record record = { (uint64_t)kind << TEE_PERF_KIND_SHIFT, w1 };
	if (kind == TEE_PERF_CALL || kind == TEE_PERF_CALL_INLINED)
		tee_perf_track_unwind(into, tee_perf_cfa(w1), kind == TEE_PERF_CALL);
	else
		tee_perf_track_apply(into, &record);
}

/* Plays what ended each segment on the frames that are open in `into`. */
static void place_segments(struct merge *merge)
{
	struct tee_perf_track *into = merge->into;
	const struct tee_perf_track *from = merge->from;
	tee_perf_track_advance(into, from->first_ns);
	if (from->first_call_kind != 0)
		end_frames(into, from->first_call_kind, from->first_call_w1);
	for (uint32_t i = 0; i <= from->segment_count; i++) {
		const struct tee_perf_segment *segment = i < from->segment_count ? &from->segments[i] : NULL;
		if (segment != NULL)
			tee_perf_stacks_assign(into, tee_perf_cfa(segment->end_w1));
		merge->root_of[i] = into->hot.top->node;
		uint64_t room = TEE_PERF_TIME_MASK - into->hot.time; /* what a file claims may not reach the flags */
		into->hot.time += merge->segment_ns[i] < room ? merge->segment_ns[i] : room;
		uint64_t end = segment != NULL ? segment->end_ns : from->now_ns;
		into->now_ns = end > into->now_ns ? end : into->now_ns;
		if (segment == NULL)
			break;
		end_frames(into, segment->end_kind, segment->end_w1);
	}
}

static uint32_t find_function(struct tee_perf_cct *cct, const struct tee_perf_function *function)
{
	if (function->stale)
		return tee_perf_cct_stale_function(cct, function->entry, function->first_ns);
	return tee_perf_cct_function(cct, function->entry, function->first_ns);
}

static int add_functions(struct merge *merge)
{
	struct tee_perf_cct *cct = &merge->into->cct;
	const struct tee_perf_cct *from = &merge->from->cct;
	for (uint32_t i = 0; i < from->function_count; i++) {
		const struct tee_perf_function *function = &from->functions[i];
		merge->function_of[i] = tee_perf_is_pseudo(i) ? i : find_function(cct, function);
		struct tee_perf_function *sum = &cct->functions[merge->function_of[i]];
		sum->sum_ns += function->sum_ns;
		sum->timed_count += function->timed_count;
		sum->min_ns = function->min_ns < sum->min_ns ? function->min_ns : sum->min_ns;
		sum->max_ns = function->max_ns > sum->max_ns ? function->max_ns : sum->max_ns;
		sum->unwound_count += function->unwound_count;
		sum->unconfirmed_count += function->unconfirmed_count;
		sum->open_count += function->open_count;
		if (tee_perf_histogram_merge(&sum->durations, &function->durations) != 0)
			return -1;
	}
	return 0;
}

static uint32_t place_node(struct merge *merge, uint32_t node)
{
	struct tee_perf_cct *cct = &merge->into->cct;
	const struct tee_perf_cct *from = &merge->from->cct;
	uint32_t segment = merge->segment_of[node], parent = from->parents[node];
	bool is_root = segment == merge->from->segment_count
			   ? node == merge->from->root
			   : segment != NO_SEGMENT && node == merge->from->segments[segment].root;
	if (is_root)
		return merge->root_of[segment];
	if (node == from->overflow)
		return cct->overflow;
	uint32_t below = is_stack_root(from, node) ? 0 : merge->node_of[parent];
	return tee_perf_cct_attach(cct, below, merge->function_of[from->nodes[node].function]);
}

static void add_nodes(struct merge *merge)
{
	struct tee_perf_cct *cct = &merge->into->cct;
	const struct tee_perf_cct *from = &merge->from->cct;
	for (uint32_t node = 0; node < from->count; node++) {
		uint32_t place = merge->node_of[node] = place_node(merge, node);
		cct->nodes[place].calls += from->nodes[node].calls;
		cct->nodes[place].self_ns += from->nodes[node].self_ns;
	}
}

static void add_counts(struct tee_perf_counts *into, const struct tee_perf_counts *from)
{
	uint64_t *sums = (uint64_t *)into;
	const uint64_t *terms = (const uint64_t *)from;
	for (size_t i = 0; i < sizeof *into / sizeof *sums; i++)
		sums[i] += terms[i];
}

static int add_marks(struct tee_perf_track *into, const struct tee_perf_track *from)
{
	for (uint32_t i = 0; i < from->mark_count; i++) {
		if (tee_perf_grow(&into->marks, into->mark_count, &into->mark_capacity, sizeof *into->marks) != 0)
			return -1;
		into->marks[into->mark_count++] = from->marks[i];
	}
	return 0;
}

/* The tree of from goes into that of into; hints of into are not kept. */
static int merge_trees(struct tee_perf_track *into, const struct tee_perf_track *from)
{
	uint32_t segments = from->segment_count + 1;
	struct merge merge = { .into = into,
			       .from = from,
			       .function_of = calloc(from->cct.function_count, sizeof(uint32_t)),
			       .segment_of = calloc(from->cct.count, sizeof(uint32_t)),
			       .segment_ns = calloc(segments, sizeof(uint64_t)),
			       .root_of = calloc(segments, sizeof(uint32_t)),
			       .node_of = calloc(from->cct.count, sizeof(uint32_t)) };
	int result = -1;
	if (merge.function_of != NULL && merge.segment_of != NULL && merge.segment_ns != NULL &&
	    merge.root_of != NULL && merge.node_of != NULL) {
		measure_segments(&merge);
		place_segments(&merge);
		result = add_functions(&merge);
		add_nodes(&merge);
		into->hot.hint = &into->cct.nodes[into->hot.top->node].child;
	}
	free(merge.function_of);
	free(merge.segment_of);
	free(merge.segment_ns);
	free(merge.root_of);
	free(merge.node_of);
	return result;
}

int tee_perf_track_merge(struct tee_perf_track *into, const struct tee_perf_track *from)
{
	uint64_t orphans = into->counts.orphan_returns;
	if (merge_trees(into, from) != 0 || add_marks(into, from) != 0)
		return -1;
	uint64_t still = into->counts.orphan_returns - orphans; /* the others have found their call */
	into->counts.orphan_returns = orphans;
	add_counts(&into->counts, &from->counts);
	uint64_t ended = 0;
	for (uint32_t i = 0; i < from->segment_count; i++)
		ended += from->segments[i].end_kind == TEE_PERF_RETURN;
	into->counts.orphan_returns -= ended - still;
	return 0;
}

void tee_perf_track_take_over(struct tee_perf_track *into, struct tee_perf_track *from)
{
	tee_perf_cct_free(&into->cct);
	into->cct = from->cct;
	from->cct = (struct tee_perf_cct){ 0 };
	into->segments = from->segments;
	into->segment_count = from->segment_count;
	into->segment_capacity = from->segment_capacity;
	from->segments = NULL;
	into->marks = from->marks;
	into->mark_count = from->mark_count;
	into->mark_capacity = from->mark_capacity;
	from->marks = NULL;
	into->root = from->root;
	into->first_call_w1 = from->first_call_w1;
	into->first_call_kind = from->first_call_kind;
	into->counts = from->counts;
	into->guessed_stacks = from->guessed_stacks;
	into->clock = from->clock;
	into->first_ns = from->first_ns;
	into->now_ns = from->now_ns;
	into->started = true;
	into->stack->frames[0].node = into->root;
	into->hot.hint = &into->cct.nodes[into->root].child;
}

/* Opens the frames that the segments name, the outermost first. Their calls were not seen. */
static void presume_frames(struct tee_perf_track *into, const struct tee_perf_track *from)
{
	uint32_t low = tee_perf_cfa(from->segments[0].end_w1);
	uint32_t high = tee_perf_cfa(from->segments[from->segment_count - 1].end_w1);
	uint64_t base = UINT64_C(1) << 32 | low;
	tee_perf_stacks_announce(into, base - 1, base + (uint32_t)(high - low), false);
	tee_perf_stacks_assign(into, high);
	for (uint32_t i = from->segment_count; i-- > 0;) {
		const struct tee_perf_segment *segment = &from->segments[i];
		bool names = segment->end_kind == TEE_PERF_RETURN || segment->end_kind == TEE_PERF_RESYNC;
		if (!names || into->hot.top->w1 == segment->end_w1 || tee_perf_track_room(into, 1) != 0)
			continue;
		uint32_t node = tee_perf_track_enter(into, (uint32_t)segment->end_w1);
		*++into->hot.top = (struct tee_perf_frame){ segment->end_w1, TEE_PERF_FRAME_UNCONFIRMED, node };
		into->hot.hint = &into->cct.nodes[node].child;
	}
}

int tee_perf_track_settle(struct tee_perf_track *track)
{
	if (track->segment_count == 0)
		return 0;
	struct tee_perf_track whole;
	uint32_t node_count = 0, *shared_count = track->cct.shared_count;
	if (tee_perf_track_init(&whole, track->model, track->process, track->thread) != 0)
		return -1;
	tee_perf_cct_count_in(&whole.cct, &node_count); /* both trees exist for a while: the limit is not for that */
	whole.observer = NULL;
	tee_perf_track_advance(&whole, track->first_ns);
	presume_frames(&whole, track);
	int result = merge_trees(&whole, track);
	if (result == 0) {
		tee_perf_track_close(&whole, TEE_PERF_UNWOUND);
		struct tee_perf_cct old = track->cct;
		track->cct = whole.cct;
		whole.cct = old;
		tee_perf_cct_count_in(&whole.cct, &node_count);
		tee_perf_cct_count_in(&track->cct, shared_count);
		track->segment_count = 0;
		track->root = 0;
	}
	tee_perf_track_clear(&whole);
	return result;
}
