/* SPDX-License-Identifier: MIT */
#include "analyzer/model_internal.h"

#include <stdlib.h>

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

static bool same_time(uint64_t a, uint64_t b)
{
	return ((a ^ b) & TEE_PERF_TIME_MASK) == 0;
}

/* The rare paths take the state by value: it never escapes, so the loop keeps it in registers. */
static __attribute__((noinline)) struct tee_perf_hot apply(struct tee_perf_track *track, struct tee_perf_hot hot,
							   const struct tee_perf_record *record)
{
	track->hot = hot;
	tee_perf_track_apply(track, record);
	return track->hot;
}

static __attribute__((noinline)) struct tee_perf_hot change_time(struct tee_perf_track *track, struct tee_perf_hot hot,
								 const struct tee_perf_record *record)
{
	track->hot = hot;
	tee_perf_track_time(track, record);
	return track->hot;
}

static __attribute__((noinline)) struct tee_perf_hot enter(struct tee_perf_track *track, struct tee_perf_hot hot,
							   uint32_t entry, uint32_t *node)
{
	track->hot = hot;
	*node = tee_perf_track_enter(track, entry);
	return track->hot;
}

/* A straight piece of the TSC's way, as far as it goes: ns + (ticks - begin) * scale >> TEE_PERF_TSC_SHIFT. */
struct line {
	uint64_t begin, span, ns, scale;
};

/* With the TSC nearly every record has a time of its own, so its conversion has a fast path too; not while anything is
 * going on that a change of time might have to do with. */
static bool has_line(const struct tee_perf_track *track)
{
	return track->clock == TEE_PERF_CLOCK_TSC && track->model->tsc_count >= 2 && !track->off &&
	       track->remap_ns == UINT64_MAX && track->stack->previous == NULL;
}

static struct line find_line(const struct tee_perf_track *track)
{
	const struct tee_perf_model *model = track->model;
	if (!has_line(track) || track->tsc_cursor >= model->tsc_count)
		return (struct line){ 0 };
	const struct tee_perf_tsc_point *point = &model->tsc[track->tsc_cursor];
	bool last = track->tsc_cursor + 1 == model->tsc_count;
	uint64_t span = (last ? TEE_PERF_TIME_MASK : point[1].ticks) - point->ticks;
	return (struct line){ point->ticks, span, point->ns, point->scale };
}

/* The time of a record between two straight points goes to the top frame. False: it is not that simple. */
static inline bool pass_ticks(struct tee_perf_track *track, struct tee_perf_hot *hot, struct tee_perf_node *nodes,
			      const struct line *line, uint64_t w0)
{
	uint64_t ticks = (w0 & TEE_PERF_TIME_MASK) - line->begin;
	if (unlikely(ticks >= line->span))
		return false;
	uint64_t ns = line->ns + (uint64_t)((unsigned __int128)ticks * line->scale >> TEE_PERF_TSC_SHIFT);
	uint64_t passed = ns - track->now_ns;
	if (unlikely(passed > TEE_PERF_TIME_MASK)) /* it went back */
		return false;
	nodes[hot->top->node].self_ns += passed;
	hot->time += passed;
	hot->w0 = w0;
	track->now_ns = ns;
	return true;
}

/* A call strictly below the top frame and in the same stack: both in one comparison, because the sentinel lies in the
 * stack too. A return that names the top frame. All else goes to apply(). Returns where it stopped: at the end, or
 * where the other loop has to go on. */
