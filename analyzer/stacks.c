/* SPDX-License-Identifier: MIT */
/* Which stack a CFA lies in. CFAs are compared within one stack only, and each stack has frames and a time of its own:
 * what runs on another stack costs the frames of this one nothing. Announced stacks are exact; others are guessed from
 * the distance of a CFA to what is open. */
#include "analyzer/model_internal.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_FRAMES 64u

static void set_range(struct tee_perf_stack *stack, uint32_t lo, uint32_t span)
{
	if (!stack->used) /* no first frame yet: nothing is below the sentinel */
		stack->frames[0].w1 = (uint64_t)lo << 32;
	stack->lo = lo;
	stack->span = span;
	stack->used = true;
}

static struct tee_perf_stack *new_stack(struct tee_perf_track *track, uint32_t node)
{
	struct tee_perf_stack *stack = calloc(1, sizeof *stack);
	if (stack == NULL)
		return NULL;
	stack->frames = calloc(FIRST_FRAMES, sizeof *stack->frames);
	if (track->observer != NULL)
		stack->extras = calloc(FIRST_FRAMES, sizeof *stack->extras);
	if (stack->frames == NULL || (track->observer != NULL && stack->extras == NULL)) {
		free(stack->frames);
		free(stack);
		return NULL;
	}
	stack->capacity = FIRST_FRAMES;
	stack->frames[0] = (struct tee_perf_frame){ .start = TEE_PERF_FRAME_BOTTOM, .node = node };
	stack->top = stack->frames;
	return stack;
}

static void free_stack(struct tee_perf_stack *stack)
{
	if (stack == NULL)
		return;
	free(stack->frames);
	free(stack->extras);
	free(stack);
}

static void load_hot(struct tee_perf_track *track, struct tee_perf_stack *stack)
{
	track->stack = stack;
	track->hot.top = stack->top;
	track->hot.time = stack->time;
	track->hot.lo = stack->lo;
	track->hot.hint = &track->cct.nodes[stack->top->node].child;
}

static void save_hot(struct tee_perf_track *track)
{
	track->stack->top = track->hot.top;
	track->stack->time = track->hot.time;
}

static void swap_to(struct tee_perf_track *track, struct tee_perf_stack *stack)
{
	save_hot(track);
	load_hot(track, stack);
}

static void switch_to(struct tee_perf_track *track, struct tee_perf_stack *stack)
{
	if (stack == track->stack)
		return;
	stack->previous = track->stack;
	swap_to(track, stack);
	track->switched = true;
}

int tee_perf_stacks_init(struct tee_perf_track *track)
{
	struct tee_perf_stack *stack = new_stack(track, 0);
	if (stack == NULL)
		return -1;
	track->guessed[0] = stack;
	track->guessed_count = 1;
	load_hot(track, stack);
	return 0;
}

void tee_perf_stacks_clear(struct tee_perf_track *track)
{
	for (uint32_t i = 0; i < track->stack_count; i++)
		free_stack(track->stacks[i]);
	for (uint32_t i = 0; i < track->guessed_count; i++)
		free_stack(track->guessed[i]);
	free(track->stacks);
}

static bool in_range(const struct tee_perf_stack *stack, uint32_t cfa)
{
	return cfa - stack->lo <= stack->span;
}

