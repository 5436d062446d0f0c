/* SPDX-License-Identifier: MIT */
/* What stacks.c (which stack runs) and stacks_announced.c (which there are) share. */
#ifndef TEE_PERF_ANALYZER_STACKS_INTERNAL_H
#define TEE_PERF_ANALYZER_STACKS_INTERNAL_H

#include "analyzer/model_internal.h"

/* NULL: out of memory. node: below which its first frame's node is. */
struct tee_perf_stack *tee_perf_stack_new(struct tee_perf_track *track, uint32_t node);
void tee_perf_stack_free(struct tee_perf_stack *stack);
/* Its CFAs are lo .. lo + span. */
void tee_perf_stack_set_range(struct tee_perf_stack *stack, uint32_t lo, uint32_t span);

/* Makes the stack the current one. No time passes, and it is not remembered where the thread came from. */
void tee_perf_stacks_swap(struct tee_perf_track *track, struct tee_perf_stack *stack);
/* What is open on the stack is gone. */
void tee_perf_stacks_empty(struct tee_perf_track *track, struct tee_perf_stack *stack);
/* Index of the first announced stack whose lo is above the CFA. */
uint32_t tee_perf_stacks_first_above(const struct tee_perf_track *track, uint32_t cfa);
/* The innermost announced stack that the CFA lies in; NULL: none. */
struct tee_perf_stack *tee_perf_stacks_find_announced(const struct tee_perf_track *track, uint32_t cfa);
/* A guessed stack ends where an announced one begins, or the fast path would take CFAs of that for its own. by: the
 * only one that is news; NULL: all may be. */
void tee_perf_stacks_clip(struct tee_perf_track *track, struct tee_perf_stack *stack, const struct tee_perf_stack *by);

static inline bool tee_perf_stack_holds(const struct tee_perf_stack *stack, uint32_t cfa)
{
	return cfa - stack->lo <= stack->span;
}

static inline const struct tee_perf_frame *tee_perf_stacks_top(const struct tee_perf_track *track,
							       const struct tee_perf_stack *stack)
{
	return stack == track->stack ? track->hot.top : stack->top;
}

static inline bool tee_perf_stacks_is_empty(const struct tee_perf_track *track, const struct tee_perf_stack *stack)
{
	return tee_perf_frame_is_bottom(tee_perf_stacks_top(track, stack));
}

#endif
