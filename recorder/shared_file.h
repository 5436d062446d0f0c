/* SPDX-License-Identifier: MIT */
#ifndef TEE_PERF_RECORDER_SHARED_FILE_H
#define TEE_PERF_RECORDER_SHARED_FILE_H

#include "runtime/log_layout.h"
#include "util/error.h"

#include <stdbool.h>
#include <stdint.h>

struct tee_perf_layout {
	uint64_t process_max, slot_max, ring_bytes, module_bytes, segment_bytes;
};

/* Divides `bytes` among process_max processes (at least 1), with as many rings of ring_bytes each as fit. Returns 0,
 * or -1 when not even one does. */
int tee_perf_shared_layout(struct tee_perf_layout *layout, uint64_t bytes, unsigned process_max, uint64_t ring_bytes,
			   struct tee_perf_error *err);

/* Creates the file (0600, *bytes long; 0: 1 GiB, 64 MiB if not sparse), or takes an existing one with the size that it
 * has, and empties it. Locked until it is closed. Returns a descriptor that the caller closes, or -1; *bytes is then
 * the size, *created whether there was none. */
int tee_perf_shared_open(const char *path, uint64_t *bytes, bool *created, bool sparse, struct tee_perf_error *err);

#endif