/* Index of the first announced stack whose lo is above the CFA. */
static uint32_t first_above(const struct tee_perf_track *track, uint32_t cfa)
{
	uint32_t begin = 0, end = track->stack_count;
	while (begin < end) {
		uint32_t middle = begin + (end - begin) / 2;
		if (track->stacks[middle]->lo <= cfa)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

static struct tee_perf_stack *find_announced(const struct tee_perf_track *track, uint32_t cfa)
{
	uint32_t above = first_above(track, cfa);
	if (above > 0 && in_range(track->stacks[above - 1], cfa))
		return track->stacks[above - 1];
	if (track->stack_count > 0 && in_range(track->stacks[track->stack_count - 1], cfa))
		return track->stacks[track->stack_count - 1]; /* it goes past 4 GiB */
	return NULL;
}

static const struct tee_perf_frame *top_of(const struct tee_perf_track *track, const struct tee_perf_stack *stack)
{
	return stack == track->stack ? track->hot.top : stack->top;
}

static bool is_empty(const struct tee_perf_track *track, const struct tee_perf_stack *stack)
{
	return tee_perf_frame_is_bottom(top_of(track, stack));
}

/* The distance rule: near the top frame, the bottom frame, or (empty) the last CFA. */
static bool near(const struct tee_perf_track *track, const struct tee_perf_stack *stack, uint32_t cfa)
{
	uint32_t low = stack->last, high = stack->last;
	if (!is_empty(track, stack)) {
		low = tee_perf_cfa(top_of(track, stack)->w1);
		high = tee_perf_cfa(stack->frames[1].w1);
	}
	return low - cfa <= TEE_PERF_STACK_DISTANCE || cfa - high <= TEE_PERF_STACK_DISTANCE;
}

/* What is open on the stack is gone. */
static void empty(struct tee_perf_track *track, struct tee_perf_stack *stack)
{
	struct tee_perf_stack *current = track->stack;
	swap_to(track, stack);
	while (!tee_perf_frame_is_bottom(track->hot.top))
		tee_perf_track_pop(track, TEE_PERF_UNWOUND);
	swap_to(track, current);
}

/* A guessed stack ends where an announced one begins, or the fast path would take CFAs of that for its own. */
static void clip(struct tee_perf_track *track, struct tee_perf_stack *stack)
{
	for (uint32_t i = 0; i < track->stack_count && stack->used; i++) {
		const struct tee_perf_stack *other = track->stacks[i];
		uint32_t lo = stack->lo, hi = lo + stack->span, other_hi = other->lo + other->span;
		uint32_t here = is_empty(track, stack) ? stack->last : tee_perf_cfa(stack->frames[1].w1);
		if (other->lo - lo > stack->span && lo - other->lo > other->span)
			continue;
		if ((int32_t)(other_hi - here) < 0) {
			set_range(stack, other_hi + 1, hi - other_hi - 1);
		} else if ((int32_t)(other->lo - here) > 0) {
			set_range(stack, lo, other->lo - 1 - lo);
		} else { /* the memory is announced as a stack that another guess has become */
			empty(track, stack);
			stack->used = false;
		}
	}
	if (!is_empty(track, stack) && !in_range(stack, tee_perf_cfa(top_of(track, stack)->w1)))
		empty(track, stack);
	uint32_t height = tee_perf_cfa(stack->frames[0].w1) - stack->lo;
	if (!stack->used || height > stack->span)
		stack->frames[0].w1 = (uint64_t)stack->lo << 32;
	if (stack == track->stack)
		track->hot.lo = stack->lo;
}

/* Widens a guessed stack so that the CFA and what is near it lie in it. False: it would be too large. */
static bool widen(struct tee_perf_stack *stack, uint32_t cfa)
{
	uint32_t lo = stack->lo, hi = lo + stack->span;
	if ((int32_t)(cfa - TEE_PERF_STACK_DISTANCE - lo) < 0)
		lo = cfa - TEE_PERF_STACK_DISTANCE;
	if ((int32_t)(cfa + TEE_PERF_STACK_DISTANCE - hi) > 0)
		hi = cfa + TEE_PERF_STACK_DISTANCE;
	if (hi - lo > TEE_PERF_STACK_SPAN_MAX)
		return false;
	set_range(stack, lo, hi - lo);
	return true;
}

/* A guessed stack object for a CFA far from all others: if there is none left, what is open on one is given up. */
static struct tee_perf_stack *fresh_guessed(struct tee_perf_track *track)
{
	for (uint32_t i = 0; i < track->guessed_count; i++)
		if (!track->guessed[i]->used)
			return track->guessed[i];
	struct tee_perf_stack *stack = NULL;
	if (track->guessed_count < TEE_PERF_STACKS_GUESSED && (stack = new_stack(track, 0)) != NULL)
		return track->guessed[track->guessed_count++] = stack;
	for (uint32_t i = 0; i < track->guessed_count; i++)
		if (is_empty(track, track->guessed[i]))
			return track->guessed[i];
	stack = track->stack->announced ? track->guessed[0] : track->stack;
	empty(track, stack);
	return stack;
}

static struct tee_perf_stack *open_guessed(struct tee_perf_track *track, uint32_t cfa)
{
	struct tee_perf_stack *stack = fresh_guessed(track);
	bool alone = track->stack_count == 0 && track->guessed_count == 1;
	stack->used = false;
	stack->last = cfa;
	set_range(stack, cfa - TEE_PERF_STACK_DISTANCE, 2 * TEE_PERF_STACK_DISTANCE);
	clip(track, stack);
	if (!alone) {
		track->guessed_stacks++;
		stack->frames[0].node = tee_perf_track_pseudo(track, 0, TEE_PERF_PSEUDO_GUESSED);
	}
	if (stack == track->stack)
		track->hot.lo = stack->lo;
	return stack;
}

static struct tee_perf_stack *find_guessed(struct tee_perf_track *track, uint32_t cfa)
{
	if (!track->stack->announced && track->stack->used && in_range(track->stack, cfa))
		return track->stack;
	for (uint32_t i = 0; i < track->guessed_count; i++)
		if (track->guessed[i]->used && in_range(track->guessed[i], cfa))
			return track->guessed[i];
	for (uint32_t i = 0; i < track->guessed_count; i++)
		if (track->guessed[i]->used && near(track, track->guessed[i], cfa))
			return track->guessed[i];
	return NULL;
}

void tee_perf_stacks_assign(struct tee_perf_track *track, uint32_t cfa)
{
	struct tee_perf_stack *stack = track->stack;
	if (stack->announced && in_range(stack, cfa))
		return;
	struct tee_perf_stack *announced = find_announced(track, cfa);
	if (announced != NULL) {
		switch_to(track, announced);
		return;
	}
	stack = find_guessed(track, cfa);
	if (stack != NULL && !in_range(stack, cfa) && !widen(stack, cfa))
		stack = NULL;
	if (stack == NULL)
		stack = open_guessed(track, cfa);
	stack->last = cfa;
	switch_to(track, stack);
	clip(track, stack);
}

void tee_perf_stacks_leave(struct tee_perf_track *track)
{
	struct tee_perf_stack *back = track->stack->previous;
	if (back == NULL || !tee_perf_frame_is_bottom(track->hot.top))
		return;
	if (is_empty(track, back))
		back = track->own;
	if (back == NULL || back == track->stack || is_empty(track, back))
		return;
	swap_to(track, back);
	track->switched = true;
}

void tee_perf_stacks_each(struct tee_perf_track *track, void (*visit)(struct tee_perf_track *track, void *argument),
			  void *argument)
{
	struct tee_perf_stack *current = track->stack;
	visit(track, argument);
	for (uint32_t i = 0; i < track->stack_count + track->guessed_count; i++) {
		struct tee_perf_stack *stack =
		    i < track->stack_count ? track->stacks[i] : track->guessed[i - track->stack_count];
		if (stack == current || tee_perf_frame_is_bottom(stack->top))
			continue;
		swap_to(track, stack);
		visit(track, argument);
		swap_to(track, current);
	}
}

/* Its memory belongs to another stack now. It is in no list any more. */
static void drop_stack(struct tee_perf_track *track, struct tee_perf_stack *stack)
{
	struct tee_perf_stack *back = stack->previous;
	empty(track, stack);
	if (track->stack == stack)
		swap_to(track, back != NULL && back != stack ? back : track->guessed[0]);
	if (track->own == stack)
		track->own = NULL;
	for (uint32_t i = 0; i < track->stack_count; i++)
		if (track->stacks[i]->previous == stack)
			track->stacks[i]->previous = NULL;
	for (uint32_t i = 0; i < track->guessed_count; i++)
		if (track->guessed[i]->previous == stack)
			track->guessed[i]->previous = NULL;
	free_stack(stack);
}

static void take_out(struct tee_perf_track *track, uint32_t place)
{
	memmove(track->stacks + place, track->stacks + place + 1,
		(track->stack_count - place - 1) * sizeof *track->stacks);
	track->stack_count--;
}

/* Takes what overlaps the new stack out of the list and drops it; but one of the same upper end is the same stack,
 * and is returned. */
static struct tee_perf_stack *make_way(struct tee_perf_track *track, uint32_t lo, uint32_t span)
{
	struct tee_perf_stack *same = NULL;
	for (uint32_t i = 0; i < track->stack_count;) {
		struct tee_perf_stack *stack = track->stacks[i];
		if (stack->lo - lo > span && lo - stack->lo > stack->span) {
			i++;
			continue;
		}
		take_out(track, i);
		if (stack->lo + stack->span == lo + span)
			same = stack;
		else
			drop_stack(track, stack);
	}
	return same;
}

/* The guessed stack that turns out to be the announced one, or a new one. NULL: out of memory. */
static struct tee_perf_stack *adopt(struct tee_perf_track *track, uint32_t lo, uint32_t span)
{
	bool first = track->stack_count == 0;
	struct tee_perf_stack *stack = NULL;
	for (uint32_t i = 0; i < track->guessed_count && stack == NULL; i++) {
		struct tee_perf_stack *guessed = track->guessed[i];
		bool inside = tee_perf_cfa(guessed->frames[1].w1) - lo <= span &&
			      tee_perf_cfa(top_of(track, guessed)->w1) - lo <= span;
		if (is_empty(track, guessed) ? !guessed->used && first : inside)
			stack = guessed;
	}
	if (stack == NULL) {
		uint32_t node = first ? 0 : tee_perf_track_pseudo(track, 0, TEE_PERF_PSEUDO_STACK);
		return new_stack(track, node);
	}
	struct tee_perf_stack *replacement = new_stack(track, 0); /* the first guessed one is always there */
	if (replacement == NULL)
		return NULL;
	for (uint32_t i = 0; i < track->guessed_count; i++)
		if (track->guessed[i] == stack)
			track->guessed[i] = replacement;
	return stack;
}

void tee_perf_stacks_announce(struct tee_perf_track *track, uint64_t lo, uint64_t hi)
{
	if (hi <= lo)
		return;
	/* A CFA may be the upper end, where the first frame was called, but not the lower: stacks may touch. */
	uint32_t span = hi - lo > TEE_PERF_STACK_SPAN_MAX ? TEE_PERF_STACK_SPAN_MAX : (uint32_t)(hi - lo - 1);
	uint32_t begin = (uint32_t)hi - span;
	struct tee_perf_stack *stack = find_announced(track, begin);
	if (stack != NULL && stack->lo + stack->span == begin + span)
		return; /* it is announced again with each sub-buffer; if it has been larger, it stays so */
	if (track->stack_count == TEE_PERF_STACKS_MAX ||
	    tee_perf_grow(&track->stacks, track->stack_count, &track->stack_capacity, sizeof(void *)) != 0)
		return;
	stack = make_way(track, begin, span);
	if (stack == NULL)
		stack = adopt(track, begin, span);
	if (stack == NULL)
		return;
	stack->announced = true;
	if (track->own == NULL)
		track->own = stack;
	set_range(stack, begin, span);
	if (stack == track->stack)
		track->hot.lo = stack->lo;
	uint32_t place = first_above(track, begin);
	memmove(track->stacks + place + 1, track->stacks + place, (track->stack_count - place) * sizeof *track->stacks);
	track->stacks[place] = stack;
	track->stack_count++;
	for (uint32_t i = 0; i < track->guessed_count; i++)
		clip(track, track->guessed[i]);
}
