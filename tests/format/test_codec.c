/* SPDX-License-Identifier: MIT */
#include "format/codec.h"
#include "tests/format/streams.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 100000

/* Encodes in chunks of up to `chunk` records, each into memory of exactly the promised size, so that a sanitizer sees a
 * byte too many. Returns the bytes; the caller frees them. */
static uint8_t *encode_all(struct tee_perf_encoder *encoder, const struct tee_perf_record *records, size_t count,
			   size_t chunk, size_t *size)
{
	uint8_t *all = malloc(count * TEE_PERF_ENCODED_MAX + TEE_PERF_ENCODED_MAX);
	*size = 0;
	for (size_t i = 0; i < count;) {
		size_t now = chunk < count - i ? chunk : count - i;
		uint8_t *part = malloc(now * TEE_PERF_ENCODED_MAX);
		size_t part_size = (size_t)(tee_perf_encode(encoder, records + i, now, part) - part);
		ck_assert_uint_le(part_size, now * TEE_PERF_ENCODED_MAX);
		memcpy(all + *size, part, part_size);
		*size += part_size;
		free(part);
		i += now;
	}
	uint8_t last[TEE_PERF_ENCODED_MAX];
	size_t last_size = (size_t)(tee_perf_encode_flush(encoder, last) - last);
	memcpy(all + *size, last, last_size);
	*size += last_size;
	return all;
}

/* Decodes up to max records at a time, never asking for more than there are; the result must be the count records, and
 * the bytes all used then. */
static void expect_decoded(struct tee_perf_decoder *decoder, const uint8_t *bytes, size_t size, size_t max,
			   const struct tee_perf_record *records, size_t count)
{
	struct tee_perf_record *out = malloc(max * sizeof *out);
	const uint8_t *in = bytes;
	for (size_t done = 0; done < count;) {
		size_t wanted = max < count - done ? max : count - done;
		size_t got = tee_perf_decode(decoder, &in, bytes + size, out, wanted);
		ck_assert_uint_eq(got, wanted);
		ck_assert_msg(memcmp(out, records + done, got * sizeof *out) == 0, "records from %zu on differ", done);
		done += got;
	}
	ck_assert_ptr_eq(in, bytes + size);
	ck_assert_uint_eq(tee_perf_decode(decoder, &in, bytes + size, out, max), 0);
	ck_assert_ptr_eq(in, bytes + size);
	free(out);
}

/* Copies to memory of the exact size: reading past the end shows. */
static uint8_t *exact_copy(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size == 0 ? 1 : size);
	memcpy(copy, bytes, size);
	return copy;
}

static void round_trip(const struct stream_kind *kind, size_t count, size_t chunk, size_t max)
{
	struct tee_perf_record *records = malloc((count + 1) * sizeof *records);
	struct tee_perf_encoder *encoder = tee_perf_encoder_new();
	struct tee_perf_decoder *decoder = tee_perf_decoder_new();
	size_t size;
	kind->fill(records, count);
	uint8_t *all = encode_all(encoder, records, count, chunk, &size);
	uint8_t *bytes = exact_copy(all, size);
	expect_decoded(decoder, bytes, size, max, records, count);
	if (chunk == 1020)
		ck_assert_double_le((double)size / (double)count, kind->max_bytes);
	free(bytes);
	free(all);
	free(records);
	tee_perf_encoder_free(encoder);
	tee_perf_decoder_free(decoder);
}

START_TEST(every_stream_comes_back)
{
	round_trip(&stream_kinds[_i], COUNT, 1020, 1020);
}
END_TEST

START_TEST(chunks_of_any_length_come_back)
{
	static const size_t chunks[] = { 1, 2, 7, 8, 9, 63, 64, 65, 127, 255, 256, 1000 };
	for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++)
		round_trip(&stream_kinds[_i], 3000, chunks[i], 1 + chunks[(i * 5) % 12]);
}
END_TEST

START_TEST(all_short_streams_come_back)
{
	/* 512 misses let the table grow, behind which no record may come */
	for (size_t count = 0; count <= 600; count += count == 130 ? 370 : 1)
		round_trip(&stream_kinds[_i], count, count + 1, 200);
}
END_TEST

/* Each chunk sent off alone, as the recorder's blocks are, the predictor kept from one to the next. */
START_TEST(blocks_of_one_thread_continue)
{
	struct tee_perf_record *records = malloc(COUNT * sizeof *records);
	struct tee_perf_encoder *encoder = tee_perf_encoder_new();
	struct tee_perf_decoder *decoder = tee_perf_decoder_new();
	stream_kinds[_i].fill(records, COUNT);
	for (size_t i = 0; i < COUNT; i += 5000) {
		size_t size;
		uint8_t *all = encode_all(encoder, records + i, 5000, 1020, &size);
		expect_decoded(decoder, all, size, 700, records + i, 5000);
		free(all);
	}
	free(records);
	tee_perf_encoder_free(encoder);
	tee_perf_decoder_free(decoder);
}
END_TEST

