/* SPDX-License-Identifier: MIT */
#include "format/codec.h"
#include "format/wire.h"

#include <stdbool.h>
#include <stdlib.h>

/* A group of up to 64 records: kind byte, count byte, then
 *   GROUP_CODED: hit mask, time mask, literals of the misses, times of the changes;
 *   GROUP_RAW: the records as they are. */
enum group_kind { GROUP_CODED = 0, GROUP_RAW = 1 };
#define GROUP_MAX  64
#define TABLE_BITS 12

struct state {
	uint64_t time;
	uint64_t last; /* the newest value: w1 with the kind in its low bits */
	uint32_t hash;
	uint64_t table[1 << TABLE_BITS]; /* value minus the one before, by context */
};

struct tee_perf_encoder {
	struct state state;
};

struct tee_perf_decoder {
	struct state state;
	unsigned ready_at, ready_count;
	struct tee_perf_record ready[GROUP_MAX];
};

struct tee_perf_encoder *tee_perf_encoder_new(void)
{
	return calloc(1, sizeof(struct tee_perf_encoder));
}

void tee_perf_encoder_free(struct tee_perf_encoder *encoder)
{
	free(encoder);
}

void tee_perf_encoder_reset(struct tee_perf_encoder *encoder)
{
	memset(encoder, 0, sizeof *encoder);
}

struct tee_perf_decoder *tee_perf_decoder_new(void)
{
	return calloc(1, sizeof(struct tee_perf_decoder));
}

void tee_perf_decoder_free(struct tee_perf_decoder *decoder)
{
	free(decoder);
}

void tee_perf_decoder_reset(struct tee_perf_decoder *decoder)
{
	memset(decoder, 0, sizeof *decoder);
}

static bool is_plain(const struct tee_perf_record *record)
{
	uint64_t kind = record->w0 >> TEE_PERF_KIND_SHIFT;
	return (record->w1 & 15) == 0 && kind >= TEE_PERF_CALL && kind <= TEE_PERF_RESYNC;
}

static void advance(struct state *state, uint64_t value, uint64_t step)
{
	state->table[state->hash] = step;
	state->hash = ((state->hash << 4) ^ (uint32_t)((step * 0x9e3779b97f4a7c15u) >> 48)) & ((1 << TABLE_BITS) - 1);
	state->last = value;
}

static uint8_t *put_varint(uint8_t *out, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		*out++ = (uint8_t)(value | 128);
	*out++ = (uint8_t)value;
	return out;
}

static bool get_varint(const uint8_t **in, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; *in < end && shift < 64; shift += 7) {
		uint8_t byte = *(*in)++;
		*value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return true;
	}
	return false;
}

static uint8_t *encode_raw(struct state *state, const struct tee_perf_record *records, unsigned count, uint8_t *out)
{
	*out++ = GROUP_RAW;
	*out++ = (uint8_t)count;
	memcpy(out, records, count * sizeof *records);
	state->time = records[count - 1].w0 & TEE_PERF_TIME_MASK;
	return out + count * sizeof *records;
}

static uint8_t *encode_coded(struct state *state, const struct tee_perf_record *records, unsigned count, uint8_t *out)
{
	uint64_t hits = 0, changes = 0;
	uint8_t *masks = out + 2;
	unsigned mask_size = (count + 7) / 8;
	out[0] = GROUP_CODED;
	out[1] = (uint8_t)count;
	out = masks + 2 * mask_size;
	uint64_t time = state->time;
	for (unsigned i = 0; i < count; i++) {
		uint64_t value = records[i].w1 | records[i].w0 >> TEE_PERF_KIND_SHIFT;
		uint64_t step = value - state->last;
		if (state->table[state->hash] == step) {
			hits |= UINT64_C(1) << i;
		} else {
			tee_perf_put64(out, value);
			out += 8;
		}
		advance(state, value, step);
	}
	for (unsigned i = 0; i < count; i++) {
		uint64_t now = records[i].w0 & TEE_PERF_TIME_MASK;
		if (now != time) {
			changes |= UINT64_C(1) << i;
			out = put_varint(out, (now - time) & TEE_PERF_TIME_MASK);
			time = now;
		}
	}
	state->time = time;
	memcpy(masks, &hits, mask_size);
	memcpy(masks + mask_size, &changes, mask_size);
	return out;
}

