/* SPDX-License-Identifier: MIT */
/* The log of the hosted platform: checked, and mapped. */
#include "runtime/platform/hosted.h"

#include "syscall.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void *tee_perf_hosted_map(void *at, size_t size, int protection, int flags, int fd, uint64_t offset)
{
	long result = arch_syscall6(SYS_mmap, (long)at, (long)size, protection, flags, fd, (long)offset);
	return result < 0 && result > -4096 ? NULL : (void *)result;
}

/* Claims an entry of the process table; -1: none is free. */
static long claim_process(struct tee_perf_log_header *header, uint64_t process_max)
{
	struct tee_perf_log_process *table = (void *)((uintptr_t)header + TEE_PERF_TABLE_OFFSET);

	for (uint64_t i = 0; i < process_max; i++) {
		uint64_t expected = TEE_PERF_PROCESS_FREE;
		if (__atomic_compare_exchange_n(&table[i].state, &expected, TEE_PERF_PROCESS_CLAIMED, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return (long)i;
	}
	__atomic_fetch_add(&header->refused_count, 1, __ATOMIC_RELAXED);
	return -1;
}

/* At a multiple of the sub-buffer size, without access for now. */
static void *map_aligned(struct tee_perf_hosted_log *log, int fd, uint64_t offset, size_t size)
{
	size_t room = size + TEE_PERF_SUBBUF_BYTES;
	void *within = tee_perf_hosted_map_within(log->path, log->header, fd, offset, size);

	log->accessible = within != NULL;
	if (within != NULL)
		return within;
	uintptr_t begin =
	    (uintptr_t)tee_perf_hosted_map(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (begin == 0)
		return NULL;
	uintptr_t aligned = (begin + TEE_PERF_SUBBUF_BYTES - 1) & ~(uintptr_t)(TEE_PERF_SUBBUF_BYTES - 1);
	void *segment =
	    tee_perf_hosted_map((void *)aligned, size, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, offset);
	if (segment == NULL) {
		arch_syscall6(SYS_munmap, (long)begin, (long)room, 0, 0, 0, 0);
		segment = tee_perf_hosted_map_anywhere(fd, offset, size);
		log->accessible = segment != NULL;
		return segment;
	}
	if (aligned > begin)
		arch_syscall6(SYS_munmap, (long)begin, (long)(aligned - begin), 0, 0, 0, 0);
	if (aligned + size < begin + room)
		arch_syscall6(SYS_munmap, (long)(aligned + size), (long)(begin + room - aligned - size), 0, 0, 0, 0);
	return segment;
}

/* Maps as much of the segment as the limit of the address space sensibly allows. */
static void *map_segment(struct tee_perf_hosted_log *log, int fd, uint64_t offset, uint64_t slot_max,
			 uint64_t ring_bytes, uint64_t module_bytes, uint32_t *slots, size_t *size)
{
	struct rlimit limit = { .rlim_cur = RLIM_INFINITY };

	arch_syscall6(SYS_prlimit64, 0, RLIMIT_AS, 0, (long)&limit, 0, 0);
	_Static_assert(RLIM_INFINITY == UINT64_MAX, "no limit");
	uint64_t count = tee_perf_slots_within(limit.rlim_cur, slot_max, ring_bytes, module_bytes);
	for (; count > 0; count /= 2) {
		*size = TEE_PERF_SLOTS_OFFSET(module_bytes) + count * TEE_PERF_SLOT_BYTES(ring_bytes);
		void *segment = map_aligned(log, fd, offset, *size);
		if (segment != NULL) {
			*slots = (uint32_t)count;
			return segment;
		}
	}
	return NULL;
}

/* 0: nobody says. */
static uint64_t size_of(int fd)
{
	struct stat file = { 0 };

	if (arch_syscall6(SYS_fstat, fd, (long)&file, 0, 0, 0, 0) == 0)
		return (uint64_t)file.st_size;
	long end = arch_syscall6(SYS_lseek, fd, 0, SEEK_END, 0, 0, 0);
	return end > 0 ? (uint64_t)end : 0;
}

bool tee_perf_hosted_map_log(int fd, struct tee_perf_hosted_log *log, struct tee_perf_attachment *attachment)
{
	struct tee_perf_log_header *header =
	    tee_perf_hosted_map(NULL, TEE_PERF_HOSTED_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (header == NULL)
		return false;
	log->header = (uintptr_t)header;
	uint64_t process_max = host_read(&header->process_max), slot_max = host_read(&header->slot_max);
	uint64_t module_bytes = host_read(&header->module_bytes);
	log->segment_stride = host_read(&header->segment_bytes);
	attachment->ring_bytes = host_read(&header->ring_bytes);
	attachment->module_bytes = module_bytes;
	if (host_read(&header->magic) != TEE_PERF_LOG_MAGIC || host_read(&header->version) != TEE_PERF_LOG_VERSION ||
	    (host_read(&header->nonce) != log->nonce && !log->any_nonce) ||
	    !tee_perf_sizes_sane(process_max, slot_max, attachment->ring_bytes, log->segment_stride, module_bytes))
		return false;
	/* Beyond the file's end an access would be our end. */
	if (size_of(fd) < TEE_PERF_SEGMENTS_OFFSET + process_max * log->segment_stride)
		return false;
	if (tee_perf_hosted_is_second((void *)((uintptr_t)header + TEE_PERF_TABLE_OFFSET), process_max))
		return false;
	long index = claim_process(header, process_max);
	if (index < 0)
		return false;
	attachment->process = (struct tee_perf_log_process *)((uintptr_t)header + TEE_PERF_TABLE_OFFSET) + index;
	void *segment = map_segment(log, fd, TEE_PERF_SEGMENTS_OFFSET + (uint64_t)index * log->segment_stride, slot_max,
				    attachment->ring_bytes, module_bytes, &attachment->slot_count, &log->segment_bytes);
	if (segment == NULL) {
		host_write(&attachment->process->state, TEE_PERF_PROCESS_FREE);
		return false;
	}
	log->segment = (uintptr_t)segment;
	log->process_index_plus_1 = (uint64_t)index + 1;
	attachment->host = header;
	attachment->segment = segment;
	arch_syscall6(SYS_madvise, (long)segment, (long)log->segment_bytes, MADV_DONTDUMP, 0, 0, 0);
	arch_syscall6(SYS_madvise, (long)segment, (long)log->segment_bytes, MADV_DONTFORK, 0, 0, 0);
	arch_syscall6(SYS_madvise, (long)header, TEE_PERF_HOSTED_HEADER_BYTES, MADV_DONTDUMP, 0, 0, 0);
	return tee_perf_platform_open_memory((uintptr_t)segment, sizeof *attachment->segment);
}
