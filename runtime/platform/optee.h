/* SPDX-License-Identifier: MIT */
/* OP-TEE, for the trusted application: brackets an invocation that is to be recorded.
 *
 *   TEE_Result TA_InvokeCommandEntryPoint(void *session, uint32_t command, uint32_t types, TEE_Param params[4])
 *   {
 *           tee_perf_optee_enter(session, types, params, 3);
 *           TEE_Result result = invoke(session, command, types, params);
 *           tee_perf_optee_leave();
 *           return result;
 *   }
 *
 * That function itself must not have hooks: mark it no_instrument_function. */
#ifndef TEE_PERF_OPTEE_H
#define TEE_PERF_OPTEE_H

#include <tee_internal_api.h>

/* index: of the parameter that the client keeps for tee-perf (tee_perf_optee_parameter). If it is not a memref that
 * holds a log, the invocation goes unrecorded. session: what TA_OpenSessionEntryPoint made, a thread in the report;
 * NULL will do. */
void tee_perf_optee_enter(void *session, uint32_t types, TEE_Param params[4], unsigned index);
void tee_perf_optee_leave(void);

#endif
