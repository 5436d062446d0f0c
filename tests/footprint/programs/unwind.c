/* SPDX-License-Identifier: MIT */
/* unwind: steps through instrumented code one instruction at a time, hooks, their slow path and the attaching of a
 * thread included, and walks the stack at each with libunwind and with the C library: main, or the thread's function,
 * is always reached. */
#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include "../../record/programs/expect.h"

#include <execinfo.h>
#include <libunwind.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

#define TRAP_FLAG 0x100ul

static volatile unsigned sink;
static volatile int walking;
static unsigned long steps, lost_libunwind, lost_backtrace;
static uintptr_t first_lost;

/* What must be reached: main and the thread's function lie in a section of their own. */
#define GOAL __attribute__((section("walk_goal")))
extern const char __start_walk_goal[], __stop_walk_goal[];

NOT_INSTRUMENTED static int is_goal(uintptr_t address)
{
	return address >= (uintptr_t)__start_walk_goal && address < (uintptr_t)__stop_walk_goal;
}

NOT_INSTRUMENTED static void on_step(int number, siginfo_t *info, void *context)
{
	unw_cursor_t cursor;
	void *addresses[64];
	int found = 0, count;

	(void)number, (void)info;
	if (!walking) {
		((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
		return;
	}
	steps++;
	if (unw_init_local2(&cursor, context, UNW_INIT_SIGNAL_FRAME) == 0)
		do {
			unw_word_t address = 0;
			unw_get_reg(&cursor, UNW_REG_IP, &address);
			found |= is_goal(address);
		} while (!found && unw_step(&cursor) > 0);
	if (!found && lost_libunwind++ == 0)
		first_lost = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	if (steps % 8) /* the slower of the two: at each instruction once in a while */
		return;
	count = backtrace(addresses, 64);
	found = 0;
	for (int i = 0; i < count; i++)
		found |= is_goal((uintptr_t)addresses[i]);
	if (!found && lost_backtrace++ == 0 && first_lost == 0)
		first_lost = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
}

/* The processor traps after each instruction while the flag is set; the handler clears it. */
NOT_INSTRUMENTED static inline __attribute__((always_inline)) void start_walking(void)
{
	uint64_t flags;

	walking = 1;
	__asm__ volatile("pushfq; popq %0" : "=r"(flags)::"memory");
	flags |= TRAP_FLAG;
	__asm__ volatile("pushq %0; popfq" ::"r"(flags) : "memory", "cc");
}

KEPT static void leaf(void)
{
	sink++;
}

KEPT static unsigned middle(unsigned depth)
{
	leaf();
	if (depth > 0)
		depth = middle(depth - 1) + 1;
	sink++;
	return depth;
}

/* Its first hook attaches it. The function that is to be found has no hooks of its own. */
NOT_INSTRUMENTED KEPT GOAL static void *in_thread(void *nothing)
{
	start_walking();
	middle(2);
	walking = 0;
	return nothing;
}

NOT_INSTRUMENTED KEPT static void at_work(void)
{
	/* More records than a sub-buffer holds, so that it is refilled on the way. */
	start_walking();
	for (int i = 0; i < 70; i++)
		middle(3);
	walking = 0;
}

GOAL int main(void)
{
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
	void *warm[4];
	pthread_t thread;

	backtrace(warm, 4); /* loads the unwinder, which calls malloc */
	sigaction(SIGTRAP, &action, NULL);
	at_work();
	if (pthread_create(&thread, NULL, in_thread, NULL) != 0 || pthread_join(thread, NULL) != 0)
		return 1;
	expect("middle", 70 * 4 + 3);
	expect("leaf", 70 * 4 + 3);
	if (lost_libunwind || lost_backtrace)
		printf("of %lu steps libunwind lost its way in %lu, backtrace() in %lu, first at %p\n", steps,
		       lost_libunwind, lost_backtrace, (void *)first_lost);
	return steps < 3000 || lost_libunwind || lost_backtrace;
}
