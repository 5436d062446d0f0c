/* SPDX-License-Identifier: MIT */
/* What happens when a record's time differs from the one before: with the default clock about once per 250 records. */
#include "analyzer/model_internal.h"

/* The gap that a time lies in; NULL: none. The cursor only goes on, as a thread's time does. */
static const struct tee_perf_gap *find_gap(struct tee_perf_track *track, uint64_t ns)
{
	const struct tee_perf_model *model = track->model;
	while (track->gap_cursor < model->gap_count && model->gaps[track->gap_cursor].to_ns <= ns)
		track->gap_cursor++;
	if (track->gap_cursor == model->gap_count || model->gaps[track->gap_cursor].from_ns > ns)
		return NULL;
	return &model->gaps[track->gap_cursor];
}

/* The host's clock was not published between two times. A record that carries the last time before such a gap may
 * have happened anywhere in it, so the time up to the gap's end belongs to nobody in particular. (A gap that begins
 * later than the thread's last record holds no record at all: the same function ran all through it.) */
static uint64_t unresolved_time(struct tee_perf_track *track, uint64_t from, uint64_t to)
{
	const struct tee_perf_gap *gap = &track->held_gap;
	if (from < gap->from_ns || from >= gap->to_ns)
		gap = find_gap(track, from);
	if (gap == NULL)
		return 0;
	return (gap->to_ns < to ? gap->to_ns : to) - from;
}

void tee_perf_track_hold_gap(struct tee_perf_track *track)
{
	const struct tee_perf_gap *gap = find_gap(track, track->now_ns);
	if (gap != NULL)
		track->held_gap = *gap;
	track->gap_cursor = 0;
}

/* Time that belongs to nobody in particular goes below the deepest frame that was open ever since the time last
 * changed; for those pushed since, which carry the present time, it has not passed. After a change of stacks that is
 * no frame of this one, and the time passes on none. */
static void give_unresolved(struct tee_perf_track *track, uint64_t duration)
{
	uint32_t below = track->root;
	struct tee_perf_frame *frame = track->hot.top;
	if (track->switched) {
		track->hot.time -= duration;
	} else {
		for (; !tee_perf_frame_is_bottom(frame) &&
		       (frame->start & ~TEE_PERF_FRAME_FLAGS) == track->hot.time - duration;
		     frame--)
			frame->start += duration;
		below = frame->node;
	}
	uint32_t node = tee_perf_track_pseudo(track, below, TEE_PERF_PSEUDO_UNRESOLVED);
	track->cct.nodes[node].self_ns += duration;
}

static void give_top(struct tee_perf_track *track, uint64_t duration)
{
	track->cct.nodes[track->hot.top->node].self_ns += duration;
	if (track->observer != NULL)
		track->stack->extras[track->hot.top - track->stack->frames].self_ns += duration;
}

static void pass_remaps(struct tee_perf_track *track)
{
	const struct tee_perf_model *model = track->model;
	for (; track->remap_cursor < model->remap_count; track->remap_cursor++) {
		const struct tee_perf_remap *remap = &model->remaps[track->remap_cursor];
		if (remap->time_ns > track->now_ns)
			break;
		if (remap->process == track->process)
			(void)tee_perf_cct_retire(&track->cct, remap->begin, remap->size);
	}
	tee_perf_track_plan_remap(track);
}

void tee_perf_track_plan_remap(struct tee_perf_track *track)
{
	track->remap_ns = UINT64_MAX;
	for (uint32_t i = track->remap_cursor; i < track->model->remap_count; i++)
		if (track->model->remaps[i].process == track->process) {
			track->remap_ns = track->model->remaps[i].time_ns;
			return;
		}
}

/* The thread's time goes on to ns; the last waited_ns of it the thread waited for the recorder. clock: of the time
 * that passes. */
