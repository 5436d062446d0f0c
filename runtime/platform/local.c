/* SPDX-License-Identifier: MIT */
#include "runtime/platform/local.h"

#include "runtime/platform/all_mapped.h"

#include <sched.h>

unsigned (*tee_perf_local_wait)(void);

void tee_perf_platform_thread(struct tee_perf_thread *thread, uintptr_t cfa)
{
	(void)cfa;
	thread->tid = 1;
	thread->stack_lo = thread->stack_hi = 0;
}

unsigned tee_perf_platform_wait(struct tee_perf_thread *thread, uint64_t seen, uint64_t wake_at, uint64_t *slept_ns)
{
	(void)thread;
	(void)slept_ns;
	(void)wake_at;
	(void)seen;
	if (tee_perf_local_wait != NULL)
		return tee_perf_local_wait();
	sched_yield();
	return 0;
}

unsigned long tee_perf_local_thread_bytes(void)
{
	return sizeof(struct tee_perf_thread);
}

bool tee_perf_local_attach(struct tee_perf_log_header *header, struct tee_perf_log_segment *segment,
			   struct tee_perf_log_process *process, void *threads, unsigned slot_count)
{
	struct tee_perf_attachment attachment = { .host = header,
						  .segment = segment,
						  .process = process,
						  .threads = threads,
						  .ring_bytes = host_read(&header->ring_bytes),
						  .module_bytes = host_read(&header->module_bytes),
						  .slot_count = slot_count };

	if ((uintptr_t)segment % TEE_PERF_SUBBUF_BYTES != 0 ||
	    !tee_perf_sizes_sane(host_read(&header->process_max), host_read(&header->slot_max), attachment.ring_bytes,
				 host_read(&header->segment_bytes), attachment.module_bytes))
		return false;
	tee_perf_attach(&attachment);
	return true;
}

void tee_perf_local_detach(void)
{
	tee_perf_thread_detach();
	tee_perf_state.host = NULL;
}
