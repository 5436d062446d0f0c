/* SPDX-License-Identifier: MIT */
/* Not the SDK: declarations of our own of the few functions that tee-perf uses, as its documentation describes them, so
 * that these files compile where the SDK is not installed. With the SDK its own headers are used, never these. */
#ifndef TEE_PERF_STAND_IN_SGX_URTS_H
#define TEE_PERF_STAND_IN_SGX_URTS_H

#include <stdint.h>

typedef uint64_t sgx_enclave_id_t;
typedef enum { SGX_SUCCESS = 0, SGX_ERROR_UNEXPECTED = 1 } sgx_status_t;
typedef uint8_t sgx_launch_token_t[1024];
typedef struct sgx_misc_attribute sgx_misc_attribute_t;

#define SGX_DEBUG_FLAG 1

sgx_status_t sgx_create_enclave(const char *file_name, const int debug, sgx_launch_token_t *launch_token,
				int *launch_token_updated, sgx_enclave_id_t *enclave_id,
				sgx_misc_attribute_t *misc_attr);
sgx_status_t sgx_destroy_enclave(const sgx_enclave_id_t enclave_id);

#endif
