/* SPDX-License-Identifier: MIT */
/* Keystone, for the enclave's application: to be called first of all. */
#ifndef TEE_PERF_KEYSTONE_H
#define TEE_PERF_KEYSTONE_H

#include <stddef.h>

/* shared: the untrusted buffer, mapped so that the application can access it; own, own_bytes: the memory of the
 * enclave, which nothing of the log may lie in. Returns 1: the application is recorded, 0: it is not. */
int tee_perf_keystone_attach(void *shared, size_t bytes, const void *own, size_t own_bytes);

#endif
