/* SPDX-License-Identifier: MIT */
/* Open Enclave, trusted side. Only what differs from the Intel SDK: the check of addresses and who a thread is. */
#include "runtime/platform/enclave.h"

#include <openenclave/enclave.h>
#include <pthread.h>

bool tee_perf_enclave_outside(uintptr_t begin, uint64_t size)
{
	bool outside = oe_is_outside_enclave((const void *)begin, size);

	__asm__ volatile("lfence" ::: "memory");
	return outside;
}

/* The thread's data, one per TCS. */
uintptr_t tee_perf_enclave_thread_key(void)
{
	return (uintptr_t)pthread_self();
}

/* The SDK does not say. One stack per thread is what the analyzer takes for granted then. */
void tee_perf_enclave_stack(uintptr_t cfa, uintptr_t *lo, uintptr_t *hi)
{
	(void)cfa;
	*lo = *hi = 0;
}

/* The ECALL. Returns 1: attached, 0: refused. */
int tee_perf_ecall_attach(void *header, void *segment, uint64_t segment_bytes, void *process, uint64_t slots);
int tee_perf_ecall_attach(void *header, void *segment, uint64_t segment_bytes, void *process, uint64_t slots)
{
	struct tee_perf_offer offer = { .header = (uintptr_t)header,
					.segment = (uintptr_t)segment,
					.segment_bytes = segment_bytes,
					.process = (uintptr_t)process,
					.slots = slots };

	if (!tee_perf_enclave_attach(&offer))
		return 0;
	tee_perf_enclave_tell_names(NULL);
	return 1;
}
