/* SPDX-License-Identifier: MIT */
/* Intel SGX SDK and what is compatible with it (HyperEnclave), trusted side: one ECALL (tee_perf.edl) takes over the
 * log. Each root ECALL begins a stack; a thread is a TCS, whatever host thread enters through it. */
#include "runtime/platform/enclave.h"

#include <sgx_thread.h>
#include <sgx_trts.h>

/* How the SDK's description of a thread begins, which sgx_thread_self() points to. Not part of its interface: it is
 * believed only where it fits itself and the stack that we are on. */
struct thread_data {
	uintptr_t self, last_sp, stack_base, stack_limit;
};

bool tee_perf_enclave_outside(uintptr_t begin, uint64_t size)
{
	bool outside = sgx_is_outside_enclave((const void *)begin, size) != 0;

	__asm__ volatile("lfence" ::: "memory");
	return outside;
}

uintptr_t tee_perf_enclave_thread_key(void)
{
	return (uintptr_t)sgx_thread_self();
}

void tee_perf_enclave_stack(uintptr_t cfa, uintptr_t *lo, uintptr_t *hi)
{
	const struct thread_data *data = (const struct thread_data *)sgx_thread_self();

	*lo = *hi = 0;
	if (data->self != (uintptr_t)data || cfa <= data->stack_limit || cfa > data->stack_base)
		return;
	*lo = data->stack_limit;
	*hi = data->stack_base;
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
