/* SPDX-License-Identifier: MIT */
#include "format/frame.h"
#include "tests/format/pieces.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static void expect_open_error(enum tee_perf_error_class class, const char *words)
{
	struct tee_perf_error err = { 0 };
	ck_assert_ptr_null(tee_perf_reader_open(path, &err));
	ck_assert_int_eq(err.class, class);
	ck_assert_msg(strstr(err.message, words) != NULL, "\"%s\" lacks \"%s\"", err.message, words);
	ck_assert_msg(strstr(err.message, path) != NULL, "\"%s\" does not name the file", err.message);
}

START_TEST(sections_come_back_twice)
{
	struct tee_perf_error err = { 0 };
	size_t count;
	write_pieces();
	struct tee_perf_reader *reader = tee_perf_reader_open(path, &err);
	ck_assert_ptr_nonnull(reader);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(read_pieces(reader, &count, &err), 0);
		ck_assert_uint_eq(count, PIECES);
		ck_assert_ptr_null(tee_perf_reader_truncated(reader));
		tee_perf_reader_rewind(reader);
	}
	tee_perf_reader_close(reader);
}
END_TEST

START_TEST(large_sections_come_back)
{
	const size_t sizes[] = { 1 << 18, (1 << 18) - 20, 3000001, 64 << 20, 1 };
	struct tee_perf_error err = { 0 };
	uint8_t *payload = malloc(64 << 20);
	for (size_t i = 0; i < 64 << 20; i++)
		payload[i] = (uint8_t)(i * 7 >> (i >> 20 & 7));
	struct tee_perf_writer *writer = tee_perf_writer_create(path, &err);
	for (size_t i = 0; i < 10; i++)
		ck_assert_int_eq(tee_perf_writer_section(writer, TEE_PERF_SECTION_EVENTS, payload, sizes[i % 5],
							 i < 5 ? 1 : INT_MIN, &err),
				 0);
	ck_assert_int_eq(tee_perf_writer_section(writer, TEE_PERF_SECTION_EVENTS, payload, (64 << 20) + 1, 1, &err),
			 -1);
	ck_assert_int_eq(err.class, TEE_PERF_RESOURCE);
	ck_assert_int_eq(tee_perf_writer_close(writer, NULL), 0);
	struct tee_perf_reader *reader = tee_perf_reader_open(path, NULL);
	struct tee_perf_section section;
	for (size_t i = 0; i < 10; i++) {
		ck_assert_int_eq(tee_perf_reader_next(reader, &section, NULL), 1);
		ck_assert_uint_eq(section.size, sizes[i % 5]);
		ck_assert_int_eq(memcmp(section.payload, payload, section.size), 0);
	}
	ck_assert_int_eq(tee_perf_reader_next(reader, &section, NULL), 0);
	ck_assert_ptr_nonnull(tee_perf_reader_truncated(reader));
	tee_perf_reader_close(reader);
	free(payload);
}
END_TEST

START_TEST(a_cut_at_any_byte_keeps_the_whole_sections)
{
	size_t size, previous = 0;
	write_pieces();
	uint8_t *bytes = read_file(&size);
	for (size_t cut = 0; cut < size; cut++) {
		struct tee_perf_error err = { 0 };
		size_t count;
		write_file(bytes, cut);
		if (cut < TEE_PERF_FILE_HEADER_SIZE) {
			expect_open_error(TEE_PERF_INPUT, "is not a tee-perf data file (");
			expect_open_error(TEE_PERF_INPUT, "); record one with 'tee-perf record'");
			continue;
		}
		struct tee_perf_reader *reader = tee_perf_reader_open(path, &err);
		ck_assert_ptr_nonnull(reader);
		ck_assert_int_eq(read_pieces(reader, &count, &err), 0);
		ck_assert_int_eq(err.class, TEE_PERF_OK);
		ck_assert_uint_ge(count, previous);
		ck_assert_uint_le(count, previous + 1);
		previous = count;
		const char *sentence = tee_perf_reader_truncated(reader);
		ck_assert_ptr_nonnull(sentence);
		char words[32];
		snprintf(words, sizeof words, "after %zu whole section", count);
		ck_assert_msg(strstr(sentence, words) != NULL, "%s", sentence);
		tee_perf_reader_close(reader);
	}
	ck_assert_uint_eq(previous, PIECES - 1);
	free(bytes);
}
END_TEST

