/* SPDX-License-Identifier: MIT */
/* What tee-perf.h offers to the program itself. */
#include "runtime/platform.h"

void tee_perf_refresh_threads(void)
{
	__atomic_fetch_add(&tee_perf_state.generation, 1, __ATOMIC_ACQ_REL);
	if (tee_perf_state.host == NULL)
		return;
	/* Send every thread's next hook the slow way, which sees the new generation. A thread that is just leaving it
	 * looks at the generation once more after it has opened its fast path. */
	uint32_t count = __atomic_load_n(&tee_perf_state.slot_next, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < count && i < tee_perf_state.slot_count; i++) {
		tee_perf_shut_fast_paths(&tee_perf_state.threads[i]);
	}
}

static void enable(bool on)
{
	__atomic_store_n(&tee_perf_state.enabled, on, __ATOMIC_RELEASE);
	tee_perf_refresh_threads();
}

__attribute__((visibility("default"))) void tee_perf_runtime_on(void)
{
	enable(true);
}

__attribute__((visibility("default"))) void tee_perf_runtime_off(void)
{
	if (tee_perf_platform_prepare_walk != NULL)
		tee_perf_platform_prepare_walk();
	enable(false);
}

__attribute__((visibility("default"))) void tee_perf_runtime_mark(const struct tee_perf_map_entry *entry)
{
	struct tee_perf_thread *thread = tee_perf_self;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (thread == &tee_perf_unattached || thread->owner != 0 || !thread->live)
		return;
	thread->owner = here;
	tee_perf_apply_control(thread); /* it may have been switched on since the last hook */
	if (thread->on)
		tee_perf_put(thread, TEE_PERF_META, (uint64_t)(uint32_t)(uintptr_t)entry << 8 | TEE_PERF_META_MARK);
	thread->owner = 0;
}
