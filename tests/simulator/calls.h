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

struct touch {
	uint64_t first, count, rounds;
};

struct range {
	uint64_t begin, bytes;
};

#endif
