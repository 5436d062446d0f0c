/* SPDX-License-Identifier: MIT */
#include "tests/analyzer/model_text.h"
#include "analyzer/tree.h"
#include "analyzer/view.h"
#include "tests/analyzer/scenario.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tee_perf_recording *model_text_wrap(struct tee_perf_model *model)
{
	struct tee_perf_recording *recording = calloc(1, sizeof *recording);
	struct tee_perf_error err = { 0 };
	ck_assert_ptr_nonnull(recording);
	ck_assert_int_eq(tee_perf_model_settle(model, &err), 0);
	recording->model = model;
	recording->start = json_object();
	recording->end = json_object();
	recording->symbols = tee_perf_symbols_new(model, &err);
	ck_assert_ptr_nonnull(recording->symbols);
	return recording;
}

static struct tee_perf_model *play(const char *scenario, uint64_t end_ns)
{
	struct tee_perf_model *model = tee_perf_model_new();
	struct scenario_sink sink = scenario_model_sink(model);
	ck_assert_int_eq(scenario_play(scenario, &sink), 0);
	ck_assert_int_eq(tee_perf_model_finish(model, end_ns, NULL), 0);
	return model;
}

struct tee_perf_recording *model_text_play(const char *scenario, uint64_t end_ns)
{
	return model_text_wrap(play(scenario, end_ns));
}

struct tee_perf_recording *model_text_play_profile(const char *scenario, uint64_t end_ns)
{
	struct tee_perf_bytes bytes = { 0 };
	struct tee_perf_error err = { 0 };
	struct tee_perf_model *model = play(scenario, end_ns), *loaded = tee_perf_model_new();
	ck_assert_int_eq(tee_perf_model_serialize(model, &bytes, &err), 0);
	int result = tee_perf_model_load(loaded, bytes.data, bytes.size, &err);
	ck_assert_msg(result == 0, "%s", err.message);
	for (uint32_t i = 0; i < model->module_count; i++) { /* facts have sections of their own */
		const struct tee_perf_module *module = &model->modules[i];
		struct tee_perf_module_info info = { .process = module->process,
						     .module = module->number,
						     .map_begin = module->map_begin,
						     .strings_begin = module->strings_begin,
						     .load_ns = module->load_ns,
						     .unload_ns = module->unload_ns,
						     .path = module->path,
						     .build_id = module->build_id,
						     .map = module->map,
						     .map_size = module->map_size,
						     .strings = module->strings,
						     .strings_size = module->strings_size };
		ck_assert_int_eq(tee_perf_model_module(loaded, &info, &err), 0);
	}
	ck_assert_int_eq(tee_perf_model_finish(loaded, end_ns, &err), 0);
	tee_perf_model_free(model);
	free(bytes.data);
	return model_text_wrap(loaded);
}

void model_text_free(struct tee_perf_recording *recording)
{
	tee_perf_symbols_free(recording->symbols);
	tee_perf_model_free(recording->model);
	json_decref(recording->start);
	json_decref(recording->end);
	free(recording);
}

struct text {
	FILE *out;
	const struct tee_perf_recording *recording;
	uint32_t track;
};

static int print_node(void *argument, const struct tee_perf_tree *tree, uint32_t node, uint32_t depth)
{
	struct text *text = argument;
	const struct tee_perf_node *info = &tree->track->cct.nodes[node];
	uint32_t symbol = tee_perf_symbols_of(text->recording->symbols, text->track, info->function);
	if (tree->total_ns[node] == 0 && info->calls == 0)
		return 0;
	fprintf(text->out, "%*s%s %" PRIu64 " %" PRIu64 "\n", (int)depth * 2, "",
		tee_perf_symbols_at(text->recording->symbols, symbol)->name, info->calls, tree->self_ns[node]);
	return 0;
}

char *model_text_tree(const struct tee_perf_recording *recording)
{
	char *result = NULL;
	size_t size;
	struct text text = { open_memstream(&result, &size), recording, 0 };
	struct tee_perf_tree_visitor visitor = { .enter = print_node, .argument = &text };
	for (; text.track < recording->model->track_count; text.track++) {
		const struct tee_perf_track *track = recording->model->tracks[text.track];
		struct tee_perf_tree tree;
		if (text.track > 0)
			fprintf(text.out, "-- %u %u\n", track->process, track->thread);
		ck_assert_int_eq(tee_perf_tree_build(&tree, track, NULL, false), 0);
		ck_assert_int_eq(tee_perf_tree_walk(&tree, &visitor), 0);
		tee_perf_tree_clear(&tree);
	}
	fclose(text.out);
	return result;
}

char *model_text_functions(const struct tee_perf_recording *recording)
{
	char *result = NULL;
	size_t size;
	FILE *out = open_memstream(&result, &size);
	struct tee_perf_view view;
	struct tee_perf_view_options options = { .by = TEE_PERF_BY_NOTHING };
	ck_assert_int_eq(tee_perf_view_build(&view, recording, &options, NULL), 0);
	tee_perf_view_sort(&view, recording, TEE_PERF_SORT_NAME, TEE_PERF_BY_NOTHING);
	for (uint32_t i = 0; i < view.count; i++) {
		const struct tee_perf_row *row = &view.rows[i];
		fprintf(out, "%s calls=%" PRIu64 " self=%" PRIu64 " total=%" PRIu64 " min=%" PRIu64 " max=%" PRIu64,
			tee_perf_symbols_at(recording->symbols, row->symbol)->name, row->calls, row->self_ns,
			row->total_ns, row->min_ns, row->max_ns);
		if (row->unwound != 0)
			fprintf(out, " unwound=%" PRIu64, row->unwound);
		if (row->unconfirmed != 0)
			fprintf(out, " unconfirmed=%" PRIu64, row->unconfirmed);
		if (row->open != 0)
			fprintf(out, " open=%" PRIu64, row->open);
		fputc('\n', out);
	}
	tee_perf_view_clear(&view);
	fclose(out);
	return result;
}

static void expect(struct tee_perf_recording *recording, char *(*print)(const struct tee_perf_recording *),
		   const char *expected, const char *how)
{
	char *text = print(recording);
	ck_assert_msg(strcmp(text, expected) == 0, "%s:\n%swanted:\n%s", how, text, expected);
	free(text);
	model_text_free(recording);
}

void model_text_expect_tree(const char *scenario, uint64_t end_ns, const char *expected)
{
	expect(model_text_play(scenario, end_ns), model_text_tree, expected, "the tree");
	expect(model_text_play_profile(scenario, end_ns), model_text_tree, expected, "the tree of the profile");
}

void model_text_expect_functions(const char *scenario, uint64_t end_ns, const char *expected)
{
	expect(model_text_play(scenario, end_ns), model_text_functions, expected, "the functions");
	expect(model_text_play_profile(scenario, end_ns), model_text_functions, expected, "the profile's functions");
}
