/* SPDX-License-Identifier: MIT */
/* What carries calls into the enclave: in_simulator.c, in_process.c. Each function returns 0 or not. */
#ifndef SDK_TRANSPORT_H
#define SDK_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

int sdk_start(const char *path);
int sdk_stop(void);
/* Calls an entry of the enclave's table; *result is what it returned. */
int sdk_call(unsigned number, void *data, size_t bytes, int64_t *result);
/* in_process.c: a host with a device of its own (hyper_driver.c) is told before each entry, and may ask where the
 * enclave lies. */
void sdk_before_entry(void) __attribute__((weak));
void sdk_enclave_range(uintptr_t *begin, uintptr_t *end);
/* The application's. */
void ocall_progress(uint32_t done);

#endif
