/* SPDX-License-Identifier: MIT */
/* Functions that were open when recording began or resumed in the middle, as the thread's stack had them. Their calls
 * were not seen: they are not counted, and what time they take counts from here. */
#include "analyzer/model_internal.h"

#include <stdlib.h>

#define FRAMES_MAX (UINT32_C(1) << 16) /* of one walk; the runtime's limit is below */

/* How far the open frames are those of the walk; each keeps what it has seen. Returns the place of the last such frame
 * (0: the sentinel), and in *walked how many of the walk's frames, the outermost first, those are. Of what lies beyond
 * the end of a walk that is not whole nothing is known. */
static size_t match(const struct tee_perf_track *track, bool whole, uint32_t *walked)
{
	const struct tee_perf_frame *frames = track->stack->frames;
	size_t top = (size_t)(track->hot.top - frames), place = 0;
	uint32_t left = track->walk.count, outermost = tee_perf_cfa(track->walk.w1[left - 1]);

	for (size_t i = 1; i <= top && left > 0; i++) {
		bool beyond = !whole && (int32_t)(tee_perf_cfa(frames[i].w1) - outermost) > 0;
		if (beyond)
			place = i;
		if (beyond || (frames[i].start & TEE_PERF_FRAME_PSEUDO) != 0)
			continue;
		if (frames[i].w1 != track->walk.w1[left - 1])
			break;
		place = i;
		left--;
	}
	*walked = track->walk.count - left;
	return place;
}

/* What is open and was not found has ended unseen. */
static void drop_above(struct tee_perf_track *track, size_t place)
{
	for (size_t i = (size_t)(track->hot.top - track->stack->frames); i > 0; i--)
		if ((track->stack->frames[i].start & TEE_PERF_FRAME_PSEUDO) == 0)
			track->stack->frames[i].start |= TEE_PERF_FRAME_UNCONFIRMED;
	while ((size_t)(track->hot.top - track->stack->frames) > place)
		tee_perf_track_pop(track, TEE_PERF_LOST_IN_GAP);
}

static void apply(struct tee_perf_track *track, bool whole)
{
	uint32_t walked;

	tee_perf_stacks_assign(track, tee_perf_cfa(track->walk.w1[0]));
	drop_above(track, match(track, whole, &walked));
	for (uint32_t i = track->walk.count - walked; i-- > 0;)
		if (tee_perf_track_reopen(track, track->walk.w1[i]) != 0)
			return;
}

void tee_perf_track_walk(struct tee_perf_track *track, enum tee_perf_meta meta, uint64_t payload)
{
	struct tee_perf_walk *walk = &track->walk;

	switch (meta) {
	case TEE_PERF_META_WALK_PC:
		walk->entry = (uint32_t)payload;
		return;
	case TEE_PERF_META_WALK_CFA:
		if (walk->entry != 0 && walk->count < FRAMES_MAX &&
		    tee_perf_grow(&walk->w1, walk->count, &walk->capacity, sizeof *walk->w1) == 0)
			walk->w1[walk->count++] = payload << 32 | walk->entry;
		walk->entry = 0;
		return;
	default:
		break;
	}
	bool valid = payload < TEE_PERF_WALK_PAYLOAD_INVALID && walk->count != 0;
	if (valid)
		apply(track, payload == TEE_PERF_WALK_PAYLOAD_WHOLE);
	free(walk->w1);
	*walk = (struct tee_perf_walk){ .stack = valid && track->off ? track->stack : NULL };
}
