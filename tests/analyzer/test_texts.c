/* SPDX-License-Identifier: MIT */
/* Functions that records name by address: an image whose address agrees with another's in the low 32 bits. */
#include "analyzer/model_internal.h"
#include "analyzer/texts.h"

#include <check.h>
#include <stdlib.h>

#define PROGRAM_AT UINT64_C(0x555512340000)
#define LIBRARY_AT UINT64_C(0x7fff12300000)

static struct tee_perf_model *model;

static void add_text(const char *path, uint32_t number, uint64_t begin, uint64_t size, uint64_t load_ns, bool has_hooks)
{
	struct tee_perf_error err = { 0 };
	const struct tee_perf_text_info info = { .text = number,
						 .begin = begin,
						 .size = size,
						 .load_bias = begin,
						 .load_ns = load_ns,
						 .has_hooks = has_hooks,
						 .path = path,
						 .build_id = "" };
	ck_assert_int_eq(tee_perf_model_text(model, &info, &err), 0);
}

static void add_function(const char *path, uint64_t address, uint32_t size, const char *name)
{
	struct tee_perf_error err = { 0 };
	const struct tee_perf_function_info function = { .address = address, .size = size, .name = name, .file = "" };
	struct tee_perf_functions_info info;
	struct tee_perf_bytes payload = { 0 };
	ck_assert_int_eq(tee_perf_functions_encode(&payload, path, "", &function, 1), 0);
	ck_assert_int_eq(tee_perf_functions_decode(payload.data, payload.size, &info, &err), 0);
	ck_assert_int_eq(tee_perf_model_functions(model, &info, &err), 0);
	free(payload.data);
}

static void expect_name(uint64_t address, uint64_t time_ns, const char *name)
{
	struct tee_perf_symbol symbol = tee_perf_text_lookup(model, 0, (uint32_t)address, time_ns);
	ck_assert_pstr_eq(symbol.linkage_name, name);
}

static void begin(void)
{
	model = tee_perf_model_new();
	ck_assert_ptr_nonnull(model);
}

static void end(void)
{
	tee_perf_model_free(model);
}

/* The library is told of after the program, or before it, and covers all of it. */
START_TEST(a_library_covers_the_program)
{
	if (_i == 0)
		add_text("/bin/prog", 0, PROGRAM_AT, 0x1000, 5, true);
	add_text("/lib/libc.so", 1, LIBRARY_AT, 0x180000, 5, false);
	if (_i == 1)
		add_text("/bin/prog", 0, PROGRAM_AT, 0x1000, 5, true);
	add_function("/bin/prog", 0x40, 0x20, "main");
	add_function("/lib/libc.so", 0x100, 0x100000, "qsort");
	expect_name(PROGRAM_AT + 0x40, 10, "main");
	expect_name(LIBRARY_AT + 0x100, 10, "qsort");
}
END_TEST

/* Nothing that is recorded means another function because of a library that only looks alike. */
START_TEST(a_library_that_looks_alike_changes_nothing)
{
	add_text("/bin/prog", 0, PROGRAM_AT, 0x1000, 0, true);
	add_text("/lib/libc.so", 1, LIBRARY_AT, 0x180000, 50, false);
	ck_assert_uint_eq(model->remap_count, 0);
}
END_TEST

/* What takes the place of an object that was closed has its addresses from then on. */
START_TEST(an_object_in_the_place_of_another)
{
	add_text("/lib/a.so", 0, PROGRAM_AT, 0x1000, 0, true);
	add_text("/lib/b.so", 0, PROGRAM_AT, 0x1000, 100, true);
	add_function("/lib/a.so", 0x40, 0x20, "a");
	add_function("/lib/b.so", 0x40, 0x20, "b");
	ck_assert_uint_eq(model->remap_count, 1);
	expect_name(PROGRAM_AT + 0x40, 99, "a");
	expect_name(PROGRAM_AT + 0x40, 100, "b");
}
END_TEST

Suite *texts_suite(void)
{
	Suite *suite = suite_create("texts");
	TCase *tests = tcase_create("texts");
	tcase_add_checked_fixture(tests, begin, end);
	tcase_add_loop_test(tests, a_library_covers_the_program, 0, 2);
	tcase_add_test(tests, a_library_that_looks_alike_changes_nothing);
	tcase_add_test(tests, an_object_in_the_place_of_another);
	suite_add_tcase(suite, tests);
	return suite;
}
