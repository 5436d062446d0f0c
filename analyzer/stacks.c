/* SPDX-License-Identifier: MIT */
/* Which stack a CFA lies in. CFAs are compared within one stack only, and each stack has frames and a time of its own:
 * what runs on another stack costs the frames of this one nothing. Announced stacks are exact; others are guessed from
 * the distance of a CFA to what is open. */
#include "analyzer/stacks_internal.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_FRAMES 64u

void tee_perf_stack_set_range(struct tee_perf_stack *stack, uint32_t lo, uint32_t span)
{
	if (!stack->used) /* no first frame yet: nothing is below the sentinel */
		stack->frames[0].w1 = (uint64_t)lo << 32;
	stack->lo = lo;
	stack->span = span;
	stack->used = true;
}

struct tee_perf_stack *tee_perf_stack_new(struct tee_perf_track *track, uint32_t node)
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

void tee_perf_stack_free(struct tee_perf_stack *stack)
{
	if (stack == NULL)
		return;
	free(stack->frames);
	free(stack->extras);
	free(stack);
}

static uint32_t lowest_in_reach(const struct tee_perf_track *track, const struct tee_perf_stack *stack, uint32_t cfa);

static void load_hot(struct tee_perf_track *track, struct tee_perf_stack *stack)
{
	track->stack = stack;
	track->hot.top = stack->top;
	track->hot.time = stack->time;
	track->hot.lo = stack->lo;
	if (stack->has_holes)
		track->hot.lo = lowest_in_reach(track, stack, tee_perf_cfa(stack->top->w1));
	track->hot.hint = &track->cct.nodes[stack->top->node].child;
}

static void save_hot(struct tee_perf_track *track)
{
	track->stack->top = track->hot.top;
	track->stack->time = track->hot.time;
}

void tee_perf_stacks_swap(struct tee_perf_track *track, struct tee_perf_stack *stack)
{
	save_hot(track);
	load_hot(track, stack);
}

/* One that the current stack was come from, or that one from, and so on. */
static bool is_behind(const struct tee_perf_track *track, const struct tee_perf_stack *stack)
{
	const struct tee_perf_stack *behind = track->stack->previous;
	for (unsigned i = 0; i < TEE_PERF_STACKS_GUESSED && behind != NULL; i++, behind = behind->previous)
		if (behind == stack)
			return true;
	return false;
}

static void switch_to(struct tee_perf_track *track, struct tee_perf_stack *stack)
{
	if (stack == track->stack)
		return;
	if (!track->stack->is_signal || !is_behind(track, stack)) /* nobody goes back to a handler that was left */
		stack->previous = track->stack;
	if (tee_perf_frame_is_bottom(stack->top))
		stack->resumable = false;
	tee_perf_stacks_swap(track, stack);
	track->switched = true;
}

int tee_perf_stacks_init(struct tee_perf_track *track)
{
	struct tee_perf_stack *stack = tee_perf_stack_new(track, 0);
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
		tee_perf_stack_free(track->stacks[i]);
	for (uint32_t i = 0; i < track->guessed_count; i++)
		tee_perf_stack_free(track->guessed[i]);
	free(track->stacks);
}

/* Index of the first announced stack whose lo is above the CFA. */
uint32_t tee_perf_stacks_first_above(const struct tee_perf_track *track, uint32_t cfa)
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

/* The innermost: it comes last of those that begin below the CFA. */
struct tee_perf_stack *tee_perf_stacks_find_announced(const struct tee_perf_track *track, uint32_t cfa)
{
	uint32_t above = tee_perf_stacks_first_above(track, cfa);
	struct tee_perf_stack *stack = above > 0 ? track->stacks[above - 1] : NULL;
	for (; stack != NULL; stack = stack->outer)
		if (tee_perf_stack_holds(stack, cfa))
			return stack;
	if (track->stack_count > 0 && tee_perf_stack_holds(track->stacks[track->stack_count - 1], cfa))
		return track->stacks[track->stack_count - 1]; /* it goes past 4 GiB */
	return NULL;
}

