/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "recorder/libos.h"

#include "runtime/log_layout.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define ATTEMPTS 8

bool tee_perf_libos(void)
{
	int fd = memfd_create("tee-perf", MFD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == ENOSYS;
}

static bool is_aligned(const void *memory)
{
	return (uintptr_t)memory % TEE_PERF_SUBBUF_BYTES == 0;
}

/* where: a hint. */
static char *map(void *where, int fd, uint64_t bytes)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	char *memory = mmap(where, bytes, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, fd, 0);

	return memory != MAP_FAILED ? memory : NULL;
}

/* An address where so many bytes are free. */
static void *free_place(uint64_t bytes)
{
	size_t room = bytes + TEE_PERF_SUBBUF_BYTES;
	char *begin = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (begin == MAP_FAILED)
		return NULL;
	munmap(begin, room);
	return begin + (-(uintptr_t)begin & (TEE_PERF_SUBBUF_BYTES - 1));
}

/* Does a second mapping of the file show what is written to the first? */
static bool is_shared(volatile char *memory, int fd)
{
	volatile char *other = mmap(NULL, TEE_PERF_SUBBUF_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (other == MAP_FAILED)
		return false;
	*memory = 1;
	bool seen = *other == 1;
	*memory = 0;
	if (other != memory)
		munmap((void *)other, TEE_PERF_SUBBUF_BYTES);
	return seen;
}

void *tee_perf_libos_map(int fd, uint64_t bytes, struct tee_perf_error *err)
{
	char *memory = map(NULL, fd, bytes);

	for (int i = 0; i < ATTEMPTS && memory != NULL && !is_aligned(memory); i++) {
		munmap(memory, bytes);
		memory = map(free_place(bytes), fd, bytes);
	}
	if (memory != NULL && is_aligned(memory) && (fd < 0 || is_shared(memory, fd)))
		return memory;
	if (memory == NULL || !is_aligned(memory))
		tee_perf_fail_errno(err, "cannot map the %llu bytes of the log", (unsigned long long)bytes);
	else
		tee_perf_fail(err, TEE_PERF_SYSTEM,
			      "this system does not share the memory of mapped files (Occlum: set enable_posix_shm in "
			      "Occlum.json, under \"feature\")");
	if (memory != NULL)
		munmap(memory, bytes);
	return NULL;
}
