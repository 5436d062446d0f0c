/* SPDX-License-Identifier: MIT */
/* The ring's slow path: open the next sub-buffer, wait for room, follow the control word, and the small ring
 * of signal handlers that interrupted a hook. The caller holds the thread's owner word. */
#include "runtime/platform.h"

#include "arch.h"

#define SPINS 64

static struct tee_perf_geometry *geometry(struct tee_perf_thread *thread)
{
	return &thread->geometry[thread->geometry_valid];
}

uint64_t tee_perf_now(struct tee_perf_thread *thread)
{
	return thread->clock == TEE_PERF_CLOCK_TSC ? tee_perf_clock_ticks() & TEE_PERF_TIME_MASK
						   : host_time(thread->host);
}

/* Atomic: a handler may lose one while we do. */
void tee_perf_count_lost(struct tee_perf_thread *thread)
{
	host_write(thread->lost_word, 1 + __atomic_fetch_add(&thread->lost, 1, __ATOMIC_RELAXED));
}

/* Dropping must be quick: a program whose recorder was killed has the rest of its life to do it. */
bool tee_perf_still_dropping(struct tee_perf_thread *thread)
{
	if (!thread->dropping)
		return false;
	thread->dropping = host_read(thread->reader) == thread->dropping_reader &&
			   (thread->full == TEE_PERF_FULL_DROP || thread->hopeless ||
			    host_time(thread->host) == tee_perf_state.stalled_clock);
	thread->hopeless &= thread->dropping;
	return thread->dropping;
}

/* ---- room */

/* tests/arch/check-order.py finds these two by name: what the reader zeroed before it moved is seen as zero, and what
 * is finished is written. */
static __attribute__((noinline)) uint64_t reader_position(const struct tee_perf_thread *thread)
{
	return host_read(thread->reader);
}

static __attribute__((noinline)) void publish(struct tee_perf_thread *thread, uint64_t finished)
{
	host_write(thread->writer, finished);
}

static bool has_room(struct tee_perf_thread *thread, const struct tee_perf_geometry *next, uint64_t *reader)
{
	*reader = reader_position(thread);
	/* A forged position makes the difference large: then there is no room. */
	return next->sequence - *reader < next->count;
}

/* What the enclave was built with outranks the host's word. */
static uint8_t full_policy(uint64_t control)
{
	uint32_t built_in = tee_perf_state.policy->full;

	if (built_in != 0)
		return (uint8_t)(built_in - 1);
	return control >> TEE_PERF_CONTROL_FULL_SHIFT & TEE_PERF_CONTROL_FIELD;
}

/* Rounds that a thread may wait in all, by what it was built with. */
static unsigned wait_total(void)
{
	uint32_t built_in = tee_perf_state.policy->wait;

	return built_in != 0 && built_in <= TEE_PERF_WAIT_TOTAL ? built_in - 1 : TEE_PERF_WAIT_TOTAL;
}

/* A wait is over when there is room (true), or the control word changes, or the recorder shows no sign of
 * life, or does so without freeing anything (false). Bounded in each case. */
static bool wait_for_room(struct tee_perf_thread *thread, const struct tee_perf_geometry *next, uint64_t *slept_ns)
{
	uint64_t reader, seen_reader, seen_clock = host_time(thread->host);
	unsigned idle = 0, total = 0;

	/* Another thread, or this one, has just waited in vain: dropping must be quick. */
	if (tee_perf_state.stalled_clock != 0 && tee_perf_state.stalled_clock == seen_clock)
		return has_room(thread, next, &reader);
	for (int spin = 0; spin < SPINS && wait_total() != 0; spin++) {
		if (has_room(thread, next, &reader))
			return true;
		arch_pause();
	}
	for (seen_reader = host_read(thread->reader); !has_room(thread, next, &reader);) {
		uint64_t clock = host_time(thread->host);
		if (reader != seen_reader || clock != seen_clock)
			idle = 0;
		seen_reader = reader;
		seen_clock = clock;
		uint64_t control = host_read(&thread->host->control);
		if ((control & TEE_PERF_CONTROL_ON) == 0 || full_policy(control) != TEE_PERF_FULL_WAIT)
			return false;
		if (idle >= TEE_PERF_WAIT_LIMIT || total >= wait_total()) {
			tee_perf_state.stalled_clock = clock;
			thread->hopeless = total >= wait_total();
			return false;
		}
		/* Half a ring of room makes the sleep worth its cost. */
		unsigned waited = tee_perf_platform_wait(thread, reader, next->sequence - next->count / 2, slept_ns);
		idle += waited;
		total += waited;
	}
	return true;
}

