/* SPDX-License-Identifier: MIT */
/* Open Enclave, host side. */
#include "runtime/platform/open_enclave_untrusted.h"

#include "runtime/platform/enclave_untrusted.h"

#define THREADS 64u /* that the trusted library has room for (enclave.h) */

/* What oeedger8r makes of open_enclave.edl. */
oe_result_t tee_perf_ecall_attach(oe_enclave_t *enclave, int *retval, void *header, void *segment,
				  uint64_t segment_bytes, void *process, uint64_t slots);

int tee_perf_oe_attach(oe_enclave_t *enclave, const char *enclave_path)
{
	struct tee_perf_untrusted log;
	int attached = 0;

	if (!tee_perf_untrusted_open(&log, THREADS))
		return 0;
	if (tee_perf_ecall_attach(enclave, &attached, log.header, log.segment, log.segment_bytes, log.process,
				  log.slots) != OE_OK)
		attached = 0;
	if (attached)
		tee_perf_untrusted_attached(&log, enclave_path);
	else
		tee_perf_untrusted_refused(&log);
	return attached;
}
