/* SPDX-License-Identifier: MIT */
/* What the two sides agree on. */
#ifndef CALLS_H
#define CALLS_H

#include <stdint.h>

enum ecall { ECALL_COUNT_PRIMES = 0 };
enum ocall { OCALL_TIME = 0 };

struct count_primes {
	uint64_t below, found;
	int64_t last_time;
};

#endif
