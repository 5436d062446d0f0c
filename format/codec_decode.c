/* SPDX-License-Identifier: MIT */
/* The way back of codec_encode.c. Nothing in a group is trusted: its bytes lie within a buffer that holds the largest
 * group there can be, so the loops need no check of their own; what they took is compared with what was there. */
#include "format/codec_wire.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

struct tee_perf_decoder {
	struct tee_perf_predictor predictor;
	uint32_t position;              /* records since the reset */
	unsigned ready_at, ready_count; /* records of a group that did not fit into the caller's array */
	struct tee_perf_record ready[TEE_PERF_GROUP_MAX];
};

struct tee_perf_decoder *tee_perf_decoder_new(void)
{
	struct tee_perf_decoder *decoder = calloc(1, sizeof *decoder);
	if (decoder != NULL && tee_perf_predictor_init(&decoder->predictor) != 0) {
		free(decoder);
		return NULL;
	}
	return decoder;
}

void tee_perf_decoder_free(struct tee_perf_decoder *decoder)
{
	if (decoder == NULL)
		return;
	free(decoder->predictor.first);
	free(decoder);
}

void tee_perf_decoder_reset(struct tee_perf_decoder *decoder)
{
	tee_perf_predictor_reset(&decoder->predictor);
	decoder->ready_at = decoder->ready_count = 0;
	decoder->position = 0;
}

static ALWAYS_INLINE uint64_t take_mask(const uint8_t **in, unsigned count)
{
	uint64_t mask = tee_perf_get64(*in);
	*in += (count + 7) / 8;
	return count < 64 ? mask & ((UINT64_C(1) << count) - 1) : mask;
}

static ALWAYS_INLINE uint64_t take_time(const uint8_t **in)
{
	uint64_t word = tee_perf_get64(*in);
	unsigned zeros = (unsigned)__builtin_ctzll(word | 0x100);
	if (__builtin_expect(zeros == 8, 0)) {
		word = tee_perf_get64(*in + 1);
		*in += 9;
		return word;
	}
	*in += zeros + 1;
	/* zeros + 1 bytes, of whose bits zeros + 1 tell the length */
	return word << (56 - 8 * zeros) >> (57 - 7 * zeros);
}

/* Puts the time into each w0. */
static __attribute__((noinline)) const uint8_t *take_times(struct tee_perf_predictor *predictor, const uint8_t *in,
							   struct tee_perf_record *out, unsigned count)
{
	uint64_t changes = take_mask(&in, count), time = predictor->time;
	for (unsigned i = 0; i < count; i++) {
		if (changes >> i & 1)
			time = (time + take_time(&in)) & TEE_PERF_TIME_MASK;
		out[i].w0 = time;
	}
	predictor->time = time;
	return in;
}

/* CFA and map entry, as differences from those of the value before. */
static ALWAYS_INLINE uint64_t take_words(const uint8_t **in, uint8_t tag, uint64_t before)
{
	unsigned cfa_size = (0x4210 >> (tag & 3) * 4) & 7, entry_size = (tag >> 2 & 3) + 1;
	uint32_t cfa = tee_perf_get32(*in) & (uint32_t)((UINT64_C(1) << cfa_size * 8) - 1);
	*in += cfa_size;
	uint32_t entry = tee_perf_get32(*in) & (uint32_t)((UINT64_C(1) << entry_size * 8) - 1);
	*in += entry_size;
	cfa = (tee_perf_unfold28(cfa & 0x0fffffff) << 4 | cfa >> 28) + (uint32_t)(before >> 32);
	entry = (tee_perf_unfold28(entry & 0x0fffffff) << 4) + ((uint32_t)before & ~15u);
	return (uint64_t)cfa << 32 | entry;
}

/* Completes the record of a literal, whose w0 holds the time, and returns its value. A raw w1 and a kind may have any
 * bits: the value does not tell them apart. */
static ALWAYS_INLINE uint64_t take_literal(const uint8_t **in, uint64_t before, struct tee_perf_record *record)
{
	uint8_t tag = *(*in)++;
	uint64_t kind = tag >> TEE_PERF_TAG_KIND_SHIFT & 7;
	if (__builtin_expect((tag & TEE_PERF_TAG_RAW) != 0, 0)) {
		record->w1 = tee_perf_get64(*in);
		*in += 8;
	} else {
		record->w1 = take_words(in, tag, before);
	}
	record->w0 |= kind << TEE_PERF_KIND_SHIFT;
	return record->w1 | kind;
}

static ALWAYS_INLINE void put_value(struct tee_perf_record *record, uint64_t value)
{
	record->w0 |= value << TEE_PERF_KIND_SHIFT;
	record->w1 = value & ~UINT64_C(15);
}

struct masks {
	uint64_t misses, literals;
};

