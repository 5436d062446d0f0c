/* SPDX-License-Identifier: MIT */
/* The trusted SDK, as far as the example and tee-perf use it, on top of the strict simulator: the generated bridges,
 * and what the two SDKs' own libraries say of addresses and threads. Root ECALLs find fresh thread-local memory, as
 * with the SDK's policy "unbound". */
#include "calls.h"
#include "index_t.h"

#include "runtime/platform/enclave.h"
#include "runtime/platform/sim.h"
#include "simulator/tee_perf_sim_trusted.h"

/* ---- what the simulator tells of the enclave, in place of its own platform (runtime/platform/sim.c) */

static struct {
	uintptr_t base;
	uint64_t size;
} enclave;

struct thread_data { /* as the Intel SDK's begins */
	uintptr_t self, last_sp, stack_base, stack_limit;
};
static __thread struct thread_data own;

void tee_perf_sim_enclave(uintptr_t base, uint64_t size, uint64_t wait_pauses, bool tsc_legal)
{
	(void)wait_pauses;
	(void)tsc_legal;
	enclave.base = base;
	enclave.size = size;
}

void tee_perf_sim_thread(uintptr_t stack_low, uintptr_t stack_high, uint32_t tid)
{
	(void)tid;
	own = (struct thread_data){ .self = (uintptr_t)&own, .stack_base = stack_high, .stack_limit = stack_low };
}

bool tee_perf_sim_outside(uintptr_t begin, uint64_t size)
{
	return tee_perf_ranges_apart(begin, size, enclave.base, enclave.size);
}

bool tee_perf_sim_attach(const struct tee_perf_offer *offer)
{
	return tee_perf_enclave_attach(offer); /* the simulator's host tells the names */
}

/* ---- the SDKs */

int sgx_is_outside_enclave(const void *addr, size_t size);
int sgx_is_outside_enclave(const void *addr, size_t size)
{
	return tee_perf_sim_outside((uintptr_t)addr, size);
}

bool oe_is_outside_enclave(const void *ptr, size_t size);
bool oe_is_outside_enclave(const void *ptr, size_t size)
{
	return tee_perf_sim_outside((uintptr_t)ptr, size);
}

uintptr_t sgx_thread_self(void);
uintptr_t sgx_thread_self(void)
{
	return (uintptr_t)&own;
}

uintptr_t pthread_self(void);
uintptr_t pthread_self(void)
{
	return (uintptr_t)&own;
}

/* ---- bridges */

static __thread unsigned depth;

static void enter(void)
{
	if (depth++ == 0)
		tee_perf_thread_forget(); /* thread-local memory as it was when the enclave was built */
}

static int64_t leave(int64_t result)
{
	depth--;
	return result;
}

static int64_t bridge_fill(void *data, size_t bytes)
{
	const struct fill *call = data;

	if (bytes != sizeof *call)
		return -1;
	enter();
	ecall_fill((uint32_t)call->count, call->seed);
	return leave(0);
}

static int64_t bridge_sort(void *data, size_t bytes)
{
	(void)data;
	(void)bytes;
	enter();
	return leave(ecall_sort());
}

static int64_t bridge_search(void *data, size_t bytes)
{
	const struct search *call = data;

	if (bytes != sizeof *call || call->count > SEARCH_MAX)
		return -1;
	enter();
	return leave(ecall_search(call->key, (uint32_t)call->count));
}

static int64_t bridge_attach(void *data, size_t bytes)
{
	const struct attach *call = data;

	if (bytes != sizeof *call)
		return -1;
	return tee_perf_ecall_attach((void *)call->header, (void *)call->segment, call->segment_bytes,
				     (void *)call->process, call->slots);
}

TEE_PERF_SIM_ECALLS(bridge_fill, bridge_sort, bridge_search, bridge_attach);

/* Host code in the same process (in_process.c) takes OCALLs by a pointer. */
__attribute__((visibility("default"))) void (*sdk_ocall_in_process)(uint32_t done);

int ocall_progress(uint32_t done)
{
	uint64_t word = done;

	if (sdk_ocall_in_process == NULL)
		return tee_perf_sim_ocall(OCALL_PROGRESS, &word, sizeof word, NULL);
	sdk_ocall_in_process(done);
	return 0;
}
