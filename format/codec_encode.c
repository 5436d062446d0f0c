/* SPDX-License-Identifier: MIT */
/* The recorder's drain runs this once per event. A group is scanned first: that loop only looks up, compares and
 * updates, and has one branch, taken for a misprediction. What was mispredicted is written afterwards. */
#include "format/codec_wire.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

struct tee_perf_encoder {
	struct tee_perf_predictor predictor;
	size_t misses;     /* since the table grew */
	uint32_t position; /* records since the reset */
	bool in_block;
};

struct tee_perf_encoder *tee_perf_encoder_new(void)
{
	struct tee_perf_encoder *encoder = calloc(1, sizeof *encoder);
	if (encoder != NULL && tee_perf_predictor_init(&encoder->predictor) != 0) {
		free(encoder);
		return NULL;
	}
	return encoder;
}

void tee_perf_encoder_free(struct tee_perf_encoder *encoder)
{
	if (encoder == NULL)
		return;
	free(encoder->predictor.first);
	free(encoder);
}

void tee_perf_encoder_reset(struct tee_perf_encoder *encoder)
{
	tee_perf_predictor_reset(&encoder->predictor);
	encoder->misses = 0;
	encoder->position = 0;
	encoder->in_block = false;
}

static ALWAYS_INLINE uint64_t value_of(const struct tee_perf_record *record)
{
	return record->w1 | record->w0 >> TEE_PERF_KIND_SHIFT;
}

/* One bit per record, the first in the lowest bit. */
struct scan {
	uint64_t misses;  /* the row's newest value is another */
	uint64_t seconds; /* of the misses: the row's second value is it */
	bool changed;     /* some time differs from the one before */
	bool odd;         /* some w1 has low bits: its value does not tell it */
};

/* Runs the predictor over count records, at most a group. */
static ALWAYS_INLINE struct scan scan_group(struct tee_perf_predictor *predictor,
					    const struct tee_perf_record *restrict records, unsigned count)
{
	uint64_t *restrict first = predictor->first, *restrict second = predictor->second;
	const unsigned shift = 64 - predictor->bits;
	const uint64_t time = predictor->time;
	uint64_t context = predictor->context;
	uint64_t misses = 0, seconds = 0, times = 0, low_bits = 0;
#pragma GCC unroll 8
	for (unsigned i = 0; i < count; i++) {
		uint64_t mixed = value_of(&records[i]) * TEE_PERF_MIX;
		size_t row = context >> shift;
		uint64_t newest = first[row];
		context = tee_perf_context_next(context, mixed);
		times |= records[i].w0 ^ time;
		low_bits |= records[i].w1;
		if (__builtin_expect(newest != mixed, 0)) {
			misses |= UINT64_C(1) << i;
			seconds |= (uint64_t)(second[row] == mixed) << i;
			second[row] = newest;
			first[row] = mixed;
		}
	}
	predictor->context = context;
	return (struct scan){ misses, seconds, (times & TEE_PERF_TIME_MASK) != 0, (low_bits & 15) != 0 };
}

/* Length in the number of trailing zeros, seven bits a byte; the ninth byte makes room for all 64. */
static __attribute__((noinline)) uint8_t *put_long_time(uint8_t *out, uint64_t step)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(step);
	unsigned size = (bits + 6) / 7;
	if (size > 8) {
		*out = 0;
		tee_perf_put64(out + 1, step);
		return out + 9;
	}
	tee_perf_put64(out, (step << 1 | 1) << (size - 1));
	return out + size;
}

static ALWAYS_INLINE uint8_t *put_time(uint8_t *out, uint64_t step)
{
	if (__builtin_expect(step >> 14 != 0, 0))
		return put_long_time(out, step);
	unsigned more = step >> 7 != 0;
	tee_perf_put16(out, (uint16_t)((step << 1 | 1) << more));
	return out + 1 + more;
}

/* Whether one of eight records has another time than the one before it. */
static ALWAYS_INLINE bool eight_change(const struct tee_perf_record *records, uint64_t time)
{
	uint64_t differences = 0;
#pragma GCC unroll 8
	for (unsigned i = 0; i < 8; i++)
		differences |= records[i].w0 ^ time;
	return (differences & TEE_PERF_TIME_MASK) != 0;
}

/* The change mask at `mask`, the steps at out. The host's clock changes at one record of hundreds, so most are passed
 * over eight at a time; the TSC changes at every one. */
static __attribute__((noinline)) uint8_t *put_times(struct tee_perf_predictor *predictor,
						    const struct tee_perf_record *records, unsigned count,
						    uint8_t *mask, uint8_t *out)
{
	uint64_t changes = 0, time = predictor->time;
	for (unsigned i = 0; i < count;) {
		if (count - i >= 8 && !eight_change(records + i, time)) {
			i += 8;
			continue;
		}
		for (unsigned end = count - i < 8 ? count : i + 8; i < end; i++) {
			uint64_t now = records[i].w0 & TEE_PERF_TIME_MASK;
			if (now == time)
				continue;
			changes |= UINT64_C(1) << i;
			out = put_time(out, (now - time) & TEE_PERF_TIME_MASK);
			time = now;
		}
	}
	memcpy(mask, &changes, (count + 7) / 8);
	predictor->time = time;
	return out;
}

