/* SPDX-License-Identifier: MIT */
/* What the core needs from a platform: one file per platform in platform/. */
#ifndef TEE_PERF_RUNTIME_PLATFORM_H
#define TEE_PERF_RUNTIME_PLATFORM_H

#include "runtime/thread.h"

/* Fills tid and the bounds of the thread's stack (0, 0: unknown). cfa lies in the stack. */
void tee_perf_platform_thread(struct tee_perf_thread *thread, uintptr_t cfa) TEE_PERF_HIDDEN;

/* Asks to be told of the thread's end, as late as possible (tee_perf_thread_detach). */
void tee_perf_platform_watch_thread_end(void) TEE_PERF_HIDDEN;

/* Makes host memory [begin, begin + size) usable. False: it stays unusable. */
bool tee_perf_platform_open_memory(uintptr_t begin, uint64_t size) TEE_PERF_HIDDEN;

/* Sleeps a little while *thread->reader equals seen, or until it has reached wake_at: waking for each sub-buffer
 * that is freed would cost more than filling it. Returns how much that is of the
 * TEE_PERF_WAIT_LIMIT after which a recorder that shows no life is given up. Adds to *slept_ns how long it was by a
 * clock that goes on while nobody publishes, where there is one: the time before the sleep, since the last publication,
 * is the program's. */
#define TEE_PERF_WAIT_LIMIT 2000
#define TEE_PERF_WAIT_TOTAL (30 * TEE_PERF_WAIT_LIMIT) /* even if it shows life, but frees nothing */
unsigned tee_perf_platform_wait(struct tee_perf_thread *thread, uint64_t seen, uint64_t wake_at,
				uint64_t *slept_ns) TEE_PERF_HIDDEN;

/* The owner and cfa do not both lie on the thread's own stack: was the owner's hook abandoned? */
bool tee_perf_platform_owner_stale(const struct tee_perf_thread *thread, uintptr_t owner,
				   uintptr_t cfa) TEE_PERF_HIDDEN;

/* Where the platform can: writes the frames of the thread's stack whose CFA is not below `from`, as META records ahead
 * of the first record after recording was switched on. The caller holds the owner; the thread is not on yet. */
void tee_perf_platform_walk(struct tee_perf_thread *thread, uintptr_t from) __attribute__((weak)) TEE_PERF_HIDDEN;
/* Recording is going to begin or resume in the middle. Called outside of hooks. */
void tee_perf_platform_prepare_walk(void) __attribute__((weak)) TEE_PERF_HIDDEN;

/* The process was forked: attach it anew. False: it stays unrecorded. */
bool tee_perf_platform_attach_child(void) TEE_PERF_HIDDEN;

#endif
