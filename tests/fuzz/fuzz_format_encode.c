/* SPDX-License-Identifier: MIT */
/* Any sequence of records, in chunks of any length, must come back. The input is a program for making them: see
 * next_record. */
#include "format/codec.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define RECORDS_MAX 20000

static uint64_t take(const uint8_t **at, const uint8_t *end, size_t size)
{
	uint64_t value = 0;
	size_t left = (size_t)(end - *at);
	memcpy(&value, *at, size < left ? size : left);
	*at += size < left ? size : left;
	return value;
}

/* Appends records as the next byte says: repeat what was, with or without another time, or take new words. Returns the
 * new number of records. */
static size_t next_records(struct tee_perf_record *records, size_t count, const uint8_t **at, const uint8_t *end)
{
	uint8_t code = *(*at)++;
	struct tee_perf_record record = count > 0 ? records[count - 1] : (struct tee_perf_record){ 0 };
	size_t back = (code & 31) + 1u;
	if (code < 192 && count >= back) {
		size_t repeats = code < 64 ? 1 : code < 128 ? 40 : take(at, end, 1) + 1u;
		for (size_t i = 0; i < repeats && count < RECORDS_MAX; i++, count++) {
			records[count] = records[count - back];
			if (code & 32) /* the time goes on */
				records[count].w0 = (records[count].w0 & ~TEE_PERF_TIME_MASK) |
						    ((records[count - 1].w0 + i) & TEE_PERF_TIME_MASK);
		}
		return count;
	}
	if (code & 1)
		record.w1 = take(at, end, 8);
	else
		record.w1 = (record.w1 & ~UINT64_C(0xffff0)) | (take(at, end, 2) << 4);
	if (code & 2)
		record.w0 = take(at, end, 8);
	if (code & 4)
		record.w0 = (record.w0 & TEE_PERF_TIME_MASK) | (uint64_t)(code >> 3 & 7) << TEE_PERF_KIND_SHIFT;
	records[count] = record;
	return count + 1;
}

static void round_trip(const struct tee_perf_record *records, size_t count, size_t chunk)
{
	struct tee_perf_encoder *encoder = tee_perf_encoder_new();
	struct tee_perf_decoder *decoder = tee_perf_decoder_new();
	struct tee_perf_record *out = malloc(chunk * sizeof *out);
	uint8_t *bytes = malloc((chunk + 1) * TEE_PERF_ENCODED_MAX);
	EXPECT(encoder != NULL && decoder != NULL && out != NULL && bytes != NULL);
	for (size_t i = 0; i < count; i += chunk) {
		size_t now = chunk < count - i ? chunk : count - i;
		const uint8_t *in = bytes, *end = tee_perf_encode(encoder, records + i, now, bytes);
		EXPECT((size_t)(end - bytes) <= now * TEE_PERF_ENCODED_MAX);
		if (i % 3 == 0)
			end = tee_perf_encode_flush(encoder, bytes + (end - bytes));
		EXPECT(tee_perf_decode(decoder, &in, end, out, chunk) == now && in == end);
		EXPECT(memcmp(out, records + i, now * sizeof *out) == 0);
	}
	free(bytes);
	free(out);
	tee_perf_encoder_free(encoder);
	tee_perf_decoder_free(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	struct tee_perf_record *records = calloc(RECORDS_MAX, sizeof *records);
	const uint8_t *at = data + 1, *end = data + size;
	size_t count = 0;
	EXPECT(records != NULL);
	while (at < end && count < RECORDS_MAX)
		count = next_records(records, count, &at, end);
	round_trip(records, count, data[0] + 1u);
	free(records);
	return 0;
}