/* The lowest CFA so that no hole lies between it and this one, both of the stack. */
static uint32_t lowest_in_reach(const struct tee_perf_track *track, const struct tee_perf_stack *stack, uint32_t cfa)
{
	uint32_t above = tee_perf_stacks_first_above(track, cfa);
	const struct tee_perf_stack *below = above > 0 ? track->stacks[above - 1] : NULL;
	while (below != NULL && below != stack && below->outer != stack)
		below = below->outer;
	return below == NULL || below == stack || tee_perf_stack_holds(below, cfa) ? stack->lo
										   : below->lo + below->span + 1;
}

bool tee_perf_stacks_edge(struct tee_perf_track *track)
{
	uint32_t before = track->hot.lo;
	track->hot.lo = lowest_in_reach(track, track->stack, tee_perf_cfa(track->hot.top->w1));
	return track->hot.lo != before;
}

/* The distance rule: near the top frame, the bottom frame, or (empty) the last CFA. */
static bool near(const struct tee_perf_track *track, const struct tee_perf_stack *stack, uint32_t cfa)
{
	uint32_t low = stack->last, high = stack->last;
	if (!tee_perf_stacks_is_empty(track, stack)) {
		low = tee_perf_cfa(tee_perf_stacks_top(track, stack)->w1);
		high = tee_perf_cfa(stack->frames[1].w1);
	}
	return low - cfa <= TEE_PERF_STACK_DISTANCE || cfa - high <= TEE_PERF_STACK_DISTANCE;
}

/* What is open on the stack is gone. */
void tee_perf_stacks_empty(struct tee_perf_track *track, struct tee_perf_stack *stack)
{
	struct tee_perf_stack *current = track->stack;
	tee_perf_stacks_swap(track, stack);
	while (!tee_perf_frame_is_bottom(track->hot.top))
		tee_perf_track_pop(track, TEE_PERF_UNWOUND);
	tee_perf_stacks_swap(track, current);
}

/* A guessed stack ends where an announced one begins, or the fast path would take CFAs of that for its own. */
void tee_perf_stacks_clip(struct tee_perf_track *track, struct tee_perf_stack *stack, const struct tee_perf_stack *by)
{
	uint32_t count = by != NULL ? 1 : track->stack_count;
	for (uint32_t i = 0; i < count && stack->used; i++) {
		const struct tee_perf_stack *other = by != NULL ? by : track->stacks[i];
		uint32_t lo = stack->lo, hi = lo + stack->span, other_hi = other->lo + other->span;
		uint32_t here =
		    tee_perf_stacks_is_empty(track, stack) ? stack->last : tee_perf_cfa(stack->frames[1].w1);
		if (other->lo - lo > stack->span && lo - other->lo > other->span)
			continue;
		if ((int32_t)(other_hi - here) < 0) {
			tee_perf_stack_set_range(stack, other_hi + 1, hi - other_hi - 1);
		} else if ((int32_t)(other->lo - here) > 0) {
			tee_perf_stack_set_range(stack, lo, other->lo - 1 - lo);
		} else { /* the memory is announced as a stack that another guess has become */
			tee_perf_stacks_empty(track, stack);
			stack->used = false;
		}
	}
	if (!tee_perf_stacks_is_empty(track, stack) &&
	    !tee_perf_stack_holds(stack, tee_perf_cfa(tee_perf_stacks_top(track, stack)->w1)))
		tee_perf_stacks_empty(track, stack);
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
	tee_perf_stack_set_range(stack, lo, hi - lo);
	return true;
}

/* A guessed stack object for a CFA far from all others: if there is none left, what is open on one is given up. */
static struct tee_perf_stack *fresh_guessed(struct tee_perf_track *track)
{
	for (uint32_t i = 0; i < track->guessed_count; i++)
		if (!track->guessed[i]->used)
			return track->guessed[i];
	struct tee_perf_stack *stack = NULL;
	if (track->guessed_count < TEE_PERF_STACKS_GUESSED && (stack = tee_perf_stack_new(track, 0)) != NULL)
		return track->guessed[track->guessed_count++] = stack;
	for (uint32_t i = 0; i < track->guessed_count; i++)
		if (tee_perf_stacks_is_empty(track, track->guessed[i]))
			return track->guessed[i];
	stack = track->stack->announced ? track->guessed[0] : track->stack;
	tee_perf_stacks_empty(track, stack);
	return stack;
}

