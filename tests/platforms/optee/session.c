/* SPDX-License-Identifier: MIT */
/* Stands for OP-TEE between a client and a trusted application in one process: each invocation maps a memref at another
 * address, at an odd page, for as long as it lasts. */
#define _GNU_SOURCE
#include "runtime/platform/enclave_buffer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tee_client_api.h>
#include <tee_internal_api.h>
#include <unistd.h>

TEE_Result TA_InvokeCommandEntryPoint(void *session, uint32_t command, uint32_t types, TEE_Param params[4]);

static struct {
	char *begin;
	size_t size;
} mapped; /* of this invocation */
static uint32_t sessions, invocations;

/* ---- the TA's side */

TEE_Result TEE_CheckMemoryAccessRights(uint32_t accessFlags, void *buffer, size_t size)
{
	size_t offset = (size_t)((char *)buffer - mapped.begin);
	int shared = mapped.begin != NULL && offset <= mapped.size && size <= mapped.size - offset;

	return shared && (accessFlags & TEE_MEMORY_ACCESS_ANY_OWNER) != 0 ? TEE_SUCCESS : TEE_ERROR_ACCESS_DENIED;
}

/* ---- memrefs: the pages of the log again, from its file; the page of control words by copying it */

static void map_again(const TEEC_SharedMemory *memory, int fd)
{
	const struct tee_perf_buffer_control *control = memory->buffer;
	uint64_t offset = control->header_offset;
	const struct tee_perf_log_header *header = (void *)((char *)memory->buffer + offset);
	uint64_t segment = TEE_PERF_SEGMENTS_OFFSET + control->process * header->segment_bytes;
	size_t room = memory->size + 4 * TEE_PERF_SUBBUF_BYTES;
	char *begin = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* A multiple of 16 KiB, three pages, and another address each time. */
	mapped.begin = begin + (-(uintptr_t)begin & (TEE_PERF_SUBBUF_BYTES - 1)) + 3 * TEE_PERF_BUFFER_PAGE +
		       invocations % 3 * TEE_PERF_SUBBUF_BYTES;
	mapped.size = memory->size;
	memcpy(mapped.begin, memory->buffer, offset);
	mmap(mapped.begin + offset, TEE_PERF_SEGMENTS_OFFSET, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	mmap(mapped.begin + offset + TEE_PERF_SEGMENTS_OFFSET, memory->size - offset - TEE_PERF_SEGMENTS_OFFSET,
	     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)segment);
}

static int open_log(void)
{
	char path[4096];
	const char *value = getenv("TEE_PERF_LOG");

	strncpy(path, value != NULL ? value : "", sizeof path - 1);
	path[sizeof path - 1] = '\0';
	if (strrchr(path, ':') != NULL)
		*strrchr(path, ':') = '\0';
	return open(path, O_RDWR);
}

TEEC_Result TEEC_InvokeCommand(TEEC_Session *session, uint32_t commandID, TEEC_Operation *operation,
			       uint32_t *returnOrigin)
{
	static int fd = -1;
	TEE_Param params[4] = { { { NULL, 0 } } };
	uint32_t types = 0;
	TEEC_SharedMemory *memory = NULL;

	*returnOrigin = 0;
	for (unsigned i = 0; i < 4; i++) {
		uint32_t type = operation->paramTypes >> 4 * i & 15;
		if (type == TEEC_VALUE_INOUT) {
			types |= TEE_PARAM_TYPE_VALUE_INOUT << 4 * i;
			params[i].value.a = operation->params[i].value.a;
			params[i].value.b = operation->params[i].value.b;
		} else if (type == TEEC_MEMREF_WHOLE) {
			types |= TEE_PARAM_TYPE_MEMREF_INOUT << 4 * i;
			memory = operation->params[i].memref.parent;
			if (fd < 0)
				fd = open_log();
			map_again(memory, fd);
			params[i].memref.buffer = mapped.begin;
			params[i].memref.size = mapped.size;
		}
	}
	invocations++;
	TEE_Result result =
	    TA_InvokeCommandEntryPoint((void *)(uintptr_t)(session->session_id * 64), commandID, types, params);
	if (memory != NULL) {
		/* The client has shared the same pages, not others. */
		size_t module_written =
		    ((struct tee_perf_buffer_control *)memory->buffer)->header_offset + TEE_PERF_SEGMENTS_OFFSET;
		if (memcmp((char *)memory->buffer + module_written, mapped.begin + module_written, 8) != 0)
			return 2;
		memcpy(memory->buffer, mapped.begin, sizeof(struct tee_perf_buffer_control));
		munmap(mapped.begin, mapped.size);
		mapped.begin = NULL;
	}
	operation->params[0].value.b = params[0].value.b;
	return result;
}

/* ---- the rest */

TEEC_Result TEEC_InitializeContext(const char *name, TEEC_Context *context)
{
	(void)name;
	context->fd = -1;
	return TEEC_SUCCESS;
}

void TEEC_FinalizeContext(TEEC_Context *context)
{
	(void)context;
}

TEEC_Result TEEC_OpenSession(TEEC_Context *context, TEEC_Session *session, const TEEC_UUID *destination,
			     uint32_t connectionMethod, const void *connectionData, TEEC_Operation *operation,
			     uint32_t *returnOrigin)
{
	(void)context;
	(void)destination;
	(void)connectionMethod;
	(void)connectionData;
	(void)operation;
	*returnOrigin = 0;
	session->session_id = ++sessions;
	return TEEC_SUCCESS;
}

void TEEC_CloseSession(TEEC_Session *session)
{
	(void)session;
}

TEEC_Result TEEC_RegisterSharedMemory(TEEC_Context *context, TEEC_SharedMemory *sharedMem)
{
	(void)context;
	return (uintptr_t)sharedMem->buffer % TEE_PERF_BUFFER_PAGE == 0 ? TEEC_SUCCESS : 1;
}

void TEEC_ReleaseSharedMemory(TEEC_SharedMemory *sharedMem)
{
	sharedMem->buffer = NULL;
}
