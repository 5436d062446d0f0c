/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "host.h"

#include "runtime/platform/local.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MODULE_BYTES TEE_PERF_SUBBUF_BYTES
#define GUARD        4096u

static void *map(size_t size)
{
	char *memory = mmap(NULL, size + 2 * TEE_PERF_SUBBUF_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ck_assert_ptr_ne(memory, MAP_FAILED);
	return memory + (-(uintptr_t)memory & (TEE_PERF_SUBBUF_BYTES - 1));
}

void host_open(struct host *host, uint64_t ring_bytes, uint64_t control)
{
	size_t used = TEE_PERF_SLOTS_OFFSET(MODULE_BYTES) + TEE_PERF_SLOT_BYTES(ring_bytes);

	memset(host, 0, sizeof *host);
	host->header = map(4096);
	host->segment = map(used + GUARD);
	ck_assert_int_eq(mprotect((char *)host->segment + used, GUARD, PROT_NONE), 0);
	host->nested = (char *)host->segment + TEE_PERF_SLOTS_OFFSET(MODULE_BYTES);
	host->ring = host->nested + TEE_PERF_NESTED_BYTES;
	host->ring_bytes = ring_bytes;
	host->threads = aligned_alloc(128, tee_perf_local_thread_bytes());
	memset(host->threads, 0, tee_perf_local_thread_bytes());
	*host->header = (struct tee_perf_log_header){ .magic = TEE_PERF_LOG_MAGIC,
						      .version = TEE_PERF_LOG_VERSION,
						      .process_max = 1,
						      .slot_max = 1,
						      .ring_bytes = ring_bytes,
						      .segment_bytes = used,
						      .module_bytes = MODULE_BYTES,
						      .control = control,
						      .clock = 1 };
	host->taken = map(sizeof *host->taken << 24);
	ck_assert(tee_perf_local_attach(host->header, host->segment, &host->process, host->threads, 1));
}

void host_control(struct host *host, uint64_t control)
{
	host->header->control = control;
	host->header->clock = TEE_PERF_CLOCK_WORD(host->header->clock & TEE_PERF_TIME_MASK, control);
}

void host_close(struct host *host)
{
	tee_perf_local_detach();
	tee_perf_local_wait = NULL;
	free(host->threads);
}

static uint64_t *locate(struct host *host)
{
	uint64_t wanted = (uint64_t)TEE_PERF_META << TEE_PERF_KIND_SHIFT | host->next;
	uint32_t try[] = { host->index, host->index + 1, 0 };

	for (int i = 0; i < 3; i++) {
		uint64_t *header = (uint64_t *)(host->ring + (size_t)try[i] * TEE_PERF_SUBBUF_BYTES);
		if ((try[i] + 1) * (uint64_t)TEE_PERF_SUBBUF_BYTES <= host->ring_bytes && header[0] == wanted) {
			host->index = try[i];
			host->highest = try[i] > host->highest ? try[i] : host->highest;
			return header;
		}
	}
	return NULL;
}

static void take(struct host *host, uint64_t *header)
{
	struct tee_perf_record *record = (struct tee_perf_record *)(header + TEE_PERF_HEADER_WORDS);

	for (uint32_t i = 0; i < TEE_PERF_SUBBUF_RECORDS && record[i].w0 != 0; i++)
		host->taken[host->taken_count++] = record[i];
	memset(header, 0, TEE_PERF_SUBBUF_BYTES);
}

void host_drain(struct host *host)
{
	while (host->next != host->segment->writer[0]) {
		uint64_t *header = locate(host);
		ck_assert_ptr_nonnull(header);
		take(host, header);
		__atomic_store_n(&host->segment->reader[0], ++host->next, __ATOMIC_RELEASE);
	}
}

void host_drain_tail(struct host *host)
{
	host_drain(host);
	uint64_t *header = locate(host);
	if (header != NULL)
		take(host, header);
}
