/* SPDX-License-Identifier: MIT */
/* The section PROFILE, what goes on in one, hostile ones; durations; who a function is. */
#include "tests/analyzer/model_text.h"
#include "tests/analyzer/scenario.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS "module 0 0 /bin/prog; fn main a.c 1; fn f a.c 2; fn g a.c 3; fn h a.c 4; @ 0 0;"
#define PROGRAM   FUNCTIONS "0 stack 0x1000 0x10000;"

/* A busy stream with all kinds of trouble in it. */
#define BUSY                                                                                                           \
	PROGRAM "clockgap 100 200; 0 call main 9000; 50 call f 8000; 100 call g 7000; 100 ret g 7000;"                 \
		"210 call g 7000; 220 gap 5; 230 lost 4; 240 call h 6000; 250 ret h 6000; 260 off; 270 on;"            \
		"280 mark h; 290 inl h 8000; 300 ret f 8000; 310 call h 8000; 320 res main 9000; 330 done;"            \
		"@ 0 1; 10 call f 9000; 20 ret f 9000; 30 ret main 9500; 40 call g 9400"

static struct tee_perf_bytes serialize(const char *scenario)
{
	struct tee_perf_bytes bytes = { 0 };
	struct tee_perf_model *model = tee_perf_model_new();
	struct scenario_sink sink = scenario_model_sink(model);
	ck_assert_int_eq(scenario_play(scenario, &sink), 0);
	ck_assert_int_eq(tee_perf_model_finish(model, 1000, NULL), 0);
	ck_assert_int_eq(tee_perf_model_serialize(model, &bytes, NULL), 0);
	tee_perf_model_free(model);
	return bytes;
}

START_TEST(loaded_is_as_streamed)
{
	struct tee_perf_recording *streamed = model_text_play(BUSY, 1000),
				  *loaded = model_text_play_profile(BUSY, 1000);
	char *a = model_text_tree(streamed), *b = model_text_tree(loaded);
	ck_assert_str_eq(a, b);
	free(a);
	free(b);
	a = model_text_functions(streamed);
	b = model_text_functions(loaded);
	ck_assert_str_eq(a, b);
	free(a);
	free(b);
	ck_assert_int_eq(memcmp(&streamed->model->tracks[0]->counts, &loaded->model->tracks[0]->counts,
				sizeof(struct tee_perf_counts)),
			 0);
	ck_assert_uint_eq(loaded->model->tracks[0]->mark_count, 1);
	model_text_free(streamed);
	model_text_free(loaded);
}
END_TEST

/* A model whose calls have filled it. */
static struct tee_perf_model *full_model(void)
{
	struct tee_perf_model *model = tee_perf_model_new();
	model->node_count = TEE_PERF_NODES_MAX;
	return model;
}

/* A thread that begins then has a tree for its time, and what it calls is counted; all its time has a place. */
START_TEST(threads_that_begin_when_the_model_is_full)
{
	struct tee_perf_model *model = full_model();
	struct scenario_sink sink = scenario_model_sink(model);
	ck_assert_int_eq(scenario_play(BUSY, &sink), 0);
	ck_assert_int_eq(tee_perf_model_finish(model, 1000, NULL), 0);
	struct tee_perf_recording *recording = model_text_wrap(model);
	char *tree = model_text_tree(recording);
	ck_assert_str_eq(tree, "[not instrumented] 0 0\n"
			       "  [out of memory] 7 315\n"
			       "-- 0 1\n"
			       "[not instrumented] 0 20\n"
			       "  [out of memory] 2 970\n");
	free(tree);
	model_text_free(recording);
}
END_TEST

/* What the recorder's own model had room for is read behind calls that filled the reader's. */
START_TEST(profile_is_read_when_the_model_is_full)
{
	struct tee_perf_bytes bytes = serialize(BUSY);
	struct tee_perf_model *model = full_model();
	struct scenario_sink sink = scenario_model_sink(model);
	ck_assert_int_eq(scenario_play(FUNCTIONS, &sink), 0);
	ck_assert_int_eq(tee_perf_model_load(model, bytes.data, bytes.size, NULL), 0);
	ck_assert_int_eq(tee_perf_model_finish(model, 1000, NULL), 0);
	struct tee_perf_recording *loaded = model_text_wrap(model), *streamed = model_text_play(BUSY, 1000);
	char *a = model_text_tree(loaded), *b = model_text_tree(streamed);
	ck_assert_str_eq(a, b);
	free(a);
	free(b);
	model_text_free(loaded);
	model_text_free(streamed);
	free(bytes.data);
}
END_TEST

