/* SPDX-License-Identifier: MIT */
/* Compact, lossless coding of one thread's record stream (docs/DATA-FORMAT.md, section EVENTS).
 * Encoder and decoder hold the same predictor; one pair per (process, thread). */
#ifndef TEE_PERF_FORMAT_CODEC_H
#define TEE_PERF_FORMAT_CODEC_H

#include "runtime/log_layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Upper bound of the bytes that one record can take, all that goes with it included. */
#define TEE_PERF_ENCODED_MAX 32

struct tee_perf_encoder;
struct tee_perf_decoder;

/* NULL: out of memory. The caller owns the result. */
struct tee_perf_encoder *tee_perf_encoder_new(void);
void tee_perf_encoder_free(struct tee_perf_encoder *encoder);

/* Forgets all that was learnt: what follows can be decoded by a fresh decoder. */
void tee_perf_encoder_reset(struct tee_perf_encoder *encoder);

/* Encodes count records to out, which has room for count * TEE_PERF_ENCODED_MAX bytes; returns
 * the end of what was written. Any record is legal input. Records are coded in groups of 64, so a
 * call with a multiple of 64, or with several hundred, is best. */
uint8_t *tee_perf_encode(struct tee_perf_encoder *encoder, const struct tee_perf_record *records, size_t count,
			 uint8_t *out);
/* Ends a block: writes what is pending (at most TEE_PERF_ENCODED_MAX bytes). A block can be decoded
 * after the one before it, or when it is the first after a reset by a fresh decoder. */
uint8_t *tee_perf_encode_flush(struct tee_perf_encoder *encoder, uint8_t *out);

struct tee_perf_decoder *tee_perf_decoder_new(void);
void tee_perf_decoder_free(struct tee_perf_decoder *decoder);
void tee_perf_decoder_reset(struct tee_perf_decoder *decoder);

/* Decodes up to max records from [*in, end) and advances *in. Returns their number; 0 with
 * *in == end is the end of the block, 0 with *in != end means malformed input (or, very unlikely, no
 * memory for the predictor). A block whose predecessor was not decoded is malformed. Fastest when max is some hundred
 * or more. */
size_t tee_perf_decode(struct tee_perf_decoder *decoder, const uint8_t **in, const uint8_t *end,
		       struct tee_perf_record *out, size_t max);

/* The number of records, modulo 2^32, between the last reset and a block. false: the block is empty or malformed. */
bool tee_perf_block_position(const uint8_t *in, const uint8_t *end, uint32_t *position);

#endif