static void advance(struct tee_perf_track *track, uint64_t ns, uint64_t waited_ns, enum tee_perf_clock clock)
{
	uint64_t passed = ns - track->now_ns;
	if (track->off) {
		track->counts.off_ns += passed;
		track->now_ns = ns;
		return;
	}
	tee_perf_stacks_leave(track);
	waited_ns = waited_ns < passed ? waited_ns : passed;
	track->counts.waited_ns += waited_ns;
	passed -= waited_ns;
	uint64_t unresolved = 0;
	if (clock == TEE_PERF_CLOCK_HOST)
		unresolved = unresolved_time(track, track->now_ns, track->now_ns + passed);
	track->hot.time += unresolved;
	if (unresolved != 0)
		give_unresolved(track, unresolved);
	give_top(track, passed - unresolved);
	track->hot.time += passed - unresolved;
	track->now_ns = ns;
	track->switched = false;
	if (ns >= track->remap_ns)
		pass_remaps(track);
}

static uint64_t time_of(struct tee_perf_track *track, uint64_t time)
{
	return tee_perf_model_to_ns(track->model, track->clock, time & TEE_PERF_TIME_MASK, &track->tsc_cursor);
}

static uint64_t waited_time(struct tee_perf_track *track, const struct tee_perf_record *record, uint64_t ns)
{
	uint64_t time = record->w0 & TEE_PERF_TIME_MASK;
	if (record->w0 >> TEE_PERF_KIND_SHIFT != TEE_PERF_GAP)
		return 0;
	if (record->w1 >= time)
		return UINT64_MAX;
	return ns - time_of(track, time - record->w1);
}

static void start(struct tee_perf_track *track, uint64_t ns)
{
	track->started = true;
	track->first_ns = track->now_ns = ns;
	if (ns >= track->remap_ns)
		pass_remaps(track);
}

void tee_perf_track_advance(struct tee_perf_track *track, uint64_t ns)
{
	if (!track->started)
		start(track, ns);
	else if (ns > track->now_ns)
		advance(track, ns, 0, track->clock);
}

/* From the record with this number on. */
static void set_clock(struct tee_perf_track *track, enum tee_perf_clock clock, uint64_t number)
{
	if (track->clock == TEE_PERF_CLOCK_TSC)
		track->counts.tsc_records += number - track->clock_since;
	track->clock_since = number;
	track->clock = clock;
	track->switched = false;
}

void tee_perf_track_time(struct tee_perf_track *track, const struct tee_perf_record *record)
{
	enum tee_perf_clock before = track->clock;
	if (record->w0 >> TEE_PERF_KIND_SHIFT == TEE_PERF_META) {
		uint64_t what = record->w1 & 0xff;
		if (what == TEE_PERF_META_CLOCK) /* the time is already one of the new clock */
			set_clock(track,
				  record->w1 >> 8 == TEE_PERF_CLOCK_TSC ? TEE_PERF_CLOCK_TSC : TEE_PERF_CLOCK_HOST,
				  track->counts.records + (uint64_t)(record - track->batch));
		else if (track->started && (what == TEE_PERF_META_LOST || what == TEE_PERF_META_HOLE))
			/* nobody knows what ran since the last record: the time is not the top frame's */
			tee_perf_track_unconfirm(track, TEE_PERF_PSEUDO_LOST);
	}
	uint64_t ns = time_of(track, record->w0);
	uint64_t waited = waited_time(track, record, ns);
	track->hot.w0 = record->w0;
	if (!track->started) {
		start(track, ns);
		return;
	}
	if (ns < track->now_ns) {
		track->counts.backwards++;
		bool names = record->w0 >> TEE_PERF_KIND_SHIFT <= TEE_PERF_RESYNC;
		tee_perf_track_found(track, TEE_PERF_FOUND_BACKWARDS, 1, names ? (uint32_t)record->w1 : 0);
		ns = track->now_ns;
	}
	if (ns != track->now_ns)
		advance(track, ns, waited, before);
}

static void find_open(struct tee_perf_track *track, void *open)
{
	if (!tee_perf_frame_is_bottom(track->hot.top))
		*(bool *)open = true;
}

void tee_perf_track_finish(struct tee_perf_track *track, uint64_t end_ns)
{
	bool open = false;
	tee_perf_stacks_each(track, find_open, &open);
	if (open)
		tee_perf_track_advance(track, end_ns);
	tee_perf_track_close(track, TEE_PERF_OPEN);
	set_clock(track, track->clock, track->counts.records); /* the count is complete now */
}
