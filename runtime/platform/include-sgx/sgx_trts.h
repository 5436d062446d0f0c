/* SPDX-License-Identifier: MIT */
/* Not the SDK: declarations of our own of the few functions that tee-perf uses, as its documentation describes them, so
 * that these files compile where the SDK is not installed. With the SDK its own headers are used, never these. */
#ifndef TEE_PERF_STAND_IN_SGX_TRTS_H
#define TEE_PERF_STAND_IN_SGX_TRTS_H

#include <stddef.h>

/* 1: [addr, addr + size) lies strictly outside the enclave. */
int sgx_is_outside_enclave(const void *addr, size_t size);

#endif
