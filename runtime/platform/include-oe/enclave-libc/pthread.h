/* SPDX-License-Identifier: MIT */
/* Not the SDK: declarations of our own of the few functions that tee-perf uses, as its documentation describes them, so
 * that these files compile where the SDK is not installed. With the SDK its own headers are used, never these. */
#ifndef TEE_PERF_STAND_IN_OE_PTHREAD_H
#define TEE_PERF_STAND_IN_OE_PTHREAD_H

#include <stdint.h>

typedef uintptr_t pthread_t;

/* The same for all ECALLs that come in through the same TCS. */
pthread_t pthread_self(void);

#endif
