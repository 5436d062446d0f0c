/* SPDX-License-Identifier: MIT */
/* Attaching: what is taken over from the host, once and checked; slots for threads. */
#include "runtime/platform.h"

#include "arch.h"

/* The default, of an enclave that is built without -ftee-perf-policy: the host decides. */
__attribute__((weak, visibility("hidden"))) const struct tee_perf_policy tee_perf_policy = { 0 };

struct tee_perf_state tee_perf_state = { .enabled = true, .policy = &tee_perf_policy };

/* Whether an image has the runtime in it, whatever policy it has (tee-perf info --hooks). */
#if defined(__has_attribute) && __has_attribute(retain)
__attribute__((retain)) /* --gc-sections, too */
#endif
__attribute__((used, section(TEE_PERF_STATIC_SECTION))) static const uint64_t present = TEE_PERF_ABI_VERSION;

void tee_perf_set_policy(const struct tee_perf_policy *policy)
{
	tee_perf_state.policy = policy;
	if (tee_perf_state.host != NULL)
		tee_perf_refresh_threads();
}

bool tee_perf_sizes_sane(uint64_t process_max, uint64_t slot_max, uint64_t ring_bytes, uint64_t segment_bytes,
			 uint64_t module_bytes)
{
	if (process_max == 0 || process_max > TEE_PERF_PROCESS_MAX || slot_max == 0 || slot_max > TEE_PERF_SLOT_MAX)
		return false;
	if (ring_bytes < TEE_PERF_RING_BYTES_MIN || ring_bytes > TEE_PERF_RING_BYTES_MAX ||
	    ring_bytes % TEE_PERF_SUBBUF_BYTES != 0)
		return false;
	if (module_bytes > (UINT64_C(1) << 32) || module_bytes % TEE_PERF_SUBBUF_BYTES != 0)
		return false;
	/* No product below can wrap: 2^12 slots of 2^30 bytes. */
	return segment_bytes % 4096 == 0 &&
	       segment_bytes >= TEE_PERF_SLOTS_OFFSET(module_bytes) + slot_max * TEE_PERF_SLOT_BYTES(ring_bytes) &&
	       segment_bytes <= UINT64_C(1) << 44;
}

/* attachment->host comes last: from then on hooks attach their threads. */
void tee_perf_attach(const struct tee_perf_attachment *attachment)
{
	struct tee_perf_state *state = &tee_perf_state;

	state->segment = attachment->segment;
	state->process = attachment->process;
	state->threads = attachment->threads;
	state->ring_bytes = attachment->ring_bytes;
	state->slots = (uintptr_t)attachment->segment + TEE_PERF_SLOTS_OFFSET(attachment->module_bytes);
	state->slot_count = attachment->slot_count;
	state->slot_next = 0;
	state->thread_next = 0;
	state->unserved = 0;
	state->stalled_clock = 0;
	uint64_t counter = host_read(&attachment->host->counter);
	state->foreign_counter = attachment->host_clock_only || (counter != 0 && counter != ARCH_MACHINE);
	for (unsigned i = 0; i < TEE_PERF_SLOT_MAX / 64; i++)
		state->slot_free[i] = 0;
	__atomic_store_n(&state->host, attachment->host, __ATOMIC_RELEASE);
}

/* ---- slots: an atomic counter and a bitmap of those given back; no lock, so a handler may attach, too */

static bool take_free(uint32_t slot)
{
	uint64_t bit = UINT64_C(1) << slot % 64;

	return (__atomic_fetch_and(&tee_perf_state.slot_free[slot / 64], ~bit, __ATOMIC_ACQ_REL) & bit) != 0;
}

static void give_free(uint32_t slot)
{
	__atomic_fetch_or(&tee_perf_state.slot_free[slot / 64], UINT64_C(1) << slot % 64, __ATOMIC_ACQ_REL);
}

/* All that the slot's last owner wrote has been read. Read once; a lie costs records, not safety. */
static bool drained(uint32_t slot)
{
	const struct tee_perf_thread *thread = &tee_perf_state.threads[slot];
	const struct tee_perf_geometry *last = &thread->geometry[thread->geometry_valid];

	return last->start == 0 || host_read(thread->reader) == last->sequence + 1;
}

static __thread uint32_t last_slot_plus_1 __attribute__((tls_model("initial-exec")));
static __thread uint32_t number_plus_1 __attribute__((tls_model("initial-exec")));