/* ---- the next sub-buffer */

static void write_header(struct tee_perf_thread *thread, const struct tee_perf_geometry *next)
{
	uint64_t *word = (uint64_t *)next->start;

	host_write(&word[TEE_PERF_SUBBUF_THREAD], (uint64_t)thread->number << 32 | thread->tid);
	host_write(&word[TEE_PERF_SUBBUF_CLOCK], host_time(thread->host));
	host_write(&word[TEE_PERF_SUBBUF_LOST], thread->lost);
	host_write(&word[TEE_PERF_SUBBUF_STACK_LO], thread->stack_lo);
	host_write(&word[TEE_PERF_SUBBUF_STACK_HI], thread->stack_hi);
	host_write(&word[TEE_PERF_SUBBUF_FLAGS], thread->clock);
	host_write(&word[TEE_PERF_SUBBUF_RING], (uint64_t)next->count << 32 | (thread->full + 1u));
	host_write(&word[TEE_PERF_SUBBUF_SEQ], (uint64_t)TEE_PERF_META << TEE_PERF_KIND_SHIFT | next->sequence);
}

/* What is about to be overwritten ends at the first record that is not there yet. */
static void clear(uintptr_t start)
{
	struct tee_perf_record *record = (struct tee_perf_record *)(start + 8 * TEE_PERF_HEADER_WORDS);

	host_write((uint64_t *)start, 0);
	for (unsigned i = 0; i < TEE_PERF_SUBBUF_RECORDS; i++)
		host_write(&record[i].w0, 0);
}

/* Sub-buffers that a ring shrinks to once the reader has caught up with one that has grown: a walk through more would
 * not stay in a core's cache. */
#define KEPT 8u

/* Where the sub-buffer after `current` goes. Growing happens at the wrap, where new memory joins the
 * ring at its end; ring order stays the order of sequence numbers. */
static bool plan_next(struct tee_perf_thread *thread, const struct tee_perf_geometry *current,
		      struct tee_perf_geometry *next)
{
	uint64_t reader;

	*next = *current;
	if (current->start == 0) { /* the first of all */
		next->count = 2;
		if (thread->full == TEE_PERF_FULL_OVERWRITE)
			next->count = thread->sub_buffer_max;
		next->index = 0;
		next->start = thread->ring;
		return tee_perf_platform_open_memory(thread->ring, (uint64_t)next->count * TEE_PERF_SUBBUF_BYTES);
	}
	next->sequence++;
	next->index++;
	if (next->index == next->count) {
		uint32_t wanted = next->count * 2;
		bool full = !has_room(thread, next, &reader);
		if (wanted <= thread->sub_buffer_max && (full || next->grow) &&
		    tee_perf_platform_open_memory(thread->ring + (uintptr_t)next->count * TEE_PERF_SUBBUF_BYTES,
						  (uint64_t)next->count * TEE_PERF_SUBBUF_BYTES)) {
			next->count = wanted;
			next->grow = 0;
		} else {
			next->index = 0;
			if (!full && next->count > KEPT && next->sequence - reader < KEPT)
				next->count = KEPT;
		}
	}
	next->start = thread->ring + (uintptr_t)next->index * TEE_PERF_SUBBUF_BYTES;
	return true;
}

/* *waited is in units of the thread's clock. The clock word may have stood still since long before the sleep: no more
 * than the sleep itself is taken from the program's time. */
static bool wait_and_measure(struct tee_perf_thread *thread, struct tee_perf_geometry *next, uint64_t *waited)
{
	uint64_t from = tee_perf_now(thread), word = host_time(thread->host), slept_ns = 0;

	thread->geometry[thread->geometry_valid].grow = 1;
	next->grow = 1;
	bool room = wait_for_room(thread, next, &slept_ns);
	uint64_t ns = host_time(thread->host) - word;
	if (slept_ns != 0 && slept_ns < ns)
		ns = slept_ns;
	thread->waited += ns;
	host_write(thread->waited_word, thread->waited);
	*waited = thread->clock == TEE_PERF_CLOCK_HOST ? ns : tee_perf_now(thread) - from;
	return room;
}

