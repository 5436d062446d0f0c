/* SPDX-License-Identifier: MIT */
/* Not the SDK: declarations of our own of the few functions that tee-perf uses, as its documentation describes them, so
 * that these files compile where the SDK is not installed. With the SDK its own headers are used, never these. */
#ifndef TEE_PERF_STAND_IN_OE_HOST_H
#define TEE_PERF_STAND_IN_OE_HOST_H

typedef struct _oe_enclave oe_enclave_t;
typedef enum _oe_result { OE_OK = 0, OE_FAILURE = 1 } oe_result_t;

typedef enum _oe_enclave_type { OE_ENCLAVE_TYPE_AUTO = 1 } oe_enclave_type_t;
typedef struct _oe_enclave_setting oe_enclave_setting_t;

#define OE_ENCLAVE_FLAG_DEBUG 1

oe_result_t oe_terminate_enclave(oe_enclave_t *enclave);

#endif
