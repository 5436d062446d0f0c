/* SPDX-License-Identifier: MIT */
/* Strict simulator: no system call, no clock but the host's word, waiting by pause for a fixed number of rounds. */
#include "runtime/platform/sim.h"

#include "runtime/platform/all_mapped.h"

#include "arch.h"

#define IMAGE_MAX 8

static struct {
	uintptr_t base;
	uint64_t size, wait_pauses;
	bool tsc_legal;
	struct tee_perf_image *image[IMAGE_MAX];
	unsigned image_count;
} sim;

static struct tee_perf_thread threads[TEE_PERF_SIM_THREADS_MAX];

static __thread uintptr_t own_stack_low, own_stack_high;
static __thread uint32_t own_tid;

void tee_perf_sim_enclave(uintptr_t base, uint64_t size, uint64_t wait_pauses, bool tsc_legal)
{
	sim.base = base;
	sim.size = size;
	sim.wait_pauses = wait_pauses;
	sim.tsc_legal = tsc_legal;
}

void tee_perf_sim_thread(uintptr_t stack_low, uintptr_t stack_high, uint32_t tid)
{
	own_stack_low = stack_low;
	own_stack_high = stack_high;
	own_tid = tid;
}

bool tee_perf_sim_outside(uintptr_t begin, uint64_t size)
{
	return tee_perf_ranges_apart(begin, size, sim.base, sim.size);
}

bool tee_perf_sim_attach(const struct tee_perf_offer *offer)
{
	if (!tee_perf_attach_offer(offer, tee_perf_sim_outside, threads, TEE_PERF_SIM_THREADS_MAX))
		return false;
	if (sim.tsc_legal)
		tee_perf_state.foreign_counter = false;
	for (unsigned i = 0; i < sim.image_count; i++)
		sim.image[i]->recording = UINT32_MAX;
	return true;
}

/* ---- the five things */

void tee_perf_platform_thread(struct tee_perf_thread *thread, uintptr_t cfa)
{
	(void)cfa;
	thread->tid = own_tid;
	thread->stack_lo = own_stack_low;
	thread->stack_hi = own_stack_high;
}

uint64_t tee_perf_sim_rounds;

/* One round of TEE_PERF_WAIT_LIMIT, whatever the host does. There is no clock to measure it by. */
unsigned tee_perf_platform_wait(struct tee_perf_thread *thread, uint64_t seen, uint64_t wake_at, uint64_t *slept_ns)
{
	(void)wake_at;
	(void)slept_ns;
	__atomic_fetch_add(&tee_perf_sim_rounds, 1, __ATOMIC_RELAXED);
	for (uint64_t i = 0; i < sim.wait_pauses && host_read(thread->reader) == seen; i++)
		arch_pause();
	return 1;
}

/* ---- images: the host names the file to the recorder; here only the switch is kept */

__attribute__((visibility("default"))) void tee_perf_image_register(const struct tee_perf_image *image)
{
	struct tee_perf_image *own = (struct tee_perf_image *)image;

	own->recording = 0;
	if (image->abi_version != TEE_PERF_ABI_VERSION || sim.image_count == IMAGE_MAX)
		return;
	sim.image[sim.image_count++] = own;
	if (tee_perf_state.host != NULL)
		own->recording = UINT32_MAX;
}

/* The enclave ends as a whole. */
__attribute__((visibility("default"))) void tee_perf_image_unregister(const struct tee_perf_image *image)
{
	(void)image;
}
