/* SPDX-License-Identifier: MIT */
/* The one call that an Open Enclave host makes to have its enclave recorded. */
#ifndef TEE_PERF_OPEN_ENCLAVE_UNTRUSTED_H
#define TEE_PERF_OPEN_ENCLAVE_UNTRUSTED_H

#include <openenclave/host.h>

#ifdef __cplusplus
extern "C" {
#endif

/* To be called after oe_create_..._enclave, before any other ECALL that is to be recorded. Returns 1: it is recorded.
 * 0: it is not, because no recorder is there or the enclave refuses; the program goes on all the same. */
int tee_perf_oe_attach(oe_enclave_t *enclave, const char *enclave_path);

#ifdef __cplusplus
}
#endif
#endif