/* Where each piece begins in the file, and where the last one ends. */
static void find_starts(const uint8_t *bytes, size_t size, size_t starts[PIECES + 1])
{
	size_t at = TEE_PERF_FILE_HEADER_SIZE;
	for (size_t i = 0; i < PIECES; i++) {
		struct tee_perf_frame frame;
		starts[i] = at;
		ck_assert(tee_perf_frame_get(bytes + at, &frame));
		at += TEE_PERF_FRAME_SIZE + frame.stored_size;
	}
	ck_assert_uint_eq(at, size);
	starts[PIECES] = size;
}

/* The file at path comes back without one piece, which lay at `offset` in `bytes` bytes. */
static void expect_all_but(size_t piece, size_t offset, size_t bytes)
{
	struct tee_perf_error err = { 0 };
	size_t count;
	struct tee_perf_reader *reader = tee_perf_reader_open(path, &err);
	ck_assert_ptr_nonnull(reader);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(read_pieces_but(reader, piece, &count, &err), 0);
		ck_assert_int_eq(err.class, TEE_PERF_OK);
		ck_assert_uint_eq(count, PIECES - 1);
		const struct tee_perf_damage *damage = tee_perf_reader_damage(reader);
		ck_assert_uint_eq(damage->places, 1);
		ck_assert_uint_eq(damage->first_offset, offset);
		ck_assert_uint_eq(damage->bytes, bytes);
		ck_assert_uint_ge(damage->may_hold_events, pieces[piece].type == TEE_PERF_SECTION_EVENTS);
		ck_assert_int_ne(damage->what[0], 0);
		ck_assert_int_eq(tee_perf_reader_truncated(reader) != NULL, piece == PIECES - 1);
		tee_perf_reader_rewind(reader);
	}
	tee_perf_reader_close(reader);
}

START_TEST(a_flipped_byte_costs_its_section)
{
	size_t size, starts[PIECES + 1], piece = 0;
	write_pieces();
	uint8_t *bytes = read_file(&size);
	find_starts(bytes, size, starts);
	for (size_t at = 0; at < size; at++) {
		bytes[at] ^= (uint8_t)(1 << at % 8);
		write_file(bytes, size);
		bytes[at] ^= (uint8_t)(1 << at % 8);
		if (at < TEE_PERF_FILE_HEADER_SIZE) {
			expect_open_error(TEE_PERF_INPUT, at < 8    ? "it does not start with TEEPERF"
							  : at < 12 ? "version"
								    : "unknown flags");
			continue;
		}
		piece += starts[piece + 1] <= at;
		expect_all_but(piece, starts[piece], starts[piece + 1] - starts[piece]);
	}
	free(bytes);
}
END_TEST

/* A byte that is missing, or one too many, leaves the lengths behind it intact but not the places. */
START_TEST(a_byte_too_few_or_too_many_costs_its_section)
{
	size_t size, starts[PIECES + 1], piece = 0;
	write_pieces();
	uint8_t *bytes = read_file(&size), *changed = malloc(size + 1);
	find_starts(bytes, size, starts);
	for (size_t at = TEE_PERF_FILE_HEADER_SIZE; at < starts[PIECES - 1]; at++) {
		piece += starts[piece + 1] <= at;
		size_t length = starts[piece + 1] - starts[piece];
		memcpy(changed, bytes, at);
		memcpy(changed + at, bytes + at + 1, size - at - 1);
		size_t run = at; /* taking any byte of a run of equal ones is the same */
		while (bytes[run] == bytes[at])
			run++;
		if (run <= starts[piece + 1]) {
			write_file(changed, size - 1);
			expect_all_but(piece, starts[piece], length - 1);
		}
		changed[at] = 0xd5; /* continues no run of equal bytes at these places */
		memcpy(changed + at + 1, bytes + at, size - at);
		if (at > starts[piece]) { /* between two sections: none is damaged */
			write_file(changed, size + 1);
			expect_all_but(piece, starts[piece], length + 1);
		}
	}
	free(changed);
	free(bytes);
}
END_TEST

/* Every 20 bytes begins a section that claims to hold the rest, and does not: the reader does not read the rest again
 * for each of them. 8 MiB would be 1.7 TB. */