static struct tee_perf_stack *open_guessed(struct tee_perf_track *track, uint32_t cfa)
{
	struct tee_perf_stack *stack = fresh_guessed(track);
	bool alone = track->stack_count == 0 && track->guessed_count == 1;
	stack->used = false;
	stack->last = cfa;
	tee_perf_stack_set_range(stack, cfa - TEE_PERF_STACK_DISTANCE, 2 * TEE_PERF_STACK_DISTANCE);
	tee_perf_stacks_clip(track, stack, NULL);
	if (!alone) {
		track->guessed_stacks++;
		tee_perf_track_found(track, TEE_PERF_FOUND_GUESSED, 1,
				     tee_perf_frame_is_bottom(track->hot.top) ? 0 : (uint32_t)track->hot.top->w1);
		stack->frames[0].node = tee_perf_track_pseudo(track, 0, TEE_PERF_PSEUDO_GUESSED);
	}
	if (stack == track->stack)
		track->hot.lo = stack->lo;
	return stack;
}

static struct tee_perf_stack *find_guessed(struct tee_perf_track *track, uint32_t cfa)
{
	if (!track->stack->announced && track->stack->used && tee_perf_stack_holds(track->stack, cfa))
		return track->stack;
	for (uint32_t i = 0; i < track->guessed_count; i++)
		if (track->guessed[i]->used && tee_perf_stack_holds(track->guessed[i], cfa))
			return track->guessed[i];
	for (uint32_t i = 0; i < track->guessed_count; i++)
		if (track->guessed[i]->used && near(track, track->guessed[i], cfa))
			return track->guessed[i];
	return NULL;
}

void tee_perf_stacks_assign(struct tee_perf_track *track, uint32_t cfa)
{
	struct tee_perf_stack *stack = track->stack;
	if (stack->announced && !stack->has_holes && tee_perf_stack_holds(stack, cfa))
		return;
	struct tee_perf_stack *announced = tee_perf_stacks_find_announced(track, cfa);
	if (announced != NULL) {
		switch_to(track, announced);
		return;
	}
	stack = find_guessed(track, cfa);
	bool known = stack != NULL && tee_perf_stack_holds(stack, cfa);
	if (known && stack == track->stack) /* as the fast path, which does not come here */
		return;
	if (stack != NULL && !known) {
		bool fits = widen(stack, cfa);
		tee_perf_stacks_clip(track, stack, NULL);
		if (!fits || !stack->used || !tee_perf_stack_holds(stack, cfa)) /* too far, or announced ones between */
			stack = NULL;
	}
	if (stack == NULL)
		stack = open_guessed(track, cfa);
	stack->last = cfa;
	switch_to(track, stack);
}

void tee_perf_stacks_resync(struct tee_perf_track *track, uint32_t cfa)
{
	struct tee_perf_stack *left = track->stack;
	tee_perf_stacks_assign(track, cfa);
	track->stack->resumable = true;
	if (left != track->stack && left->is_signal && !left->resumable)
		tee_perf_stacks_empty(track, left);
}

void tee_perf_stacks_leave(struct tee_perf_track *track)
{
	struct tee_perf_stack *back = track->stack->previous;
	if (back == NULL || !tee_perf_frame_is_bottom(track->hot.top))
		return;
	if (tee_perf_stacks_is_empty(track, back))
		back = track->own;
	if (back == NULL || back == track->stack || tee_perf_stacks_is_empty(track, back))
		return;
	tee_perf_stacks_swap(track, back);
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
		tee_perf_stacks_swap(track, stack);
		visit(track, argument);
		tee_perf_stacks_swap(track, current);
	}
}
