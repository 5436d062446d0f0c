/* SPDX-License-Identifier: MIT */
#ifndef TEE_PERF_TESTS_SIMULATOR_CALLS_H
#define TEE_PERF_TESTS_SIMULATOR_CALLS_H

#include <stdint.h>

enum {
	ECALL_ADD,
	ECALL_ASK,
	ECALL_EVENTS,
	ECALL_TOUCH,
	ECALL_JUDGE,
	ECALL_PATTERN,
	ECALL_CHECKSUM,
	ECALL_REGISTERS,
	ECALL_THREAD,
	ECALL_WRITE,
	ECALL_READ_COUNTER,
	ECALL_STORE,
	ECALL_NEVER_ENDS,
	ECALL_APPEND_AS_THE_ORIGINAL,
	ECALL_WRITTEN,
	ECALL_SYSTEM_CALL,
	ECALL_LOAD,
	ECALL_LONGEST_WAIT,
	ECALLS
};

struct ask {
	uint64_t number, bytes;
	int64_t result;
	char text[64];
};

struct events {
	uint64_t pairs;
};

/* How a program asks its kernel for something. */
enum way { WAY_SYSCALL, WAY_INT80, WAY_SYSENTER, WAY_VSYSCALL };

struct system_call {
	uint64_t way, number;
};

struct touch {
	uint64_t first, count, rounds;
};

struct range {
	uint64_t begin, bytes;
};

#endif
