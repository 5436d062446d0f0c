/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* Reading one slot's ring. What lies there was written by a process that we do not trust: every position is
 * checked, no loop runs longer than the ring. */
#include "recorder/drain.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RECORDS           TEE_PERF_SUBBUF_RECORDS
#define THREAD_NUMBER_MAX (1u << 20)
#define RIPE_NS           (50u * 1000) /* after which a thread's last sub-buffer is read although it is the last */
#define RIPE_RING         8            /* sub-buffers of the smallest ring that can spare one */

struct cursor {
	struct tee_perf_drain *drain;
	struct tee_perf_process *process;
	struct tee_perf_slot *slot;
	struct tee_perf_log_segment *segment;
	uint32_t number; /* of the slot */
	char *nested_ring, *ring;
	uint64_t *header; /* of the sub-buffer at hand */
	struct tee_perf_record *record;
};

/* What a program was built with outranks what it was asked for, so its ring says what it does when it is full. The
 * first sub-buffer says so before anything of the ring is read, and zeroed. */
static void learn_ring(struct cursor *at)
{
	uint64_t word = region_load(&((uint64_t *)at->ring)[TEE_PERF_SUBBUF_RING]);
	uint64_t most = at->drain->region->ring_bytes / TEE_PERF_SUBBUF_BYTES, count = word >> 32;

	if (at->slot->full == 0 && (uint32_t)word - 1 <= TEE_PERF_FULL_OVERWRITE) {
		at->slot->full = at->drain->ring_full = (uint32_t)word;
		at->slot->count = (uint32_t)(count >= 2 && count <= most ? count : most);
	}
}

static bool overwrites(const struct cursor *at)
{
	return at->slot->full == TEE_PERF_FULL_OVERWRITE + 1;
}

static struct cursor open_slot(struct tee_perf_drain *drain, struct tee_perf_process *process, uint32_t number)
{
	const struct tee_perf_region *region = drain->region;
	char *base = (char *)process->segment + TEE_PERF_SLOTS_OFFSET(region->module_bytes) +
		     number * TEE_PERF_SLOT_BYTES(region->ring_bytes);

	struct cursor at = { .drain = drain,
			     .process = process,
			     .slot = &process->slot[number],
			     .segment = process->segment,
			     .number = number,
			     .nested_ring = base,
			     .ring = base + TEE_PERF_NESTED_BYTES };
	learn_ring(&at);
	return at;
}

/* ---- sub-buffers */

static bool holds(struct cursor *at, uint32_t index, uint64_t sequence)
{
	uint64_t *header = (uint64_t *)(at->ring + (size_t)index * TEE_PERF_SUBBUF_BYTES);

	if (region_load(&header[TEE_PERF_SUBBUF_SEQ]) != ((uint64_t)TEE_PERF_META << TEE_PERF_KIND_SHIFT | sequence))
		return false;
	at->header = header;
	at->record = (struct tee_perf_record *)(header + TEE_PERF_HEADER_WORDS);
	at->slot->index = index;
	return true;
}

/* The sub-buffer `sequence` lies behind the last one, where the ring has grown, or at its start. */
static bool locate(struct cursor *at, uint64_t sequence)
{
	uint32_t count = (uint32_t)(at->drain->region->ring_bytes / TEE_PERF_SUBBUF_BYTES);
	uint32_t last = at->slot->index;

	if (overwrites(at))
		return holds(at, (uint32_t)(sequence % at->slot->count), sequence);
	/* Nothing but the sequence number tells: the place read last may be `sequence` itself, half read. */
	return holds(at, last, sequence) || (last + 1 < count && holds(at, last + 1, sequence)) ||
	       holds(at, 0, sequence);
}

static struct tee_perf_stream *stream_of(struct cursor *at, uint32_t thread)
{
	struct tee_perf_process *process = at->process;

