/* SPDX-License-Identifier: MIT */
/* Which stacks a thread runs on besides its own: signal stacks, contexts, fibers, what the program says with
 * tee_perf_stack(). Each goes into the thread's ring as two META records, before anything runs on it. */
#include "runtime/platform/hosted.h"

#include "syscall.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

struct tee_perf_hosted_next tee_perf_hosted_next;

#define OFFERED __attribute__((visibility("default")))
/* A sanitizer, or the program, may define it as well, and then goes first. */
#define INTERPOSED __attribute__((visibility("default"), weak))

/* Whether the hook that holds the owner word was not interrupted by us, but left. */
static bool abandoned(const struct tee_perf_thread *thread, uintptr_t owner, uintptr_t here)
{
	bool owner_on_stack = owner > thread->stack_lo && owner <= thread->stack_hi;
	bool here_on_stack = here > thread->stack_lo && here <= thread->stack_hi;

	if (!owner_on_stack || !here_on_stack)
		return tee_perf_platform_owner_stale(thread, owner, here);
	return owner <= here;
}

/* NULL: it goes unrecorded. */
static struct tee_perf_thread *attached_thread(uintptr_t here)
{
	struct tee_perf_thread *thread = tee_perf_self;

	if (tee_perf_state.host == NULL)
		return NULL;
	if (thread->owner == 0 && !thread->live) { /* wiped: a forked child */
		tee_perf_thread_forget();
		thread = tee_perf_self;
	}
	return thread == &tee_perf_unattached ? tee_perf_thread_attach(here) : thread;
}

/* As a hook does: in the critical section, or, where a handler has interrupted a hook, into the nested ring. Bounds
 * are told even while recording is off: what runs later runs on these stacks. */
static void write_bounds(struct tee_perf_thread *thread, uintptr_t here, uintptr_t lo, uintptr_t hi,
			 enum tee_perf_meta upper)
{
	uint64_t w1[] = { (uint64_t)lo << 8 | TEE_PERF_META_STACK_LO, (uint64_t)hi << 8 | upper };
	uintptr_t owner = thread->owner;

	if (owner != 0 && !abandoned(thread, owner, here)) {
		tee_perf_put_nested(thread, TEE_PERF_META, w1[0]);
		tee_perf_put_nested(thread, TEE_PERF_META, w1[1]);
		return;
	}
	thread->owner = here;
	if (host_read(&thread->host->control) != thread->control ||
	    thread->generation != __atomic_load_n(&tee_perf_state.generation, __ATOMIC_ACQUIRE))
		tee_perf_apply_control(thread);
	for (int i = 0; i < 2; i++)
		if (tee_perf_still_dropping(thread))
			tee_perf_count_lost(thread);
		else
			tee_perf_put(thread, TEE_PERF_META, w1[i]);
	thread->owner = 0;
}

/* Whether what was written may be gone: records were lost, or the ring that overwrites has gone on. */
static bool is_forgotten(const struct tee_perf_thread *thread)
{
	return thread->known_lost != thread->lost ||
	       (thread->full == TEE_PERF_FULL_OVERWRITE &&
		thread->known_sequence != thread->geometry[thread->geometry_valid].sequence);
}

static void remember(struct tee_perf_thread *thread)
{
	thread->known_lost = thread->lost;
	thread->known_sequence = thread->geometry[thread->geometry_valid].sequence;
}

/* Whether the bounds are not known to stand in the ring. What overlaps them may have to be written again. */
static bool is_news(struct tee_perf_thread *thread, uintptr_t lo, uintptr_t hi)
{
	bool forgotten = is_forgotten(thread);

	for (unsigned i = 0; i < TEE_PERF_STACKS_KNOWN; i++) {
		struct tee_perf_known_stack *known = &thread->known_stack[i];
		if (known->lo == lo && known->hi == hi && !forgotten)
			return false;
		if (forgotten || (known->lo < hi && known->hi > lo))
			*known = (struct tee_perf_known_stack){ 0 };
	}
	return true;
}

static void announce(uintptr_t lo, uintptr_t hi, enum tee_perf_meta upper)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	struct tee_perf_thread *thread = attached_thread(here);

	if (thread == NULL || lo >= hi || !is_news(thread, lo, hi))
		return;
	write_bounds(thread, here, lo, hi, upper);
	remember(thread);
	thread->known_stack[thread->known_next++ % TEE_PERF_STACKS_KNOWN] = (struct tee_perf_known_stack){ lo, hi };
}

