/* SPDX-License-Identifier: MIT */
/* A trusted part for tests: what is allowed, and what must be fatal. Compiled without the pass: events are made by
 * hand. */
#include "simulator/tee_perf_sim_trusted.h"

#include "runtime/platform/sim.h"
#include "runtime/thread.h"
#include "tests/simulator/calls.h"

static uint64_t longest_wait; /* rounds within the two hooks of a pair */
static struct tee_perf_map_entry entry __attribute__((aligned(16)));

/* ---- allowed */

static int64_t ecall_add(void *data, size_t bytes)
{
	uint64_t *word = data;

	for (size_t i = 0; i < bytes / 8; i++)
		word[i] += i + 1;
	return (int64_t)bytes;
}

static int64_t ecall_ask(void *data, size_t bytes)
{
	struct ask *ask = data;

	if (bytes != sizeof *ask)
		return -100;
	int64_t result = -200;
	int status = tee_perf_sim_ocall((unsigned)ask->number, ask->text, ask->bytes, &result);
	ask->result = result;
	return status;
}

static int64_t ecall_events(void *data, size_t bytes)
{
	const struct events *wanted = data;

	if (bytes != sizeof *wanted)
		return -1;
	for (uint64_t i = 0; i < wanted->pairs; i++) {
		const void *cfa = (const void *)(uintptr_t)(0x10000 + 16 * (i & 0xfff));
		uint64_t before = tee_perf_sim_rounds;
		tee_perf_call(&entry, cfa);
		tee_perf_return(&entry, cfa);
		uint64_t rounds = tee_perf_sim_rounds - before;
		if (rounds > longest_wait)
			longest_wait = rounds;
	}
	return 0;
}

static int64_t ecall_longest_wait(void *data, size_t bytes)
{
	(void)data;
	(void)bytes;
	return (int64_t)longest_wait;
}

static int64_t ecall_touch(void *data, size_t bytes)
{
	const struct touch *wanted = data;
	size_t size;
	char *heap = tee_perf_sim_heap(&size);

	if (bytes != sizeof *wanted || wanted->first + wanted->count > size / 4096)
		return -1;
	for (uint64_t round = 0; round < wanted->rounds; round++)
		for (uint64_t page = wanted->first; page < wanted->first + wanted->count; page++)
			tee_perf_sim_touch(heap + page * 4096, 4096);
	return 0;
}

/* Sub-buffers that this thread has begun, as the runtime itself knows: the host may have changed what it was told. */
static int64_t ecall_written(void *data, size_t bytes)
{
	const struct tee_perf_thread *thread = tee_perf_self;

	(void)data;
	(void)bytes;
	return (int64_t)thread->geometry[thread->geometry_valid].sequence;
}

/* What the original TEE-Perf does with its log: the index, and so the place of the store, is what the host makes of it.
 * The log is the shared memory: the index, then entries of 16 bytes. */
static int64_t ecall_append_as_the_original(void *data, size_t bytes)
{
	size_t size;
	uint64_t *index = tee_perf_sim_shared_memory(&size);
	uint64_t *log = index + 2;

	(void)data;
	(void)bytes;
	uint64_t place = __atomic_fetch_add(index, 1, __ATOMIC_SEQ_CST);
	log[2 * place] = 1;
	log[2 * place + 1] = 2;
	return 0;
}

/* Which of the addresses are outside, which inside: one bit each. */
static int64_t ecall_judge(void *data, size_t bytes)
{
	const struct range *range = data;
	int64_t answer = 0;

	for (size_t i = 0; i < bytes / sizeof *range; i++) {
		answer |= (int64_t)(tee_perf_sim_is_outside((void *)range[i].begin, range[i].bytes) != 0) << 2 * i;
		answer |= (int64_t)(tee_perf_sim_is_inside((void *)range[i].begin, range[i].bytes) != 0) << (2 * i + 1);
	}
	return answer;
}

/* Pattern over the heap: the first call writes it, later ones compare. */
static int64_t ecall_pattern(void *data, size_t bytes)
{
	static int written;
	size_t size;
	uint64_t *heap = tee_perf_sim_heap(&size), wrong = 0;

	(void)data;
	(void)bytes;
	for (size_t i = 0; i < size / 8; i++) {
		uint64_t wanted = (i + 1) * 0x9e3779b97f4a7c15u;
		if (!written)
			heap[i] = wanted;
		wrong += heap[i] != wanted;
	}
	written = 1;
	return (int64_t)wrong;
}

