/* SPDX-License-Identifier: MIT */
/* Stacks that the program announces: exact bounds, one within another, memory that is used again. */
#include "analyzer/stacks_internal.h"

#include <string.h>

/* Its memory belongs to another stack now. It is in no list any more. */
static void drop_stack(struct tee_perf_track *track, struct tee_perf_stack *stack)
{
	struct tee_perf_stack *back = stack->previous;
	tee_perf_stacks_empty(track, stack);
	if (track->stack == stack)
		tee_perf_stacks_swap(track, back != NULL && back != stack ? back : track->guessed[0]);
	if (track->own == stack)
		track->own = NULL;
	for (uint32_t i = 0; i < track->stack_count; i++) {
		if (track->stacks[i]->previous == stack)
			track->stacks[i]->previous = NULL;
		if (track->stacks[i]->outer == stack)
			track->stacks[i]->outer = stack->outer;
	}
	for (uint32_t i = 0; i < track->guessed_count; i++)
		if (track->guessed[i]->previous == stack)
			track->guessed[i]->previous = NULL;
	tee_perf_stack_free(stack);
}

static void take_out(struct tee_perf_track *track, uint32_t place)
{
	memmove(track->stacks + place, track->stacks + place + 1,
		(track->stack_count - place - 1) * sizeof *track->stacks);
	track->stack_count--;
}

static bool all_frames_within(const struct tee_perf_track *track, const struct tee_perf_stack *stack, uint32_t lo,
			      uint32_t span)
{
	return !tee_perf_stacks_is_empty(track, stack) && tee_perf_cfa(stack->frames[1].w1) - lo <= span &&
	       tee_perf_cfa(tee_perf_stacks_top(track, stack)->w1) - lo <= span;
}

/* Whether the stack (lo, span) that is announced is this one, better known: it ends at the same address (a stack that
 * has grown), or all that runs on the thread's own, of which only the mapping that it lies in was known, is in it. But
 * another may lie at the upper end of that mapping. */
static bool is_same(const struct tee_perf_track *track, const struct tee_perf_stack *stack, uint32_t lo, uint32_t span,
		    bool is_signal)
{
	bool own = stack == track->own;
	if (stack->lo + stack->span != lo + span)
		return own && all_frames_within(track, stack, lo, span);
	if (span >= stack->span)
		return true;
	if (tee_perf_stacks_is_empty(track, stack))
		return !own || !is_signal;
	return tee_perf_cfa(stack->frames[1].w1) - lo <= span;
}

/* Takes what overlaps the new stack out of the list and drops it, but for those that it lies within: *outer is the
 * innermost of them. One that is the same stack is returned. */
static struct tee_perf_stack *make_way(struct tee_perf_track *track, uint32_t lo, uint32_t span, bool is_signal,
				       struct tee_perf_stack **outer)
{
	struct tee_perf_stack *same = NULL;
	*outer = NULL;
	for (uint32_t i = 0; i < track->stack_count;) {
		struct tee_perf_stack *stack = track->stacks[i];
		if (stack->lo - lo > span && lo - stack->lo > stack->span) {
			i++;
		} else if (same == NULL && is_same(track, stack, lo, span, is_signal)) {
			take_out(track, i);
			same = stack;
		} else if (lo - stack->lo <= stack->span && span <= stack->span - (lo - stack->lo)) {
			*outer = stack;
			i++;
		} else {
			take_out(track, i);
			drop_stack(track, stack);
		}
	}
	return same;
}

/* What is open of the outer stack within the hole is gone, and the frame that comes next below the hole is marked, so
 * that its return goes the way that looks at holes. */
static void make_hole(struct tee_perf_track *track, struct tee_perf_stack *outer, const struct tee_perf_stack *hole)
{
	struct tee_perf_stack *current = track->stack;
	tee_perf_stacks_swap(track, outer);
	outer->has_holes = true;
	size_t begin = 1, count = (size_t)(track->hot.top - outer->frames), end = count + 1;
	while (begin < end) { /* CFAs fall */
		size_t middle = begin + (end - begin) / 2;
		if ((int32_t)(tee_perf_cfa(outer->frames[middle].w1) - (hole->lo + hole->span)) > 0)
			begin = middle + 1;
		else
			end = middle;
	}
	if (begin <= count && tee_perf_stack_holds(hole, tee_perf_cfa(outer->frames[begin].w1)))
		while ((size_t)(track->hot.top - outer->frames) >= begin)
			tee_perf_track_pop(track, TEE_PERF_UNWOUND);
	else if (begin <= count)
		outer->frames[begin].start |= TEE_PERF_FRAME_EDGE;
	if (!tee_perf_frame_is_bottom(track->hot.top)) /* the sentinel may lie below the hole */
		outer->frames[1].start |= TEE_PERF_FRAME_EDGE;
	tee_perf_stacks_edge(track);
	tee_perf_stacks_swap(track, current);
}

