/* SPDX-License-Identifier: MIT */
/* Stands for what oeedger8r makes of examples/open-enclave/index.edl, untrusted side. */
#ifndef INDEX_U_H
#define INDEX_U_H

#include <openenclave/host.h>
#include <stdint.h>

#define HANDLE  oe_enclave_t *
#define STATUS  oe_result_t
#define SUCCESS OE_OK
#define FAILURE OE_FAILURE
#include "index_calls.h"

oe_result_t oe_create_index_enclave(const char *path, oe_enclave_type_t type, uint32_t flags,
				    const oe_enclave_setting_t *settings, uint32_t setting_count,
				    oe_enclave_t **enclave);

#endif
