/* SPDX-License-Identifier: MIT */
/* One record in full generality: unwinding, lost records, other stacks. Meta records are in track_meta.c. */
#include "analyzer/model_internal.h"

#include <stdlib.h>

uint32_t tee_perf_track_enter(struct tee_perf_track *track, uint32_t entry)
{
	struct tee_perf_cct *cct = &track->cct;
	size_t hint = (size_t)((char *)track->hot.hint - (char *)cct->nodes);
	uint32_t node = tee_perf_cct_child(cct, track->hot.top->node, entry, track->now_ns);
	track->hot.hint = (uint32_t *)((char *)cct->nodes + hint);
	if (node != cct->overflow) /* it has many parents: a hint to it would hold below the wrong one */
		*track->hot.hint = node;
	return node;
}

uint32_t tee_perf_track_pseudo(struct tee_perf_track *track, uint32_t parent, enum tee_perf_pseudo pseudo)
{
	struct tee_perf_cct *cct = &track->cct;
	size_t hint = (size_t)((char *)track->hot.hint - (char *)cct->nodes);
	uint32_t node = tee_perf_cct_pseudo_child(cct, parent, pseudo);
	track->hot.hint = (uint32_t *)((char *)cct->nodes + hint);
	return node;
}

static void reset_hint(struct tee_perf_track *track)
{
	track->hot.hint = &track->cct.nodes[track->hot.top->node].child;
}

int tee_perf_track_room(struct tee_perf_track *track, uint32_t count)
{
	struct tee_perf_stack *stack = track->stack;
	size_t used = (size_t)(track->hot.top - stack->frames) + 1, wanted = used + count;
	if (wanted <= stack->capacity)
		return 0;
	if (wanted > TEE_PERF_FRAMES_MAX)
		return -1;
	size_t capacity = wanted > (size_t)stack->capacity * 2 ? wanted : (size_t)stack->capacity * 2;
	if (track->observer != NULL) {
		struct tee_perf_frame_extra *extras = realloc(stack->extras, capacity * sizeof *extras);
		if (extras == NULL)
			return -1;
		stack->extras = extras;
	}
	struct tee_perf_frame *frames = realloc(stack->frames, capacity * sizeof *frames);
	if (frames == NULL)
		return -1;
	stack->frames = frames;
	stack->capacity = (uint32_t)capacity;
	track->hot.top = frames + used - 1;
	return 0;
}

static void observe_push(struct tee_perf_track *track)
{
	size_t place = (size_t)(track->hot.top - track->stack->frames);
	struct tee_perf_frame_extra *extra = &track->stack->extras[place];
	const struct tee_perf_frame *below = track->hot.top - 1;
	*extra = (struct tee_perf_frame_extra){ .id = track->observer->next_id++, .start_ns = track->now_ns };
	if (tee_perf_frame_is_bottom(below))
		return;
	extra->parent = extra[-1].id; /* a pseudo frame carries the id and depth of the frame it belongs to */
	extra->depth = extra[-1].depth + 1;
}

/* A function that was open when the track began has returned, or may have gone: what follows runs below another. */
static void end_segment(struct tee_perf_track *track, enum tee_perf_kind kind, uint64_t w1)
{
	struct tee_perf_cct *cct = &track->cct;
	if (track->segment_count == TEE_PERF_SEGMENTS_MAX ||
	    tee_perf_grow(&track->segments, track->segment_count, &track->segment_capacity, sizeof *track->segments) !=
		0)
		return;
	uint32_t root = tee_perf_cct_append(cct, 0, TEE_PERF_PSEUDO_THREAD);
	if (root == 0)
		return;
	track->segments[track->segment_count++] =
	    (struct tee_perf_segment){ .root = track->root, .end_w1 = w1, .end_ns = track->now_ns, .end_kind = kind };
	track->root = root;
	track->stack->frames[0].node = root;
	reset_hint(track);
}

/* A frame returns once, and what a resync or an inlined call ended need not be ended again. */
static bool is_old_news(const struct tee_perf_track *track, enum tee_perf_kind kind, uint64_t w1)
{
	if (track->segment_count == 0 || kind == TEE_PERF_CALL)
		return false;
	const struct tee_perf_segment *last = &track->segments[track->segment_count - 1];
	return kind == TEE_PERF_CALL_INLINED ? tee_perf_cfa(last->end_w1) == tee_perf_cfa(w1)
					     : last->end_w1 == w1 && last->end_kind == kind;
}

