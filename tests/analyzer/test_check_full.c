/* SPDX-License-Identifier: MIT */
/* `info --check` of a model that has no room for all stacks: of single calls it finds what it finds with room. */
#include "cli/check.h"
#include "tests/analyzer/model_text.h"
#include "tests/analyzer/scenario.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define END_NS     1000
#define ROOM_TRIED 12 /* nodes: from none to more than any of the scenarios needs */
#define FULL       "the model was full"

#define PROGRAM "module 0 0 /bin/prog; fn main a.c 1; fn f a.c 2; fn g a.c 3; @ 0 0; 0 stack 0x1000 0x10000;"

static const char *const scenarios[] = {
	PROGRAM "1 call main 9000; 2 call f 8000; 3 ret f 8000; 4 call g 8000; 5 ret g 8000; 6 ret main 9000; 7 done",
	/* returns without a call, open at the thread's end */
	PROGRAM "1 call main 9000; 2 call f 8000; 3 ret g 8000; 4 ret f 8000; 5 call g 8000; 6 call f 7000; 7 done",
	/* open when the process ended, and when nothing said how the thread did */
	PROGRAM "1 call main 9000; 2 call f 8000; 3 exited; @ 0 1; 1 call main 9000; 2 call g 8000; 3 call f 7000",
	/* times that go back, lost records, a return that the loss hides, an exception */
	PROGRAM "1 call main 9000; 20 call f 8000; 10 call g 7000; 30 lost 4; 40 ret f 8000; 50 call f 8000;"
		"60 call g 7000; 70 call f 6000; 80 ret f 8000; 90 ret main 9000; 95 done",
	/* functions that no module has, a pause, a stack that nobody announced */
	PROGRAM "1 call main 9000; 2 call nobody 8000; 3 call f 7000; 4 off; 5 on; 6 ret f 7000; 7 ret nobody 8000;"
		"8 call g 0x40000000; 9 call f 0x3fffff00; 10 ret f 0x3fffff00; 11 ret g 0x40000000; 12 ret main 9000;"
		"13 done",
};

static struct tee_perf_recording *play(const char *scenario, uint32_t room)
{
	struct tee_perf_model *model = tee_perf_model_new();
	struct scenario_sink sink = scenario_model_sink(model);
	model->node_count = TEE_PERF_NODES_MAX - room;
	ck_assert_int_eq(scenario_play(scenario, &sink), 0);
	ck_assert_int_eq(tee_perf_model_finish(model, END_NS, NULL), 0);
	struct tee_perf_recording *recording = model_text_wrap(model);
	recording->has_end = recording->has_calls = true;
	return recording;
}

static json_t *check(const struct tee_perf_recording *recording)
{
	char *text = NULL;
	size_t size = 0;
	uint32_t faults = 0;
	FILE *out = open_memstream(&text, &size);
	ck_assert_int_eq(tee_perf_check_print(recording, TEE_PERF_FORMAT_JSON, out, &faults, NULL), 0);
	fclose(out);
	json_t *answer = json_loads(text, 0, NULL);
	ck_assert_msg(answer != NULL, "%s", text);
	ck_assert_uint_eq((uint32_t)json_integer_value(json_object_get(answer, "faults")), faults);
	free(text);
	return answer;
}

/* Takes the finding that says so out of the answer, and what may differ: a stack's function may have no name. NULL: it
 * is not there. */
static json_t *take_full(json_t *answer)
{
	json_t *findings = json_object_get(answer, "findings"), *one, *full = NULL;
	size_t index;
	json_array_foreach(findings, index, one)
	{
		if (strcmp(json_string_value(json_object_get(one, "what")), FULL) != 0) {
			json_object_del(one, "where");
			continue;
		}
		ck_assert_ptr_null(full);
		full = json_incref(one);
	}
	for (index = json_array_size(findings); index-- > 0;)
		if (json_array_get(findings, index) == full)
			json_array_remove(findings, index);
	return full;
}

