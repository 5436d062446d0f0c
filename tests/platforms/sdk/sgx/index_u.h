/* SPDX-License-Identifier: MIT */
/* Stands for what the SDK's edger8r makes of examples/sgx-sdk/enclave/index.edl, untrusted side. */
#ifndef INDEX_U_H
#define INDEX_U_H

#include <sgx_urts.h>
#include <stdint.h>

#define HANDLE  sgx_enclave_id_t
#define STATUS  sgx_status_t
#define SUCCESS SGX_SUCCESS
#define FAILURE SGX_ERROR_UNEXPECTED
#include "index_calls.h"
#endif