uint8_t *tee_perf_encode(struct tee_perf_encoder *encoder, const struct tee_perf_record *records, size_t count,
			 uint8_t *out)
{
	while (count > 0) {
		unsigned limit = count < GROUP_MAX ? (unsigned)count : GROUP_MAX;
		bool plain = is_plain(records);
		unsigned length = 1;
		while (length < limit && is_plain(&records[length]) == plain)
			length++;
		out = (plain ? encode_coded : encode_raw)(&encoder->state, records, length, out);
		records += length;
		count -= length;
	}
	return out;
}

uint8_t *tee_perf_encode_flush(struct tee_perf_encoder *encoder, uint8_t *out)
{
	(void)encoder;
	return out;
}

static bool decode_raw(struct state *state, const uint8_t **in, const uint8_t *end, struct tee_perf_record *out,
		       unsigned count)
{
	if ((size_t)(end - *in) < count * sizeof *out)
		return false;
	memcpy(out, *in, count * sizeof *out);
	*in += count * sizeof *out;
	state->time = out[count - 1].w0 & TEE_PERF_TIME_MASK;
	return true;
}

static bool decode_coded(struct state *state, const uint8_t **in, const uint8_t *end, struct tee_perf_record *out,
			 unsigned count)
{
	uint64_t hits = 0, changes = 0;
	unsigned mask_size = (count + 7) / 8;
	if ((size_t)(end - *in) < 2 * mask_size)
		return false;
	memcpy(&hits, *in, mask_size);
	memcpy(&changes, *in + mask_size, mask_size);
	*in += 2 * mask_size;
	for (unsigned i = 0; i < count; i++) {
		uint64_t value = state->last + state->table[state->hash];
		if ((hits >> i & 1) == 0) {
			if (end - *in < 8)
				return false;
			value = tee_perf_get64(*in);
			*in += 8;
		}
		advance(state, value, value - state->last);
		out[i].w0 = (value & 15) << TEE_PERF_KIND_SHIFT;
		out[i].w1 = value & ~UINT64_C(15);
	}
	for (unsigned i = 0; i < count; i++) {
		uint64_t step;
		if ((changes >> i & 1) != 0) {
			if (!get_varint(in, end, &step))
				return false;
			state->time = (state->time + step) & TEE_PERF_TIME_MASK;
		}
		out[i].w0 |= state->time;
	}
	return true;
}

static bool decode_group(struct tee_perf_decoder *decoder, const uint8_t **in, const uint8_t *end)
{
	if (end - *in < 2)
		return false;
	unsigned kind = (*in)[0], count = (*in)[1];
	if (kind > GROUP_RAW || count == 0 || count > GROUP_MAX)
		return false;
	*in += 2;
	decoder->ready_at = 0;
	decoder->ready_count = count;
	return (kind == GROUP_RAW ? decode_raw : decode_coded)(&decoder->state, in, end, decoder->ready, count);
}

size_t tee_perf_decode(struct tee_perf_decoder *decoder, const uint8_t **in, const uint8_t *end,
		       struct tee_perf_record *out, size_t max)
{
	size_t done = 0;
	while (done < max) {
		if (decoder->ready_at == decoder->ready_count) {
			const uint8_t *at = *in;
			if (at == end)
				break;
			if (!decode_group(decoder, &at, end)) {
				decoder->ready_at = decoder->ready_count = 0;
				break; /* *in stays at the bad group */
			}
			*in = at;
		}
		for (; done < max && decoder->ready_at < decoder->ready_count; done++)
			out[done] = decoder->ready[decoder->ready_at++];
	}
	return done;
}