static const char *level(const json_t *finding)
{
	return json_string_value(json_object_get(finding, "level"));
}

START_TEST(all_is_found_with_any_room)
{
	struct tee_perf_recording *roomy = play(scenarios[_i], 1000);
	json_t *wanted = check(roomy);
	ck_assert_ptr_null(take_full(wanted));
	for (uint32_t room = 0; room < ROOM_TRIED; room++) {
		struct tee_perf_recording *recording = play(scenarios[_i], room);
		json_t *answer = check(recording), *full = take_full(answer);
		if (room == 0)
			ck_assert_ptr_nonnull(full);
		if (full != NULL) {
			ck_assert_str_eq(level(full), "note");
			json_object_set_new(answer, "notes",
					    json_integer(json_integer_value(json_object_get(answer, "notes")) - 1));
		}
		if (!json_equal(wanted, answer)) {
			char *a = json_dumps(wanted, JSON_INDENT(1)), *b = json_dumps(answer, JSON_INDENT(1));
			ck_abort_msg("scenario %d with room for %u nodes: wanted\n%s\nfound\n%s", _i, room, a, b);
		}
		json_decref(full);
		json_decref(answer);
		model_text_free(recording);
	}
	json_decref(wanted);
	model_text_free(roomy);
}
END_TEST

/* It says how many calls have no stack of their own. */
START_TEST(calls_without_room_are_counted)
{
	struct tee_perf_recording *recording = play(scenarios[0], 0);
	json_t *answer = check(recording), *full = take_full(answer);
	ck_assert_int_eq(json_integer_value(json_object_get(full, "count")), 3);
	ck_assert(json_is_true(json_object_get(answer, "balanced")));
	json_decref(full);
	json_decref(answer);
	model_text_free(recording);
}
END_TEST

static void expect_fault(const struct tee_perf_recording *recording)
{
	json_t *answer = check(recording), *full = take_full(answer);
	ck_assert_ptr_nonnull(full);
	ck_assert_str_eq(level(full), "fault");
	ck_assert(json_is_false(json_object_get(answer, "balanced")));
	json_decref(full);
	json_decref(answer);
}

START_TEST(a_profile_has_lost_them)
{
	struct tee_perf_recording *recorder = play(scenarios[0], 0);
	struct tee_perf_bytes bytes = { 0 };
	struct tee_perf_model *model = tee_perf_model_new();
	ck_assert_int_eq(tee_perf_model_serialize(recorder->model, &bytes, NULL), 0);
	ck_assert_int_eq(tee_perf_model_load(model, bytes.data, bytes.size, NULL), 0);
	ck_assert_int_eq(tee_perf_model_finish(model, END_NS, NULL), 0);
	struct tee_perf_recording *recording = model_text_wrap(model);
	recording->has_end = recording->has_profile = true;
	expect_fault(recording);
	free(bytes.data);
	model_text_free(recording);
	model_text_free(recorder);
}
END_TEST

/* Nobody can say then whether a module has them. */
START_TEST(functions_without_room_are_a_fault)
{
	struct tee_perf_recording *recording = play(scenarios[0], 1000);
	struct tee_perf_cct *cct = &recording->model->tracks[0]->cct;
	cct->function_capacity = cct->function_count = TEE_PERF_FUNCTIONS_MAX; /* as if it held that many */
	ck_assert_uint_eq(tee_perf_cct_stale_function(cct, 0x4000, 0), TEE_PERF_PSEUDO_MEMORY);
	cct->function_count = TEE_PERF_PSEUDO_COUNT + 3;
	expect_fault(recording);
	model_text_free(recording);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("check of a full model");
	TCase *cases = tcase_create("check");
	tcase_add_loop_test(cases, all_is_found_with_any_room, 0, sizeof scenarios / sizeof *scenarios);
	tcase_add_test(cases, calls_without_room_are_counted);
	tcase_add_test(cases, a_profile_has_lost_them);
	tcase_add_test(cases, functions_without_room_are_a_fault);
	suite_add_tcase(suite, cases);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
