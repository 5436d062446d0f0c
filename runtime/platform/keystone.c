/* SPDX-License-Identifier: MIT */
/* Keystone, application of the enclave: one buffer for good, one thread. */
#include "runtime/platform/keystone.h"

#include "runtime/platform/enclave.h"
#include "runtime/platform/enclave_buffer.h"

static struct {
	uintptr_t begin;
	uint64_t bytes;
} own_memory;

bool tee_perf_enclave_outside(uintptr_t begin, uint64_t size)
{
	return tee_perf_ranges_apart(begin, size, own_memory.begin, own_memory.bytes);
}

/* The thread pointer, which the enclave's start code has set. */
uintptr_t tee_perf_enclave_thread_key(void)
{
	return (uintptr_t)__builtin_thread_pointer() | 1;
}

void tee_perf_enclave_stack(uintptr_t cfa, uintptr_t *lo, uintptr_t *hi)
{
	(void)cfa;
	*lo = *hi = 0;
}

int tee_perf_keystone_attach(void *shared, size_t bytes, const void *own, size_t own_bytes)
{
	own_memory.begin = (uintptr_t)own;
	own_memory.bytes = own_bytes;
	return tee_perf_buffer_enter(shared, bytes);
}
