/* SPDX-License-Identifier: MIT */
/* Memory for the log on systems that have none without a name: library operating systems that run the recorder, too.
 * Its programs are then processes beside it.
 *
 * In Occlum all processes have one address space, and a mapped file lies there once: a mapping of a part lies within
 * the first one, or else, and at every address that is asked for, becomes a copy, without an error
 * (src/libos/src/vm/shm_manager.rs, vm_manager.rs). So the file is mapped as a whole before any program sees it. */
#ifndef TEE_PERF_RECORDER_LIBOS_H
#define TEE_PERF_RECORDER_LIBOS_H

#include "util/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether this is such a system: it has no memfd_create. */
bool tee_perf_libos(void);

/* Maps all of the file (fd -1: private memory in its place), at a multiple of the sub-buffer size. NULL: that cannot
 * be, or programs would not see what is written there. The caller unmaps it. */
void *tee_perf_libos_map(int fd, uint64_t bytes, struct tee_perf_error *err);

#endif