/* The stack is empty, and a record says that code with this CFA runs: the sentinel rises. A function of the same CFA
 * can still return after all but a call. */
static void raise_bottom(struct tee_perf_track *track, enum tee_perf_kind kind, uint64_t w1)
{
	struct tee_perf_frame *bottom = track->stack->frames;
	uint32_t lo = track->stack->lo, cfa = tee_perf_cfa(w1);
	if (cfa - lo < tee_perf_cfa(bottom->w1) - lo || is_old_news(track, kind, w1))
		return;
	bool is_first = tee_perf_cfa(bottom->w1) == lo;
	bottom->w1 = (uint64_t)(kind == TEE_PERF_CALL ? cfa + 1 : cfa) << 32;
	if (track->stack->has_holes)
		tee_perf_stacks_edge(track);
	if (bottom->node != track->root)
		return;
	if (is_first && kind <= TEE_PERF_CALL_INLINED) { /* nothing ran yet */
		track->first_call_w1 = w1;
		track->first_call_kind = kind;
	} else {
		end_segment(track, kind, w1);
	}
}

static void push(struct tee_perf_track *track, enum tee_perf_kind kind, uint64_t w1)
{
	if (tee_perf_frame_is_bottom(track->hot.top))
		raise_bottom(track, kind, w1);
	uint32_t node = tee_perf_track_enter(track, (uint32_t)w1);
	track->cct.nodes[node].calls++;
	if (tee_perf_track_room(track, 1) != 0) {
		track->counts.too_deep++;
		tee_perf_track_found(track, TEE_PERF_FOUND_DEEP, 1, (uint32_t)w1);
		return;
	}
	*++track->hot.top = (struct tee_perf_frame){ w1, track->hot.time, node };
	reset_hint(track);
	if (track->stack->has_holes && tee_perf_stacks_edge(track))
		track->hot.top->start |= TEE_PERF_FRAME_EDGE;
	if (track->observer != NULL)
		observe_push(track);
}

int tee_perf_track_reopen(struct tee_perf_track *track, uint64_t w1)
{
	if (tee_perf_frame_is_bottom(track->hot.top))
		raise_bottom(track, TEE_PERF_CALL, w1);
	uint32_t node = tee_perf_track_enter(track, (uint32_t)w1);
	if (tee_perf_track_room(track, 1) != 0) {
		track->counts.too_deep++;
		return -1;
	}
	*++track->hot.top = (struct tee_perf_frame){ w1, track->hot.time | TEE_PERF_FRAME_UNCONFIRMED, node };
	reset_hint(track);
	if (track->stack->has_holes && tee_perf_stacks_edge(track))
		track->hot.top->start |= TEE_PERF_FRAME_EDGE;
	if (track->observer != NULL) { /* id 0: not told of */
		struct tee_perf_frame_extra *extra = &track->stack->extras[track->hot.top - track->stack->frames];
		bool first = tee_perf_frame_is_bottom(track->hot.top - 1);
		*extra = (struct tee_perf_frame_extra){ .depth = first ? 0 : extra[-1].depth + 1 };
	}
	return 0;
}

static void add_duration(struct tee_perf_function *function, uint64_t duration)
{
	function->sum_ns += duration;
	function->timed_count++;
	if (duration < function->min_ns)
		function->min_ns = duration;
	if (duration > function->max_ns)
		function->max_ns = duration;
	tee_perf_histogram_add(&function->durations, tee_perf_histogram_bucket(duration), 1);
}

void tee_perf_track_time_return(struct tee_perf_track *track, struct tee_perf_frame *frame, uint64_t time)
{
	uint32_t function = track->cct.nodes[frame->node].function;
	add_duration(&track->cct.functions[function], time - frame->start);
}