static ALWAYS_INLINE uint8_t *put_literal(const struct tee_perf_record *record, uint64_t before, uint8_t *out)
{
	unsigned kind = (unsigned)(record->w0 >> TEE_PERF_KIND_SHIFT);
	if (__builtin_expect((record->w1 & 15) != 0, 0)) {
		*out = (uint8_t)(kind << TEE_PERF_TAG_KIND_SHIFT | TEE_PERF_TAG_RAW);
		tee_perf_put64(out + 1, record->w1);
		return out + 9;
	}
	uint32_t cfa = (uint32_t)(record->w1 >> 32) - (uint32_t)(before >> 32);
	uint32_t entry = tee_perf_fold28((uint32_t)(record->w1 >> 4) - (uint32_t)(before >> 4));
	cfa = tee_perf_fold28(cfa >> 4) | (cfa & 15) << 28; /* nearly always a multiple of 16 */
	unsigned cfa_code = (cfa != 0) + (cfa > 0xff) + (cfa > 0xffff);
	unsigned entry_code = (entry > 0xff) + (entry > 0xffff) + (entry > 0xffffff);
	*out++ = (uint8_t)(kind << TEE_PERF_TAG_KIND_SHIFT | entry_code << 2 | cfa_code);
	tee_perf_put32(out, cfa);
	out += cfa_code + (cfa_code == 3);
	tee_perf_put32(out, entry);
	return out + entry_code + 1;
}

static ALWAYS_INLINE uint8_t *put_literals(const struct tee_perf_predictor *predictor,
					   const struct tee_perf_record *records, uint64_t literals, uint8_t *out)
{
	for (; literals != 0; literals &= literals - 1) {
		unsigned i = (unsigned)__builtin_ctzll(literals);
		out = put_literal(&records[i], i == 0 ? predictor->value : value_of(&records[i - 1]), out);
	}
	return out;
}

/* The bits that are set; the instruction for it is not in every x86-64. */
static ALWAYS_INLINE unsigned count_bits(uint64_t bits)
{
	bits -= bits >> 1 & UINT64_C(0x5555555555555555);
	bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
	bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* A record whose w1 has low bits is written in full, wherever the predictor stood. */
static __attribute__((noinline)) void miss_odd(struct scan *scan, const struct tee_perf_record *records, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if ((records[i].w1 & 15) != 0) {
			scan->misses |= UINT64_C(1) << i;
			scan->seconds &= ~(UINT64_C(1) << i);
		}
	}
}

/* The table doubles when it has missed more often than it has rows, so that a thread's memory follows the variety of
 * what it does, not its length. Without memory it stays as it is: the stream says what was done. */
static __attribute__((noinline)) uint8_t *maybe_grow(struct tee_perf_encoder *encoder, uint8_t *out)
{
	encoder->misses = 0;
	if (tee_perf_predictor_grow(&encoder->predictor) == 0)
		*out++ = (uint8_t)(encoder->predictor.bits << 2 | TEE_PERF_GROUP_CONTROL);
	return out;
}

#define ENCODER_BITS_MAX 14 /* 256 KiB; a larger one is slower than it saves (bench/codec_bench) */

/* A group of one: head, masks, time, literal; a block may begin before it, and the table grow. */
_Static_assert(TEE_PERF_ENCODED_MAX >= TEE_PERF_CONTROL_BLOCK_SIZE + 1 + 3 + 9 + 9 + 1, "one record fits");

static ALWAYS_INLINE uint8_t *encode_group(struct tee_perf_encoder *encoder, const struct tee_perf_record *records,
					   unsigned count, uint8_t *out)
{
	struct tee_perf_predictor *predictor = &encoder->predictor;
	/* Before the group, not after: a reader that has all records of a block is then at its end. */
	if (__builtin_expect(encoder->misses >> predictor->bits != 0, 0) && predictor->bits < ENCODER_BITS_MAX)
		out = maybe_grow(encoder, out);
	struct scan scan = scan_group(predictor, records, count);
	if (__builtin_expect(scan.odd, 0))
		miss_odd(&scan, records, count);
	uint8_t *head = out++;
	if (scan.misses == 0 && !scan.changed) {
		*head = (uint8_t)((count - 1) << 2 | TEE_PERF_GROUP_ALL);
	} else {
		unsigned mask_size = (count + 7) / 8;
		*head = (uint8_t)((count - 1) << 2 | TEE_PERF_GROUP_SOME);
		tee_perf_put64(out, scan.misses);
		out += mask_size;
		tee_perf_put64(out, scan.misses & ~scan.seconds);
		out += mask_size;
		if (scan.changed) {
			*head ^= TEE_PERF_GROUP_SOME ^ TEE_PERF_GROUP_TIMED;
			out = put_times(predictor, records, count, out, out + mask_size);
		}
		out = put_literals(predictor, records, scan.misses & ~scan.seconds, out);
		encoder->misses += count_bits(scan.misses);
	}
	predictor->value = value_of(&records[count - 1]);
	return out;
}

uint8_t *tee_perf_encode(struct tee_perf_encoder *encoder, const struct tee_perf_record *records, size_t count,
			 uint8_t *out)
{
	if (count != 0 && !encoder->in_block) {
		*out = (uint8_t)(TEE_PERF_CONTROL_BLOCK << 2 | TEE_PERF_GROUP_CONTROL);
		tee_perf_put32(out + 1, encoder->position);
		out += TEE_PERF_CONTROL_BLOCK_SIZE;
		encoder->in_block = true;
	}
	encoder->position += (uint32_t)count;
	for (; count >= TEE_PERF_GROUP_MAX; records += TEE_PERF_GROUP_MAX, count -= TEE_PERF_GROUP_MAX)
		out = encode_group(encoder, records, TEE_PERF_GROUP_MAX, out);
	if (count > 0)
		out = encode_group(encoder, records, (unsigned)count, out);
	return out;
}

uint8_t *tee_perf_encode_flush(struct tee_perf_encoder *encoder, uint8_t *out)
{
	encoder->in_block = false; /* no record is ever pending */
	return out;
}