static inline __attribute__((always_inline)) const struct tee_perf_record *
feed_loop(struct tee_perf_track *track, const struct tee_perf_record *record, const struct tee_perf_record *end,
	  const bool by_ticks)
{
	struct tee_perf_hot hot = track->hot;
	struct tee_perf_node *nodes = track->cct.nodes;
	const struct tee_perf_frame *limit = track->stack->frames + track->stack->capacity;
	struct line line = find_line(track);
	for (; record < end; record++) {
		uint64_t w1 = record->w1;
		unsigned kind = (unsigned)(record->w0 >> TEE_PERF_KIND_SHIFT);
		bool passed = by_ticks && kind <= TEE_PERF_RETURN && pass_ticks(track, &hot, nodes, &line, record->w0);
		if (!passed && unlikely(!same_time(record->w0, hot.w0))) {
			hot = change_time(track, hot, record);
			nodes = track->cct.nodes;
			limit = track->stack->frames + track->stack->capacity;
			line = find_line(track);
		}
		if (kind == TEE_PERF_CALL) {
			uint32_t below_top = tee_perf_cfa(hot.top->w1) - hot.lo;
			if (likely(tee_perf_cfa(w1) - hot.lo < below_top && hot.top + 1 < limit)) {
				uint32_t number = *hot.hint;
				if (unlikely(nodes[number].entry != (uint32_t)w1)) {
					hot = enter(track, hot, (uint32_t)w1, &number);
					nodes = track->cct.nodes;
				}
				nodes[number].calls++;
				hot.hint = &nodes[number].child;
				hot.top++;
				*hot.top = (struct tee_perf_frame){ w1, hot.time, number };
				continue;
			}
		} else if (kind == TEE_PERF_RETURN && likely(hot.top->w1 == w1)) {
			uint64_t start = hot.top->start;
			if (likely(start == hot.time) || likely((start & TEE_PERF_FRAME_FLAGS) == 0)) {
				if (start != hot.time)
					tee_perf_track_time_return(track, hot.top, hot.time);
				hot.hint = &nodes[hot.top->node].next;
				hot.top--;
				continue;
			}
		}
		hot = apply(track, hot, record);
		nodes = track->cct.nodes;
		limit = track->stack->frames + track->stack->capacity;
		line = find_line(track);
		if (has_line(track) != by_ticks) {
			record++;
			break;
		}
	}
	track->hot = hot;
	return record;
}

static __attribute__((noinline)) const struct tee_perf_record *
feed_published(struct tee_perf_track *track, const struct tee_perf_record *record, const struct tee_perf_record *end)
{
	return feed_loop(track, record, end, false);
}

static __attribute__((noinline)) const struct tee_perf_record *
feed_ticks(struct tee_perf_track *track, const struct tee_perf_record *record, const struct tee_perf_record *end)
{
	return feed_loop(track, record, end, true);
}

static void feed_fast(struct tee_perf_track *track, const struct tee_perf_record *record,
		      const struct tee_perf_record *end)
{
	while (record < end)
		record = has_line(track) ? feed_ticks(track, record, end) : feed_published(track, record, end);
}

/* Single calls are wanted: every record takes the general path, which tells the observer. */
static void feed_observed(struct tee_perf_track *track, const struct tee_perf_record *record,
			  const struct tee_perf_record *end)
{
	for (; record < end; record++) {
		if (!same_time(record->w0, track->hot.w0))
			tee_perf_track_time(track, record);
		tee_perf_track_apply(track, record);
	}
}

void tee_perf_track_feed(struct tee_perf_track *track, const struct tee_perf_record *records, size_t count)
{
	if (count == 0)
		return;
	track->batch = records;
	if (!track->started)
		tee_perf_track_time(track, records); /* a first time that looks like no change, too */
	if (track->observer != NULL)
		feed_observed(track, records, records + count);
	else
		feed_fast(track, records, records + count);
	track->counts.records += count;
}

int tee_perf_track_init(struct tee_perf_track *track, struct tee_perf_model *model, uint32_t process, uint32_t thread)
{
	*track =
	    (struct tee_perf_track){ .model = model, .process = process, .thread = thread, .remap_ns = UINT64_MAX };
	track->observer = model->observer;
	if (tee_perf_cct_init(&track->cct, &model->node_count) != 0)
		return -1;
	if (tee_perf_stacks_init(track) == 0)
		return 0;
	tee_perf_cct_free(&track->cct);
	return -1;
}

void tee_perf_track_clear(struct tee_perf_track *track)
{
	tee_perf_stacks_clear(track);
	tee_perf_cct_free(&track->cct);
	free(track->marks);
	free(track->walk.w1);
	free(track->segments);
}