/* The guessed stack that turns out to be the announced one, or a new one. NULL: out of memory. */
static struct tee_perf_stack *adopt(struct tee_perf_track *track, uint32_t lo, uint32_t span)
{
	bool first = track->stack_count == 0;
	struct tee_perf_stack *stack = NULL;
	for (uint32_t i = 0; i < track->guessed_count && stack == NULL; i++) {
		struct tee_perf_stack *guessed = track->guessed[i];
		if (tee_perf_stacks_is_empty(track, guessed) ? !guessed->used && first
							     : all_frames_within(track, guessed, lo, span))
			stack = guessed;
	}
	if (stack == NULL) {
		uint32_t node = first ? 0 : tee_perf_track_pseudo(track, 0, TEE_PERF_PSEUDO_STACK);
		return tee_perf_stack_new(track, node);
	}
	struct tee_perf_stack *replacement = tee_perf_stack_new(track, 0); /* the first guessed one is always there */
	if (replacement == NULL)
		return NULL;
	for (uint32_t i = 0; i < track->guessed_count; i++)
		if (track->guessed[i] == stack)
			track->guessed[i] = replacement;
	return stack;
}

static void insert_stack(struct tee_perf_track *track, struct tee_perf_stack *stack)
{
	uint32_t place = tee_perf_stacks_first_above(track, stack->lo);
	memmove(track->stacks + place + 1, track->stacks + place, (track->stack_count - place) * sizeof *track->stacks);
	track->stacks[place] = stack;
	track->stack_count++;
	for (uint32_t i = 0; i < track->guessed_count; i++)
		tee_perf_stacks_clip(track, track->guessed[i], stack);
}

/* The stack that begins there is no stack any more: what is open on it is gone. The thread's own stays, as destructors
 * still run there. */
static void forget(struct tee_perf_track *track, uint32_t begin)
{
	struct tee_perf_stack *stack = tee_perf_stacks_find_announced(track, begin);
	if (stack == NULL || stack->lo != begin)
		return;
	if (stack == track->own) {
		tee_perf_stacks_empty(track, stack);
		return;
	}
	uint32_t place = 0;
	while (track->stacks[place] != stack)
		place++;
	take_out(track, place);
	drop_stack(track, stack);
}

/* The runtime does not repeat what it announced just before: those must stay. */
#define RECENT 16u

/* A thread may have any number of stacks one after the other: one on which nothing is open makes room. */
static bool evict(struct tee_perf_track *track)
{
	for (uint32_t i = 0; i < track->stack_count; i++) {
		uint32_t place = (track->evicted + i) % track->stack_count;
		struct tee_perf_stack *stack = track->stacks[place];
		if (stack == track->own || stack == track->stack || !tee_perf_stacks_is_empty(track, stack) ||
		    track->announcements - stack->announcement < RECENT)
			continue;
		track->evicted = place;
		take_out(track, place);
		drop_stack(track, stack);
		return true;
	}
	return false;
}

void tee_perf_stacks_announce(struct tee_perf_track *track, uint64_t lo, uint64_t hi, bool is_signal)
{
	if (hi == lo && hi != 0)
		forget(track, (uint32_t)lo + 1);
	if (hi <= lo)
		return;
	/* A CFA may be the upper end, where the first frame was called, but not the lower: stacks may touch. */
	uint32_t span = hi - lo > TEE_PERF_STACK_SPAN_MAX ? TEE_PERF_STACK_SPAN_MAX : (uint32_t)(hi - lo - 1);
	uint32_t begin = (uint32_t)hi - span;
	struct tee_perf_stack *outer, *stack = tee_perf_stacks_find_announced(track, begin);
	if (stack != NULL && stack->lo + stack->span == begin + span && is_same(track, stack, begin, span, is_signal)) {
		stack->is_signal |= is_signal;
		stack->announcement = track->announcements++;
		return; /* it is announced again; if it has been larger, it stays so */
	}
	if ((track->stack_count == TEE_PERF_STACKS_MAX && !evict(track)) ||
	    tee_perf_grow(&track->stacks, track->stack_count, &track->stack_capacity, sizeof(void *)) != 0)
		return;
	stack = make_way(track, begin, span, is_signal, &outer);
	if (stack == NULL)
		stack = adopt(track, begin, span);
	if (stack == NULL)
		return;
	stack->announced = true;
	stack->announcement = track->announcements++;
	stack->is_signal = is_signal;
	if (track->own == NULL)
		track->own = stack;
	stack->outer = outer;
	tee_perf_stack_set_range(stack, begin, span);
	if (!tee_perf_stack_holds(stack, tee_perf_cfa(stack->frames[0].w1)))
		stack->frames[0].w1 = (uint64_t)begin << 32;
	insert_stack(track, stack);
	if (stack == track->stack)
		tee_perf_stacks_edge(track);
	if (outer != NULL)
		make_hole(track, outer, stack);
}
