/* SPDX-License-Identifier: MIT */
/* Library operating systems have less of mmap than Linux: Gramine keeps memory that is shared with the host in a range
 * of its own, where no address can be asked for. Occlum has one address space for all processes and a mapped file in it
 * once: who asks for an address gets a copy. */
#include "runtime/platform/hosted.h"

#include "syscall.h"

#include <sys/mman.h>
#include <sys/syscall.h>

static uintptr_t map_shared(int fd, uint64_t offset, uint64_t size)
{
	long result = arch_syscall6(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd,
				    (long)offset);
	return result < 0 && result > -4096 ? 0 : (uintptr_t)result;
}

/* Places are given from the top or from the bottom: a longer piece, at its end or its begin, shifts what is wanted. */
void *tee_perf_hosted_map_anywhere(int fd, uint64_t offset, uint64_t size)
{
	uint64_t lead = 0, tail = 0, first = 0;

	for (int attempt = 0; attempt < 3; attempt++) {
		uintptr_t begin = map_shared(fd, offset - lead, lead + size + tail);
		if (begin == 0)
			return NULL;
		uint64_t past = (begin + lead) % TEE_PERF_SUBBUF_BYTES;
		if (past == 0)
			return (void *)(begin + lead);
		arch_syscall6(SYS_munmap, (long)begin, (long)(lead + size + tail), 0, 0, 0, 0);
		if (attempt == 0)
			first = tail = past;
		else
			tail = 0;
		lead = attempt == 0 ? 0 : TEE_PERF_SUBBUF_BYTES - first;
	}
	return NULL;
}

static bool has_name(const char *path)
{
	static const char unnamed[] = "/proc/";

	for (size_t i = 0; unnamed[i] != '\0'; i++)
		if (path[i] != unnamed[i])
			return true;
	return false;
}

/* Nobody but Occlum, and chance, puts the part there. A log without a name is Linux's. */
void *tee_perf_hosted_map_within(const char *path, uintptr_t header, int fd, uint64_t offset, uint64_t size)
{
	uintptr_t begin = has_name(path) ? map_shared(fd, offset, size) : 0;

	if (begin != 0 && begin == header + offset && begin % TEE_PERF_SUBBUF_BYTES == 0)
		return (void *)begin;
	if (begin != 0)
		arch_syscall6(SYS_munmap, (long)begin, (long)size, 0, 0, 0, 0);
	return NULL;
}
