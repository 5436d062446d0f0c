/* SPDX-License-Identifier: MIT */
/* The generated proxies of the application, over whatever carries a call into the enclave. */
#include "calls.h"
#include "index_u.h"
#include "transport.h"

#include <string.h>

static STATUS call(unsigned number, void *data, size_t bytes, int64_t *result)
{
	return sdk_call(number, data, bytes, result) == 0 ? SUCCESS : FAILURE;
}

STATUS ecall_fill(HANDLE eid, uint32_t count, uint64_t seed)
{
	struct fill data = { count, seed };
	int64_t result;

	(void)eid;
	return call(ECALL_FILL, &data, sizeof data, &result);
}

STATUS ecall_sort(HANDLE eid, uint32_t *retval)
{
	int64_t result = 0;
	STATUS status = call(ECALL_SORT, NULL, 0, &result);

	(void)eid;
	*retval = (uint32_t)result;
	return status;
}

STATUS ecall_search(HANDLE eid, uint32_t *retval, const uint64_t *keys, uint32_t count)
{
	struct search data = { .count = count };
	int64_t result = 0;

	(void)eid;
	if (count > SEARCH_MAX)
		return FAILURE;
	memcpy(data.key, keys, count * sizeof *keys);
	STATUS status = call(ECALL_SEARCH, &data, sizeof data, &result);
	*retval = (uint32_t)result;
	return status;
}

STATUS tee_perf_ecall_attach(HANDLE eid, int *retval, void *header, void *segment, uint64_t segment_bytes,
			     void *process, uint64_t slots)
{
	struct attach data = { (uintptr_t)header, (uintptr_t)segment, segment_bytes, (uintptr_t)process, slots };
	int64_t result = 0;

	(void)eid;
	STATUS status = call(ECALL_ATTACH, &data, sizeof data, &result);
	*retval = (int)result;
	return status;
}

#ifdef TEE_PERF_STAND_IN_SGX_URTS_H
sgx_status_t sgx_create_enclave(const char *file_name, const int debug, sgx_launch_token_t *launch_token,
				int *launch_token_updated, sgx_enclave_id_t *enclave_id,
				sgx_misc_attribute_t *misc_attr)
{
	(void)debug;
	(void)launch_token;
	(void)launch_token_updated;
	(void)misc_attr;
	*enclave_id = 1;
	return sdk_start(file_name) == 0 ? SGX_SUCCESS : SGX_ERROR_UNEXPECTED;
}

sgx_status_t sgx_destroy_enclave(const sgx_enclave_id_t enclave_id)
{
	(void)enclave_id;
	return sdk_stop() == 0 ? SGX_SUCCESS : SGX_ERROR_UNEXPECTED;
}
#else
oe_result_t oe_create_index_enclave(const char *path, oe_enclave_type_t type, uint32_t flags,
				    const oe_enclave_setting_t *settings, uint32_t setting_count,
				    oe_enclave_t **enclave)
{
	(void)type;
	(void)flags;
	(void)settings;
	(void)setting_count;
	*enclave = NULL;
	return sdk_start(path) == 0 ? OE_OK : OE_FAILURE;
}

oe_result_t oe_terminate_enclave(oe_enclave_t *enclave)
{
	(void)enclave;
	return sdk_stop() == 0 ? OE_OK : OE_FAILURE;
}
#endif
