/* SPDX-License-Identifier: MIT */
/* The one call that an SGX application makes to have its enclave recorded. */
#ifndef TEE_PERF_SGX_SDK_UNTRUSTED_H
#define TEE_PERF_SGX_SDK_UNTRUSTED_H

#include <sgx_urts.h>

#ifdef __cplusplus
extern "C" {
#endif

/* To be called after sgx_create_enclave, before any other ECALL that is to be recorded. enclave_path: its file, for the
 * report. Returns 1: it is recorded. 0: it is not, because no recorder is there or the enclave refuses; the program
 * goes on all the same. */
int tee_perf_sgx_attach(sgx_enclave_id_t enclave, const char *enclave_path);

#ifdef __cplusplus
}
#endif
#endif
