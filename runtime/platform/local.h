/* SPDX-License-Identifier: MIT */
/* Local platform: trusted and untrusted side in one process, one thread. For the recorder's calibration and
 * for tests, which may replace what waiting means. */
#ifndef TEE_PERF_RUNTIME_LOCAL_H
#define TEE_PERF_RUNTIME_LOCAL_H

#include "runtime/log_layout.h"

#include <stdbool.h>

/* Attaches the calling process to a region in its own memory. threads: slot_count thread states' worth of zeroed
 * memory (tee_perf_local_thread_bytes each). False: the sizes in the header, or the segment's alignment, are
 * refused. */
bool tee_perf_local_attach(struct tee_perf_log_header *header, struct tee_perf_log_segment *segment,
			   struct tee_perf_log_process *process, void *threads, unsigned slot_count);
unsigned long tee_perf_local_thread_bytes(void);
/* The calling thread's ring is given back; hooks do nothing from here on. */
void tee_perf_local_detach(void);

/* Called in place of sleeping while a ring is full; NULL: yields the processor. Returns what
 * tee_perf_platform_wait returns. */
extern unsigned (*tee_perf_local_wait)(void);

#endif
