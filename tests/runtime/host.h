/* SPDX-License-Identifier: MIT */
/* A host side for tests: a region in this process with one slot, and a reader that can be honest or not. */
#ifndef TEE_PERF_TESTS_HOST_H
#define TEE_PERF_TESTS_HOST_H

#include "runtime/abi.h"
#include "runtime/log_layout.h"

#include <stdbool.h>
#include <stddef.h>

struct host {
	struct tee_perf_log_header *header;
	struct tee_perf_log_segment *segment;
	struct tee_perf_log_process process;
	void *threads;
	char *nested, *ring;
	uint64_t ring_bytes, next; /* sub-buffer that is read next */
	uint32_t index, highest;
	struct tee_perf_record *taken; /* all records read so far */
	size_t taken_count;
};

/* Maps a region whose only slot ends at a page without access, and attaches this process to it. */
void host_open(struct host *host, uint64_t ring_bytes, uint64_t control);
void host_close(struct host *host);
/* Writes the control word, and the clock word that tells of it. */
void host_control(struct host *host, uint64_t control);
/* Reads what is finished, as the recorder does. */
void host_drain(struct host *host);
/* Reads the unfinished sub-buffer, too. */
void host_drain_tail(struct host *host);

#endif
