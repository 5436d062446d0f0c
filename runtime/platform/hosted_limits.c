/* SPDX-License-Identifier: MIT */
/* mlockall and setrlimit count address space, and most of ours is set aside for threads that never come. The program's
 * own calls come here first: what is unused goes back to the system when it would make them fail. */
#include "runtime/platform/hosted.h"

#include "syscall.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define PAGE        4096ul
#define MODULE_ROOM 65536ul                     /* for images that are yet to come */
#define SMALL_RING  (4 * TEE_PERF_SUBBUF_BYTES) /* of a thread that is yet to come */

void tee_perf_hosted_give_back(uintptr_t begin, uintptr_t end)
{
	begin = (begin + PAGE - 1) & ~(PAGE - 1);
	if (begin < end)
		arch_syscall6(SYS_munmap, (long)begin, (long)(end - begin), 0, 0, 0, 0);
}

static uintptr_t slot_at(uint32_t slot)
{
	return tee_perf_state.slots + (uintptr_t)slot * TEE_PERF_SLOT_BYTES(tee_perf_state.ring_bytes);
}

/* What the calling thread's ring could still grow to. */
static void shrink_own_ring(void)
{
	struct tee_perf_thread *thread = tee_perf_self;

	if (thread == &tee_perf_unattached || !thread->live)
		return;
	uint32_t first = thread->geometry[0].count, second = thread->geometry[1].count;
	uint32_t count = first > second ? first : second, max = thread->sub_buffer_max;
	if (count < 2 || count >= max)
		return;
	thread->sub_buffer_max = count; /* before the memory goes: a handler may grow the ring */
	tee_perf_hosted_give_back(thread->ring + (uintptr_t)count * TEE_PERF_SUBBUF_BYTES,
				  thread->ring + (uintptr_t)max * TEE_PERF_SUBBUF_BYTES);
}

/* From now on rings of new threads end there. */
static void limit_rings(uint64_t bytes)
{
	static struct tee_perf_policy policy;

	if (tee_perf_state.policy != NULL)
		policy = *tee_perf_state.policy;
	policy.ring_bytes = bytes;
	tee_perf_state.policy = &policy;
}

/* Slots [used, all) become as many as fit into budget bytes, small ones. */
static void shrink_slots(uint32_t used, uint32_t all, uint64_t budget)
{
	static uint64_t ring; /* of the slots that nobody used yet; 0: as they were laid out */
	struct tee_perf_state *state = &tee_perf_state;
	uint64_t before = ring != 0 ? ring : state->ring_bytes, fits;

	if ((all - used) * TEE_PERF_SLOT_BYTES(before) <= budget)
		return;
	ring = before < SMALL_RING ? before : SMALL_RING;
	fits = budget / TEE_PERF_SLOT_BYTES(ring);
	uint32_t keep = used + (uint32_t)(fits < all - used ? fits : all - used);
	limit_rings(ring);
	__atomic_store_n(&state->slot_count, keep, __ATOMIC_RELEASE);
	for (uint32_t slot = used; slot < all; slot++)
		tee_perf_hosted_give_back(slot_at(slot) + (slot < keep ? TEE_PERF_SLOT_BYTES(ring) : 0),
					  slot_at(slot) + TEE_PERF_SLOT_BYTES(before));
	tee_perf_hosted_give_back((uintptr_t)(state->threads + keep), (uintptr_t)(state->threads + all));
}

/* Leaves rings for as many new threads as fit into budget bytes. */
static void shrink(uint64_t budget)
{
	struct tee_perf_state *state = &tee_perf_state;
	uint32_t all = state->slot_count;

	if (state->host == NULL || all == 0)
		return;
	/* Meanwhile a thread that begins finds no slot: it is counted as such. */
	uint32_t used = __atomic_exchange_n(&state->slot_next, all, __ATOMIC_ACQ_REL);
	if (used > all)
		used = all;
	shrink_slots(used, all, budget);
	__atomic_store_n(&state->slot_next, used, __ATOMIC_RELEASE);
	shrink_own_ring();
	tee_perf_hosted_limit_modules(MODULE_ROOM);
}

static int finish(long result)
{
	if (result >= 0)
		return 0;
	errno = (int)-result;
	return -1;
}

/* The C library's names, without its declarations' types. */
int tee_perf_mlockall(int flags) __asm__("mlockall") __attribute__((visibility("default")));
int tee_perf_setrlimit(int resource, const struct rlimit *limit) __asm__("setrlimit")
    __attribute__((visibility("default")));
int tee_perf_setrlimit64(int resource, const struct rlimit *limit) __asm__("setrlimit64")
    __attribute__((visibility("default")));

int tee_perf_mlockall(int flags)
{
	struct rlimit limit = { .rlim_cur = 0 };
	long result = arch_syscall6(SYS_mlockall, flags, 0, 0, 0, 0, 0);

	if (result == -ENOMEM)
		arch_syscall6(SYS_prlimit64, 0, RLIMIT_MEMLOCK, 0, (long)&limit, 0, 0);
	for (unsigned share = 4; result == -ENOMEM && share <= 512; share *= 2) {
		shrink(share < 512 ? limit.rlim_cur / share : 0);
		result = arch_syscall6(SYS_mlockall, flags, 0, 0, 0, 0, 0);
	}
	return finish(result);
}

int tee_perf_setrlimit(int resource, const struct rlimit *limit)
{
	long result = arch_syscall6(SYS_prlimit64, 0, resource, (long)limit, 0, 0, 0);

	/* The same share as when the limit was there at the start (tee_perf_slots_within). */
	if (result == 0 && resource == RLIMIT_AS && limit->rlim_cur != RLIM_INFINITY)
		shrink(limit->rlim_cur / 8);
	return finish(result);
}

int tee_perf_setrlimit64(int resource, const struct rlimit *limit)
{
	return tee_perf_setrlimit(resource, limit);
}
