/* SPDX-License-Identifier: MIT */
#include "format/frame.h"
#include "format/packer.h"
#include "tests/format/pieces.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect_create_error(enum tee_perf_error_class class, const char *words)
{
	struct tee_perf_error err = { 0 };
	ck_assert_ptr_null(tee_perf_writer_create(path, &err));
	ck_assert_int_eq(err.class, class);
	ck_assert_msg(strstr(err.message, words) != NULL, "\"%s\" lacks \"%s\"", err.message, words);
}

START_TEST(a_file_is_private_and_the_earlier_one_kept)
{
	struct stat status;
	size_t size;
	write_file("earlier", 7);
	umask(0);
	write_pieces();
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_uint_eq(status.st_mode & 07777, 0600);
	write_pieces(); /* the second earlier file replaces the first */
	ck_assert_int_eq(rename(old_path, path), 0);
	uint8_t *bytes = read_file(&size);
	ck_assert_mem_eq(bytes, "TEEPERF\n", 8);
	free(bytes);
}
END_TEST

static void expect_content(const char *file_path, const char *expected)
{
	char content[16] = "";
	FILE *file = fopen(file_path, "r");
	ck_assert_msg(file != NULL, "%s is gone", file_path);
	ck_assert_ptr_nonnull(fgets(content, sizeof content, file));
	ck_assert_str_eq(content, expected);
	fclose(file);
}

