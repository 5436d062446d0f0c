/* SPDX-License-Identifier: MIT */
/* What encoder and decoder share: the predictor and the shape of a group; internal to format/.
 * docs/DATA-FORMAT.md, "Encoded records", is the normative text. */
#ifndef TEE_PERF_FORMAT_CODEC_WIRE_H
#define TEE_PERF_FORMAT_CODEC_WIRE_H

#include "format/codec.h"
#include "format/wire.h"

#include <stdbool.h>
#include <stdlib.h>

#define TEE_PERF_GROUP_MAX 64 /* records */
/* Header, three masks, and for each record a time and a literal. */
#define TEE_PERF_GROUP_SIZE_MAX (1 + 3 * 8 + TEE_PERF_GROUP_MAX * (9 + 9))

/* Low two bits of a group's first byte; the upper six hold the number of records minus one, or for CONTROL the
 * new size of the table. */
enum tee_perf_group_form {
	TEE_PERF_GROUP_ALL = 0,     /* every value predicted, no time changed: nothing follows */
	TEE_PERF_GROUP_SOME = 1,    /* miss mask, literal mask, literals */
	TEE_PERF_GROUP_TIMED = 2,   /* miss mask, literal mask, change mask, times, literals */
	TEE_PERF_GROUP_CONTROL = 3, /* no records: the table doubles, or a block begins */
};

/* CONTROL with this number begins a block: the number of records since the reset follows in four bytes, so that a block
 * is never decoded in the state that a lost one left behind. Other numbers are a table's bits. */
#define TEE_PERF_CONTROL_BLOCK      63
#define TEE_PERF_CONTROL_BLOCK_SIZE 5 /* bytes, all of it */

/* A literal starts with a tag byte: size code of the CFA | size of the map entry - 1 << 2 | kind << 4; or RAW | kind <<
 * 4, with all 64 bits of w1 behind it. */
#define TEE_PERF_TAG_RAW        0x80u
#define TEE_PERF_TAG_KIND_SHIFT 4

#define TEE_PERF_TABLE_BITS_MIN 9  /* 8 KiB: many short threads are cheap */
#define TEE_PERF_TABLE_BITS_MAX 16 /* that a decoder accepts: 1 MiB */

/* A value is w1 with the kind in its low bits, which are 0 in w1 of every call and return, because map entries are
 * 16-byte aligned. The last few values are the context, which names a row of the table; a row holds the two
 * values that followed that context last. The table holds them multiplied by TEE_PERF_MIX, which is what
 * the next context is made of: so the decoder, where each row has to wait for what the one before held, waits for no
 * multiplication. */
#define TEE_PERF_MIX   UINT64_C(0x9e3779b97f4a7c15)
#define TEE_PERF_UNMIX UINT64_C(0xf1de83e19937733d)
_Static_assert(TEE_PERF_MIX *TEE_PERF_UNMIX == 1, "one undoes the other");

struct tee_perf_predictor {
	uint64_t *first, *second; /* 1 << bits rows in use; one allocation, which starts at first */
	uint64_t context;
	uint64_t value; /* the newest */
	uint64_t time;  /* of the newest record */
	unsigned bits, capacity_bits;
};

/* Returns -1 out of memory. */
int tee_perf_predictor_init(struct tee_perf_predictor *predictor);
/* As after init. */
void tee_perf_predictor_reset(struct tee_perf_predictor *predictor);
/* Doubles the table. A row is found by the top bits of the context, so row i becomes rows 2i and 2i + 1. Returns -1
 * out of memory, and has changed nothing then. */
int tee_perf_predictor_grow(struct tee_perf_predictor *predictor);

/* The newest value weighs most. Shifting by 14 leaves the last five in the 64 bits; more of them, or fewer, predict
 * worse (bench/codec_bench). */
static inline uint64_t tee_perf_context_next(uint64_t context, uint64_t mixed)
{
	return (context << 14) + mixed;
}

/* A signed 28-bit difference with its sign in the lowest bit, so that small ones have few bytes. */
static inline uint32_t tee_perf_fold28(uint32_t difference)
{
	uint32_t shifted = difference << 4; /* its bit 27 is the sign */
	return ((shifted << 1) ^ (uint32_t)((int32_t)shifted >> 31)) >> 4;
}

static inline uint32_t tee_perf_unfold28(uint32_t folded)
{
	return ((folded >> 1) ^ -(folded & 1)) & 0x0fffffff;
}

#endif
