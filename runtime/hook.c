/* SPDX-License-Identifier: MIT */
/* The hooks. The fast path fits on a screen; everything else is in tee_perf_busy (somebody holds the
 * thread's critical section, or the thread has no ring yet) and tee_perf_slow (we hold it). */
#include "runtime/platform.h"

const uint64_t tee_perf_look = TEE_PERF_CLOCK_LOOK;

/* Its owner is never 0, so that a hook of a thread without a ring ends up in tee_perf_busy. */
const struct tee_perf_thread tee_perf_unattached = { .owner = 1 };

__thread struct tee_perf_thread *tee_perf_self = (struct tee_perf_thread *)&tee_perf_unattached;

#if defined(__x86_64__) /* arch/x86_64/hook.S */
_Static_assert(offsetof(struct tee_perf_thread, owner) == 0 && offsetof(struct tee_perf_thread, cursor) == 8 &&
		   offsetof(struct tee_perf_thread, clock_word) == 16 && offsetof(struct tee_perf_thread, host) == 24 &&
		   offsetof(struct tee_perf_thread, control_tsc) == 32 && offsetof(struct tee_perf_state, host) == 0 &&
		   offsetof(struct tee_perf_log_header, control) == 256 && TEE_PERF_CLOCK_LOOK == UINT64_C(1) << 63 &&
		   TEE_PERF_CURSOR_MASK == 0x3fff && TEE_PERF_CALL == 1 && TEE_PERF_CALL_INLINED == 2 &&
		   TEE_PERF_RETURN == 3 && TEE_PERF_RESYNC == 4 && TEE_PERF_KIND_SHIFT == 61,
	       "hook.S and clock.S have these numbers");
#endif

static inline __attribute__((always_inline)) void hook(uint64_t kind, const struct tee_perf_map_entry *entry,
						       const void *cfa)
{
	struct tee_perf_thread *thread = tee_perf_self;

	if (TEE_PERF_UNLIKELY(thread->owner != 0)) {
		tee_perf_busy(kind, (uint32_t)(uintptr_t)entry, (uintptr_t)cfa);
		return;
	}
	/* From here to the last line a signal handler's hooks go to the nested ring: the cursor is read
	 * after the owner is set and stored before it is cleared. All are volatile: in this order. */
	thread->owner = (uintptr_t)cfa;
	uintptr_t cursor = thread->cursor;
	struct tee_perf_record *record = (struct tee_perf_record *)cursor;
	uint64_t time = TEE_PERF_CLOCK_LOOK;

	/* The second word first: a nonzero first word means a complete record. */
	if (!TEE_PERF_UNLIKELY((cursor & TEE_PERF_CURSOR_MASK) == 0)) {
		host_write(&record->w1, (uint64_t)(uintptr_t)cfa << 32 | (uint32_t)(uintptr_t)entry);
		time = host_read(thread->clock_word);
	}
	if (TEE_PERF_UNLIKELY((time & TEE_PERF_CLOCK_LOOK) != 0)) {
		tee_perf_slow(kind, (uint32_t)(uintptr_t)entry, (uintptr_t)cfa);
		return;
	}
	host_write(&record->w0, time | kind << TEE_PERF_KIND_SHIFT);
	thread->cursor = cursor + sizeof *record;
	thread->owner = 0;
}

#define HOOK(name, kind)                                                                                               \
	__attribute__((visibility("default"))) void name(const struct tee_perf_map_entry *entry, const void *cfa)      \
	{                                                                                                              \
		hook(kind, entry, cfa);                                                                                \
	}
HOOK(tee_perf_call, TEE_PERF_CALL)
HOOK(tee_perf_call_inlined, TEE_PERF_CALL_INLINED)
HOOK(tee_perf_return, TEE_PERF_RETURN)
HOOK(tee_perf_resync, TEE_PERF_RESYNC)

/* We hold the owner. Refill, change of the control word, TSC clock, or a forked child. */
__attribute__((noinline)) void tee_perf_slow(uint64_t kind, uint64_t entry, uintptr_t cfa)
{
	struct tee_perf_thread *thread = tee_perf_self;

	if (!thread->live) { /* wiped: a forked child */
		tee_perf_thread_forget();
		tee_perf_busy(kind, entry, cfa);
		return;
	}
	if (host_read(&thread->host->control) != thread->control ||
	    thread->generation != __atomic_load_n(&tee_perf_state.generation, __ATOMIC_ACQUIRE)) {
		thread->enters = kind == TEE_PERF_CALL;
		tee_perf_apply_control(thread);
	}
	if (tee_perf_still_dropping(thread))
		tee_perf_count_lost(thread);
	else if (thread->on)
		tee_perf_put(thread, kind, (uint64_t)cfa << 32 | entry);
	thread->owner = 0;
}

static bool owner_stale(const struct tee_perf_thread *thread, uintptr_t owner, uintptr_t cfa)
{
	bool owner_on_stack = owner > thread->stack_lo && owner <= thread->stack_hi;
	bool cfa_on_stack = cfa > thread->stack_lo && cfa <= thread->stack_hi;

	if (!owner_on_stack || !cfa_on_stack)
		return tee_perf_platform_owner_stale(thread, owner, cfa);
	/* A handler runs below what it interrupted: an owner at or below us is gone. */
	return owner <= cfa;
}

static __attribute__((noinline)) void busy(uint64_t kind, uint64_t entry, uintptr_t cfa)
{
	struct tee_perf_thread *thread = tee_perf_self;

	if (thread == &tee_perf_unattached) {
		thread = tee_perf_thread_attach(cfa);
		if (thread == NULL)
			return;
	}
	uintptr_t owner = thread->owner;
	if (owner != 0 && !owner_stale(thread, owner, cfa)) {
		if (thread->on)
			tee_perf_put_nested(thread, kind, (uint64_t)cfa << 32 | entry);
		return;
	}
	thread->owner = cfa;
	tee_perf_slow(kind, entry, cfa);
}

/* The owner is set: no ring yet, a handler that interrupted a hook, or an abandoned hook. The first test is
 * all that a program without a recorder pays. */
void tee_perf_busy(uint64_t kind, uint64_t entry, uintptr_t cfa)
{
	if (tee_perf_state.host != NULL)
		busy(kind, entry, cfa);
}
