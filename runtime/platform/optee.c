/* SPDX-License-Identifier: MIT */
/* OP-TEE, trusted application. A memref is mapped for one invocation only; a session is a thread. */
#include "runtime/platform/optee.h"

#include "runtime/platform/enclave.h"
#include "runtime/platform/enclave_buffer.h"

static uintptr_t present_session;

/* The TA may use it, and it is not the TA's alone. */
bool tee_perf_enclave_outside(uintptr_t begin, uint64_t size)
{
	uint32_t access = TEE_MEMORY_ACCESS_READ | TEE_MEMORY_ACCESS_WRITE;
	void *buffer = (void *)begin;

	return TEE_CheckMemoryAccessRights(access | TEE_MEMORY_ACCESS_ANY_OWNER, buffer, size) == TEE_SUCCESS &&
	       TEE_CheckMemoryAccessRights(access, buffer, size) != TEE_SUCCESS;
}

uintptr_t tee_perf_enclave_thread_key(void)
{
	return present_session;
}

/* All sessions of an instance take turns on one stack. */
void tee_perf_enclave_stack(uintptr_t cfa, uintptr_t *lo, uintptr_t *hi)
{
	(void)cfa;
	*lo = *hi = 0;
}

void tee_perf_optee_enter(void *session, uint32_t types, TEE_Param params[4], unsigned index)
{
	present_session = session != NULL ? (uintptr_t)session : 1;
	if (TEE_PARAM_TYPE_GET(types, index) == TEE_PARAM_TYPE_MEMREF_INOUT)
		tee_perf_buffer_enter(params[index].memref.buffer, params[index].memref.size);
}

void tee_perf_optee_leave(void)
{
	tee_perf_buffer_leave();
}