static bool find_slot(uint32_t *slot)
{
	struct tee_perf_state *state = &tee_perf_state;

	/* A thread that goes on after its end was announced takes its own slot again, drained or not: its
	 * records stay in order. */
	if (last_slot_plus_1 != 0 && take_free(*slot = last_slot_plus_1 - 1))
		return true;
	for (unsigned i = 0; i < TEE_PERF_SLOT_MAX / 64; i++) {
		uint64_t bits = __atomic_load_n(&state->slot_free[i], __ATOMIC_ACQUIRE);
		for (; bits != 0; bits &= bits - 1) {
			*slot = i * 64 + (unsigned)__builtin_ctzll(bits);
			if (drained(*slot) && take_free(*slot))
				return true;
		}
	}
	*slot = __atomic_fetch_add(&state->slot_next, 1, __ATOMIC_RELAXED);
	if (*slot < state->slot_count)
		return true;
	__atomic_fetch_sub(&state->slot_next, 1, __ATOMIC_RELAXED);
	return false;
}

static void lay_out(struct tee_perf_thread *thread, uint32_t slot)
{
	const struct tee_perf_state *state = &tee_perf_state;
	uintptr_t base = state->slots + (uintptr_t)slot * TEE_PERF_SLOT_BYTES(state->ring_bytes);

	thread->slot = slot;
	thread->host = state->host;
	thread->nested_ring = base;
	thread->ring = base + TEE_PERF_NESTED_BYTES;
	thread->writer = &state->segment->writer[slot];
	thread->reader = &state->segment->reader[slot];
	thread->nested_writer = &state->segment->nested_writer[slot];
	thread->nested_reader = &state->segment->nested_reader[slot];
	thread->waiting = &state->segment->waiting[slot];
	thread->extra_word = &state->segment->extra[slot];
	thread->waited_word = &state->segment->waited[slot];
	thread->lost_word = &state->segment->lost[slot];
}

static void tell_host(uint32_t slot)
{
	struct tee_perf_log_process *process = tee_perf_state.process;

	if (process != NULL && slot + 1 > host_read(&process->slot_count))
		host_write(&process->slot_count, __atomic_load_n(&tee_perf_state.slot_next, __ATOMIC_ACQUIRE));
}

/* A signal handler may come in at
 * any point and attach the thread itself; then its ring is kept and ours goes back. */
static struct tee_perf_thread *attach_thread(uintptr_t cfa)
{
	struct tee_perf_thread *again;
	uint32_t slot;

	if (tee_perf_state.threads == NULL || !tee_perf_platform_attach_child())
		return NULL;
	if (tee_perf_state.thread_again != NULL && (again = tee_perf_state.thread_again()) != NULL)
		return tee_perf_self = again;
	if (!find_slot(&slot)) {
		__atomic_fetch_add(&tee_perf_state.unserved, 1, __ATOMIC_RELAXED);
		if (tee_perf_state.process != NULL)
			host_write(&tee_perf_state.process->unserved, tee_perf_state.unserved);
		return NULL;
	}
	struct tee_perf_thread *thread = &tee_perf_state.threads[slot];
	if (!thread->live) {
		lay_out(thread, slot);
		tee_perf_platform_open_memory(thread->nested_ring, TEE_PERF_NESTED_BYTES);
	}
	if (number_plus_1 == 0)
		number_plus_1 = 1 + __atomic_fetch_add(&tee_perf_state.thread_next, 1, __ATOMIC_RELAXED);
	thread->number = number_plus_1 - 1;
	tee_perf_platform_thread(thread, cfa);
	thread->on = false;
	thread->control = TEE_PERF_CONTROL_NEVER;
	tee_perf_shut_fast_paths(thread);
	thread->clock = TEE_PERF_CLOCK_HOST;
	thread->dropping = thread->hopeless = false;
	thread->cursor = 0;
	thread->owner = 0;
	thread->live = true;

	struct tee_perf_thread *none = (struct tee_perf_thread *)&tee_perf_unattached;
	if (!__atomic_compare_exchange_n(&tee_perf_self, &none, thread, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		give_free(slot);
		return tee_perf_self;
	}
	last_slot_plus_1 = slot + 1;
	tell_host(slot);
	tee_perf_platform_watch_thread_end();
	return thread;
}

/* Gives the calling thread a ring. NULL: it goes unrecorded, counted. */
struct tee_perf_thread *tee_perf_thread_attach(uintptr_t cfa)
{
	struct arch_vectors vectors;

	arch_vectors_save(&vectors);
	struct tee_perf_thread *thread = attach_thread(cfa);
	arch_vectors_restore(&vectors);
	return thread;
}

void tee_perf_thread_forget(void)
{
	tee_perf_self = (struct tee_perf_thread *)&tee_perf_unattached;
	last_slot_plus_1 = number_plus_1 = 0;
}

/* The thread ends. A hook that still comes takes a slot again. */
void tee_perf_thread_detach(void)
{
	struct tee_perf_thread *thread = tee_perf_self;

	if (thread == &tee_perf_unattached || !thread->live)
		return;
	thread->owner = UINTPTR_MAX; /* handlers go to the nested ring meanwhile */
	tee_perf_publish_partial(thread);
	tee_perf_self = (struct tee_perf_thread *)&tee_perf_unattached;
	thread->owner = 0;
	give_free(thread->slot);
}
