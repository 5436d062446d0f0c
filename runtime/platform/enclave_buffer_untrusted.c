/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "runtime/platform/enclave_buffer_untrusted.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool map_at(const struct tee_perf_untrusted *log, char *at, size_t bytes, uint64_t offset)
{
	return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, log->fd, (off_t)offset) != MAP_FAILED;
}

static bool lay_out(struct tee_perf_buffer *buffer, uint64_t header_offset)
{
	struct tee_perf_untrusted *log = &buffer->log;
	size_t bytes = header_offset + TEE_PERF_SEGMENTS_OFFSET + log->segment_bytes;
	size_t room = bytes + TEE_PERF_SUBBUF_BYTES;
	char *area = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		return false;
	/* The segment at a multiple of a sub-buffer here, too: where both sides see the same addresses it fits at once.
	 */
	char *begin = area + (-((uintptr_t)area + header_offset) & (TEE_PERF_SUBBUF_BYTES - 1));
	if (begin > area)
		munmap(area, (size_t)(begin - area));
	if (area + room > begin + bytes)
		munmap(begin + bytes, (size_t)(area + room - begin) - bytes);
	if (!map_at(log, begin + header_offset, TEE_PERF_SEGMENTS_OFFSET, 0) ||
	    !map_at(log, begin + header_offset + TEE_PERF_SEGMENTS_OFFSET, log->segment_bytes, log->segment_offset)) {
		munmap(begin, bytes);
		return false;
	}
	struct tee_perf_log_process *table = (void *)((char *)log->header + TEE_PERF_TABLE_OFFSET);
	*(struct tee_perf_buffer_control *)begin = (struct tee_perf_buffer_control){
		.header_offset = header_offset,
		.process = (uint64_t)(log->process - table),
		.slots = log->slots,
	};
	memcpy(((struct tee_perf_buffer_control *)begin)->path, buffer->path, strlen(buffer->path) + 1);
	buffer->begin = begin;
	buffer->bytes = bytes;
	return true;
}

/* Shown at once: the first entry may be a long one, and wait for the recorder to make room. */
bool tee_perf_buffer_open(struct tee_perf_buffer *buffer, const char *path, uint64_t threads)
{
	char resolved[PATH_MAX];

	*buffer = (struct tee_perf_buffer){ 0 };
	if (realpath(path, resolved) == NULL)
		snprintf(resolved, sizeof resolved, "%s", path);
	if (strlen(resolved) < sizeof buffer->path)
		memcpy(buffer->path, resolved, strlen(resolved));
	if (!tee_perf_untrusted_open(&buffer->log, threads))
		return false;
	if (lay_out(buffer, TEE_PERF_BUFFER_PAGE)) {
		tee_perf_untrusted_show(&buffer->log);
		return true;
	}
	tee_perf_untrusted_refused(&buffer->log);
	return false;
}

static uint64_t answer_of(const struct tee_perf_buffer *buffer)
{
	const struct tee_perf_buffer_control *control = buffer->begin;

	return __atomic_load_n(&control->answer, __ATOMIC_ACQUIRE);
}

bool tee_perf_buffer_asked(const struct tee_perf_buffer *buffer)
{
	uint64_t answer = answer_of(buffer);

	return answer >= TEE_PERF_BUFFER_PAGE && answer <= TEE_PERF_SUBBUF_BYTES && answer % TEE_PERF_BUFFER_PAGE == 0;
}

bool tee_perf_buffer_again(struct tee_perf_buffer *buffer)
{
	uint64_t answer = answer_of(buffer);
	void *begin = buffer->begin;
	size_t bytes = buffer->bytes;

	if (!lay_out(buffer, answer))
		return false;
	munmap(begin, bytes);
	return true;
}

/* What was recorded stays in the file that the recorder reads. */
void tee_perf_buffer_close(struct tee_perf_buffer *buffer)
{
	munmap(buffer->begin, buffer->bytes);
	close(buffer->log.fd);
}
