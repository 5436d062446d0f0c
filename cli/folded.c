/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* qsort_r */
#include "cli/folded.h"
#include "analyzer/tree.h"
#include "cli/input.h"
#include "cli/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 4096u

/* Stacks of all threads with the same names are one: a node per distinct stack. Node 0 is above all stacks. */
struct merged_node {
	uint32_t parent, name;
	uint64_t value;
	uint32_t first_child, child_count; /* into `order`, once sorted */
};

struct folded {
	const struct tee_perf_recording *recording;
	const struct tee_perf_folded_options *options;
	uint32_t track;

	char **names; /* sorted; a name's number is its rank */
	uint32_t name_count;
	uint32_t *name_of_symbol, *name_of_track;
	uint32_t deeper;

	struct merged_node *nodes;
	uint32_t count, capacity;
	uint32_t *slots; /* node + 1 by (parent, name) */
	uint32_t mask;
	uint32_t *order; /* nodes by parent, then name */

	uint32_t path[DEPTH_MAX + 2]; /* while adding: node by depth */
};

/* ---- names */

static void clean_name(char *name)
{
	for (; *name != 0; name++)
		if (*name == ';')
			*name = ',';
		else if ((unsigned char)*name < 0x20 || *name == 0x7f)
			*name = '_';
}

static char *symbol_name(const struct folded *folded, uint32_t symbol)
{
	const struct tee_perf_symbol *info = tee_perf_symbols_at(folded->recording->symbols, symbol);
	char *name = tee_perf_text_utf8(folded->options->mangled ? info->linkage_name : info->name);
	if (name != NULL)
		clean_name(name);
	return name;
}