/* After a reset, the same records give the same bytes as from a new encoder, and a new decoder reads them. */
START_TEST(a_reset_forgets_everything)
{
	struct tee_perf_record *records = malloc(COUNT * sizeof *records);
	struct tee_perf_encoder *encoder = tee_perf_encoder_new();
	struct tee_perf_decoder *decoder = tee_perf_decoder_new(), *used = tee_perf_decoder_new();
	size_t size, again_size;
	stream_kinds[_i].fill(records, COUNT);
	uint8_t *all = encode_all(encoder, records, COUNT, 1020, &size);
	expect_decoded(used, all, size, 1020, records, COUNT);
	tee_perf_encoder_reset(encoder);
	tee_perf_decoder_reset(used);
	uint8_t *again = encode_all(encoder, records, COUNT, 1020, &again_size);
	ck_assert_uint_eq(size, again_size);
	ck_assert_int_eq(memcmp(all, again, size), 0);
	expect_decoded(decoder, again, size, 1020, records, COUNT);
	expect_decoded(used, again, size, 1020, records, COUNT);
	free(all);
	free(again);
	free(records);
	tee_perf_encoder_free(encoder);
	tee_perf_decoder_free(decoder);
	tee_perf_decoder_free(used);
}
END_TEST

/* Whatever is cut off, what was decoded before is right, and the end is reported as malformed unless it falls
 * between two groups. */
START_TEST(a_cut_at_any_byte_yields_a_prefix)
{
	enum { RECORDS = 300 };
	struct tee_perf_record records[RECORDS], out[RECORDS];
	struct tee_perf_encoder *encoder = tee_perf_encoder_new();
	size_t size, clean = 0;
	stream_kinds[_i].fill(records, RECORDS);
	uint8_t *all = encode_all(encoder, records, RECORDS, 256, &size);
	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *bytes = exact_copy(all, cut);
		const uint8_t *in = bytes;
		struct tee_perf_decoder *decoder = tee_perf_decoder_new();
		size_t got = tee_perf_decode(decoder, &in, bytes + cut, out, RECORDS);
		ck_assert_uint_lt(got, RECORDS);
		ck_assert_int_eq(memcmp(out, records, got * sizeof *out), 0);
		ck_assert_uint_eq(tee_perf_decode(decoder, &in, bytes + cut, out, RECORDS), 0);
		clean += in == bytes + cut;
		tee_perf_decoder_free(decoder);
		free(bytes);
	}
	/* 256 records are 4 groups, the other 44 one: no more clean ends than groups before the last. */
	ck_assert_uint_le(clean, 5 + 1); /* and the block's beginning */
	free(all);
	tee_perf_encoder_free(encoder);
}
END_TEST

START_TEST(flipped_bytes_end)
{
	enum { RECORDS = 150 };
	struct tee_perf_record records[RECORDS], out[64];
	struct tee_perf_encoder *encoder = tee_perf_encoder_new();
	size_t size;
	stream_kinds[_i].fill(records, RECORDS);
	uint8_t *all = encode_all(encoder, records, RECORDS, 256, &size);
	for (size_t at = 0; at < size; at++) {
		for (unsigned flip = 1; flip < 256; flip = flip * 2 + 1) {
			uint8_t *bytes = exact_copy(all, size);
			const uint8_t *in = bytes;
			struct tee_perf_decoder *decoder = tee_perf_decoder_new();
			size_t total = 0, got;
			bytes[at] ^= (uint8_t)flip;
			while ((got = tee_perf_decode(decoder, &in, bytes + size, out, 64)) > 0)
				total += got;
			ck_assert_uint_le(total, size * 64); /* a byte can stand for a group at most */
			tee_perf_decoder_free(decoder);
			free(bytes);
		}
	}
	free(all);
	tee_perf_encoder_free(encoder);
}
END_TEST

