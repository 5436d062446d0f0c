/* SPDX-License-Identifier: MIT */
/* A thread of six blocks of events, the fourth of which starts afresh: what is left when one of them is damaged. */
#include "analyzer/recording.h"
#include "format/codec.h"
#include "format/data_file.h"
#include "format/frame.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCKS      6
#define RESET_AT    3
#define CALLS       10
#define MAIN        (UINT64_C(0x7000) << 32 | 0x5000)
#define F           (UINT64_C(0x6000) << 32 | 0x5010)
#define FIRST_TICKS UINT64_C(1000000000000)

static char path[64];
static bool by_ticks;     /* four to a nanosecond */
static bool early_points; /* of the counter's calibration: between the blocks, the first two of them wrong */

static struct tee_perf_record at(uint64_t ns, enum tee_perf_kind kind, uint64_t w1)
{
	uint64_t time = by_ticks ? FIRST_TICKS + 4 * ns : ns;
	return (struct tee_perf_record){ (uint64_t)kind << TEE_PERF_KIND_SHIFT | time, w1 };
}

/* main begins in the first and returns in the last; CALLS calls of f in each, from 1000 * number on, every 10 ns. */
static size_t fill_block(unsigned number, struct tee_perf_record *out)
{
	struct tee_perf_record *begin = out;
	if (number == 0 && by_ticks)
		*out++ = at(0, TEE_PERF_META, TEE_PERF_CLOCK_TSC << 8 | TEE_PERF_META_CLOCK);
	if (number == 0)
		*out++ = at(0, TEE_PERF_CALL, MAIN);
	for (unsigned i = 0; i < CALLS; i++) {
		*out++ = at(1000 * number + 10 * i, TEE_PERF_CALL, F);
		*out++ = at(1000 * number + 10 * i + 5, TEE_PERF_RETURN, F);
	}
	if (number == BLOCKS - 1) {
		*out++ = at(5990, TEE_PERF_RETURN, MAIN);
		*out++ = at(5990, TEE_PERF_META, TEE_PERF_META_THREAD_END);
	}
	return (size_t)(out - begin);
}

static void write_block(struct tee_perf_writer *writer, struct tee_perf_encoder *encoder, unsigned number)
{
	struct tee_perf_record records[2 * CALLS + 4];
	uint8_t encoded[sizeof records * 4];
	struct tee_perf_bytes payload = { 0 };
	size_t count = fill_block(number, records);
	if (number == RESET_AT)
		tee_perf_encoder_reset(encoder);
	uint8_t *end = tee_perf_encode_flush(encoder, tee_perf_encode(encoder, records, count, encoded));
	struct tee_perf_events_info info = { .record_count = count,
					     .reset = number == 0 || number == RESET_AT,
					     .encoded = encoded,
					     .encoded_size = (size_t)(end - encoded) };
	ck_assert_int_eq(tee_perf_events_encode(&payload, &info), 0);
	ck_assert_int_eq(
	    tee_perf_writer_section(writer, TEE_PERF_SECTION_EVENTS, payload.data, payload.size, INT_MIN, NULL), 0);
	free(payload.data);
}

static void write_json(struct tee_perf_writer *writer, enum tee_perf_section_type type, const char *text)
{
	ck_assert_int_eq(tee_perf_writer_section(writer, type, text, strlen(text), INT_MIN, NULL), 0);
}

static void write_points(struct tee_perf_writer *writer, const struct tee_perf_time_pair *pairs, size_t count)
{
	struct tee_perf_bytes payload = { 0 };
	ck_assert_int_eq(tee_perf_pairs_encode(&payload, pairs, count), 0);
	tee_perf_writer_section(writer, TEE_PERF_SECTION_TSC, payload.data, payload.size, INT_MIN, NULL);
	free(payload.data);
}

/* Writes the recording; places[i]: where block i begins in the file. */
static void write_recording(uint64_t places[BLOCKS])
{
	static const struct tee_perf_time_pair pairs[] = { { FIRST_TICKS, 0 }, { FIRST_TICKS + 28000, 7000 } };
	/* The first two say that it ticks twice in a nanosecond. */
	static const struct tee_perf_time_pair early[] = { { FIRST_TICKS, 0 },
							   { FIRST_TICKS + 400, 200 },
							   { FIRST_TICKS + 16000, 4000 } };
	struct tee_perf_writer *writer = tee_perf_writer_create(path, NULL);
	struct tee_perf_encoder *encoder = tee_perf_encoder_new();
	write_json(writer, TEE_PERF_SECTION_START, "{}");
	if (early_points)
		write_points(writer, early, 2);
	for (unsigned i = 0; i < BLOCKS; i++) {
		if (early_points && i == RESET_AT)
			write_points(writer, early + 2, 1);
		places[i] = tee_perf_writer_bytes(writer);
		write_block(writer, encoder, i);
	}
	write_points(writer, pairs, 2);
	write_json(writer, TEE_PERF_SECTION_END,
		   by_ticks ? "{\"events\":124,\"duration_ns\":7000}" : "{\"events\":123,\"duration_ns\":7000}");
	tee_perf_encoder_free(encoder);
	ck_assert_int_eq(tee_perf_writer_close(writer, NULL), 0);
}

