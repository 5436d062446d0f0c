/* SPDX-License-Identifier: MIT */
/* Not the SDK: declarations of our own of the few functions that tee-perf uses, as its documentation describes them, so
 * that these files compile where the SDK is not installed. With the SDK its own headers are used, never these. */
#ifndef TEE_PERF_STAND_IN_OE_ENCLAVE_H
#define TEE_PERF_STAND_IN_OE_ENCLAVE_H

#include <stdbool.h>
#include <stddef.h>

/* True: [ptr, ptr + size) lies strictly outside the enclave. */
bool oe_is_outside_enclave(const void *ptr, size_t size);

#endif
