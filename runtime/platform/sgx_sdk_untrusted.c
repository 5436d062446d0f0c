/* SPDX-License-Identifier: MIT */
/* Intel SGX SDK, host side. */
#include "runtime/platform/sgx_sdk_untrusted.h"

#include "runtime/platform/enclave_untrusted.h"
#include "runtime/platform/hyperenclave_untrusted.h"

#define THREADS 64u /* that the trusted library has room for (enclave.h) */

/* What sgx_edger8r makes of sgx_sdk.edl. */
sgx_status_t tee_perf_ecall_attach(sgx_enclave_id_t eid, int *retval, void *header, void *segment,
				   uint64_t segment_bytes, void *process, uint64_t slots);

int tee_perf_sgx_attach(sgx_enclave_id_t enclave, const char *enclave_path)
{
	struct tee_perf_untrusted log;
	int attached = 0;

	if (!tee_perf_untrusted_open(&log, THREADS))
		return 0;
	if (!tee_perf_hyperenclave_share(&log)) {
		tee_perf_untrusted_refused(&log);
		return 0;
	}
	if (tee_perf_ecall_attach(enclave, &attached, log.header, log.segment, log.segment_bytes, log.process,
				  log.slots) != SGX_SUCCESS)
		attached = 0;
	if (attached) {
		tee_perf_untrusted_attached(&log, enclave_path);
	} else {
		tee_perf_hyperenclave_unshare(&log);
		tee_perf_untrusted_refused(&log);
	}
	return attached;
}