	if (thread >= THREAD_NUMBER_MAX)
		return NULL;
	if (thread >= process->stream_capacity) {
		uint32_t capacity = process->stream_capacity ? process->stream_capacity : 16;
		while (capacity <= thread)
			capacity *= 2;
		void *grown = realloc(process->stream, capacity * sizeof(void *));
		if (grown == NULL)
			return NULL;
		process->stream = grown;
		memset(process->stream + process->stream_capacity, 0,
		       (capacity - process->stream_capacity) * sizeof(void *));
		process->stream_capacity = capacity;
	}
	if (process->stream[thread] == NULL) {
		process->stream[thread] = tee_perf_sink_stream(at->drain->sink, process->number, thread);
		process->thread_count++;
	}
	return process->stream[thread];
}

static void feed_meta(struct cursor *at, enum tee_perf_meta meta, uint64_t payload)
{
	uint64_t time = region_load(&at->header[TEE_PERF_SUBBUF_CLOCK]) & TEE_PERF_TIME_MASK;
	struct tee_perf_record record = { (uint64_t)TEE_PERF_META << TEE_PERF_KIND_SHIFT | time, payload << 8 | meta };

	tee_perf_sink_feed(at->slot->stream, &record, 1);
	at->drain->totals.extra++;
}

/* Once: a thread that comes back in another slot has its stacks still. */
static void tell_stack(struct cursor *at, struct tee_perf_stream *stream)
{
	uint64_t lo = region_load(&at->header[TEE_PERF_SUBBUF_STACK_LO]);
	uint64_t hi = region_load(&at->header[TEE_PERF_SUBBUF_STACK_HI]);

	if (lo == stream->stack_lo && hi == stream->stack_hi)
		return;
	stream->stack_lo = lo;
	stream->stack_hi = hi;
	feed_meta(at, TEE_PERF_META_STACK_LO, lo);
	feed_meta(at, TEE_PERF_META_STACK_HI, hi);
}

/* Learns from the header whose records follow. */
static bool enter(struct cursor *at)
{
	uint64_t owner = region_load(&at->header[TEE_PERF_SUBBUF_THREAD]);
	struct tee_perf_stream *stream = stream_of(at, (uint32_t)(owner >> 32));

	if (stream == NULL)
		return false;
	if (stream == at->slot->stream)
		return true;
	if (at->slot->stream != NULL)
		tee_perf_drain_close(at->drain, at->slot->stream); /* its thread has ended */
	at->slot->stream = stream;
	stream->tid = (uint32_t)owner;
	tee_perf_drain_thread(at->drain, at->process, stream);
	tell_stack(at, stream);
	return true;
}

/* ---- records */

static uint64_t kind_of(const struct tee_perf_record *record)
{
	return record->w0 >> TEE_PERF_KIND_SHIFT;
}

/* Feeds [from, to) of the sub-buffer, looking at the clock now and then. */
static void feed(struct cursor *at, uint32_t from, uint32_t to)
{
	struct tee_perf_drain *drain = at->drain;
	struct tee_perf_slot *slot = at->slot;
	uint64_t extra = region_load(&at->segment->extra[at->number]);

	if (from < to && extra != slot->extra_seen)
		tee_perf_walks_resolve(drain, at->process, slot, extra, &at->record[from], to - from);
	if (from < to && slot->floor != 0) {
		struct tee_perf_record first = at->record[from];
		if ((first.w0 & TEE_PERF_TIME_MASK) < slot->floor)
			first.w0 = kind_of(&first) << TEE_PERF_KIND_SHIFT | slot->floor;
		tee_perf_sink_feed(slot->stream, &first, 1);
		slot->floor = 0;
		from++;
	}
	while (from < to) {
		uint32_t count = to - from < drain->chunk ? to - from : drain->chunk;
		tee_perf_sink_feed(slot->stream, &at->record[from], count);
		from += count;
		tee_perf_drain_tick(drain);
	}
}

/* How many complete records the sub-buffer holds. A finished one may end early (its thread ended); what stands behind
 * a zero is behind a hole: the interrupted record of a process that was killed. */
static uint32_t visible(struct cursor *at, uint32_t from)
{
	if (region_load(&at->record[RECORDS - 1].w0) != 0)
		return RECORDS;
	while (from < RECORDS && region_load(&at->record[from].w0) != 0)
		from++;
	return from;
}

static struct tee_perf_nested_record *nested_at(struct cursor *at, uint64_t position)
{
	return (struct tee_perf_nested_record *)at->nested_ring + position % TEE_PERF_NESTED_RECORDS;
}

