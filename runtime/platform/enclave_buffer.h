/* SPDX-License-Identifier: MIT */
/* For TEEs whose two sides share one buffer (OP-TEE's memref, Keystone's untrusted buffer): what is in it. The trusted
 * side may see it at another address at each entry, so the log is taken and let go each time. Both sides include this.
 */
#ifndef TEE_PERF_RUNTIME_ENCLAVE_BUFFER_H
#define TEE_PERF_RUNTIME_ENCLAVE_BUFFER_H

#include "runtime/log_layout.h"

#include <stdbool.h>
#include <stdint.h>

#define TEE_PERF_BUFFER_PATH_WORDS 32

/* At the buffer's start. At header_offset lies the log's header with the process table, behind that
 * (TEE_PERF_SEGMENTS_OFFSET) the segment. That must be at a multiple of TEE_PERF_SUBBUF_BYTES where the trusted side
 * sees it, which only that side knows: header_offset may be 1 to 4 pages, and the answer says which it should be. */
struct tee_perf_buffer_control {
	uint64_t header_offset;
	uint64_t process;                          /* index in the process table */
	uint64_t slots;                            /* of the segment that are in the buffer */
	uint64_t path[TEE_PERF_BUFFER_PATH_WORDS]; /* of the trusted side's file, for the report; ends with a zero */
	uint64_t answer; /* the trusted side's: enum tee_perf_buffer_answer, or the header_offset that it wants */
};
#define TEE_PERF_BUFFER_PAGE 4096u
enum tee_perf_buffer_answer { TEE_PERF_BUFFER_SILENT = 0, TEE_PERF_BUFFER_ATTACHED = 1, TEE_PERF_BUFFER_REFUSED = 2 };

/* ---- trusted side. buffer: as this entry sees it, lying outside (tee_perf_enclave_outside says so once more). False:
 * this entry goes unrecorded. */
bool tee_perf_buffer_enter(void *buffer, uint64_t bytes) __attribute__((visibility("hidden")));
/* The buffer is about to go. The calling thread is the only one inside. */
void tee_perf_buffer_leave(void) __attribute__((visibility("hidden")));

#endif
