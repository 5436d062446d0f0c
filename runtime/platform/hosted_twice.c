/* SPDX-License-Identifier: MIT */
/* A second runtime in one process: an object opened by dlmopen, or a program with the runtime linked in that opens an
 * object which needs the library. Two rings of one thread could not be put in order, so it does not attach. */
#include "runtime/platform/hosted.h"

#include "syscall.h"

#include <sys/auxv.h>
#include <sys/syscall.h>

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
	return (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
}

/* The kernel gives each program that is executed 16 random bytes. Secrets are made of them: half of a hash is told. */
uint64_t tee_perf_hosted_program_id(void)
{
	const uint8_t *random = (const uint8_t *)getauxval(AT_RANDOM);
	uint64_t hash = 1;

	for (int i = 0; random != NULL && i < 16; i++)
		hash = mix(hash + random[i]);
	return hash >> 32 << TEE_PERF_PROCESS_PROGRAM_SHIFT;
}

bool tee_perf_hosted_is_second(struct tee_perf_log_process *table, uint64_t process_max)
{
	uint64_t pid = (uint64_t)arch_syscall6(SYS_getpid, 0, 0, 0, 0, 0, 0), id = tee_perf_hosted_program_id();

	for (uint64_t i = 0; i < process_max; i++) {
		uint64_t flags = host_read(&table[i].flags);
		if (host_read(&table[i].state) != TEE_PERF_PROCESS_LIVE || host_read(&table[i].pid) != pid ||
		    flags >> TEE_PERF_PROCESS_PROGRAM_SHIFT != id >> TEE_PERF_PROCESS_PROGRAM_SHIFT ||
		    (flags & TEE_PERF_PROCESS_ENCLAVE) != 0)
			continue;
		__atomic_fetch_or(&table[i].flags, TEE_PERF_PROCESS_TWICE, __ATOMIC_RELAXED);
		return true;
	}
	return false;
}