void tee_perf_hosted_announce(uintptr_t lo, uintptr_t hi)
{
	announce(lo, hi, TEE_PERF_META_STACK_HI);
}

/* What is open on the stack will not return. */
static void forget(uintptr_t lo, uintptr_t hi)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	struct tee_perf_thread *thread = attached_thread(here);

	if (thread == NULL || lo == 0)
		return;
	(void)is_news(thread, lo, hi > lo ? hi : lo + 1);
	for (unsigned i = 0; i < TEE_PERF_STACKS_KNOWN; i++)
		if (thread->known_stack[i].lo == lo)
			thread->known_stack[i] = (struct tee_perf_known_stack){ 0 };
	write_bounds(thread, here, lo, lo, TEE_PERF_META_STACK_HI);
}

/* Once destructors of thread-specific data run, none of the thread's functions is open, also where it ended without
 * returning from them. */
void tee_perf_hosted_stacks_left(void)
{
	if (tee_perf_self != &tee_perf_unattached)
		forget(tee_perf_self->stack_lo, tee_perf_self->stack_hi);
}

static long set_signal_stack(const stack_t *wanted, stack_t *before)
{
	return arch_syscall6(SYS_sigaltstack, (long)wanted, (long)before, 0, 0, 0, 0);
}

static void announce_signal_stack(const stack_t *stack)
{
	uintptr_t lo = (uintptr_t)stack->ss_sp;

	if ((stack->ss_flags & SS_DISABLE) == 0)
		announce(lo, lo + stack->ss_size, TEE_PERF_META_SIGNAL_STACK_HI);
}

/* The thread has just got its ring. */
void tee_perf_hosted_stacks_attached(struct tee_perf_thread *thread)
{
	stack_t stack;

	for (unsigned i = 0; i < TEE_PERF_STACKS_KNOWN; i++)
		thread->known_stack[i] = (struct tee_perf_known_stack){ 0 };
	remember(thread);
	thread->fiber = thread->next_fiber = (struct tee_perf_known_stack){ thread->stack_lo, thread->stack_hi };
	if (set_signal_stack(NULL, &stack) == 0)
		announce_signal_stack(&stack);
}

/* ---- tee-perf.h */

OFFERED void tee_perf_runtime_stack(const void *lo, const void *hi)
{
	announce((uintptr_t)lo, (uintptr_t)hi, TEE_PERF_META_STACK_HI);
}

OFFERED void tee_perf_runtime_stack_forget(const void *lo)
{
	forget((uintptr_t)lo, 0);
}

/* ---- what programs call anyway */

/* The system call itself: no object behind us is needed. */
INTERPOSED int sigaltstack(const stack_t *wanted, stack_t *before)
{
	long result = set_signal_stack(wanted, before);

	if (result < 0) {
		errno = (int)-result;
		return -1;
	}
	if (wanted != NULL && tee_perf_self != &tee_perf_unattached) /* else attaching asks for it */
		announce_signal_stack(wanted);
	return 0;
}

/* What libraries of fibers tell AddressSanitizer: before a switch, on which stack the thread goes on; save is NULL
 * when the present fiber ends. */
INTERPOSED void __sanitizer_start_switch_fiber(void **save, const void *bottom, size_t size)
{
	uintptr_t lo = (uintptr_t)bottom;
	struct tee_perf_thread *thread;

	if (tee_perf_hosted_next.start_switch != NULL)
		tee_perf_hosted_next.start_switch(save, bottom, size);
	announce(lo, lo + size, TEE_PERF_META_STACK_HI);
	thread = tee_perf_self;
	if (thread == &tee_perf_unattached)
		return;
	thread->next_fiber = (struct tee_perf_known_stack){ lo, lo + size };
	if (save == NULL && thread->fiber.lo != thread->stack_lo)
		forget(thread->fiber.lo, thread->fiber.hi);
}

/* After it; wants to know which stack the thread came from. */
INTERPOSED void __sanitizer_finish_switch_fiber(void *save, const void **bottom, size_t *size)
{
	struct tee_perf_thread *thread = tee_perf_self;
	struct tee_perf_known_stack before = { 0 };

	if (thread != &tee_perf_unattached) {
		before = thread->fiber;
		thread->fiber = thread->next_fiber;
	}
	if (tee_perf_hosted_next.finish_switch != NULL) {
		tee_perf_hosted_next.finish_switch(save, bottom, size);
		return;
	}
	if (bottom != NULL)
		*bottom = (const void *)before.lo;
	if (size != NULL)
		*size = before.hi - before.lo;
}
