/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "runtime/platform/enclave_untrusted.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void store(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* Opens "<path>:<nonce>"; -1: there is no such log. */
static int open_named(uint64_t *nonce, bool *any_nonce)
{
	const char *value = secure_getenv("TEE_PERF_LOG"), *colon = value != NULL ? strrchr(value, ':') : NULL;
	char path[PATH_MAX], *end;

	if (colon == NULL || (size_t)(colon - value) >= sizeof path)
		return -1;
	memcpy(path, value, (size_t)(colon - value));
	path[colon - value] = '\0';
	*any_nonce = colon[1] == '\0';
	*nonce = strtoull(colon + 1, &end, 16);
	return *end == '\0' ? open(path, O_RDWR | O_CLOEXEC) : -1;
}

static struct tee_perf_log_process *claim(struct tee_perf_log_header *header, uint64_t *index)
{
	struct tee_perf_log_process *table = (void *)((char *)header + TEE_PERF_TABLE_OFFSET);

	for (*index = 0; *index < load(&header->process_max) && *index < TEE_PERF_PROCESS_MAX; ++*index) {
		uint64_t expected = TEE_PERF_PROCESS_FREE;
		if (__atomic_compare_exchange_n(&table[*index].state, &expected, TEE_PERF_PROCESS_CLAIMED, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
			store(&table[*index].slot_count, 0); /* from here on the enclave's */
			store(&table[*index].unserved, 0);
			return &table[*index];
		}
	}
	__atomic_fetch_add(&header->refused_count, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* At a multiple of the sub-buffer size. */
static void *map_aligned(int fd, uint64_t offset, size_t bytes)
{
	size_t room = bytes + TEE_PERF_SUBBUF_BYTES;
	char *begin = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (begin == MAP_FAILED)
		return NULL;
	char *aligned = begin + (-(uintptr_t)begin & (TEE_PERF_SUBBUF_BYTES - 1));
	void *mapped =
	    mmap(aligned, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, (off_t)offset);
	if (aligned > begin)
		munmap(begin, (size_t)(aligned - begin));
	munmap(aligned + bytes, (size_t)(begin + room - aligned) - bytes);
	if (mapped != MAP_FAILED)
		return mapped;
	munmap(aligned, bytes);
	return NULL;
}

static bool map_segment(struct tee_perf_untrusted *log, int fd, uint64_t index, uint64_t threads)
{
	uint64_t ring_bytes = load(&log->header->ring_bytes), module_bytes = load(&log->header->module_bytes);

	log->slots = load(&log->header->slot_max);
	if (log->slots > threads)
		log->slots = threads;
	log->segment_bytes = TEE_PERF_SLOTS_OFFSET(module_bytes) + log->slots * TEE_PERF_SLOT_BYTES(ring_bytes);
	log->segment_offset = TEE_PERF_SEGMENTS_OFFSET + index * load(&log->header->segment_bytes);
	log->segment = map_aligned(fd, log->segment_offset, log->segment_bytes);
	return log->segment != NULL;
}

static bool map_log(struct tee_perf_untrusted *log, int fd, uint64_t nonce, bool any_nonce, uint64_t threads)
{
	void *header = mmap(NULL, TEE_PERF_SEGMENTS_OFFSET, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct stat file;
	uint64_t index;

	if (header == MAP_FAILED)
		return false;
	log->header = header;
	if (load(&log->header->magic) == TEE_PERF_LOG_MAGIC && load(&log->header->version) == TEE_PERF_LOG_VERSION &&
	    (any_nonce || load(&log->header->nonce) == nonce) && fstat(fd, &file) == 0 &&
	    (uint64_t)file.st_size >=
		TEE_PERF_SEGMENTS_OFFSET + load(&log->header->process_max) * load(&log->header->segment_bytes) &&
	    (log->process = claim(log->header, &index)) != NULL) {
		if (map_segment(log, fd, index, threads))
			return true;
		store(&log->process->state, TEE_PERF_PROCESS_FREE);
	}
	munmap(header, TEE_PERF_SEGMENTS_OFFSET);
	return false;
}

bool tee_perf_untrusted_open(struct tee_perf_untrusted *log, uint64_t threads)
{
	uint64_t nonce;
	bool any_nonce;
	int fd = open_named(&nonce, &any_nonce);

	if (fd < 0)
		return false;
	/* Read without a check below this: it belongs to the recorder, and the enclave checks for itself. */
	struct stat file;
	bool mapped = fstat(fd, &file) == 0 && (uint64_t)file.st_size >= TEE_PERF_SEGMENTS_OFFSET &&
		      map_log(log, fd, nonce, any_nonce, threads);
	log->fd = fd;
	if (!mapped)
		close(fd);
	return mapped;
}

/* Into the room that the enclave left in each record of its module area. */
static void name_modules(struct tee_perf_log_segment *segment, const char *path)
{
	char *area = (char *)(segment + 1);
	uint64_t written = load(&segment->module_written), offset = 0;

	while (offset + sizeof(struct tee_perf_module_header) <= written) {
		struct tee_perf_module_header *record = (void *)(area + offset);
		uint64_t room = load(&record->path_bytes);
		uint64_t at = sizeof *record + ((load(&record->map_bytes) + 7) & ~UINT64_C(7)) +
			      ((load(&record->strings_bytes) + 7) & ~UINT64_C(7));
		uint64_t bytes = load(&record->bytes);
		if (bytes > written - offset || room > bytes || at > bytes - room)
			return;
		size_t length = strlen(path);
		if (length < room)
			memcpy(area + offset + at, path, length + 1);
		offset += bytes;
	}
}

void tee_perf_untrusted_show(struct tee_perf_untrusted *log)
{
	store(&log->process->pid, (uint64_t)getpid());
	store(&log->process->parent, 0);
	store(&log->process->parent_generation, 0);
	/* The enclave keeps to the host's word, so that this must stay the clock. */
	store(&log->process->flags, TEE_PERF_PROCESS_ENCLAVE | TEE_PERF_PROCESS_HOST_CLOCK);
	store(&log->process->state, TEE_PERF_PROCESS_LIVE);
}

void tee_perf_untrusted_attached(struct tee_perf_untrusted *log, const char *enclave_path)
{
	char resolved[PATH_MAX];

	name_modules(log->segment, realpath(enclave_path, resolved) != NULL ? resolved : enclave_path);
	tee_perf_untrusted_show(log);
	close(log->fd);
}

void tee_perf_untrusted_refused(struct tee_perf_untrusted *log)
{
	close(log->fd);
	munmap(log->segment, log->segment_bytes);
	store(&log->process->state, TEE_PERF_PROCESS_FREE);
	munmap(log->header, TEE_PERF_SEGMENTS_OFFSET);
}