/* A block that was lost, on a full disk or by damage, must not turn the next one into other records. */
START_TEST(a_block_without_its_predecessor_is_malformed)
{
	enum { RECORDS = 300 };
	struct tee_perf_record records[RECORDS], out[RECORDS];
	struct tee_perf_encoder *encoder = tee_perf_encoder_new();
	uint8_t *blocks[3];
	size_t sizes[3];
	stream_kinds[_i].fill(records, RECORDS);
	for (size_t i = 0; i < 3; i++)
		blocks[i] = encode_all(encoder, records + i * 100, 100, 50, &sizes[i]);
	for (size_t lost = 0; lost < 2; lost++) {
		struct tee_perf_decoder *decoder = tee_perf_decoder_new();
		if (lost == 1)
			expect_decoded(decoder, blocks[0], sizes[0], 64, records, 100);
		const uint8_t *in = blocks[lost + 1];
		ck_assert_uint_eq(tee_perf_decode(decoder, &in, in + sizes[lost + 1], out, RECORDS), 0);
		ck_assert_ptr_eq(in, blocks[lost + 1]);
		tee_perf_decoder_free(decoder);
	}
	for (size_t i = 0; i < 3; i++)
		free(blocks[i]);
	tee_perf_encoder_free(encoder);
}
END_TEST

/* What may not be: a table that skips sizes, shrinks, or grows without end. */
START_TEST(control_bytes_are_bounded)
{
	struct tee_perf_record out[64];
	for (unsigned bits = 0; bits < 64; bits++) {
		struct tee_perf_decoder *decoder = tee_perf_decoder_new();
		uint8_t bytes[] = { (uint8_t)(bits << 2 | 3) };
		const uint8_t *in = bytes;
		ck_assert_uint_eq(tee_perf_decode(decoder, &in, bytes + 1, out, 64), 0);
		ck_assert_int_eq(in == bytes + 1, bits == 10);
		tee_perf_decoder_free(decoder);
	}
	struct tee_perf_decoder *decoder = tee_perf_decoder_new();
	uint8_t growing[20];
	for (unsigned i = 0; i < sizeof growing; i++)
		growing[i] = (uint8_t)((10 + i) << 2 | 3);
	const uint8_t *in = growing;
	ck_assert_uint_eq(tee_perf_decode(decoder, &in, growing + sizeof growing, out, 64), 0);
	ck_assert_int_eq(in - growing, 16 - 9);
	tee_perf_decoder_free(decoder);
}
END_TEST

/* The bytes of docs/DATA-FORMAT.md, section "Example": a change of the format shows here. */
START_TEST(the_documented_example)
{
	const uint64_t call = UINT64_C(1) << TEE_PERF_KIND_SHIFT, ret = UINT64_C(3) << TEE_PERF_KIND_SHIFT;
	const struct tee_perf_record records[] = {
		{ call | 1000, UINT64_C(0xffffe000) << 32 | 0x55550040 },
		{ ret | 1000, UINT64_C(0xffffe000) << 32 | 0x55550040 },
		{ (UINT64_C(6) << TEE_PERF_KIND_SHIFT) | 1300, 5 << 8 | TEE_PERF_META_LOST },
	};
	static const uint8_t expected[] = {
		0xff, 0,    0,    0,    0,                         /* a block begins */
		0x0a, 0x07, 0x07, 0x05, 0xa2, 0x0f, 0xb2, 0x04,    /* head, masks, times 1000 and 300 */
		0x1e, 0xff, 0x03, 0x08, 0xa0, 0xaa, 0x0a,          /* call */
		0x30, 0x00,                                        /* return */
		0xe0, 0x01, 0x05, 0,    0,    0,    0,    0,    0, /* meta */
	};
	struct tee_perf_encoder *encoder = tee_perf_encoder_new();
	size_t size;
	uint8_t *all = encode_all(encoder, records, 3, 3, &size);
	ck_assert_uint_eq(size, sizeof expected);
	ck_assert_mem_eq(all, expected, sizeof expected);
	free(all);
	tee_perf_encoder_free(encoder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("codec");
	TCase *streams = tcase_create("streams"), *hostile = tcase_create("hostile");
	int kinds = (int)stream_kind_count;
	tcase_set_timeout(streams, 60);
	tcase_add_loop_test(streams, every_stream_comes_back, 0, kinds);
	tcase_add_loop_test(streams, chunks_of_any_length_come_back, 0, kinds);
	tcase_add_loop_test(streams, all_short_streams_come_back, 0, kinds);
	tcase_add_loop_test(streams, blocks_of_one_thread_continue, 0, kinds);
	tcase_add_loop_test(streams, a_reset_forgets_everything, 0, kinds);
	tcase_add_test(streams, the_documented_example);
	suite_add_tcase(suite, streams);
	tcase_set_timeout(hostile, 60);
	tcase_add_loop_test(hostile, a_cut_at_any_byte_yields_a_prefix, 0, kinds);
	tcase_add_loop_test(hostile, flipped_bytes_end, 0, kinds);
	tcase_add_loop_test(hostile, a_block_without_its_predecessor_is_malformed, 0, kinds);
	tcase_add_test(hostile, control_bytes_are_bounded);
	suite_add_tcase(suite, hostile);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? 0 : 1;
}
