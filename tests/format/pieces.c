/* SPDX-License-Identifier: MIT */
#include "tests/format/pieces.h"
#include "tests/format/streams.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char test_directory[] = "/tmp/tee-perf-data-file-XXXXXX";
char path[64], old_path[80];

void enter(void)
{
	strcpy(test_directory + sizeof test_directory - 7, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(test_directory));
	snprintf(path, sizeof path, "%s/x.data", test_directory);
	snprintf(old_path, sizeof old_path, "%s.old", path);
}

void leave(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", test_directory);
	ck_assert_int_eq(system(command), 0);
}

const struct piece pieces[] = {
	{ TEE_PERF_SECTION_START, 30, false, 1 },      { TEE_PERF_SECTION_MODULE, 300, false, 3 },
	{ TEE_PERF_SECTION_EVENTS, 200, true, 1 },     { TEE_PERF_SECTION_EVENTS, 0, false, 1 },
	{ TEE_PERF_SECTION_TSC, 100, false, INT_MIN }, { TEE_PERF_SECTION_END, 64, false, 1 },
};
_Static_assert(sizeof pieces / sizeof *pieces == PIECES, "as the header says");

void fill_piece(size_t i, uint8_t *payload)
{
	random_seed(i);
	for (size_t j = 0; j < pieces[i].size; j++)
		payload[j] = pieces[i].noise ? (uint8_t)random64() : (uint8_t)(i * 16 + j / 50);
}

void write_pieces(void)
{
	struct tee_perf_error err = { 0 };
	uint8_t payload[512];
	struct tee_perf_writer *writer = tee_perf_writer_create(path, &err);
	ck_assert_msg(writer != NULL, "%s", err.message);
	for (size_t i = 0; i < PIECES; i++) {
		fill_piece(i, payload);
		ck_assert_int_eq(
		    tee_perf_writer_section(writer, pieces[i].type, payload, pieces[i].size, pieces[i].level, &err), 0);
	}
	uint64_t bytes = tee_perf_writer_bytes(writer);
	ck_assert_int_eq(tee_perf_writer_close(writer, &err), 0);
	struct stat status;
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_uint_eq((uint64_t)status.st_size, bytes);
}

int read_pieces_but(struct tee_perf_reader *reader, size_t missing, size_t *count, struct tee_perf_error *err)
{
	struct tee_perf_section section;
	uint8_t payload[512];
	int result;
	size_t i = 0;
	for (*count = 0; (result = tee_perf_reader_next(reader, &section, err)) == 1; ++*count, i++) {
		i += i == missing;
		ck_assert_uint_lt(i, PIECES);
		fill_piece(i, payload);
		ck_assert_int_eq(section.type, pieces[i].type);
		ck_assert_uint_eq(section.size, pieces[i].size);
		ck_assert_ptr_nonnull(section.payload);
		ck_assert_int_eq(memcmp(section.payload, payload, section.size), 0);
	}
	return result;
}

int read_pieces(struct tee_perf_reader *reader, size_t *count, struct tee_perf_error *err)
{
	return read_pieces_but(reader, PIECES, count, err);
}

uint8_t *read_file(size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(4096);
	*size = fread(bytes, 1, 4096, file);
	ck_assert_uint_lt(*size, 4096);
	fclose(file);
	return bytes;
}

void write_file(const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

int run_tests(const char *name, const TTest *const *tests, size_t count)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	tcase_add_checked_fixture(tcase, enter, leave);
	tcase_set_timeout(tcase, 60);
	for (size_t i = 0; i < count; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? 0 : 1;
}
