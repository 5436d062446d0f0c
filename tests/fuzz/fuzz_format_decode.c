/* SPDX-License-Identifier: MIT */
/* Any bytes as a block of encoded records. What they decode to must survive encoding and decoding. */
#include "format/codec.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define RECORDS_MAX 20000

static void encode_again(const struct tee_perf_record *records, size_t count)
{
	struct tee_perf_encoder *encoder = tee_perf_encoder_new();
	struct tee_perf_decoder *decoder = tee_perf_decoder_new();
	uint8_t *bytes = malloc((count + 1) * TEE_PERF_ENCODED_MAX);
	struct tee_perf_record *out = malloc((count + 1) * sizeof *out);
	EXPECT(encoder != NULL && decoder != NULL && bytes != NULL && out != NULL);
	const uint8_t *end = tee_perf_encode_flush(encoder, tee_perf_encode(encoder, records, count, bytes));
	const uint8_t *in = bytes;
	EXPECT(tee_perf_decode(decoder, &in, end, out, count + 1) == count);
	EXPECT(in == end);
	EXPECT(memcmp(records, out, count * sizeof *out) == 0);
	free(bytes);
	free(out);
	tee_perf_encoder_free(encoder);
	tee_perf_decoder_free(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	struct tee_perf_decoder *decoder = tee_perf_decoder_new();
	struct tee_perf_record *records = malloc(RECORDS_MAX * sizeof *records);
	const uint8_t *in = data + 1, *end = data + size;
	size_t max = data[0] + 1u, count = 0, got;
	EXPECT(decoder != NULL && records != NULL);
	while (count + max <= RECORDS_MAX && (got = tee_perf_decode(decoder, &in, end, records + count, max)) > 0) {
		EXPECT(got <= max && in <= end);
		count += got;
	}
	EXPECT(count <= (size - 1) * 64);
	encode_again(records, count);
	free(records);
	tee_perf_decoder_free(decoder);
	return 0;
}
