/* SPDX-License-Identifier: MIT */
/* Contexts, and the functions behind ours: only in the shared library, where the next object has them. A program with
 * the static runtime calls libc's. */
#include "runtime/platform/hosted.h"

#include "context.h"

#include <dlfcn.h>

#define INTERPOSED __attribute__((visibility("default"), weak))

static int (*next_swap)(ucontext_t *from, const ucontext_t *to);
static int (*next_set)(const ucontext_t *to);

/* Every sanitizer has it. Without one there is nothing to look for, and a dlsym that fails calls the program's malloc
 * and leaves a message for its dlerror. */
extern void __sanitizer_print_stack_trace(void) __attribute__((weak));

/* Early: dlsym is not for signal handlers. */
__attribute__((constructor(101))) static void find_all(void)
{
	next_swap = (int (*)(ucontext_t *, const ucontext_t *))dlsym(RTLD_NEXT, "swapcontext");
	next_set = (int (*)(const ucontext_t *))dlsym(RTLD_NEXT, "setcontext");
	if (__sanitizer_print_stack_trace == NULL)
		return;
	tee_perf_hosted_next.start_switch =
	    (void (*)(void **, const void *, size_t))dlsym(RTLD_NEXT, "__sanitizer_start_switch_fiber");
	tee_perf_hosted_next.finish_switch =
	    (void (*)(void *, const void **, size_t *))dlsym(RTLD_NEXT, "__sanitizer_finish_switch_fiber");
	dlerror();
}

/* Contexts are announced when they are switched to: by the thread that does, which need not be the one that called
 * makecontext. One that nobody gave a stack of its own says anything about its stack. */
static __attribute__((noinline)) void announce_context(const ucontext_t *to)
{
	uintptr_t lo = (uintptr_t)to->uc_stack.ss_sp, hi = lo + to->uc_stack.ss_size;
	uintptr_t stack_pointer = arch_context_stack_pointer(to);

	if (next_swap == NULL)
		find_all();
	if (lo != 0 && stack_pointer > lo && stack_pointer <= hi)
		tee_perf_hosted_announce(lo, hi);
}

/* Both end in a jump, so that the context that is saved is the caller's and can be resumed more than once. */
INTERPOSED int swapcontext(ucontext_t *from, const ucontext_t *to)
{
	announce_context(to);
	return next_swap(from, to);
}

INTERPOSED int setcontext(const ucontext_t *to)
{
	announce_context(to);
	return next_set(to);
}