void tee_perf_track_pop(struct tee_perf_track *track, enum tee_perf_ended how)
{
	struct tee_perf_frame *frame = track->hot.top;
	uint64_t start = frame->start & ~TEE_PERF_FRAME_FLAGS;
	if ((frame->start & TEE_PERF_FRAME_PSEUDO) == 0) {
		struct tee_perf_function *function = &track->cct.functions[track->cct.nodes[frame->node].function];
		bool unconfirmed = (frame->start & TEE_PERF_FRAME_UNCONFIRMED) != 0;
		if (unconfirmed)
			function->unconfirmed_count++;
		else if (start != track->hot.time)
			add_duration(function, track->hot.time - start);
		if (how == TEE_PERF_UNWOUND) {
			function->unwound_count++;
			tee_perf_track_found(track, TEE_PERF_FOUND_UNWOUND, 1, (uint32_t)frame->w1);
		} else if (how == TEE_PERF_OPEN)
			function->open_count++;
		const struct tee_perf_frame_extra *extra =
		    track->observer == NULL ? NULL : &track->stack->extras[frame - track->stack->frames];
		if (extra != NULL && extra->id != 0)
			track->observer->ended(track->observer, track, frame, extra, track->hot.time - start, how);
	}
	track->hot.top--;
	reset_hint(track);
	if (track->stack->has_holes)
		tee_perf_stacks_edge(track);
}

static void close_stack(struct tee_perf_track *track, void *how)
{
	while (!tee_perf_frame_is_bottom(track->hot.top))
		tee_perf_track_pop(track, *(const enum tee_perf_ended *)how);
}

void tee_perf_track_close(struct tee_perf_track *track, enum tee_perf_ended how)
{
	tee_perf_stacks_each(track, close_stack, &how);
}

/* A frame that nothing was lost about since it was pushed: one without a pseudo frame above it. It may have been pushed
 * by a walk, unconfirmed but known to be open. */
static bool is_known(const struct tee_perf_track *track, const struct tee_perf_frame *frame)
{
	return (frame->start & TEE_PERF_FRAME_PSEUDO) == 0 &&
	       (frame == track->hot.top || (frame[1].start & TEE_PERF_FRAME_PSEUDO) == 0);
}

/* Below a frame that has a pseudo frame all have: only the frames pushed since are new. Each gets a pseudo frame above
 * it, which becomes the top again once the frames above have gone. */
static void unconfirm_stack(struct tee_perf_track *track, void *argument)
{
	uint32_t count = 0;
	if (track->stack == track->walk.stack) /* its frames are known to be open at this moment */
		return;
	for (const struct tee_perf_frame *frame = track->hot.top;
	     !tee_perf_frame_is_bottom(frame) && is_known(track, frame); frame--)
		count++;
	if (count == 0 || tee_perf_track_room(track, count) != 0)
		return;
	size_t first = (size_t)(track->hot.top - track->stack->frames) + 1 - count;
	for (uint32_t i = count; i-- > 0;) {
		struct tee_perf_frame *from = track->stack->frames + first + i, *to = from + i;
		struct tee_perf_frame frame = *from;
		uint32_t node = tee_perf_track_pseudo(track, frame.node, *(const enum tee_perf_pseudo *)argument);
		to[1] = (struct tee_perf_frame){ frame.w1, track->hot.time | TEE_PERF_FRAME_PSEUDO, node };
		frame.start |= TEE_PERF_FRAME_UNCONFIRMED;
		*to = frame;
		if (track->observer != NULL) {
			struct tee_perf_frame_extra *extra = track->stack->extras + first;
			extra[2 * i] = extra[2 * i + 1] = extra[i];
		}
	}
	track->hot.top += count;
	reset_hint(track);
}

void tee_perf_track_unconfirm(struct tee_perf_track *track, enum tee_perf_pseudo pseudo)
{
	tee_perf_stacks_each(track, unconfirm_stack, &pseudo);
}

/* Pops every frame that cannot be alive when code with this CFA runs: CFAs below it, and equal ones if told. */
static void pop_dead(struct tee_perf_track *track, uint32_t cfa, bool equal_too)
{
	while (!tee_perf_frame_is_bottom(track->hot.top)) {
		int32_t above = (int32_t)(tee_perf_cfa(track->hot.top->w1) - cfa);
		if (above > 0 || (above == 0 && !equal_too))
			break;
		tee_perf_track_pop(track, TEE_PERF_UNWOUND);
	}
}

