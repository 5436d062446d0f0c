/* SPDX-License-Identifier: MIT */
/* Not the SDK: declarations of our own of the few functions that tee-perf uses, as its documentation describes them, so
 * that these files compile where the SDK is not installed. With the SDK its own headers are used, never these. */
#ifndef TEE_PERF_STAND_IN_SGX_THREAD_H
#define TEE_PERF_STAND_IN_SGX_THREAD_H

#include <stdint.h>

typedef uintptr_t sgx_thread_t;

/* The same for all ECALLs that come in through the same TCS. */
sgx_thread_t sgx_thread_self(void);

#endif