/* Sum over code and constants, which nothing may change. */
static int64_t ecall_checksum(void *data, size_t bytes)
{
	extern const uint64_t __ehdr_start[] __attribute__((visibility("hidden")));
	extern const uint64_t etext[] __attribute__((visibility("hidden")));
	uint64_t sum = 0;

	(void)data;
	(void)bytes;
	for (const uint64_t *word = __ehdr_start; word + 1 <= etext; word++)
		sum = (sum ^ *word) * 0x100000001b3u;
	return (int64_t)sum;
}

uint64_t registers_survive(uint64_t rounds); /* registers.S */

static int64_t ecall_registers(void *data, size_t bytes)
{
	return bytes == 8 ? (int64_t)registers_survive(*(uint64_t *)data) : -1;
}

static int64_t ecall_thread(void *data, size_t bytes)
{
	(void)data;
	(void)bytes;
	return tee_perf_sim_thread_number();
}

/* ---- fatal */

static int64_t ecall_write(void *data, size_t bytes)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(1L), "D"(1L), "S"(data), "d"(bytes) : "rcx", "r11", "memory");
	return result;
}

static int64_t ecall_system_call(void *data, size_t bytes)
{
	const struct system_call *call = data;
	long result = -1;

	if (bytes != sizeof *call)
		return -1;
	if (call->way == WAY_SYSCALL)
		__asm__ volatile("syscall"
				 : "=a"(result)
				 : "a"(call->number), "D"(0L), "S"(0L), "d"(0L)
				 : "rcx", "r11", "memory");
	else if (call->way == WAY_INT80)
		__asm__ volatile("int $0x80" : "=a"(result) : "a"(call->number), "b"(0L), "c"(0L), "d"(0L) : "memory");
	else if (call->way == WAY_SYSENTER)
		__asm__ volatile("sysenter" : "=a"(result) : "a"(call->number), "b"(0L) : "rcx", "rdx", "memory");
	else /* gettimeofday, at its fixed address */
		__asm__ volatile("call *%1"
				 : "=a"(result)
				 : "r"(UINT64_C(0xffffffffff600000)), "D"(0L), "S"(0L)
				 : "rcx", "r11", "memory");
	return result;
}

static int64_t ecall_load(void *data, size_t bytes)
{
	return bytes == 8 ? (int64_t) * *(const volatile uint64_t **)data : -1;
}

static int64_t ecall_read_counter(void *data, size_t bytes)
{
	(void)data;
	(void)bytes;
	return (int64_t)__builtin_ia32_rdtsc();
}

static int64_t ecall_store(void *data, size_t bytes)
{
	if (bytes == 8)
		**(volatile uint64_t **)data = 1;
	return 0;
}

static int64_t ecall_never_ends(void *data, size_t bytes)
{
	(void)data;
	(void)bytes;
	for (;;)
		__builtin_ia32_pause();
	return 0;
}

TEE_PERF_SIM_ECALLS(
    [ECALL_ADD] = ecall_add, [ECALL_ASK] = ecall_ask, [ECALL_EVENTS] = ecall_events, [ECALL_TOUCH] = ecall_touch,
    [ECALL_JUDGE] = ecall_judge, [ECALL_PATTERN] = ecall_pattern, [ECALL_CHECKSUM] = ecall_checksum,
    [ECALL_REGISTERS] = ecall_registers, [ECALL_THREAD] = ecall_thread, [ECALL_WRITE] = ecall_write,
    [ECALL_READ_COUNTER] = ecall_read_counter, [ECALL_STORE] = ecall_store, [ECALL_NEVER_ENDS] = ecall_never_ends,
    [ECALL_WRITTEN] = ecall_written, [ECALL_LONGEST_WAIT] = ecall_longest_wait, [ECALL_SYSTEM_CALL] = ecall_system_call,
    [ECALL_LOAD] = ecall_load, [ECALL_APPEND_AS_THE_ORIGINAL] = ecall_append_as_the_original);
