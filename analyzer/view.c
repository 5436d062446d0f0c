/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* qsort_r */
#include "analyzer/view.h"
#include "analyzer/tree.h"

#include <stdlib.h>
#include <string.h>

/* While the view is built. Rows of one group (thread, process, or all) are found by their symbol. */
struct builder {
	struct tee_perf_view *view;
	const struct tee_perf_recording *recording;
	uint32_t track;   /* number of the present one */
	uint32_t *row_of; /* by symbol, + 1; 0: none in the present group */
	uint32_t *open;   /* by symbol: frames of it on the present path of the walk */
	struct histogram_row {
		struct tee_perf_histogram durations;
		uint64_t sum_ns, timed_count;
	} * histograms; /* parallel to the rows */
	uint32_t histogram_capacity;
};

static struct tee_perf_row *find_row(struct builder *builder, uint32_t symbol)
{
	struct tee_perf_view *view = builder->view;
	uint32_t found = builder->row_of[symbol];
	if (found != 0)
		return &view->rows[found - 1];
	if (tee_perf_grow(&view->rows, view->count, &view->capacity, sizeof *view->rows) != 0 ||
	    tee_perf_grow(&builder->histograms, view->count, &builder->histogram_capacity,
			  sizeof *builder->histograms) != 0)
		return NULL;
	const struct tee_perf_track *track = builder->recording->model->tracks[builder->track];
	view->rows[view->count] = (struct tee_perf_row){
		.symbol = symbol, .process = track->process, .thread = track->thread, .min_ns = UINT64_MAX
	};
	builder->histograms[view->count] = (struct histogram_row){ 0 };
	builder->row_of[symbol] = ++view->count;
	return &view->rows[view->count - 1];
}

static int enter_node(void *argument, const struct tee_perf_tree *tree, uint32_t node, uint32_t depth)
{
	(void)depth;
	struct builder *builder = argument;
	uint32_t function = tree->track->cct.nodes[node].function;
	uint32_t symbol = tee_perf_symbols_of(builder->recording->symbols, builder->track, function);
	bool outermost = builder->open[symbol]++ == 0;
	uint64_t total = node == 0 ? tree->self_ns[0] : tree->total_ns[node]; /* of the root: only what is its own */
	uint64_t calls = tree->track->cct.nodes[node].calls;
	if (total == 0 && calls == 0)
		return 0;
	struct tee_perf_row *row = find_row(builder, symbol);
	if (row == NULL)
		return -1;
	row->calls += calls;
	row->self_ns += tree->self_ns[node];
	row->probe_ns += tree->probe_ns[node];
	if (outermost)
		row->total_ns += total;
	return 0;
}

static int leave_node(void *argument, const struct tee_perf_tree *tree, uint32_t node, uint32_t depth)
{
	(void)depth;
	struct builder *builder = argument;
	uint32_t function = tree->track->cct.nodes[node].function;
	builder->open[tee_perf_symbols_of(builder->recording->symbols, builder->track, function)]--;
	return 0;
}

static int add_durations(struct builder *builder, const struct tee_perf_cct *cct)
{
	for (uint32_t i = TEE_PERF_PSEUDO_COUNT; i < cct->function_count; i++) {
		const struct tee_perf_function *function = &cct->functions[i];
		struct tee_perf_row *row =
		    find_row(builder, tee_perf_symbols_of(builder->recording->symbols, builder->track, i));
		if (row == NULL)
			return -1;
		struct histogram_row *histogram = &builder->histograms[row - builder->view->rows];
		if (tee_perf_histogram_merge(&histogram->durations, &function->durations) != 0)
			return -1;
		histogram->sum_ns += function->sum_ns;
		histogram->timed_count += function->timed_count;
		row->min_ns = function->min_ns < row->min_ns ? function->min_ns : row->min_ns;
		row->max_ns = function->max_ns > row->max_ns ? function->max_ns : row->max_ns;
		row->unwound += function->unwound_count;
		row->unconfirmed += function->unconfirmed_count;
		row->open += function->open_count;
	}
	return 0;
}

static uint64_t clip(uint64_t value, const struct tee_perf_row *row)
{
	if (value < row->min_ns)
		return row->min_ns;
	return value > row->max_ns ? row->max_ns : value;
}

/* Calls that took no time, as the clock has it, were only counted. */
static void finish_row(struct tee_perf_row *row, const struct histogram_row *histogram)
{
	uint64_t without = histogram->timed_count + row->unconfirmed;
	uint64_t zeros = row->calls > without ? row->calls - without : 0;
	row->timed_calls = histogram->timed_count + zeros;
	if (zeros != 0 || row->min_ns == UINT64_MAX)
		row->min_ns = 0;
	if (row->timed_calls != 0)
		row->mean_ns = (double)histogram->sum_ns / (double)row->timed_calls;
	row->p50_ns = clip(tee_perf_histogram_percentile(&histogram->durations, zeros, 0.50), row);
	row->p99_ns = clip(tee_perf_histogram_percentile(&histogram->durations, zeros, 0.99), row);
}

