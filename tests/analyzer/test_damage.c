/* SPDX-License-Identifier: MIT */
/* A small data file, cut at every byte and with every byte wrong: what is whole is read, what is not is told. */
#include "analyzer/calls.h"
#include "format/data_file.h"
#include "tests/analyzer/model_text.h"
#include "tests/analyzer/scenario.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* docs/DATA-FORMAT.md, "File" */
#define FILE_HEADER_SIZE 16
#define FRAME_SIZE       20

static char folder[] = "/tmp/tee-perf-damage-XXXXXX";
static char path[64], damaged_path[64];
static uint8_t *bytes;
static size_t size;

static char *read_file(const char *name, size_t *length)
{
	FILE *file = fopen(name, "rb");
	ck_assert_ptr_nonnull(file);
	char *content = malloc(1 << 20);
	*length = fread(content, 1, (1 << 20) - 1, file);
	content[*length] = 0;
	fclose(file);
	return content;
}

static void write_small_recording(void)
{
	struct tee_perf_error err = { 0 };
	size_t length;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/whole", folder);
	snprintf(damaged_path, sizeof damaged_path, "%s/damaged", folder);
	char *scenario = read_file(TEST_RECORDINGS "/small.txt", &length);
	ck_assert_int_eq(scenario_write(scenario, path, &err), 0);
	free(scenario);
	bytes = (uint8_t *)read_file(path, &size);
}

static void clean_up(void)
{
	unlink(path);
	unlink(damaged_path);
	rmdir(folder);
	free(bytes);
}

static void write_damaged(const uint8_t *content, size_t length)
{
	FILE *file = fopen(damaged_path, "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(content, 1, length, file), length);
	fclose(file);
}

/* Everything that a report reads. NULL: it could not be opened, and *err says why. */
static struct tee_perf_recording *read_damaged(struct tee_perf_error *err)
{
	struct tee_perf_recording *recording = tee_perf_recording_open(damaged_path, err);
	if (recording == NULL)
		return NULL;
	free(model_text_tree(recording));
	free(model_text_functions(recording));
	struct tee_perf_summary summary;
	ck_assert_int_eq(tee_perf_recording_summary(recording, &summary, err), 0);
	tee_perf_summary_clear(&summary);
	struct tee_perf_calls *calls = tee_perf_calls_open(recording, &tee_perf_calls_all, err);
	ck_assert_ptr_nonnull(calls);
	struct tee_perf_call call;
	int result;
	while ((result = tee_perf_calls_next(calls, &call, err)) == 1)
		;
	ck_assert_int_eq(result, 0);
	tee_perf_calls_close(calls);
	return recording;
}

static uint64_t count_calls(const struct tee_perf_recording *recording)
{
	struct tee_perf_summary summary;
	ck_assert_int_eq(tee_perf_recording_summary(recording, &summary, NULL), 0);
	uint64_t calls = summary.calls;
	tee_perf_summary_clear(&summary);
	return calls;
}

START_TEST(cut_at_every_byte)
{
	uint64_t calls = 0;
	for (size_t length = 0; length < size; length++) {
		struct tee_perf_error err = { 0 };
		write_damaged(bytes, length);
		struct tee_perf_recording *recording = read_damaged(&err);
		if (recording == NULL) {
			ck_assert_int_eq(err.class, TEE_PERF_INPUT);
			ck_assert_uint_lt(length, 16);
			continue;
		}
		ck_assert_uint_eq(recording->warning_count, 1);
		ck_assert(!recording->damaged && !recording->has_end);
		ck_assert_uint_ge(count_calls(recording), calls); /* a longer file never says less */
		calls = count_calls(recording);
		tee_perf_recording_close(recording);
	}
	ck_assert_uint_eq(calls, 12); /* all but the section END */
}
END_TEST

/* Calls that are left when the bytes from .. to - 1, a section, are not in the file. */
static uint64_t calls_without(size_t from, size_t to)
{
	struct tee_perf_error err = { 0 };
	uint8_t *copy = malloc(size);
	memcpy(copy, bytes, from);
	memcpy(copy + from, bytes + to, size - to);
	write_damaged(copy, size - (to - from));
	free(copy);
	struct tee_perf_recording *recording = read_damaged(&err);
	ck_assert_msg(recording != NULL, "%s", err.message);
	uint64_t calls = count_calls(recording);
	tee_perf_recording_close(recording);
	return calls;
}

/* A section with a wrong byte is as one that is not there: everything before and behind it counts. */
START_TEST(every_byte_wrong)
{
	size_t end = FILE_HEADER_SIZE;
	uint64_t calls = 0, section_size = 0;
	for (size_t i = 0; i < size; i++) {
		struct tee_perf_error err = { 0 };
		if (i == end) {
			uint32_t stored_size;
			memcpy(&stored_size, bytes + i + 4, sizeof stored_size);
			section_size = FRAME_SIZE + stored_size;
			end = i + section_size;
			calls = calls_without(i, end);
			ck_assert(calls == 12 || bytes[i] == TEE_PERF_SECTION_EVENTS);
		}
		uint8_t *copy = malloc(size);
		memcpy(copy, bytes, size);
		copy[i] ^= (uint8_t)(1u << i % 8);
		write_damaged(copy, size);
		free(copy);
		struct tee_perf_recording *recording = read_damaged(&err);
		if (i < FILE_HEADER_SIZE) {
			ck_assert_ptr_null(recording);
			ck_assert_int_eq(err.class, TEE_PERF_INPUT);
			continue;
		}
		ck_assert_msg(recording != NULL, "byte %zu: %s", i, err.message);
		ck_assert_msg(recording->damaged, "nobody noticed byte %zu", i);
		ck_assert_uint_eq(recording->damage.places, 1);
		ck_assert_uint_eq(recording->damage.bytes, section_size);
		ck_assert_msg(count_calls(recording) == calls, "byte %zu: %llu calls in place of %llu", i,
			      (unsigned long long)count_calls(recording), (unsigned long long)calls);
		tee_perf_recording_close(recording);
	}
}
END_TEST

START_TEST(whole_file)
{
	struct tee_perf_error err = { 0 };
	write_damaged(bytes, size);
	struct tee_perf_recording *recording = read_damaged(&err);
	ck_assert_ptr_nonnull(recording);
	ck_assert(!recording->damaged && recording->has_end && recording->warning_count == 0);
	ck_assert_uint_eq(count_calls(recording), 12);
	tee_perf_recording_close(recording);
}
END_TEST

Suite *damage_suite(void)
{
	Suite *suite = suite_create("damage");
	TCase *cases = tcase_create("damage");
	tcase_set_timeout(cases, 120);
	tcase_add_unchecked_fixture(cases, write_small_recording, clean_up);
	tcase_add_test(cases, whole_file);
	tcase_add_test(cases, cut_at_every_byte);
	tcase_add_test(cases, every_byte_wrong);
	suite_add_tcase(suite, cases);
	return suite;
}