void tee_perf_track_unwind(struct tee_perf_track *track, uint32_t cfa, bool equal_too)
{
	tee_perf_stacks_assign(track, cfa);
	pop_dead(track, cfa, equal_too);
}

/* Among the frames of the record's CFA, which are now the topmost, the one that the record names; NULL: none. */
static struct tee_perf_frame *find_named(const struct tee_perf_track *track, uint64_t w1)
{
	struct tee_perf_frame *frame = track->hot.top;
	for (; !tee_perf_frame_is_bottom(frame) && tee_perf_cfa(frame->w1) == tee_perf_cfa(w1); frame--)
		if (frame->w1 == w1 && (frame->start & TEE_PERF_FRAME_PSEUDO) == 0)
			return frame;
	return NULL;
}

/* Another function returns from, or runs at, the place of frames that were unconfirmed: they ended unseen. Not those of
 * a walk: what has returned was inlined in them. */
static void pop_ended_in_gap(struct tee_perf_track *track, uint32_t cfa)
{
	bool lost = false;
	while (!tee_perf_frame_is_bottom(track->hot.top) && tee_perf_cfa(track->hot.top->w1) == cfa &&
	       (track->hot.top->start & TEE_PERF_FRAME_DOUBT) != 0) {
		bool pseudo = (track->hot.top->start & TEE_PERF_FRAME_PSEUDO) != 0;
		if (!pseudo && !lost)
			return;
		lost = pseudo;
		tee_perf_track_pop(track, TEE_PERF_LOST_IN_GAP);
	}
}

/* Makes the frame that the record names the top. false: it is not open. */
static bool return_to(struct tee_perf_track *track, uint64_t w1)
{
	tee_perf_stacks_assign(track, tee_perf_cfa(w1));
	pop_dead(track, tee_perf_cfa(w1), false);
	const struct tee_perf_frame *named = find_named(track, w1);
	if (named == NULL) {
		pop_ended_in_gap(track, tee_perf_cfa(w1));
		return false;
	}
	size_t place = (size_t)(named - track->stack->frames);
	while ((size_t)(track->hot.top - track->stack->frames) > place)
		tee_perf_track_pop(track, TEE_PERF_UNWOUND);
	return true;
}

static void apply_call(struct tee_perf_track *track, const struct tee_perf_record *record, enum tee_perf_kind kind)
{
	tee_perf_track_unwind(track, tee_perf_cfa(record->w1), kind == TEE_PERF_CALL);
	push(track, kind, record->w1);
}

static void apply_return(struct tee_perf_track *track, const struct tee_perf_record *record)
{
	if (return_to(track, record->w1)) {
		tee_perf_track_pop(track, TEE_PERF_RETURNED);
		return;
	}
	track->counts.orphan_returns++;
	tee_perf_track_found(track, track->was_paused ? TEE_PERF_FOUND_PAUSED_RETURN : TEE_PERF_FOUND_RETURN, 1,
			     (uint32_t)record->w1);
	if (tee_perf_frame_is_bottom(track->hot.top))
		raise_bottom(track, TEE_PERF_RETURN, record->w1);
}

static void apply_resync(struct tee_perf_track *track, const struct tee_perf_record *record)
{
	tee_perf_stacks_resync(track, tee_perf_cfa(record->w1));
	if (!return_to(track, record->w1) && tee_perf_frame_is_bottom(track->hot.top))
		raise_bottom(track, TEE_PERF_RESYNC, record->w1);
}

void tee_perf_track_apply(struct tee_perf_track *track, const struct tee_perf_record *record)
{
	switch (record->w0 >> TEE_PERF_KIND_SHIFT) {
	case TEE_PERF_CALL:
		apply_call(track, record, TEE_PERF_CALL);
		break;
	case TEE_PERF_CALL_INLINED:
		apply_call(track, record, TEE_PERF_CALL_INLINED);
		break;
	case TEE_PERF_RETURN:
		apply_return(track, record);
		break;
	case TEE_PERF_RESYNC:
		apply_resync(track, record);
		break;
	case TEE_PERF_GAP: /* its time was taken out when it passed */
		track->counts.metas++;
		break;
	case TEE_PERF_META:
		tee_perf_track_meta(track, record);
		break;
	default:
		track->counts.metas++;
		tee_perf_track_unknown(track);
	}
}
