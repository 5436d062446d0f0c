/* SPDX-License-Identifier: MIT */
/* HyperEnclave, host side: an enclave there reaches no memory of its application but what the driver was told to share.
 */
#ifndef TEE_PERF_RUNTIME_HYPERENCLAVE_UNTRUSTED_H
#define TEE_PERF_RUNTIME_HYPERENCLAVE_UNTRUSTED_H

#include "runtime/platform/enclave_untrusted.h"

/* Shares the log with the enclaves of this process. True: done, or there is no HyperEnclave in this process and nothing
 * to do. False, with a line to stderr: the log must not be offered to an enclave, which would be ended by its first
 * access. */
bool tee_perf_hyperenclave_share(const struct tee_perf_untrusted *log);
/* Takes that back, before the memory is unmapped. */
void tee_perf_hyperenclave_unshare(const struct tee_perf_untrusted *log);

#endif