static void skip_nested(struct cursor *at)
{
	memset(nested_at(at, at->slot->nested), 0, sizeof(struct tee_perf_nested_record));
	at->slot->nested++;
	region_store(&at->segment->nested_reader[at->number], at->slot->nested);
}

/* Feeds the nested records whose place is below `end` and not above `place`. A hole in front of a complete one whose
 * turn it is was left by a hook that was abandoned. */
static bool feed_nested(struct cursor *at, uint64_t place, bool final)
{
	struct tee_perf_slot *slot = at->slot;
	uint64_t written = region_load(&at->segment->nested_writer[at->number]);
	bool any = false;

	if (written - slot->nested > TEE_PERF_NESTED_RECORDS)
		return false;
	while (slot->nested != written) {
		struct tee_perf_nested_record *nested = nested_at(at, slot->nested);
		struct tee_perf_record record = { region_load(&nested->w0), nested->w1 };
		if (record.w0 == 0) {
			struct tee_perf_nested_record *after = nested_at(at, slot->nested + 1);
			bool passed =
			    slot->nested + 1 != written && region_load(&after->w0) != 0 && after->place <= place;
			if (!final && !passed)
				break;
			at->drain->totals.holes++;
		} else if (nested->place > place && !final) {
			break;
		} else {
			uint64_t time = record.w0 & TEE_PERF_TIME_MASK;
			slot->floor = time > slot->floor ? time : slot->floor;
			tee_perf_sink_feed(slot->stream, &record, 1);
		}
		skip_nested(at);
		any = true;
	}
	return any;
}

/* Feeds [from, to) with the nested records at their places; those before record `to` itself, too. */
static void feed_merged(struct cursor *at, uint32_t from, uint32_t to, bool final)
{
	struct tee_perf_slot *slot = at->slot;
	uint64_t begin = slot->reader * RECORDS;

	while (region_load(&at->segment->nested_writer[at->number]) != slot->nested) {
		uint64_t place = nested_at(at, slot->nested)->place;
		if (place > begin + to)
			break;
		uint32_t stop = place > begin + from ? (uint32_t)(place - begin) : from;
		feed(at, from, stop);
		from = stop;
		if (!feed_nested(at, begin + stop, final))
			break;
	}
	feed(at, from, to);
}

static void take_lost(struct cursor *at)
{
	uint64_t lost = region_load(&at->segment->lost[at->number]);

	if (lost - at->slot->lost < UINT64_C(1) << 60) {
		atomic_fetch_add(&at->drain->lost, lost - at->slot->lost);
		at->slot->lost = lost;
	}
}

/* Names come before the records that need them: the writer published them first. */
static void take_modules(struct cursor *at)
{
	if (region_load(&at->segment->module_written) != at->process->modules_read)
		tee_perf_modules_drain(at->drain, at->process);
}

/* ---- moving on */

