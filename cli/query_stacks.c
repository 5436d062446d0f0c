/* SPDX-License-Identifier: MIT */
/* The table `stacks`: the nodes of all threads' trees, numbered through. */
#include "analyzer/model_internal.h"
#include "cli/query_tables.h"

#include <stdlib.h>
#include <string.h>

int tee_perf_query_prepare_stacks(struct tee_perf_query_source *source, struct tee_perf_error *err)
{
	const struct tee_perf_model *model = source->recording->model;
	if (source->has_trees)
		return 0;
	source->trees = calloc(model->track_count + 1, sizeof *source->trees);
	source->first_stack = calloc(model->track_count + 1, sizeof *source->first_stack);
	bool failed = source->trees == NULL || source->first_stack == NULL;
	for (uint32_t i = 0; i < model->track_count && !failed; i++) {
		failed = tee_perf_tree_build(&source->trees[i], model->tracks[i], NULL, false) != 0;
		source->first_stack[i + 1] = source->first_stack[i] + source->trees[i].count;
	}
	if (failed)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the stacks");
	source->has_trees = true;
	return 0;
}

uint64_t tee_perf_query_count_stacks(const struct tee_perf_query_source *source)
{
	return source->first_stack[source->recording->model->track_count];
}

static uint32_t track_of_stack(const struct tee_perf_query_source *source, uint64_t stack)
{
	uint32_t begin = 0, end = source->recording->model->track_count;
	while (end - begin > 1) {
		uint32_t middle = begin + (end - begin) / 2;
		if (source->first_stack[middle] <= stack)
			begin = middle;
		else
			end = middle;
	}
	return begin;
}

/* Nodes that were made but never entered. */
bool tee_perf_query_hides_stack(const struct tee_perf_query_source *source, uint64_t number)
{
	uint32_t track = track_of_stack(source, number);
	uint64_t node = number - source->first_stack[track];
	return node != 0 && source->trees[track].total_ns[node] == 0 &&
	       source->recording->model->tracks[track]->cct.nodes[node].calls == 0;
}

#define PATH_NAMES_MAX 200u /* innermost frames that a path names */

/* "main;f;g", without the thread's root. */
static void put_path(const struct tee_perf_query_source *source, uint32_t track, uint32_t node, sqlite3_context *out)
{
	const struct tee_perf_cct *cct = &source->recording->model->tracks[track]->cct;
	const char *names[PATH_NAMES_MAX];
	unsigned count = 0;
	size_t size = 8;
	for (; node != 0 && count < PATH_NAMES_MAX; node = cct->parents[node]) {
		uint32_t symbol = tee_perf_symbols_of(source->recording->symbols, track, cct->nodes[node].function);
		names[count] = tee_perf_symbols_at(source->recording->symbols, symbol)->name;
		size += strlen(names[count++]) + 1;
	}
	char *text = malloc(size), *end = text;
	if (text == NULL) {
		sqlite3_result_error_nomem(out);
		return;
	}
	*end = 0;
	if (node != 0)
		end = stpcpy(end, "...;");
	while (count > 0) {
		end = stpcpy(end, names[--count]);
		if (count > 0)
			end = stpcpy(end, ";");
	}
	tee_perf_query_text(out, text);
	free(text);
}

void tee_perf_query_value_stack(const struct tee_perf_query_source *source, uint64_t number, int column,
				sqlite3_context *out)
{
	uint32_t track_number = track_of_stack(source, number);
	const struct tee_perf_track *track = source->recording->model->tracks[track_number];
	const struct tee_perf_tree *tree = &source->trees[track_number];
	uint64_t first = source->first_stack[track_number];
	uint32_t node = (uint32_t)(number - first);
	uint32_t symbol =
	    tee_perf_symbols_of(source->recording->symbols, track_number, track->cct.nodes[node].function);
	const uint64_t numbers[] = {
		number, first + track->cct.parents[node], track->process,      track->thread,       0, symbol,
		0,      track->cct.nodes[node].calls,     tree->self_ns[node], tree->total_ns[node]
	};
	switch (column) {
	case 1:
		tee_perf_query_null_unless(node != 0, numbers[1], out);
		break;
	case 4:
		tee_perf_query_integer(out, tree->depth[node]);
		break;
	case 6:
		tee_perf_query_name(source, symbol, out);
		break;
	case 10:
		put_path(source, track_number, node, out);
		break;
	default:
		tee_perf_query_integer(out, numbers[column]);
	}
}