START_TEST(many_damaged_sections_within_each_other_are_read_in_one_go)
{
	const size_t count = 400000, size = TEE_PERF_FILE_HEADER_SIZE + count * TEE_PERF_FRAME_SIZE;
	struct tee_perf_error err = { 0 };
	struct tee_perf_section section;
	uint8_t *bytes = calloc(1, size);
	memcpy(bytes, "TEEPERF\n\1", 9);
	for (size_t at = TEE_PERF_FILE_HEADER_SIZE; at < size; at += TEE_PERF_FRAME_SIZE) {
		struct tee_perf_frame frame = { TEE_PERF_SECTION_EVENTS, 0, 0, 0, 12345 };
		size_t left = size - at - TEE_PERF_FRAME_SIZE;
		frame.stored_size = frame.raw_size = (uint32_t)(left > 10 ? left - 10 : left);
		tee_perf_frame_put(bytes + at, &frame);
	}
	write_file(bytes, size);
	struct tee_perf_reader *reader = tee_perf_reader_open(path, &err);
	ck_assert_int_eq(tee_perf_reader_next(reader, &section, &err), 0);
	ck_assert_uint_gt(tee_perf_reader_damage(reader)->bytes, 0);
	tee_perf_reader_close(reader);
	free(bytes);
}
END_TEST

START_TEST(another_version_is_named)
{
	static const uint8_t newer[16] = { 'T', 'E', 'E', 'P', 'E', 'R', 'F', '\n', 200 };
	static const uint8_t older[16] = { 'T', 'E', 'E', 'P', 'E', 'R', 'F', '\n', 0 };
	write_file(newer, sizeof newer);
	expect_open_error(TEE_PERF_INPUT, "has data format version 200, this tee-perf reads version 1: use the newer");
	write_file(older, sizeof older);
	expect_open_error(TEE_PERF_INPUT, "has data format version 0, this tee-perf reads version 1: record it again");
}
END_TEST

START_TEST(what_is_no_data_file_is_named)
{
	char other[64];
	expect_open_error(TEE_PERF_INPUT, "there is no file");
	write_file("", 0);
	expect_open_error(TEE_PERF_INPUT, "(it is empty)");
	write_file("#!/bin/sh\necho something else\n", 30);
	expect_open_error(TEE_PERF_INPUT, "(it does not start with TEEPERF)");
	write_file("TEEP", 4);
	expect_open_error(TEE_PERF_INPUT, "(it is cut within its first 16 bytes)");
	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	expect_open_error(TEE_PERF_INPUT, "a pipe"); /* and does not wait for a writer */
	strcpy(other, path);
	strcpy(path, "/tmp");
	expect_open_error(TEE_PERF_INPUT, "is not a tee-perf data file but a directory");
	strcpy(path, "/dev/null");
	expect_open_error(TEE_PERF_INPUT, "is not a tee-perf data file but a device");
	strcpy(path, other);
}
END_TEST

static void put_frame(uint8_t *bytes, uint16_t type, uint16_t stored_as, uint32_t stored_size, uint32_t raw_size,
		      const void *payload)
{
	struct tee_perf_frame frame = { type, stored_as, stored_size, raw_size,
					(uint32_t)crc32(0, payload, payload == NULL ? 0 : stored_size) };
	tee_perf_frame_put(bytes, &frame);
}

