/* SPDX-License-Identifier: MIT */
/* Not the client library: declarations of our own of the few functions and values of the GlobalPlatform TEE Client API
 * that tee-perf and its example use, so that these files compile where it is not installed. With the library its own
 * header is used, never this one. */
#ifndef TEE_PERF_STAND_IN_TEE_CLIENT_API_H
#define TEE_PERF_STAND_IN_TEE_CLIENT_API_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t TEEC_Result;
#define TEEC_SUCCESS 0x00000000u

#define TEEC_NONE         0x00000000u
#define TEEC_VALUE_INOUT  0x00000003u
#define TEEC_MEMREF_WHOLE 0x0000000cu
#define TEEC_MEM_INPUT    0x00000001u
#define TEEC_MEM_OUTPUT   0x00000002u
#define TEEC_LOGIN_PUBLIC 0x00000000u

#define TEEC_PARAM_TYPES(p0, p1, p2, p3) ((p0) | (p1) << 4 | (p2) << 8 | (p3) << 12)

typedef struct {
	int fd;
} TEEC_Context;
typedef struct {
	uint32_t timeLow;
	uint16_t timeMid, timeHiAndVersion;
	uint8_t clockSeqAndNode[8];
} TEEC_UUID;
typedef struct {
	void *buffer;
	size_t size;
	uint32_t flags;
} TEEC_SharedMemory;
typedef struct {
	uint32_t session_id;
} TEEC_Session;
typedef union {
	struct {
		TEEC_SharedMemory *parent;
		size_t size, offset;
	} memref;
	struct {
		uint32_t a, b;
	} value;
} TEEC_Parameter;
typedef struct {
	uint32_t started, paramTypes;
	TEEC_Parameter params[4];
} TEEC_Operation;

TEEC_Result TEEC_InitializeContext(const char *name, TEEC_Context *context);
void TEEC_FinalizeContext(TEEC_Context *context);
TEEC_Result TEEC_OpenSession(TEEC_Context *context, TEEC_Session *session, const TEEC_UUID *destination,
			     uint32_t connectionMethod, const void *connectionData, TEEC_Operation *operation,
			     uint32_t *returnOrigin);
void TEEC_CloseSession(TEEC_Session *session);
TEEC_Result TEEC_InvokeCommand(TEEC_Session *session, uint32_t commandID, TEEC_Operation *operation,
			       uint32_t *returnOrigin);
TEEC_Result TEEC_RegisterSharedMemory(TEEC_Context *context, TEEC_SharedMemory *sharedMem);
void TEEC_ReleaseSharedMemory(TEEC_SharedMemory *sharedMem);

#endif
