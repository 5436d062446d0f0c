/* SPDX-License-Identifier: MIT */
/* Not the development kit: declarations of our own of the few functions and values of the GlobalPlatform TEE Internal
 * Core API that tee-perf uses, so that these files compile where the kit is not installed. With the kit its own headers
 * are used, never these. */
#ifndef TEE_PERF_STAND_IN_TEE_INTERNAL_API_H
#define TEE_PERF_STAND_IN_TEE_INTERNAL_API_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t TEE_Result;
#define TEE_SUCCESS              0x00000000u
#define TEE_ERROR_ACCESS_DENIED  0xffff0001u
#define TEE_ERROR_BAD_PARAMETERS 0xffff0006u

#define TEE_MEMORY_ACCESS_READ      0x00000001u
#define TEE_MEMORY_ACCESS_WRITE     0x00000002u
#define TEE_MEMORY_ACCESS_ANY_OWNER 0x00000004u

#define TEE_PARAM_TYPE_NONE          0u
#define TEE_PARAM_TYPE_VALUE_INOUT   3u
#define TEE_PARAM_TYPE_MEMREF_INOUT  7u
#define TEE_PARAM_TYPE_GET(types, i) ((uint32_t)(types) >> (4 * (i)) & 0xfu)

typedef union {
	struct {
		void *buffer;
		size_t size;
	} memref;
	struct {
		uint32_t a, b;
	} value;
} TEE_Param;

TEE_Result TEE_CheckMemoryAccessRights(uint32_t accessFlags, void *buffer, size_t size);

#endif