/* Publishes the open sub-buffer and opens the next. Every step can be repeated: the cursor, stored last, still
 * says "full" until all is done. False: no room. */
static bool refill(struct tee_perf_thread *thread)
{
	const struct tee_perf_geometry *current = geometry(thread);
	struct tee_perf_geometry *next = &thread->geometry[1 - thread->geometry_valid];
	uint64_t reader, waited = 0;

	if (current->start != 0)
		publish(thread, current->sequence + 1);
	if (!plan_next(thread, current, next))
		return false;
	bool fresh = next->index >= next->touched;
	if (!fresh && thread->full == TEE_PERF_FULL_OVERWRITE) {
		clear(next->start);
	} else if (!fresh && !has_room(thread, next, &reader)) {
		if (thread->full == TEE_PERF_FULL_DROP)
			return false;
		if (!wait_and_measure(thread, next, &waited))
			return false;
	}
	if (fresh)
		next->touched = next->index + 1;
	write_header(thread, next);
	thread->geometry_valid = (uint8_t)(next - thread->geometry);
	thread->cursor = next->start + 8 * TEE_PERF_HEADER_WORDS;

	if (thread->lost != thread->lost_reported) {
		uint64_t lost = thread->lost - thread->lost_reported;
		thread->lost_reported = thread->lost;
		tee_perf_put(thread, TEE_PERF_META, lost << 8 | TEE_PERF_META_LOST);
	}
	if (waited != 0)
		tee_perf_put(thread, TEE_PERF_GAP, waited);
	return true;
}

void tee_perf_put(struct tee_perf_thread *thread, uint64_t kind, uint64_t w1)
{
	if ((thread->cursor & TEE_PERF_CURSOR_MASK) == 0 && !refill(thread)) {
		tee_perf_count_lost(thread);
		thread->dropping = true;
		thread->dropping_reader = host_read(thread->reader);
		return;
	}
	if (kind >= TEE_PERF_GAP)
		host_write(thread->extra_word, ++thread->extra);
	struct tee_perf_record *record = (struct tee_perf_record *)thread->cursor;
	host_write(&record->w1, w1);
	host_write(&record->w0, tee_perf_now(thread) | kind << TEE_PERF_KIND_SHIFT);
	thread->cursor = (uintptr_t)(record + 1);
}

/* A thread ends: what it wrote is finished, the rest of the sub-buffer stays zero. */
void tee_perf_publish_partial(struct tee_perf_thread *thread)
{
	struct tee_perf_geometry *current = geometry(thread);

	if (current->start != 0)
		publish(thread, current->sequence + 1);
	thread->cursor = 0;
}

/* ---- the control word */

