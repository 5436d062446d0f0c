/* SPDX-License-Identifier: MIT */
/* libtee-perf-walk: walks the calling thread's stack. Apart from the runtime, which loads it when a recording is going
 * to begin or resume in the middle of a program, and does without it where it is missing. */
#ifndef TEE_PERF_RUNTIME_WALK_H
#define TEE_PERF_RUNTIME_WALK_H

#include <stdbool.h>
#include <stdint.h>

#define TEE_PERF_WALK_LIBRARY  "libtee-perf-walk.so.1"
#define TEE_PERF_WALK_FUNCTION "tee_perf_walk"

enum tee_perf_walked {
	TEE_PERF_WALK_CUT = 0,     /* it ended at a frame that cannot be unwound, or at the limit */
	TEE_PERF_WALK_WHOLE = 1,   /* it reached the bottom of the stack */
	TEE_PERF_WALK_INVALID = 2, /* a signal handler runs on this stack: what was visited is not to be used */
};

/* Calls visit for each frame, the innermost first: an address within its function, and its CFA. Allocates nothing,
 * takes no lock but the loader's, leaves errno alone. */
typedef enum tee_perf_walked tee_perf_walk_function(void (*visit)(void *data, uintptr_t pc, uintptr_t cfa), void *data);

#endif
