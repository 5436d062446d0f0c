/* SPDX-License-Identifier: MIT */
/* What the two sides agree on. */
#ifndef CALLS_H
#define CALLS_H

#include <stdint.h>

enum ecall { ECALL_FORMAT = 0, ECALL_RUN = 1 };
enum ocall { OCALL_GETPID = 0, OCALL_GET_TIME = 1 };

struct run {
	uint64_t ios;                       /* in: blocks to read */
	uint64_t cached;                    /* in: 1: keep what the host said */
	uint64_t bytes, errors, latency_ns; /* out: read; with a wrong guard; of all I/Os together */
};

#endif