static int add_track(struct builder *builder, const struct tee_perf_view_options *options)
{
	const struct tee_perf_track *track = builder->recording->model->tracks[builder->track];
	struct tee_perf_probe probe = tee_perf_recording_probe(builder->recording, builder->track);
	struct tee_perf_tree tree;
	if (tee_perf_tree_build(&tree, track, &probe, options->net) != 0)
		return -1;
	struct tee_perf_tree_visitor visitor = { enter_node, leave_node, builder };
	int result = tee_perf_tree_walk(&tree, &visitor);
	builder->view->thread_time_ns += tree.total_ns[0];
	tee_perf_tree_clear(&tree);
	return result != 0 ? result : add_durations(builder, &track->cct);
}

static bool same_group(const struct tee_perf_track *a, const struct tee_perf_track *b, enum tee_perf_by by)
{
	return by == TEE_PERF_BY_NOTHING || (by == TEE_PERF_BY_PROCESS && a->process == b->process);
}

struct numbered_track {
	uint32_t process, thread, number;
};

static int compare_tracks(const void *a, const void *b)
{
	const struct numbered_track *x = a, *y = b;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int add_tracks(struct builder *builder, const struct tee_perf_view_options *options)
{
	const struct tee_perf_model *model = builder->recording->model;
	uint32_t symbols = tee_perf_symbols_count(builder->recording->symbols);
	struct numbered_track *order = calloc(model->track_count + 1, sizeof *order);
	builder->row_of = calloc(symbols, sizeof *builder->row_of);
	builder->open = calloc(symbols, sizeof *builder->open);
	int result = order == NULL || builder->row_of == NULL || builder->open == NULL ? -1 : 0;
	for (uint32_t i = 0; result == 0 && i < model->track_count; i++)
		order[i] = (struct numbered_track){ model->tracks[i]->process, model->tracks[i]->thread, i };
	if (result == 0)
		qsort(order, model->track_count, sizeof *order, compare_tracks);
	for (uint32_t i = 0; result == 0 && i < model->track_count; i++) {
		if (i > 0 && !same_group(model->tracks[builder->track], model->tracks[order[i].number], options->by))
			memset(builder->row_of, 0, symbols * sizeof *builder->row_of);
		builder->track = order[i].number;
		result = add_track(builder, options);
	}
	free(order);
	return result;
}

int tee_perf_view_build(struct tee_perf_view *view, const struct tee_perf_recording *recording,
			const struct tee_perf_view_options *options, struct tee_perf_error *err)
{
	*view = (struct tee_perf_view){ 0 };
	struct builder builder = { .view = view, .recording = recording };
	int result = add_tracks(&builder, options);
	for (uint32_t i = 0; i < view->count; i++) {
		finish_row(&view->rows[i], &builder.histograms[i]);
		tee_perf_histogram_clear(&builder.histograms[i].durations);
	}
	free(builder.histograms);
	free(builder.row_of);
	free(builder.open);
	if (result == 0)
		return 0;
	tee_perf_view_clear(view);
	return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the rows of the report");
}

void tee_perf_view_clear(struct tee_perf_view *view)
{
	free(view->rows);
	*view = (struct tee_perf_view){ 0 };
}

struct order {
	const struct tee_perf_symbols *symbols;
	enum tee_perf_sort sort;
};

static int by_number(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int by_key(const struct tee_perf_row *a, const struct tee_perf_row *b, enum tee_perf_sort sort)
{
	switch (sort) {
	case TEE_PERF_SORT_SELF:
		return by_number(a->self_ns, b->self_ns);
	case TEE_PERF_SORT_TOTAL:
		return by_number(a->total_ns, b->total_ns);
	case TEE_PERF_SORT_CALLS:
		return by_number(a->calls, b->calls);
	case TEE_PERF_SORT_NAME:
		break;
	}
	return 0;
}

static int compare_rows(const void *a, const void *b, void *argument)
{
	const struct tee_perf_row *x = a, *y = b;
	const struct order *order = argument;
	int result = by_key(x, y, order->sort);
	if (result == 0) {
		const struct tee_perf_symbol *p = tee_perf_symbols_at(order->symbols, x->symbol);
		const struct tee_perf_symbol *q = tee_perf_symbols_at(order->symbols, y->symbol);
		result = strcmp(p->name, q->name);
		if (result == 0)
			result = strcmp(p->module, q->module);
		if (result == 0)
			result = strcmp(p->file, q->file);
		if (result == 0)
			result = p->line < q->line ? -1 : p->line > q->line;
	}
	return result != 0 ? result : (x->symbol < y->symbol ? -1 : x->symbol > y->symbol);
}

/* The rows of one group stand together: they were made so. */
void tee_perf_view_sort(struct tee_perf_view *view, const struct tee_perf_recording *recording, enum tee_perf_sort sort,
			enum tee_perf_by by)
{
	struct order order = { recording->symbols, sort };
	for (uint32_t begin = 0; begin < view->count;) {
		uint32_t end = begin + 1;
		while (end < view->count &&
		       (by == TEE_PERF_BY_NOTHING ||
			(view->rows[end].process == view->rows[begin].process &&
			 (by == TEE_PERF_BY_PROCESS || view->rows[end].thread == view->rows[begin].thread))))
			end++;
		qsort_r(view->rows + begin, end - begin, sizeof *view->rows, compare_rows, &order);
		begin = end;
	}
}
