/* SPDX-License-Identifier: MIT */
/* Little-endian integers at any alignment; internal to format/. */
#ifndef TEE_PERF_FORMAT_WIRE_H
#define TEE_PERF_FORMAT_WIRE_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the data file is little-endian: add byte swaps here to read and write it on this machine"
#endif

static inline uint16_t tee_perf_get16(const uint8_t *bytes)
{
	uint16_t value;
	memcpy(&value, bytes, sizeof value);
	return value;
}

static inline uint32_t tee_perf_get32(const uint8_t *bytes)
{
	uint32_t value;
	memcpy(&value, bytes, sizeof value);
	return value;
}

static inline uint64_t tee_perf_get64(const uint8_t *bytes)
{
	uint64_t value;
	memcpy(&value, bytes, sizeof value);
	return value;
}

static inline void tee_perf_put16(uint8_t *bytes, uint16_t value)
{
	memcpy(bytes, &value, sizeof value);
}

static inline void tee_perf_put32(uint8_t *bytes, uint32_t value)
{
	memcpy(bytes, &value, sizeof value);
}

static inline void tee_perf_put64(uint8_t *bytes, uint64_t value)
{
	memcpy(bytes, &value, sizeof value);
}

#endif
