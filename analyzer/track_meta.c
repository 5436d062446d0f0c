/* SPDX-License-Identifier: MIT */
/* Meta records: what happened to the recording of the thread, and what is said of it. */
#include "analyzer/model_internal.h"

#include <string.h>

static void add_mark(struct tee_perf_track *track, uint32_t entry)
{
	if (track->mark_count == TEE_PERF_MARKS_MAX ||
	    tee_perf_grow(&track->marks, track->mark_count, &track->mark_capacity, sizeof *track->marks) != 0) {
		track->counts.marks_dropped++;
		return;
	}
	track->marks[track->mark_count++] = (struct tee_perf_mark){ entry, track->now_ns };
}

static void switch_on(struct tee_perf_track *track)
{
	if (!track->off)
		return;
	track->off = false;
	track->was_paused = true;
	tee_perf_track_unconfirm(track, TEE_PERF_PSEUDO_PAUSED);
	track->walk.stack = NULL;
}

/* The two ends of a stack come in two records, between which a handler may have announced another. */
static void begin_stack(struct tee_perf_track *track, uint64_t lo)
{
	if (track->announced_count == TEE_PERF_ANNOUNCEMENTS) /* their ends were lost */
		track->announced_count = 0;
	track->announced_lo[track->announced_count++] = lo;
}

static void end_stack(struct tee_perf_track *track, uint64_t hi, bool is_signal)
{
	if (track->announced_count != 0)
		tee_perf_stacks_announce(track, track->announced_lo[--track->announced_count], hi, is_signal);
}

static uint32_t entry_at_work(const struct tee_perf_track *track)
{
	return tee_perf_frame_is_bottom(track->hot.top) ? 0 : (uint32_t)track->hot.top->w1;
}

static void count_open(struct tee_perf_track *track, void *count)
{
	for (const struct tee_perf_frame *frame = track->hot.top; !tee_perf_frame_is_bottom(frame); frame--)
		*(uint64_t *)count += (frame->start & TEE_PERF_FRAME_PSEUDO) == 0;
}

/* What is open is so because the process ended while the thread ran (then it is open until that end, which the model
 * knows), because returns are missing, or because the thread left by other means (pthread_exit, cancellation). */
static void end_thread(struct tee_perf_track *track, bool with_process)
{
	uint64_t open = 0;
	tee_perf_stacks_each(track, count_open, &open);
	if (open != 0)
		tee_perf_track_found(track, with_process ? TEE_PERF_FOUND_EXITED : TEE_PERF_FOUND_ENDED, open,
				     entry_at_work(track));
	*(with_process ? &track->counts.exited_open : &track->counts.ended_open) += open;
	if (with_process)
		return;
	struct tee_perf_finding unwound = track->findings[TEE_PERF_FOUND_UNWOUND];
	tee_perf_track_close(track, TEE_PERF_UNWOUND);
	track->findings[TEE_PERF_FOUND_UNWOUND] = unwound;
}

void tee_perf_track_unknown(struct tee_perf_track *track)
{
	track->counts.unknown++;
	tee_perf_track_found(track, TEE_PERF_FOUND_UNKNOWN, 1, entry_at_work(track));
}

#define NAME_PART 7

static void take_name(struct tee_perf_track *track, unsigned part, uint64_t characters)
{
	if (part == 0)
		memset(track->name, 0, sizeof track->name);
	for (unsigned i = 0; i < NAME_PART; i++)
		track->name[part * NAME_PART + i] = (char)(characters >> 8 * i);
}

void tee_perf_track_meta(struct tee_perf_track *track, const struct tee_perf_record *record)
{
	uint64_t payload = record->w1 >> 8;
	track->counts.metas++;
	switch (record->w1 & 0xff) {
	case TEE_PERF_META_LOST:
		track->counts.lost += payload;
		tee_perf_track_found(track, TEE_PERF_FOUND_LOST, payload, entry_at_work(track));
		tee_perf_track_unconfirm(track, TEE_PERF_PSEUDO_LOST);
		break;
	case TEE_PERF_META_HOLE:
		track->counts.holes += payload;
		tee_perf_track_found(track, TEE_PERF_FOUND_HOLE, payload, entry_at_work(track));
		tee_perf_track_unconfirm(track, TEE_PERF_PSEUDO_LOST);
		break;
	case TEE_PERF_META_OFF:
		track->off = true;
		break;
	case TEE_PERF_META_ON:
		switch_on(track);
		break;
	case TEE_PERF_META_MARK:
		add_mark(track, (uint32_t)payload);
		break;
	case TEE_PERF_META_CLOCK: /* even if the time looks unchanged, it is one of another clock */
		tee_perf_track_time(track, record);
		break;
	case TEE_PERF_META_STACK_LO:
		begin_stack(track, payload);
		break;
	case TEE_PERF_META_STACK_HI:
	case TEE_PERF_META_SIGNAL_STACK_HI:
		end_stack(track, payload, (record->w1 & 0xff) == TEE_PERF_META_SIGNAL_STACK_HI);
		break;
	case TEE_PERF_META_THREAD_END:
		end_thread(track, payload == TEE_PERF_END_OF_PROCESS && !track->said_end);
		break;
	case TEE_PERF_META_ENDS:
		track->said_end = true;
		break;
	case TEE_PERF_META_NAME:
	case TEE_PERF_META_NAME + 1:
	case TEE_PERF_META_NAME + 2:
		take_name(track, (unsigned)(record->w1 & 0xff) - TEE_PERF_META_NAME, payload);
		break;
	case TEE_PERF_META_WALK_PC:
	case TEE_PERF_META_WALK_CFA:
	case TEE_PERF_META_WALK_END:
		tee_perf_track_walk(track, (enum tee_perf_meta)(record->w1 & 0xff), payload);
		break;
	default:
		tee_perf_track_unknown(track);
	}
}
