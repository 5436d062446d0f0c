/* SPDX-License-Identifier: MIT */
#include "analyzer/tree.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/text.h"
#include "flamegraph/flamegraph.h"
#include "util/duration.h"

#include <stdlib.h>
#include <string.h>

struct flame_options {
	const char *input, *output, *title;
	double min_width;
	int by, count;
	bool icicle, reverse, mangled;
};

static const char *const groups[] = { "thread", NULL };
static const char *const units[] = { "time", "calls", NULL };

static const struct tee_perf_option options[] = {
	{ "input", 'i', TEE_PERF_OPTION_STRING, offsetof(struct flame_options, input), "FILE",
	  "the recording (default " TEE_PERF_DEFAULT_INPUT ")" },
	{ "output", 'o', TEE_PERF_OPTION_STRING, offsetof(struct flame_options, output), "FILE",
	  "the picture (default flamegraph.svg; - for standard output)" },
	{ "title", 0, TEE_PERF_OPTION_STRING, offsetof(struct flame_options, title), "TEXT", "what stands above it" },
	{ "min-width", 0, TEE_PERF_OPTION_REAL, offsetof(struct flame_options, min_width), "PX",
	  "hide frames that are narrower (default 0.1)" },
	{ "by", 0, TEE_PERF_OPTION_CHOICE, offsetof(struct flame_options, by), NULL, "a tower per thread", groups },
	{ "icicle", 0, TEE_PERF_OPTION_FLAG, offsetof(struct flame_options, icicle), NULL, "the root on top" },
	{ "reverse", 0, TEE_PERF_OPTION_FLAG, offsetof(struct flame_options, reverse), NULL,
	  "merged from the called functions to their callers" },
	{ "count", 0, TEE_PERF_OPTION_CHOICE, offsetof(struct flame_options, count), NULL,
	  "what the width means (default time)", units },
	{ "mangled", 0, TEE_PERF_OPTION_FLAG, offsetof(struct flame_options, mangled), NULL,
	  "names as the linker has them" },
};

static const struct tee_perf_usage usage = {
	.command = "flamegraph",
	.synopsis = "[options]",
	.summary =
	    "Draws a recording as an interactive SVG: each frame as wide as the time spent in it and what it calls.",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.notes = "Open the file in a browser: click to zoom, Ctrl-F or / to search.",
};

/* While one track's tree goes into the picture. */
struct builder {
	const struct tee_perf_recording *recording;
	const struct flame_options *options;
	struct tee_perf_flame *flame;
	uint32_t track;
	tee_perf_flame_node *path; /* by depth */
	uint32_t path_capacity;
	tee_perf_flame_node base; /* what the thread's frames stand on */
};

static tee_perf_flame_node symbol_frame(const struct builder *builder, tee_perf_flame_node parent, uint32_t function)
{
	uint32_t number = tee_perf_symbols_of(builder->recording->symbols, builder->track, function);
	const struct tee_perf_symbol *symbol = tee_perf_symbols_at(builder->recording->symbols, number);
	return tee_perf_flame_child(builder->flame, parent,
				    builder->options->mangled ? symbol->linkage_name : symbol->name, symbol->module,
				    symbol->file, symbol->line);
}

static int enter_node(void *argument, const struct tee_perf_tree *tree, uint32_t node, uint32_t depth)
{
	struct builder *builder = argument;
	const struct tee_perf_node *info = &tree->track->cct.nodes[node];
	if (tee_perf_grow(&builder->path, depth, &builder->path_capacity, sizeof *builder->path) != 0)
		return -1;
	tee_perf_flame_node parent = depth == 0 ? builder->base : builder->path[depth - 1], frame = parent;
	bool never_entered = tree->total_ns[node] == 0 && info->calls == 0 && tree->first_child[node] == 0;
	if (node != 0 && !never_entered)
		frame = symbol_frame(builder, parent, info->function);
	builder->path[depth] = frame;
	if (node == 0 && tree->self_ns[0] != 0) /* time outside of all functions is no blank space */
		frame = symbol_frame(builder, parent, info->function);
	tee_perf_flame_add(builder->flame, frame, tree->self_ns[node], info->calls);
	return builder->path[depth] == TEE_PERF_FLAME_NONE ? -1 : 0;
}

static tee_perf_flame_node thread_frame(const struct builder *builder, const struct tee_perf_track *track)
{
	char text[160];
	const char *name;
	uint32_t pid = tee_perf_input_pid(builder->recording, track->process);
	uint32_t tid = tee_perf_input_tid(builder->recording, track->process, track->thread, &name);
	snprintf(text, sizeof text, "%.100s%sthread %u of process %u", name, name[0] != 0 ? ", " : "", tid, pid);
	return tee_perf_flame_child(builder->flame, TEE_PERF_FLAME_ROOT, text, "", "", 0);
}

