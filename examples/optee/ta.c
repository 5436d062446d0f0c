/* SPDX-License-Identifier: MIT */
/* A trusted application that keeps numbers and tells them, masked. What tee-perf needs stands in the last function. */
#include "optee.h"
#include "vault.h"

#define SECRETS 16u
#define ROUNDS  10u
#define KEPT    __attribute__((noinline))

static uint32_t secret[SECRETS];

KEPT static uint32_t mix(uint32_t value)
{
	value ^= value >> 16;
	value *= 0x7feb352du;
	return value ^ value >> 15;
}

/* Its own inverse. */
KEPT static uint32_t mask(uint32_t number, uint32_t value)
{
	uint32_t key = number;

	for (unsigned i = 0; i < ROUNDS; i++)
		key = mix(key);
	return value ^ key;
}

KEPT static TEE_Result keep(TEE_Param *param)
{
	if (param->value.a >= SECRETS)
		return TEE_ERROR_BAD_PARAMETERS;
	secret[param->value.a] = mask(param->value.a, param->value.b);
	return TEE_SUCCESS;
}

KEPT static TEE_Result tell(TEE_Param *param)
{
	if (param->value.a >= SECRETS)
		return TEE_ERROR_BAD_PARAMETERS;
	param->value.b = mask(param->value.a, secret[param->value.a]);
	return TEE_SUCCESS;
}

KEPT static TEE_Result invoke(uint32_t command, uint32_t types, TEE_Param *params)
{
	if (TEE_PARAM_TYPE_GET(types, 0) != TEE_PARAM_TYPE_VALUE_INOUT)
		return TEE_ERROR_BAD_PARAMETERS;
	switch (command) {
	case VAULT_KEEP:
		return keep(&params[0]);
	case VAULT_TELL:
		return tell(&params[0]);
	default:
		return TEE_ERROR_BAD_PARAMETERS;
	}
}

TEE_Result TA_InvokeCommandEntryPoint(void *session, uint32_t command, uint32_t types, TEE_Param params[4]);

__attribute__((no_instrument_function)) TEE_Result TA_InvokeCommandEntryPoint(void *session, uint32_t command,
									      uint32_t types, TEE_Param params[4])
{
	tee_perf_optee_enter(session, types, params, 3);
	TEE_Result result = invoke(command, types, params);
	tee_perf_optee_leave();
	return result;
}
