/* SPDX-License-Identifier: MIT */
/* The client. Each line "expect <function> <calls>" is what the report must say of the trusted application. */
#include "optee_untrusted.h"
#include "vault.h"

#include <stdio.h>
#include <stdlib.h>

#define TURNS 150u

static TEEC_Session session[2];
static struct tee_perf_optee *recording;

static void check(TEEC_Result result, const char *what)
{
	if (result == TEEC_SUCCESS)
		return;
	fprintf(stderr, "%s: result 0x%x\n", what, (unsigned)result);
	exit(1);
}

static uint32_t invoke(unsigned which, uint32_t command, uint32_t number, uint32_t value)
{
	TEEC_Operation operation = { .paramTypes =
					 TEEC_PARAM_TYPES(TEEC_VALUE_INOUT, TEEC_NONE, TEEC_NONE, TEEC_NONE) };
	uint32_t origin;

	operation.params[0].value.a = number;
	operation.params[0].value.b = value;
	tee_perf_optee_before(recording, &operation, 3);
	check(TEEC_InvokeCommand(&session[which], command, &operation, &origin), "TEEC_InvokeCommand");
	tee_perf_optee_after(recording);
	return operation.params[0].value.b;
}

int main(int argc, char **argv)
{
	static const TEEC_UUID uuid = VAULT_UUID;
	TEEC_Context context;
	uint32_t origin;

	check(TEEC_InitializeContext(NULL, &context), "TEEC_InitializeContext");
	for (unsigned i = 0; i < 2; i++)
		check(TEEC_OpenSession(&context, &session[i], &uuid, TEEC_LOGIN_PUBLIC, NULL, NULL, &origin),
		      "TEEC_OpenSession");
	recording = tee_perf_optee_open(&context, argc > 1 ? argv[1] : "vault.ta");
	/* The first invocation finds out how the memory has to lie, and may go unrecorded. */
	invoke(0, VAULT_TELL, 0, 0);
	for (uint32_t i = 0; i < TURNS; i++) {
		invoke(i % 2, VAULT_KEEP, i % 16, i);
		if (invoke(1 - i % 2, VAULT_TELL, i % 16, 0) != i)
			return 1;
	}
	tee_perf_optee_close(recording);
	for (unsigned i = 0; i < 2; i++)
		TEEC_CloseSession(&session[i]);
	TEEC_FinalizeContext(&context);
	printf("recorded %d\nexpect keep %u\nbetween tell %u %u\n", recording != NULL, TURNS, TURNS, TURNS + 1);
	printf("between mix %u %u\n", 20 * TURNS, 20 * TURNS + 10);
	return 0;
}