static int add_tracks(struct builder *builder)
{
	const struct tee_perf_model *model = builder->recording->model;
	struct tee_perf_tree_visitor visitor = { .enter = enter_node, .argument = builder };
	int result = 0;
	for (builder->track = 0; builder->track < model->track_count && result == 0; builder->track++) {
		const struct tee_perf_track *track = model->tracks[builder->track];
		struct tee_perf_tree tree;
		builder->base = builder->options->by == 0 ? thread_frame(builder, track) : TEE_PERF_FLAME_ROOT;
		if (builder->base == TEE_PERF_FLAME_NONE || tee_perf_tree_build(&tree, track, NULL, false) != 0)
			return -1;
		result = tee_perf_tree_walk(&tree, &visitor);
		tee_perf_tree_clear(&tree);
	}
	return result;
}

static void describe(char *out, size_t size, const struct tee_perf_summary *summary, bool damaged)
{
	char a[TEE_PERF_TEXT], b[TEE_PERF_TEXT], c[TEE_PERF_TEXT];
	int used = snprintf(out, size, "%u thread%s", summary->threads, summary->threads == 1 ? "" : "s");
	if (summary->processes > 1)
		used += snprintf(out + used, size - (size_t)used, " in %u processes", summary->processes);
	if (summary->resolution_ns != 0)
		used += snprintf(out + used, size - (size_t)used, ", resolution %s",
				 tee_perf_duration_text(a, (double)summary->resolution_ns));
	used += snprintf(out + used, size - (size_t)used, ", unresolved %s",
			 tee_perf_text_share(b, (double)summary->unresolved_ns, (double)summary->thread_time_ns));
	if (summary->lost != 0)
		used += snprintf(out + used, size - (size_t)used, ", %s records lost",
				 tee_perf_text_count(c, summary->lost));
	if (damaged || summary->truncated)
		snprintf(out + used, size - (size_t)used, ", recording %s", damaged ? "damaged" : "incomplete");
}

static int draw(const struct tee_perf_recording *recording, const struct flame_options *chosen,
		struct tee_perf_flame *flame, struct tee_perf_error *err)
{
	struct tee_perf_summary summary;
	struct tee_perf_output output;
	char subtitle[256];
	if (tee_perf_recording_summary(recording, &summary, err) != 0)
		return -1;
	describe(subtitle, sizeof subtitle, &summary, recording->damaged);
	struct tee_perf_flame_options flame_options = { .title = chosen->title != NULL     ? chosen->title
								 : summary.command[0] != 0 ? summary.command
											   : NULL,
							.subtitle = subtitle,
							.min_width_px = chosen->min_width,
							.icicle = chosen->icicle,
							.reverse = chosen->reverse,
							.unit = chosen->count == 1 ? TEE_PERF_FLAME_CALLS
										   : TEE_PERF_FLAME_NS };
	if (tee_perf_output_open(&output, chosen->output, err) == 0) {
		tee_perf_flame_write(flame, &flame_options, output.file, err);
		tee_perf_output_close(&output, err);
	}
	tee_perf_summary_clear(&summary);
	return err->class == TEE_PERF_OK ? 0 : -1;
}

static int flamegraph(const struct tee_perf_recording *recording, const struct flame_options *chosen,
		      struct tee_perf_error *err)
{
	struct builder builder = { .recording = recording, .options = chosen, .flame = tee_perf_flame_new() };
	int result = builder.flame == NULL ? -1 : add_tracks(&builder);
	if (result != 0)
		tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the flame graph");
	else
		result = draw(recording, chosen, builder.flame, err);
	free(builder.path);
	tee_perf_flame_free(builder.flame);
	return result;
}

int tee_perf_cmd_flamegraph(int argc, char **argv)
{
	struct flame_options chosen = {
		.input = TEE_PERF_DEFAULT_INPUT, .output = "flamegraph.svg", .min_width = 0.1, .by = -1
	};
	struct tee_perf_error err = { 0 };
	int first, status = tee_perf_options_parse(&usage, argc, argv, &chosen, &first, &err);
	if (status != 0)
		return status > 0 ? 0 : tee_perf_cli_fail(&err);
	struct tee_perf_recording *recording = tee_perf_input_open(chosen.input, &err);
	if (recording == NULL)
		return tee_perf_cli_fail(&err);
	if (flamegraph(recording, &chosen, &err) != 0)
		status = tee_perf_cli_fail(&err);
	else
		status = tee_perf_input_status(recording);
	tee_perf_recording_close(recording);
	return status;
}