/* A writer that sleeps until we are where we are now. */
static void wake(struct cursor *at)
{
	atomic_thread_fence(memory_order_seq_cst); /* our position before the look at `waiting` */
	uint64_t waiting = region_load(&at->segment->waiting[at->number]);

	if (waiting != 0 && at->slot->reader >= waiting)
		syscall(SYS_futex, &at->segment->reader[at->number], FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* The sub-buffer is read: gives it back to the writer. */
static void release(struct cursor *at)
{
	memset(at->header, 0, TEE_PERF_SUBBUF_BYTES);
	at->slot->consumed = 0;
	region_store(&at->segment->reader[at->number], ++at->slot->reader);
	wake(at);
}

static void drain_to(struct cursor *at, uint64_t written)
{
	struct tee_perf_slot *slot = at->slot;

	while (slot->reader != written) {
		if (!locate(at, slot->reader) || !enter(at)) {
			slot->broken = true;
			return;
		}
		uint32_t end = visible(at, slot->consumed);
		take_modules(at);
		if (region_load(&at->segment->nested_writer[at->number]) == slot->nested)
			feed(at, slot->consumed, end);
		else
			feed_merged(at, slot->consumed, end, false);
		take_lost(at);
		release(at);
		tee_perf_drain_tick(at->drain);
	}
}

/* Of `written` sub-buffers those that are read now. The last one is in its core's first-level cache still, and taking
 * it from there slows the thread down (docs/HOOK-SHAPE.md): it is left until the next one is finished, or for a while.
 * Not where it may be long until the next look, nor of a small ring, which needs all its room. */
static uint64_t ripe(const struct tee_perf_drain *drain, struct tee_perf_slot *slot, uint64_t written)
{
	bool looks_on = drain->clock->counting && !drain->pace.crowded;

	if (!looks_on || drain->region->ring_bytes < RIPE_RING * TEE_PERF_SUBBUF_BYTES)
		return written;
	if (slot->written != written) {
		slot->written = written;
		slot->written_ns = drain->clock->last_ns;
	}
	return written - (drain->clock->last_ns - slot->written_ns < RIPE_NS);
}

bool tee_perf_slot_drain(struct tee_perf_drain *drain, struct tee_perf_process *process, uint32_t number)
{
	struct tee_perf_slot *slot = &process->slot[number];
	uint64_t written = region_load(&process->segment->writer[number]);

	if (written == slot->reader || slot->broken || slot->full == TEE_PERF_FULL_OVERWRITE + 1)
		return false;
	uint64_t end = ripe(drain, slot, written);
	if (end == slot->reader)
		return false;
	struct cursor at = open_slot(drain, process, number);
	if (overwrites(&at))
		return false;
	drain_to(&at, end);
	return true;
}

/* In overwrite mode the oldest sub-buffer that still stands, and what was lost before it. */
static void skip_overwritten(struct cursor *at, uint64_t written)
{
	uint64_t count = at->slot->count;

	if (written < count || written - count + 1 <= at->slot->reader)
		return;
	at->slot->reader = written - count + 1;
}

static void note_overwritten(struct cursor *at)
{
	uint64_t lost = at->slot->reader * RECORDS;

	if (lost == 0)
		return;
	feed_meta(at, TEE_PERF_META_LOST, lost);
	atomic_fetch_add(&at->drain->lost, lost);
	if (region_load(&at->header[TEE_PERF_SUBBUF_FLAGS]) != TEE_PERF_CLOCK_TSC)
		return;
	/* The word of the change of clocks is among what was overwritten. */
	uint64_t time = region_load(&at->record[0].w0) & TEE_PERF_TIME_MASK;
	struct tee_perf_record record = { (uint64_t)TEE_PERF_META << TEE_PERF_KIND_SHIFT | time,
					  (uint64_t)TEE_PERF_CLOCK_TSC << 8 | TEE_PERF_META_CLOCK };
	tee_perf_sink_feed(at->slot->stream, &record, 1);
	at->drain->totals.extra++;
}

/* Records behind the first zero of a tail that will not change any more. */
static void count_holes(struct cursor *at, uint32_t from)
{
	uint32_t behind = 0;

	for (uint32_t i = from; i < RECORDS; i++)
		behind += at->record[i].w0 != 0;
	if (behind > 0)
		feed_meta(at, TEE_PERF_META_HOLE, behind);
	at->drain->totals.holes += behind;
}

bool tee_perf_slot_drain_tail(struct tee_perf_drain *drain, struct tee_perf_process *process, uint32_t number,
			      bool final)
{
	struct cursor at = open_slot(drain, process, number);
	struct tee_perf_slot *slot = at.slot;
	uint64_t written = region_load(&process->segment->writer[number]);

	if (slot->broken)
		return false;
	if (overwrites(&at)) {
		if (!final)
			return false;
		skip_overwritten(&at, written);
		if (slot->reader != 0 && locate(&at, slot->reader) && enter(&at))
			note_overwritten(&at);
	}
	drain_to(&at, region_load(&process->segment->writer[number]));
	take_lost(&at);
	if (slot->broken || !locate(&at, slot->reader) || !enter(&at))
		return false;
	uint32_t from = slot->consumed, end = visible(&at, from);
	take_modules(&at);
	feed_merged(&at, from, end, final);
	feed_nested(&at, slot->reader * RECORDS + end, final);
	slot->consumed = end;
	wake(&at);
	if (final && end < RECORDS)
		count_holes(&at, end);
	return end != from;
}