static void damage(uint64_t place)
{
	FILE *file = fopen(path, "r+b");
	ck_assert_ptr_nonnull(file);
	fseek(file, (long)place, SEEK_SET);
	int byte = fgetc(file);
	fseek(file, (long)place, SEEK_SET);
	fputc(byte ^ 0x10, file);
	fclose(file);
}

/* Of the recording with one block damaged. */
static const struct expected {
	uint64_t records, from_ns, to_ns, calls, unconfirmed, open;
} expected[BLOCKS] = {
	{ 61, 0, 3000, 30, 1, 0 },    /* main returns without a call: it was open all the time */
	{ 40, 95, 3000, 41, 1, 0 },   /* the block behind it is whole and of no use */
	{ 20, 1095, 3000, 51, 1, 0 }, /* the next one starts afresh: only END knows how many */
	{ 62, 2095, 7000, 31, 1, 1 }, /* it would have started afresh */
	{ 42, 3095, 7000, 41, 1, 1 }, { 22, 4095, 7000, 51, 1, 1 }, /* nothing follows */
};

static void expect(unsigned block, const struct tee_perf_recording *recording)
{
	const struct expected *wanted = &expected[block];
	struct tee_perf_summary summary;
	uint64_t first_clock = by_ticks && block == 0; /* the record that changes the clock */
	ck_assert(recording->damaged && recording->has_end);
	ck_assert_uint_eq(recording->damage.places, 1);
	ck_assert_uint_eq(recording->damage.records, wanted->records + first_clock);
	ck_assert_uint_eq(recording->damage.from_ns, wanted->from_ns);
	ck_assert_uint_eq(recording->damage.to_ns, wanted->to_ns);
	ck_assert_int_eq(tee_perf_recording_summary(recording, &summary, NULL), 0);
	ck_assert_uint_eq(summary.calls, wanted->calls);
	ck_assert_uint_eq(summary.lost, wanted->records + first_clock);
	ck_assert_uint_eq(summary.unconfirmed, wanted->unconfirmed);
	ck_assert_uint_eq(summary.open, wanted->open);
	ck_assert_uint_eq(summary.duration_ns, 7000);
	ck_assert_uint_le(summary.thread_time_ns, 7000);
	tee_perf_summary_clear(&summary);
}

/* The frame of the block, or what it holds. */
static void damage_each(unsigned byte_in_block)
{
	uint64_t places[BLOCKS];
	snprintf(path, sizeof path, "/tmp/tee-perf-holes-%d", getpid());
	for (unsigned i = 0; i < BLOCKS; i++) {
		struct tee_perf_error err = { 0 };
		unlink(path);
		write_recording(places);
		damage(places[i] + byte_in_block);
		struct tee_perf_recording *recording = tee_perf_recording_open(path, &err);
		ck_assert_msg(recording != NULL, "%s", err.message);
		expect(i, recording);
		tee_perf_recording_close(recording);
	}
	unlink(path);
}

START_TEST(block_is_damaged)
{
	by_ticks = _i != 0;
	damage_each(TEE_PERF_FRAME_SIZE + 30);
}
END_TEST

START_TEST(frame_is_damaged)
{
	by_ticks = _i != 0;
	damage_each(5);
}
END_TEST

/* Whatever was known of the counter when a record was written: what comes later holds for it, too. */
START_TEST(points_of_the_counter_stand_among_the_blocks)
{
	uint64_t places[BLOCKS];
	struct tee_perf_error err = { 0 };
	struct tee_perf_summary summary;
	snprintf(path, sizeof path, "/tmp/tee-perf-holes-%d", getpid());
	by_ticks = early_points = true;
	write_recording(places);
	struct tee_perf_recording *recording = tee_perf_recording_open(path, &err);
	ck_assert_msg(recording != NULL, "%s", err.message);
	ck_assert_int_eq(tee_perf_recording_summary(recording, &summary, NULL), 0);
	ck_assert_uint_eq(summary.clock_backwards, 0);
	tee_perf_summary_clear(&summary);
	tee_perf_recording_close(recording);
	unlink(path);
}
END_TEST

Suite *holes_suite(void)
{
	Suite *suite = suite_create("holes");
	TCase *cases = tcase_create("holes");
	tcase_add_loop_test(cases, block_is_damaged, 0, 2);
	tcase_add_loop_test(cases, frame_is_damaged, 0, 2);
	tcase_add_test(cases, points_of_the_counter_stand_among_the_blocks);
	suite_add_tcase(suite, cases);
	return suite;
}
