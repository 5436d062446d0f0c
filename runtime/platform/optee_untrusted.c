/* SPDX-License-Identifier: MIT */
#include "runtime/platform/optee_untrusted.h"

#include "runtime/platform/enclave_buffer_untrusted.h"

#include <stdlib.h>

#define SESSIONS 8u

struct tee_perf_optee {
	TEEC_Context *context;
	TEEC_SharedMemory memory;
	struct tee_perf_buffer buffer;
	bool registered;
};

static void share(struct tee_perf_optee *recording)
{
	recording->memory = (TEEC_SharedMemory){ .buffer = recording->buffer.begin,
						 .size = recording->buffer.bytes,
						 .flags = TEEC_MEM_INPUT | TEEC_MEM_OUTPUT };
	recording->registered = TEEC_RegisterSharedMemory(recording->context, &recording->memory) == TEEC_SUCCESS;
}

struct tee_perf_optee *tee_perf_optee_open(TEEC_Context *context, const char *ta_path)
{
	struct tee_perf_optee *recording = calloc(1, sizeof *recording);

	if (recording == NULL)
		return NULL;
	recording->context = context;
	if (!tee_perf_buffer_open(&recording->buffer, ta_path, SESSIONS)) {
		free(recording);
		return NULL;
	}
	share(recording);
	return recording;
}

void tee_perf_optee_before(struct tee_perf_optee *recording, TEEC_Operation *operation, unsigned index)
{
	if (recording == NULL || !recording->registered)
		return;
	operation->paramTypes &= ~(15u << 4 * index);
	operation->paramTypes |= TEEC_MEMREF_WHOLE << 4 * index;
	operation->params[index].memref.parent = &recording->memory;
}

/* While the old memory is registered it may not go. */
void tee_perf_optee_after(struct tee_perf_optee *recording)
{
	if (recording == NULL || !recording->registered || !tee_perf_buffer_asked(&recording->buffer))
		return;
	TEEC_ReleaseSharedMemory(&recording->memory);
	recording->registered = false;
	if (tee_perf_buffer_again(&recording->buffer))
		share(recording);
}

void tee_perf_optee_close(struct tee_perf_optee *recording)
{
	if (recording == NULL)
		return;
	if (recording->registered)
		TEEC_ReleaseSharedMemory(&recording->memory);
	tee_perf_buffer_close(&recording->buffer);
	free(recording);
}