void tee_perf_apply_control(struct tee_perf_thread *thread)
{
	uint32_t generation = __atomic_load_n(&tee_perf_state.generation, __ATOMIC_ACQUIRE);
	uint64_t control = host_read(&thread->host->control);
	bool on = (control & TEE_PERF_CONTROL_ON) != 0 && __atomic_load_n(&tee_perf_state.enabled, __ATOMIC_ACQUIRE);
	uint8_t clock = control >> TEE_PERF_CONTROL_CLOCK_SHIFT & TEE_PERF_CONTROL_FIELD;
	uint8_t full = full_policy(control);

	if (tee_perf_state.foreign_counter)
		clock = TEE_PERF_CLOCK_HOST;
	thread->control = control;
	thread->generation = generation;
	uint64_t ring_bytes = tee_perf_state.policy->ring_bytes;
	if (ring_bytes == 0 || ring_bytes > tee_perf_state.ring_bytes)
		ring_bytes = tee_perf_state.ring_bytes;
	thread->sub_buffer_max = (uint32_t)(ring_bytes / TEE_PERF_SUBBUF_BYTES);
	/* The policy decides how a ring is laid out: overwrite is chosen at its start or never. */
	if (geometry(thread)->start == 0 || full != TEE_PERF_FULL_OVERWRITE)
		thread->full = full;
	/* Not where the word of it might find no room: later times would be taken for the other clock's. */
	bool later = geometry(thread)->start != 0 && (thread->cursor & TEE_PERF_CURSOR_MASK) == 0;
	later &= clock != thread->clock;
	if (clock != thread->clock && !later && clock <= TEE_PERF_CLOCK_TSC && (on || thread->on)) {
		thread->clock = clock;
		tee_perf_put(thread, TEE_PERF_META, (uint64_t)clock << 8 | TEE_PERF_META_CLOCK);
	}
	if (on && !thread->on && tee_perf_platform_walk != NULL)
		tee_perf_platform_walk(thread, thread->owner + thread->enters);
	thread->enters = false;
	if (on != thread->on) {
		if (thread->cursor != 0) /* a thread's first record needs no word about it */
			tee_perf_put(thread, TEE_PERF_META, on ? TEE_PERF_META_ON : TEE_PERF_META_OFF);
		thread->on = on;
	}
	/* A fast path knows one clock, and is right only while recording is on. */
	bool host = thread->clock == TEE_PERF_CLOCK_HOST;
	thread->clock_word = thread->on && host ? &thread->host->clock : &tee_perf_look;
	thread->control_tsc = thread->on && !host ? control : TEE_PERF_CONTROL_NEVER;
	/* Who switches recording bumps the generation first and shuts the fast paths after. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (later || generation != __atomic_load_n(&tee_perf_state.generation, __ATOMIC_ACQUIRE)) {
		thread->control = TEE_PERF_CONTROL_NEVER;
		tee_perf_shut_fast_paths(thread);
	}
}

/* ---- signal handlers that interrupted a hook */

/* The record that the interrupted hook has not yet written: sequence number of its sub-buffer times
 * records per sub-buffer, plus its index there. */
static uint64_t interrupted_place(struct tee_perf_thread *thread)
{
	const struct tee_perf_geometry *current = geometry(thread);
	uintptr_t first = current->start + 8 * TEE_PERF_HEADER_WORDS;
	uintptr_t cursor = thread->cursor;
	uint64_t begin = current->sequence * TEE_PERF_SUBBUF_RECORDS;

	if (current->start != 0 && cursor == 0)
		return begin + TEE_PERF_SUBBUF_RECORDS; /* published, none opened yet */
	/* In the middle of a refill the cursor is still that of the sub-buffer before. */
	if (cursor < first || cursor > current->start + TEE_PERF_SUBBUF_BYTES)
		return begin;
	return begin + (cursor - first) / sizeof(struct tee_perf_record);
}

static bool nested_full(struct tee_perf_thread *thread)
{
	/* A margin for handlers that interrupt this one between the check and the reservation. */
	return thread->nested - host_read(thread->nested_reader) >= TEE_PERF_NESTED_RECORDS - 16;
}

void tee_perf_put_nested(struct tee_perf_thread *thread, uint64_t kind, uint64_t w1)
{
	uint64_t slept_ns = 0;
	for (unsigned waited = 0; nested_full(thread);) {
		uint64_t clock = host_time(thread->host);
		if (waited >= TEE_PERF_WAIT_LIMIT || waited >= wait_total())
			tee_perf_state.stalled_clock = clock;
		if (thread->full != TEE_PERF_FULL_WAIT || tee_perf_state.stalled_clock == clock) {
			tee_perf_count_lost(thread);
			return;
		}
		waited += tee_perf_platform_wait(thread, host_read(thread->reader), 1, &slept_ns);
	}
	uint64_t position = __atomic_fetch_add(&thread->nested, 1, __ATOMIC_RELAXED);
	struct tee_perf_nested_record *record =
	    (struct tee_perf_nested_record *)thread->nested_ring + position % TEE_PERF_NESTED_RECORDS;

	host_write(&record->w1, w1);
	host_write(&record->place, interrupted_place(thread));
	host_write(&record->w0, tee_perf_now(thread) | kind << TEE_PERF_KIND_SHIFT);
	uint64_t written;
	do { /* a handler that interrupts here must not be taken back */
		written = thread->nested;
		host_write(thread->nested_writer, written);
	} while (thread->nested != written);
}
