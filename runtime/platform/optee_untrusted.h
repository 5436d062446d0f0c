/* SPDX-License-Identifier: MIT */
/* OP-TEE, for the client of a trusted application that is recorded: one parameter of each invocation carries the log.
 *
 *   struct tee_perf_optee *recording = tee_perf_optee_open(&context, "/lib/optee_armtz/<uuid>.ta");
 *   ...
 *   tee_perf_optee_before(recording, &operation, 3);
 *   TEEC_InvokeCommand(&session, COMMAND, &operation, &origin);
 *   tee_perf_optee_after(recording);
 *   ...
 *   tee_perf_optee_close(recording);
 *
 * Without a recorder the first returns NULL, and the others do nothing. */
#ifndef TEE_PERF_OPTEE_UNTRUSTED_H
#define TEE_PERF_OPTEE_UNTRUSTED_H

#include <tee_client_api.h>

struct tee_perf_optee;

/* ta_path: for the report. The memory is registered with context, so that must outlive it. */
struct tee_perf_optee *tee_perf_optee_open(TEEC_Context *context, const char *ta_path);
/* Puts the log into parameter `index` (0 to 3), the type of which must be TEEC_NONE. */
void tee_perf_optee_before(struct tee_perf_optee *recording, TEEC_Operation *operation, unsigned index);
void tee_perf_optee_after(struct tee_perf_optee *recording);
void tee_perf_optee_close(struct tee_perf_optee *recording);

#endif
