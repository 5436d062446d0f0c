/* SPDX-License-Identifier: MIT */
/* Whether the publisher has a core to spin on. Where every core is wanted by others, spinning takes the program's time
 * and still leaves gaps of the scheduler's time slice, milliseconds; waking up every NAP_NS costs some per cent and
 * leaves none. */
#ifndef TEE_PERF_RECORDER_PACE_H
#define TEE_PERF_RECORDER_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define TEE_PERF_NAP_NS (400u * 1000)

struct tee_perf_pace {
	bool never;         /* do not nap: who is woken would not run before the others' time slices are over */
	bool crowded;       /* nap */
	uint64_t since_ns;  /* of this look, or of this time of naps */
	uint64_t since_cpu; /* the thread's CPU time then */
	uint64_t naps_ns;   /* how long to nap until the next look */
};

/* To be called again and again by the thread that publishes; now_ns: any clock. Returns pace->crowded. */
bool tee_perf_pace_look(struct tee_perf_pace *pace, uint64_t now_ns);
/* Begins afresh: the thread has slept for a reason of its own. */
void tee_perf_pace_restart(struct tee_perf_pace *pace);
/* Once, by that thread: it will be woken when its time has come, not when others have used up their slices, or it never
 * naps (at real-time priorities). */
void tee_perf_pace_prepare(struct tee_perf_pace *pace);

#endif