static char *track_name(const struct folded *folded, uint32_t number)
{
	const struct tee_perf_track *track = folded->recording->model->tracks[number];
	const char *thread;
	uint32_t tid = tee_perf_input_tid(folded->recording, track->process, track->thread, &thread);
	char text[160];
	snprintf(text, sizeof text, "%.100s%sthread %u of process %u", thread, thread[0] != 0 ? ", " : "", tid,
		 tee_perf_input_pid(folded->recording, track->process));
	char *name = tee_perf_text_utf8(text);
	if (name != NULL)
		clean_name(name);
	return name;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static uint32_t rank(const struct folded *folded, const char *name)
{
	char *const *found = bsearch(&name, folded->names, folded->name_count, sizeof *folded->names, compare_names);
	return (uint32_t)(found - folded->names);
}

/* Every name once, in order, and the rank of each symbol and thread. */
static int make_names(struct folded *folded)
{
	uint32_t symbols = tee_perf_symbols_count(folded->recording->symbols);
	uint32_t tracks = folded->recording->model->track_count, total = symbols + tracks + 1, kept = 0;
	char **all = calloc(total, sizeof *all);
	folded->names = calloc(total, sizeof *folded->names);
	folded->name_of_symbol = calloc(symbols, sizeof *folded->name_of_symbol);
	folded->name_of_track = calloc(tracks + 1, sizeof *folded->name_of_track);
	bool failed =
	    all == NULL || folded->names == NULL || folded->name_of_symbol == NULL || folded->name_of_track == NULL;
	for (uint32_t i = 0; i < total && !failed; i++) {
		all[i] = i < symbols            ? symbol_name(folded, i)
			 : i < symbols + tracks ? track_name(folded, i - symbols)
						: strdup("[deeper]");
		failed = all[i] == NULL;
	}
	if (!failed) {
		memcpy(folded->names, all, total * sizeof *all);
		qsort(folded->names, total, sizeof *folded->names, compare_names);
		for (uint32_t i = 0; i < total; i++)
			if (kept == 0 || strcmp(folded->names[kept - 1], folded->names[i]) != 0)
				folded->names[kept++] = folded->names[i];
		folded->name_count = kept;
		for (uint32_t i = 0; i < kept; i++)
			failed |= (folded->names[i] = strdup(folded->names[i])) == NULL;
	}
	for (uint32_t i = 0; i < total && !failed; i++) {
		uint32_t place = rank(folded, all[i]);
		if (i < symbols)
			folded->name_of_symbol[i] = place;
		else if (i < symbols + tracks)
			folded->name_of_track[i - symbols] = place;
		else
			folded->deeper = place;
	}
	for (uint32_t i = 0; all != NULL && i < total; i++)
		free(all[i]);
	free(all);
	return failed ? -1 : 0;
}

/* ---- the merged tree */

static uint32_t *find_slot(const struct folded *folded, uint32_t parent, uint32_t name)
{
	uint64_t key = (uint64_t)parent << 32 | name;
	uint32_t place = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & folded->mask;
	for (; folded->slots[place] != 0; place = (place + 1) & folded->mask) {
		const struct merged_node *node = &folded->nodes[folded->slots[place] - 1];
		if (node->parent == parent && node->name == name)
			break;
	}
	return &folded->slots[place];
}

static int grow(struct folded *folded)
{
	if (tee_perf_grow(&folded->nodes, folded->count, &folded->capacity, sizeof *folded->nodes) != 0)
		return -1;
	if (folded->slots != NULL && folded->mask + 1 >= folded->capacity * 2)
		return 0;
	uint32_t *slots = calloc((size_t)folded->capacity * 2, sizeof *slots);
	if (slots == NULL)
		return -1;
	free(folded->slots);
	folded->slots = slots;
	folded->mask = folded->capacity * 2 - 1;
	for (uint32_t i = 1; i < folded->count; i++)
		*find_slot(folded, folded->nodes[i].parent, folded->nodes[i].name) = i + 1;
	return 0;
}

/* Finds or creates the child; UINT32_MAX: out of memory. */
static uint32_t child(struct folded *folded, uint32_t parent, uint32_t name)
{
	uint32_t found = *find_slot(folded, parent, name);
	if (found != 0)
		return found - 1;
	if (grow(folded) != 0)
		return UINT32_MAX;
	folded->nodes[folded->count] = (struct merged_node){ .parent = parent, .name = name };
	*find_slot(folded, parent, name) = ++folded->count;
	return folded->count - 1;
}

static int enter_node(void *argument, const struct tee_perf_tree *tree, uint32_t node, uint32_t depth)
{
	struct folded *folded = argument;
	const struct tee_perf_node *info = &tree->track->cct.nodes[node];
	uint64_t value = folded->options->calls ? info->calls : tree->self_ns[node];
	uint32_t symbol = tee_perf_symbols_of(folded->recording->symbols, folded->track, info->function);
	if (depth > DEPTH_MAX + 1)
		depth = DEPTH_MAX + 1;
	uint32_t parent = depth == 0 ? 0 : folded->path[depth - 1], place = parent;
	bool is_root = node == 0;
	if (is_root && folded->options->by_thread)
		place = child(folded, 0, folded->name_of_track[folded->track]);
	else if (depth == DEPTH_MAX + 1)
		place = child(folded, parent, folded->deeper);
	else if (!is_root && (value != 0 || tree->first_child[node] != 0))
		place = child(folded, parent, folded->name_of_symbol[symbol]);
	if (place == UINT32_MAX)
		return -1;
	folded->path[depth] = place;
	if (is_root && value != 0) { /* time outside of all functions is a stack of its own */
		place = child(folded, place, folded->name_of_symbol[symbol]);
		if (place == UINT32_MAX)
			return -1;
	}
	folded->nodes[place].value += value;
	return 0;
}

static int add_tracks(struct folded *folded)
{
	const struct tee_perf_model *model = folded->recording->model;
	struct tee_perf_tree_visitor visitor = { .enter = enter_node, .argument = folded };
	if (grow(folded) != 0)
		return -1;
	folded->nodes[folded->count++] = (struct merged_node){ 0 };
	int result = 0;
	for (folded->track = 0; folded->track < model->track_count && result == 0; folded->track++) {
		struct tee_perf_tree tree;
		result = tee_perf_tree_build(&tree, model->tracks[folded->track], NULL, false);
		if (result == 0)
			result = tee_perf_tree_walk(&tree, &visitor);
		tee_perf_tree_clear(&tree);
	}
	return result;
}

/* ---- lines */

static int compare_nodes(const void *a, const void *b, void *argument)
{
	const struct merged_node *nodes = argument;
	const struct merged_node *x = &nodes[*(const uint32_t *)a], *y = &nodes[*(const uint32_t *)b];
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static int sort_children(struct folded *folded)
{
	uint32_t count = folded->count - 1;
	folded->order = malloc((count + 1) * sizeof *folded->order);
	if (folded->order == NULL)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		folded->order[i] = i + 1;
	qsort_r(folded->order, count, sizeof *folded->order, compare_nodes, folded->nodes);
	for (uint32_t i = count; i-- > 0;) {
		struct merged_node *parent = &folded->nodes[folded->nodes[folded->order[i]].parent];
		parent->first_child = i;
		parent->child_count++;
	}
	return 0;
}

/* The frames of the node that is being printed. */
struct line {
	char *text;
	size_t length, capacity;
};

static int append(struct line *line, const char *name)
{
	size_t size = strlen(name) + 2;
	if (line->capacity - line->length < size) {
		size_t capacity = line->capacity * 2 + size;
		char *text = realloc(line->text, capacity);
		if (text == NULL)
			return -1;
		line->text = text;
		line->capacity = capacity;
	}
	if (line->length > 0)
		line->text[line->length++] = ';';
	strcpy(line->text + line->length, name);
	line->length += size - 2;
	return 0;
}

/* Depth first; `next` and `length` are by depth: the child to go to, and where the parent's text ends. */
static int print_lines(const struct folded *folded, FILE *out)
{
	struct line line = { 0 };
	uint32_t next[DEPTH_MAX + 4] = { 0 }, node[DEPTH_MAX + 4] = { 0 }, depth = 0;
	size_t length[DEPTH_MAX + 4] = { 0 };
	int result = 0;
	while (result == 0) {
		const struct merged_node *here = &folded->nodes[node[depth]];
		if (next[depth] == here->child_count) {
			if (depth == 0)
				break;
			line.length = length[depth--];
			continue;
		}
		uint32_t to = folded->order[here->first_child + next[depth]++];
		length[depth + 1] = line.length;
		result = append(&line, folded->names[folded->nodes[to].name]);
		if (result == 0 && folded->nodes[to].value != 0)
			fprintf(out, "%s %" PRIu64 "\n", line.text, folded->nodes[to].value);
		node[++depth] = to;
		next[depth] = 0;
	}
	free(line.text);
	return result;
}

int tee_perf_folded_write(const struct tee_perf_recording *recording, const struct tee_perf_folded_options *options,
			  FILE *out, struct tee_perf_error *err)
{
	struct folded *folded = calloc(1, sizeof *folded);
	int result = -1;
	if (folded != NULL) {
		folded->recording = recording;
		folded->options = options;
		if (make_names(folded) == 0 && add_tracks(folded) == 0 && sort_children(folded) == 0)
			result = print_lines(folded, out);
		for (uint32_t i = 0; i < folded->name_count; i++)
			free(folded->names[i]);
		free(folded->names);
		free(folded->name_of_symbol);
		free(folded->name_of_track);
		free(folded->nodes);
		free(folded->slots);
		free(folded->order);
		free(folded);
	}
	return result == 0 ? 0 : tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the folded stacks");
}
