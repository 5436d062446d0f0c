/* SPDX-License-Identifier: MIT */
/* Host side of an enclave: finds the log through TEE_PERF_LOG, maps it, and offers it. Uses libc; runs outside. */
#ifndef TEE_PERF_RUNTIME_ENCLAVE_UNTRUSTED_H
#define TEE_PERF_RUNTIME_ENCLAVE_UNTRUSTED_H

#include "runtime/log_layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tee_perf_untrusted {
	struct tee_perf_log_header *header;
	struct tee_perf_log_process *process; /* this enclave's entry, claimed */
	struct tee_perf_log_segment *segment;
	uint64_t segment_bytes, slots;
	int fd; /* of the log, until it is attached or refused */
	uint64_t segment_offset;
};

/* Maps the log with room for at most `threads` threads of the enclave. False: there is none, or it cannot be used; the
 * program goes on unrecorded. */
bool tee_perf_untrusted_open(struct tee_perf_untrusted *log, uint64_t threads);
/* The enclave has taken it: names its file to the recorder, and shows it. The memory stays mapped for good. */
void tee_perf_untrusted_attached(struct tee_perf_untrusted *log, const char *enclave_path);
/* Shows it without a name. */
void tee_perf_untrusted_show(struct tee_perf_untrusted *log);
/* The enclave has refused it: gives everything back. */
void tee_perf_untrusted_refused(struct tee_perf_untrusted *log);

#endif
