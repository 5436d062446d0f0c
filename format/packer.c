/* SPDX-License-Identifier: MIT */
#include "format/packer.h"

#include "format/frame.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#define WORTHWHILE 64 /* bytes of a payload that may get smaller */

struct tee_perf_packer {
	ZSTD_CCtx *zstd;
	const uint8_t *payload;
	size_t size, taken;
	uint8_t *packed;
	size_t packed_size, capacity;
	uint32_t crc; /* of what is packed so far */
	bool raw;     /* the payload is stored as it is */
};

struct tee_perf_packer *tee_perf_packer_new(void)
{
	struct tee_perf_packer *packer = calloc(1, sizeof *packer);

	if (packer != NULL && (packer->zstd = ZSTD_createCCtx()) == NULL) {
		free(packer);
		return NULL;
	}
	return packer;
}

void tee_perf_packer_free(struct tee_perf_packer *packer)
{
	if (packer == NULL)
		return;
	ZSTD_freeCCtx(packer->zstd);
	free(packer->packed);
	free(packer);
}

static bool make_room(struct tee_perf_packer *packer)
{
	size_t bound = ZSTD_compressBound(packer->size);

	if (bound <= packer->capacity)
		return true;
	uint8_t *packed = realloc(packer->packed, bound);
	if (packed == NULL)
		return false;
	packer->packed = packed;
	packer->capacity = bound;
	return true;
}

void tee_perf_packer_start(struct tee_perf_packer *packer, const void *payload, size_t size, int level)
{
	packer->payload = payload;
	packer->size = size;
	packer->taken = packer->packed_size = 0;
	packer->crc = (uint32_t)crc32(0, NULL, 0);
	packer->raw = level == INT_MIN || size < WORTHWHILE || !make_room(packer);
	if (packer->raw)
		return;
	ZSTD_CCtx_reset(packer->zstd, ZSTD_reset_session_and_parameters);
	packer->raw = ZSTD_isError(ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, level)) ||
		      ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(packer->zstd, size));
}

bool tee_perf_packer_step(struct tee_perf_packer *packer, size_t bytes)
{
	if (packer->raw || packer->taken == packer->size)
		return true;
	size_t left = packer->size - packer->taken;
	ZSTD_inBuffer in = { packer->payload + packer->taken, bytes < left ? bytes : left, 0 };
	ZSTD_outBuffer out = { packer->packed, packer->capacity, packer->packed_size };
	size_t rest = ZSTD_compressStream2(packer->zstd, &out, &in, in.size == left ? ZSTD_e_end : ZSTD_e_flush);
	/* Unpacking costs the reader time: less than 1/32 saved is not worth it. */
	packer->raw = ZSTD_isError(rest) || rest != 0 || out.pos > packer->size - packer->size / 32;
	if (packer->raw)
		return true;
	packer->crc =
	    (uint32_t)crc32_z(packer->crc, packer->packed + packer->packed_size, out.pos - packer->packed_size);
	packer->packed_size = out.pos;
	packer->taken += in.size;
	return packer->taken == packer->size;
}

void tee_perf_packer_result(const struct tee_perf_packer *packer, struct tee_perf_frame *frame, const void **stored)
{
	*stored = packer->raw ? packer->payload : packer->packed;
	frame->stored_as = packer->raw ? TEE_PERF_STORED_RAW : TEE_PERF_STORED_ZSTD;
	frame->stored_size = (uint32_t)(packer->raw ? packer->size : packer->packed_size);
	frame->raw_size = (uint32_t)packer->size;
	frame->payload_crc = packer->raw ? (uint32_t)crc32_z(crc32(0, NULL, 0), *stored, packer->size) : packer->crc;
}