static void write_content(const char *file_path, const char *content)
{
	FILE *file = fopen(file_path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(content, file);
	fclose(file);
}

/* Nothing was recorded: both earlier files are as they were. Somebody's file of the name that is needed stays, too. */
START_TEST(what_records_nothing_changes_nothing)
{
	char aside[PATH_MAX], next[PATH_MAX];
	struct tee_perf_error err = { 0 };
	snprintf(aside, sizeof aside, "%s.0", old_path);
	snprintf(next, sizeof next, "%s.1", old_path);
	write_content(path, "earlier");
	write_content(old_path, "before");
	write_content(aside, "somebody's");
	for (int i = 0; i < 2; i++) {
		struct tee_perf_writer *writer = tee_perf_writer_create(path, &err);
		ck_assert_ptr_nonnull(writer);
		expect_content(old_path, "earlier");
		expect_content(next, "before");
		tee_perf_writer_abandon(writer);
		expect_content(path, "earlier");
		expect_content(old_path, "before");
		expect_content(aside, "somebody's");
		ck_assert_int_ne(access(next, F_OK), 0);
	}
	write_pieces(); /* this holds something: the file before the last is no longer wanted */
	expect_content(old_path, "earlier");
	ck_assert_int_ne(access(next, F_OK), 0);
	unlink(aside);
}
END_TEST

START_TEST(only_a_regular_file_is_replaced)
{
	char target[64], content[8] = "";
	snprintf(target, sizeof target, "%s/target", test_directory);
	FILE *file = fopen(target, "w");
	fputs("keep me", file);
	fclose(file);
	ck_assert_int_eq(symlink(target, path), 0);
	expect_create_error(TEE_PERF_SYSTEM, "is a symbolic link");
	file = fopen(target, "r");
	ck_assert_ptr_nonnull(fgets(content, sizeof content, file));
	ck_assert_str_eq(content, "keep me");
	fclose(file);
	unlink(path);
	ck_assert_int_eq(symlink("/nowhere/at/all", path), 0);
	expect_create_error(TEE_PERF_SYSTEM, "is a symbolic link");
	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	expect_create_error(TEE_PERF_SYSTEM, "is not a regular file");
	unlink(path);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	expect_create_error(TEE_PERF_SYSTEM, "is a directory");
	rmdir(path);
	snprintf(path, sizeof path, "%s/no/x.data", test_directory);
	expect_create_error(TEE_PERF_SYSTEM, "No such file or directory");
	snprintf(path, sizeof path, "%s/target/x.data", test_directory);
	expect_create_error(TEE_PERF_SYSTEM, "Not a directory");
}
END_TEST

START_TEST(an_earlier_file_that_cannot_be_kept_stays)
{
	size_t size;
	write_file("earlier", 7);
	ck_assert_int_eq(mkdir(old_path, 0700), 0);
	expect_create_error(TEE_PERF_SYSTEM, "cannot keep the earlier");
	uint8_t *bytes = read_file(&size);
	ck_assert_uint_eq(size, 7);
	free(bytes);
}
END_TEST

/* What is read again equals what was packed in steps of so many bytes; a payload of noise stays as it is. */
static void pack_in_steps(const uint8_t *payload, size_t size, size_t step, int level)
{
	struct tee_perf_error err = { 0 };
	struct tee_perf_section section;
	struct tee_perf_packer *packer = tee_perf_packer_new();
	struct tee_perf_writer *writer = tee_perf_writer_create(path, &err);

	ck_assert_ptr_nonnull(writer);
	for (int again = 0; again < 2; again++) {
		tee_perf_packer_start(packer, payload, size, level);
		for (size_t steps = 0; !tee_perf_packer_step(packer, step); steps++)
			ck_assert_uint_lt(steps, size / step + 1);
		ck_assert_int_eq(tee_perf_writer_packed(writer, TEE_PERF_SECTION_GAPS, packer, &err), 0);
	}
	ck_assert_int_eq(tee_perf_writer_close(writer, &err), 0);
	tee_perf_packer_free(packer);
	struct tee_perf_reader *reader = tee_perf_reader_open(path, &err);
	for (int again = 0; again < 2; again++) {
		ck_assert_msg(tee_perf_reader_next(reader, &section, &err) == 1, "%s", err.message);
		ck_assert_uint_eq(section.size, size);
		ck_assert_mem_eq(section.payload, payload, size);
		bool smaller = level != INT_MIN && payload[0] == 'a' && size >= 10000 && step >= 1024;
		ck_assert(!smaller || section.stored_size < size / 2);
		ck_assert_uint_le(section.stored_size, TEE_PERF_FRAME_SIZE + size);
	}
	tee_perf_reader_close(reader);
}

static void pack_all_sizes(bool noise)
{
	static const size_t sizes[] = { 1, 63, 64, 1023, 1024, 10000, 262168 }, steps[] = { 1, 7, 1024, SIZE_MAX };
	static uint8_t payload[262168];
	uint32_t random = 1;

	for (size_t i = 0; i < sizeof payload; i++) {
		random = random * 1664525 + 1013904223;
		payload[i] = noise ? (uint8_t)(random >> 24) | 0x80 : (uint8_t)('a' + (i / 3 ^ i / 70) % 8);
	}
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
			if (sizes[i] / steps[k] < 10000) {
				pack_in_steps(payload, sizes[i], steps[k], -1);
				pack_in_steps(payload, sizes[i], steps[k], INT_MIN);
			}
}

START_TEST(a_payload_packed_in_steps_is_read_again)
{
	pack_all_sizes(false);
}
END_TEST

START_TEST(noise_packed_in_steps_stays_as_it_is)
{
	pack_all_sizes(true);
}
END_TEST

static void limit_file_size(rlim_t size)
{
	struct rlimit limit;
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A file size limit stands for a full disk: the write stops within the section. */
START_TEST(a_full_disk_keeps_the_whole_sections)
{
	struct tee_perf_error err = { 0 };
	uint8_t payload[512];
	size_t count;
	signal(SIGXFSZ, SIG_IGN);
	struct tee_perf_writer *writer = tee_perf_writer_create(path, &err);
	for (size_t i = 0; i < PIECES; i++) {
		uint64_t before = tee_perf_writer_bytes(writer);
		fill_piece(i, payload);
		for (rlim_t room = 0; room < TEE_PERF_FRAME_SIZE + 3; room++) {
			struct stat status;
			if (room >= TEE_PERF_FRAME_SIZE + pieces[i].size)
				break;
			limit_file_size(before + room);
			err.class = TEE_PERF_OK;
			ck_assert_int_eq(tee_perf_writer_section(writer, pieces[i].type, payload, pieces[i].size,
								 pieces[i].level, &err),
					 -1);
			ck_assert_int_eq(err.class, TEE_PERF_SYSTEM);
			ck_assert_ptr_nonnull(strstr(err.message, path));
			ck_assert_int_eq(stat(path, &status), 0);
			ck_assert_uint_eq((uint64_t)status.st_size, before);
			ck_assert_uint_eq(tee_perf_writer_bytes(writer), before);
		}
		limit_file_size(RLIM_INFINITY);
		ck_assert_int_eq(
		    tee_perf_writer_section(writer, pieces[i].type, payload, pieces[i].size, pieces[i].level, NULL), 0);
	}
	ck_assert_int_eq(tee_perf_writer_close(writer, NULL), 0);
	err.class = TEE_PERF_OK;
	struct tee_perf_reader *reader = tee_perf_reader_open(path, &err);
	ck_assert_int_eq(read_pieces(reader, &count, &err), 0);
	ck_assert_uint_eq(count, PIECES);
	tee_perf_reader_close(reader);
}
END_TEST

START_TEST(no_room_for_a_header_restores_the_earlier_file)
{
	size_t size;
	signal(SIGXFSZ, SIG_IGN);
	write_file("earlier", 7);
	limit_file_size(10);
	expect_create_error(TEE_PERF_SYSTEM, "cannot write");
	limit_file_size(RLIM_INFINITY);
	uint8_t *bytes = read_file(&size);
	ck_assert_uint_eq(size, 7);
	ck_assert_int_eq(access(old_path, F_OK), -1);
	free(bytes);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_file_is_private_and_the_earlier_one_kept,     only_a_regular_file_is_replaced,
		an_earlier_file_that_cannot_be_kept_stays,      a_full_disk_keeps_the_whole_sections,
		no_room_for_a_header_restores_the_earlier_file, a_payload_packed_in_steps_is_read_again,
		noise_packed_in_steps_stays_as_it_is,           what_records_nothing_changes_nothing,
	};
	return run_tests("writer", tests, sizeof tests / sizeof *tests);
}
