/* SPDX-License-Identifier: MIT */
/* A thread's name goes into its ring when it ends: by then it has one, and the recorder may come too late to ask the
 * kernel. */
#include "runtime/platform/hosted.h"

#include "syscall.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#define NAME_BYTES 16 /* the kernel's, with the final zero */
#define PER_RECORD 7

static void put(struct tee_perf_thread *thread, uint64_t payload, uint64_t meta)
{
	if (!tee_perf_still_dropping(thread))
		tee_perf_put(thread, TEE_PERF_META, payload << 8 | meta);
}

static void write_name(bool ends)
{
	struct tee_perf_thread *thread = tee_perf_self;
	uint8_t name[NAME_BYTES] = { 0 };

	if (thread == &tee_perf_unattached || thread->owner != 0 || !thread->live || !thread->on ||
	    arch_syscall6(SYS_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0) != 0)
		return;
	thread->owner = (uintptr_t)__builtin_frame_address(0);
	for (unsigned part = 0; part * PER_RECORD < NAME_BYTES; part++) {
		uint64_t payload = 0;
		for (unsigned i = 0; i < PER_RECORD && part * PER_RECORD + i < NAME_BYTES; i++)
			payload |= (uint64_t)name[part * PER_RECORD + i] << 8 * i;
		if (payload != 0)
			put(thread, payload, TEE_PERF_META_NAME + part);
	}
	if (ends)
		put(thread, 0, TEE_PERF_META_ENDS);
	thread->owner = 0;
}

void tee_perf_hosted_write_end(void)
{
	write_name(true);
}

/* exit() ends the thread that called it without its destructors. */
__attribute__((destructor(101))) static void process_ends(void)
{
	write_name(false);
}