/* Cut anywhere between two records, recorded as single calls before and as a profile after: the same in all. */
START_TEST(profile_goes_on_where_calls_end)
{
	static const char *const records[] = {
		"0 call main 9000",  "10 call f 8000",  "20 call g 7000",  "30 ret g 7000",   "40 call g 7000",
		"50 call h 6000",    "60 call h 5000",  "70 ret h 5000",   "75 ret h 6000",   "80 ret g 7000",
		"90 ret f 8000",     "95 call g 8000",  "99 call h 7000",  "110 call f 8000", "120 ret f 8000",
		"130 res main 9000", "140 inl h 9000",  "150 call g 8000", "160 ret g 8000",  "170 ret h 9000",
		"180 ret main 9000", "190 call h 9000", "195 ret h 9000"
	};
	enum { COUNT = sizeof records / sizeof *records };
	char whole[4096] = PROGRAM;
	for (size_t i = 0; i < COUNT; i++)
		strcat(strcat(whole, records[i]), ";");
	struct tee_perf_recording *expected = model_text_play(whole, 300);
	char *tree = model_text_functions(expected);
	for (size_t cut = 0; cut <= COUNT; cut++) {
		char before[4096] = PROGRAM, after[4096];
		snprintf(after, sizeof after, FUNCTIONS "%lu stack 0x1000 0x10000;",
			 cut < COUNT ? strtoul(records[cut], NULL, 10) : 195);
		for (size_t i = 0; i < COUNT; i++)
			strcat(strcat(i < cut ? before : after, records[i]), ";");
		struct tee_perf_bytes bytes = serialize(after);
		struct tee_perf_recording *joined = NULL;
		struct tee_perf_model *model = tee_perf_model_new();
		struct scenario_sink sink = scenario_model_sink(model);
		ck_assert_int_eq(scenario_play(before, &sink), 0);
		ck_assert_int_eq(tee_perf_model_load(model, bytes.data, bytes.size, NULL), 0);
		ck_assert_int_eq(tee_perf_model_finish(model, 300, NULL), 0);
		joined = model_text_wrap(model);
		char *text = model_text_functions(joined);
		ck_assert_msg(strcmp(text, tree) == 0, "cut before record %zu:\n%swanted:\n%s", cut, text, tree);
		ck_assert_uint_eq(model->tracks[0]->counts.orphan_returns, 0);
		free(text);
		free(bytes.data);
		model_text_free(joined);
	}
	free(tree);
	model_text_free(expected);
}
END_TEST

/* Loads, and reads all of what was loaded. */
static int try_load(const uint8_t *bytes, size_t size)
{
	struct tee_perf_error err = { 0 };
	struct tee_perf_model *model = tee_perf_model_new();
	int result = tee_perf_model_load(model, bytes, size, &err);
	ck_assert(result == 0 ? err.class == TEE_PERF_OK : err.class == TEE_PERF_INPUT);
	tee_perf_model_finish(model, 1000, NULL);
	struct tee_perf_recording *recording = model_text_wrap(model);
	free(model_text_tree(recording));
	free(model_text_functions(recording));
	model_text_free(recording);
	return result;
}

START_TEST(profile_cut_anywhere)
{
	struct tee_perf_bytes bytes = serialize(BUSY);
	for (size_t size = 0; size < bytes.size; size++) {
		uint8_t *copy = malloc(size + 1); /* so that a sanitizer sees a read beyond it */
		memcpy(copy, bytes.data, size);
		ck_assert_int_eq(try_load(copy, size), -1);
		free(copy);
	}
	ck_assert_int_eq(try_load(bytes.data, bytes.size), 0);
	free(bytes.data);
}
END_TEST

START_TEST(profile_with_wrong_bytes)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct tee_perf_bytes bytes = serialize(BUSY);
	for (size_t i = 0; i < bytes.size; i++)
		for (size_t j = 0; j < sizeof values; j++) {
			uint8_t old = bytes.data[i];
			bytes.data[i] = values[j];
			(void)try_load(bytes.data, bytes.size);
			bytes.data[i] = old;
		}
	free(bytes.data);
}
END_TEST

START_TEST(percentiles_are_close)
{
	struct tee_perf_histogram histogram = { 0 };
	for (uint64_t i = 1; i <= 100000; i++)
		tee_perf_histogram_add(&histogram, tee_perf_histogram_bucket(i * 37), 1);
	static const double shares[] = { 0.01, 0.25, 0.5, 0.9, 0.99 };
	for (size_t i = 0; i < 5; i++) {
		double truth = shares[i] * 100000 * 37;
		double found = (double)tee_perf_histogram_percentile(&histogram, 0, shares[i]);
		ck_assert_double_le(found, truth * 1.0625);
		ck_assert_double_ge(found, truth * 0.9375);
	}
	ck_assert_uint_eq(tee_perf_histogram_percentile(&histogram, 100001, 0.5), 0);
	tee_perf_histogram_clear(&histogram);
	ck_assert_uint_eq(tee_perf_histogram_percentile(&histogram, 0, 0.5), 0);
}
END_TEST

