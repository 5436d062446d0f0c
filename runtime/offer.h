/* SPDX-License-Identifier: MIT */
/* How an enclave takes over a log that its host offers: one ECALL, everything checked once. For the platforms whose
 * trusted side cannot map anything itself (SGX SDK, OP-TEE, Keystone, the strict simulator). */
#ifndef TEE_PERF_RUNTIME_OFFER_H
#define TEE_PERF_RUNTIME_OFFER_H

#include "runtime/thread.h"

/* Addresses in host memory, as the host says. The enclave copies it first and hands over the copy. */
struct tee_perf_offer {
	uint64_t header;        /* of the log: sizeof(struct tee_perf_log_header) bytes are used */
	uint64_t segment;       /* at a multiple of TEE_PERF_SUBBUF_BYTES */
	uint64_t segment_bytes; /* that are mapped there */
	uint64_t process;       /* this enclave's entry of the process table; 0: none */
	uint64_t slots;         /* of the segment that may be used */
};

/* [begin, begin + size) and [other, other + other_size) have nothing in common, and neither wraps around. */
bool tee_perf_ranges_apart(uint64_t begin, uint64_t size, uint64_t other, uint64_t other_size) TEE_PERF_HIDDEN;

/* Checks the offer and attaches. outside(begin, size): whether a range lies wholly outside the enclave. threads:
 * thread_count zeroed states in trusted memory, which limits the slots that are used. Each word of the header is read
 * once. False: the offer is refused, or a log is attached already; nothing has changed. */
bool tee_perf_attach_offer(const struct tee_perf_offer *offer, bool (*outside)(uintptr_t begin, uint64_t size),
			   struct tee_perf_thread *threads, uint32_t thread_count) TEE_PERF_HIDDEN;

#endif
