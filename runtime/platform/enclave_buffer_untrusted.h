/* SPDX-License-Identifier: MIT */
/* Host side of a TEE that shares one buffer: the log of TEE_PERF_LOG, laid out as enclave_buffer.h says. Uses libc. */
#ifndef TEE_PERF_RUNTIME_ENCLAVE_BUFFER_UNTRUSTED_H
#define TEE_PERF_RUNTIME_ENCLAVE_BUFFER_UNTRUSTED_H

#include "runtime/platform/enclave_buffer.h"
#include "runtime/platform/enclave_untrusted.h"

struct tee_perf_buffer {
	void *begin; /* to be shared with the trusted side: bytes bytes, whole pages */
	size_t bytes;
	/* private */
	struct tee_perf_untrusted log;
	char path[8 * TEE_PERF_BUFFER_PATH_WORDS];
};

/* Maps the log with room for `threads` threads (sessions). False: there is no log; the program goes on unrecorded.
 * path: of the trusted side's file, for the report. */
bool tee_perf_buffer_open(struct tee_perf_buffer *buffer, const char *path, uint64_t threads);
/* To be called after each entry. True: the trusted side sees the buffer where it cannot use it, and asks for another
 * layout. */
bool tee_perf_buffer_asked(const struct tee_perf_buffer *buffer);
/* Lays it out so, at another address (begin, bytes); the memory before it is gone. False: it is as it was. */
bool tee_perf_buffer_again(struct tee_perf_buffer *buffer);
void tee_perf_buffer_close(struct tee_perf_buffer *buffer);

#endif