START_TEST(buckets_cover_every_value)
{
	for (unsigned bit = 0; bit < 64; bit++)
		for (int off = -1; off <= 1; off++) {
			uint64_t value = (UINT64_C(1) << bit) + (uint64_t)off;
			unsigned bucket = tee_perf_histogram_bucket(value);
			ck_assert_uint_lt(bucket, TEE_PERF_HISTOGRAM_BUCKETS);
			ck_assert_uint_eq(tee_perf_histogram_bucket(tee_perf_histogram_middle(bucket)), bucket);
		}
	struct tee_perf_histogram histogram = { 0 };
	tee_perf_histogram_add(&histogram, tee_perf_histogram_bucket(UINT64_MAX), UINT32_MAX);
	tee_perf_histogram_add(&histogram, tee_perf_histogram_bucket(UINT64_MAX), 5);
	tee_perf_histogram_add(&histogram, 0, 1);
	ck_assert_uint_gt(tee_perf_histogram_percentile(&histogram, 0, 0.99), UINT64_MAX / 16 * 15);
	tee_perf_histogram_clear(&histogram);
}
END_TEST

/* f has two map entries (two object files of one library); g exists in two modules; the child shares its parent's. */
START_TEST(one_function_is_one_row)
{
	model_text_expect_functions(
	    "process 0 1 - p; process 1 2 0 p; module 0 0 /bin/a; fn f x.h 1; fn g x.c 2; fn f x.h 1;"
	    "module 0 1 /lib/b; fn g x.c 2; @ 0 0; 0 call g@0 1000; 10 ret g@0 1000; 20 call g@1 1000; 30 ret g@1 1000;"
	    "40 call f@0 900; 50 ret f@0 900; @ 1 0; 60 call g 1000; 70 ret g 1000",
	    0,
	    "0x26060 of process 1 calls=1 self=10 total=10 min=10 max=10\n"
	    "[not instrumented] calls=0 self=20 total=20 min=0 max=0\n"
	    "f calls=1 self=10 total=10 min=10 max=10\n"
	    "g calls=1 self=10 total=10 min=10 max=10\n"
	    "g calls=1 self=10 total=10 min=10 max=10\n");
}
END_TEST

/* A forked child that told no modules of its own has its parent's. */
START_TEST(child_has_its_parents_modules)
{
	struct tee_perf_model *model = tee_perf_model_new();
	struct scenario_sink sink = scenario_model_sink(model);
	ck_assert_int_eq(
	    scenario_play("process 0 1 - p; process 1 2 0 p; module 0 0 /bin/a at 0x10000; fn f x.c 1; @ 0 0;"
			  "0 call f 1000; 10 ret f 1000",
			  &sink),
	    0);
	struct tee_perf_symbol symbol = tee_perf_symbol_lookup(model, 1, 0x10000, 5);
	ck_assert_str_eq(symbol.linkage_name, "f");
	ck_assert_ptr_null(tee_perf_symbol_lookup(model, 1, 0x10010, 5).linkage_name);
	ck_assert_ptr_null(tee_perf_symbol_lookup(model, 1, 0x10008, 5).linkage_name);
	ck_assert_ptr_null(tee_perf_symbol_lookup(model, 2, 0x10000, 5).linkage_name);
	tee_perf_model_free(model);
}
END_TEST

/* Strings that lie outside of the module, or do not end, are no names. */
START_TEST(module_with_wild_strings)
{
	const int32_t wild[] = { 1, -1, INT32_MAX, INT32_MIN, 16, 0x1000, 0x1003, 0x1004 };
	for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
		struct tee_perf_map_entry_words {
			int32_t name, file;
			uint32_t line, kind;
		} entry = { wild[i], wild[i], 1, 0 };
		struct tee_perf_module_info info = { .map_begin = 0x1000,
						     .strings_begin = 0x2000,
						     .path = "/x",
						     .build_id = "",
						     .map = &entry,
						     .map_size = sizeof entry,
						     .strings = i % 2 == 0 ? "abc" : "abcd",
						     .strings_size = 4,
						     .unload_ns = UINT64_MAX };
		struct tee_perf_model *model = tee_perf_model_new();
		ck_assert_int_eq(tee_perf_model_module(model, &info, NULL), 0);
		struct tee_perf_symbol symbol = tee_perf_symbol_lookup(model, 0, 0x1000, 0);
		ck_assert(symbol.linkage_name == NULL || strlen(symbol.linkage_name) < 4);
		tee_perf_model_free(model);
	}
}
END_TEST

Suite *profile_suite(void)
{
	const TTest *const tests[] = { loaded_is_as_streamed,
				       profile_goes_on_where_calls_end,
				       profile_cut_anywhere,
				       profile_with_wrong_bytes,
				       percentiles_are_close,
				       buckets_cover_every_value,
				       one_function_is_one_row,
				       child_has_its_parents_modules,
				       module_with_wild_strings,
				       threads_that_begin_when_the_model_is_full,
				       profile_is_read_when_the_model_is_full };
	Suite *suite = suite_create("profile");
	TCase *cases = tcase_create("profile");
	tcase_set_timeout(cases, 60);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		tcase_add_test(cases, tests[i]);
	suite_add_tcase(suite, cases);
	return suite;
}