START_TEST(sizes_beyond_the_limits_are_refused)
{
	static const struct {
		uint16_t type, stored_as;
		uint32_t stored_size, raw_size;
		enum tee_perf_error_class class;
		const char *words;
	} cases[] = {
		{ TEE_PERF_SECTION_EVENTS, 0, 0xffffffff, 0xffffffff, TEE_PERF_RESOURCE, "limit of 67108864" },
		{ TEE_PERF_SECTION_EVENTS, 1, 100, 0x4000001, TEE_PERF_RESOURCE, "EVENTS at byte 16 exceeds" },
		{ TEE_PERF_SECTION_PROFILE, 1, 100, 0x40000001, TEE_PERF_RESOURCE, "limit of 1073741824" },
		{ 999, 1, 0x4000001, 100, TEE_PERF_RESOURCE, "unknown" },
		{ TEE_PERF_SECTION_EVENTS, 0, 4, 5, TEE_PERF_OK, "sizes that disagree" },
		{ TEE_PERF_SECTION_EVENTS, 2, 4, 4, TEE_PERF_OK, "unknown compression" },
		/* whole, but no zstd frame */
		{ TEE_PERF_SECTION_EVENTS, 1, 4, 0x4000000, TEE_PERF_OK, "sizes disagree" },
	};
	uint8_t bytes[TEE_PERF_FILE_HEADER_SIZE + TEE_PERF_FRAME_SIZE + 4] = "TEEPERF\n\1";
	memcpy(bytes + TEE_PERF_FILE_HEADER_SIZE + TEE_PERF_FRAME_SIZE, "abcd", 4);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tee_perf_error err = { 0 };
		struct tee_perf_section section;
		put_frame(bytes + TEE_PERF_FILE_HEADER_SIZE, cases[i].type, cases[i].stored_as, cases[i].stored_size,
			  cases[i].raw_size, cases[i].stored_size == 4 ? "abcd" : NULL);
		write_file(bytes, sizeof bytes);
		struct tee_perf_reader *reader = tee_perf_reader_open(path, NULL);
		bool passed_over = cases[i].class == TEE_PERF_OK;
		ck_assert_int_eq(tee_perf_reader_next(reader, &section, &err), passed_over ? 0 : -1);
		ck_assert_int_eq(err.class, cases[i].class);
		const char *words = passed_over ? tee_perf_reader_damage(reader)->what : err.message;
		ck_assert_msg(strstr(words, cases[i].words) != NULL, "%s", words);
		ck_assert_int_eq(tee_perf_reader_next(reader, &section, NULL), 0); /* the end is final */
		tee_perf_reader_close(reader);
	}
}
END_TEST

/* A size that the file cannot hold is a cut file; no memory is taken for it. */
START_TEST(a_size_that_is_not_there_costs_no_memory)
{
	uint8_t bytes[TEE_PERF_FILE_HEADER_SIZE + TEE_PERF_FRAME_SIZE] = "TEEPERF\n\1";
	struct tee_perf_section section;
	put_frame(bytes + TEE_PERF_FILE_HEADER_SIZE, TEE_PERF_SECTION_PROFILE, 0, 1 << 30, 1 << 30, NULL);
	write_file(bytes, sizeof bytes);
	struct tee_perf_reader *reader = tee_perf_reader_open(path, NULL);
	ck_assert_int_eq(tee_perf_reader_next(reader, &section, NULL), 0);
	ck_assert_ptr_nonnull(strstr(tee_perf_reader_truncated(reader), "within a section"));
	tee_perf_reader_close(reader);
}
END_TEST

START_TEST(unknown_sections_are_passed_over)
{
	struct tee_perf_error err = { 0 };
	struct tee_perf_section section;
	struct tee_perf_writer *writer = tee_perf_writer_create(path, &err);
	tee_perf_writer_section(writer, (enum tee_perf_section_type)60000, "future", 6, 1, &err);
	tee_perf_writer_section(writer, TEE_PERF_SECTION_START, "{}", 2, 1, &err);
	tee_perf_writer_section(writer, (enum tee_perf_section_type)60, "future", 6, 1, &err);
	tee_perf_writer_section(writer, TEE_PERF_SECTION_END, "{}", 2, 1, &err);
	ck_assert_int_eq(tee_perf_writer_close(writer, &err), 0);
	struct tee_perf_reader *reader = tee_perf_reader_open(path, &err);
	ck_assert_int_eq(tee_perf_reader_next(reader, &section, &err), 1);
	ck_assert_int_eq(section.type, TEE_PERF_SECTION_START);
	ck_assert_uint_eq(section.offset, 16 + 20 + 6);
	ck_assert_int_eq(tee_perf_reader_next(reader, &section, &err), 1);
	ck_assert_int_eq(section.type, TEE_PERF_SECTION_END);
	ck_assert_int_eq(tee_perf_reader_next(reader, &section, &err), 0);
	ck_assert_ptr_null(tee_perf_reader_truncated(reader));
	tee_perf_reader_close(reader);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		sections_come_back_twice,
		large_sections_come_back,
		a_cut_at_any_byte_keeps_the_whole_sections,
		a_flipped_byte_costs_its_section,
		a_byte_too_few_or_too_many_costs_its_section,
		many_damaged_sections_within_each_other_are_read_in_one_go,
		another_version_is_named,
		what_is_no_data_file_is_named,
		sizes_beyond_the_limits_are_refused,
		a_size_that_is_not_there_costs_no_memory,
		unknown_sections_are_passed_over,
	};
	return run_tests("reader", tests, sizeof tests / sizeof *tests);
}