/* Completes count records: their w0 hold the time already, or it is the predictor's. */
static ALWAYS_INLINE const uint8_t *take_values(struct tee_perf_predictor *predictor, const uint8_t *in,
						struct masks masks, struct tee_perf_record *restrict out,
						unsigned count, bool timed)
{
	uint64_t *restrict first = predictor->first, *restrict second = predictor->second;
	const unsigned shift = 64 - predictor->bits;
	uint64_t context = predictor->context, value = predictor->value;
#pragma GCC unroll 4
	for (unsigned i = 0; i < count; i++) {
		size_t row = context >> shift;
		uint64_t newest = first[row], mixed = newest;
		if (!timed)
			out[i].w0 = predictor->time;
		if (__builtin_expect(masks.misses >> i & 1, 0)) {
			if (masks.literals >> i & 1) {
				value = take_literal(&in, value, &out[i]);
				mixed = value * TEE_PERF_MIX;
			} else {
				mixed = second[row];
				value = mixed * TEE_PERF_UNMIX;
				put_value(&out[i], value);
			}
			if (mixed != newest) { /* a raw record's value can be the predicted one */
				second[row] = newest;
				first[row] = mixed;
			}
		} else {
			value = newest * TEE_PERF_UNMIX;
			put_value(&out[i], value);
		}
		context = tee_perf_context_next(context, mixed);
	}
	predictor->context = context;
	predictor->value = value;
	return in;
}

/* Decodes a group; in has TEE_PERF_GROUP_SIZE_MAX readable bytes. Returns the end of what it took. */
static ALWAYS_INLINE const uint8_t *take_group(struct tee_perf_predictor *predictor, const uint8_t *in,
					       struct tee_perf_record *restrict out, unsigned count)
{
	unsigned form = *in++ & 3;
	struct masks masks = { 0, 0 };
	if (form != TEE_PERF_GROUP_ALL) {
		masks.misses = take_mask(&in, count);
		masks.literals = take_mask(&in, count);
	}
	if (form != TEE_PERF_GROUP_TIMED)
		return take_values(predictor, in, masks, out, count, false);
	in = take_times(predictor, in, out, count);
	return take_values(predictor, in, masks, out, count, true);
}

/* Returns the end of the group, or NULL when it is malformed. */
static const uint8_t *next_group(struct tee_perf_decoder *decoder, const uint8_t *in, const uint8_t *end,
				 struct tee_perf_record *out, unsigned count)
{
	size_t left = (size_t)(end - in);
	if (__builtin_expect(left >= TEE_PERF_GROUP_SIZE_MAX, 1)) {
		if (count == TEE_PERF_GROUP_MAX)
			return take_group(&decoder->predictor, in, out, TEE_PERF_GROUP_MAX);
		return take_group(&decoder->predictor, in, out, count);
	}
	uint8_t padded[TEE_PERF_GROUP_SIZE_MAX + 8] = { 0 };
	memcpy(padded, in, left);
	size_t taken = (size_t)(take_group(&decoder->predictor, padded, out, count) - padded);
	return taken <= left ? in + taken : NULL;
}

bool tee_perf_block_position(const uint8_t *in, const uint8_t *end, uint32_t *position)
{
	if (end - in < TEE_PERF_CONTROL_BLOCK_SIZE || *in != (TEE_PERF_CONTROL_BLOCK << 2 | TEE_PERF_GROUP_CONTROL))
		return false;
	*position = tee_perf_get32(in + 1);
	return true;
}

/* Obeys what stands at in. Returns its end, or NULL when it is malformed. */
static const uint8_t *control(struct tee_perf_decoder *decoder, const uint8_t *in, const uint8_t *end)
{
	unsigned bits = *in >> 2;
	if (bits == TEE_PERF_CONTROL_BLOCK) {
		bool follows = end - in >= TEE_PERF_CONTROL_BLOCK_SIZE && tee_perf_get32(in + 1) == decoder->position;
		return follows ? in + TEE_PERF_CONTROL_BLOCK_SIZE : NULL;
	}
	if (bits != decoder->predictor.bits + 1 || bits > TEE_PERF_TABLE_BITS_MAX ||
	    tee_perf_predictor_grow(&decoder->predictor) != 0)
		return NULL;
	return in + 1;
}

size_t tee_perf_decode(struct tee_perf_decoder *decoder, const uint8_t **in, const uint8_t *end,
		       struct tee_perf_record *out, size_t max)
{
	size_t done = 0;
	for (;;) {
		for (; decoder->ready_at < decoder->ready_count && done < max; done++)
			out[done] = decoder->ready[decoder->ready_at++];
		if (done == max || *in == end)
			return done;
		bool is_control = (**in & 3) == TEE_PERF_GROUP_CONTROL;
		unsigned count = is_control ? 0 : (**in >> 2) + 1u;
		bool fits = count <= max - done;
		const uint8_t *next = is_control
					  ? control(decoder, *in, end)
					  : next_group(decoder, *in, end, fits ? out + done : decoder->ready, count);
		if (next == NULL)
			return done; /* *in stays at what is malformed */
		*in = next;
		decoder->position += count;
		if (fits) {
			done += count;
		} else {
			decoder->ready_at = 0;
			decoder->ready_count = count;
		}
	}
}
