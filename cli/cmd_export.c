/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/folded.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/output.h"

struct export_options {
	const char *input, *output;
	int format, by, count;
	bool mangled;
};

/* One row per format that others own; more are to come. */
struct format {
	const char *name;
	int (*write)(const struct tee_perf_recording *recording, const struct export_options *chosen, FILE *out,
		     struct tee_perf_error *err);
};

static int write_folded(const struct tee_perf_recording *recording, const struct export_options *chosen, FILE *out,
			struct tee_perf_error *err)
{
	struct tee_perf_folded_options folded = { .by_thread = chosen->by == 0,
						  .calls = chosen->count == 1,
						  .mangled = chosen->mangled };
	return tee_perf_folded_write(recording, &folded, out, err);
}

static const struct format formats[] = {
	{ "folded", write_folded },
};
static const char *const format_names[] = { "folded", NULL };

static const char *const groups[] = { "thread", NULL };
static const char *const units[] = { "time", "calls", NULL };

static const struct tee_perf_option options[] = {
	{ "input", 'i', TEE_PERF_OPTION_STRING, offsetof(struct export_options, input), "FILE",
	  "the recording (default " TEE_PERF_DEFAULT_INPUT ")" },
	{ "output", 'o', TEE_PERF_OPTION_STRING, offsetof(struct export_options, output), "FILE",
	  "where to (default -: standard output)" },
	{ "format", 'f', TEE_PERF_OPTION_CHOICE, offsetof(struct export_options, format), NULL,
	  "folded: a line per stack, for flamegraph.pl, inferno, speedscope", format_names },
	{ "by", 0, TEE_PERF_OPTION_CHOICE, offsetof(struct export_options, by), NULL,
	  "the thread as the first frame of each stack", groups },
	{ "count", 0, TEE_PERF_OPTION_CHOICE, offsetof(struct export_options, count), NULL,
	  "what the numbers are: nanoseconds (default) or calls", units },
	{ "mangled", 0, TEE_PERF_OPTION_FLAG, offsetof(struct export_options, mangled), NULL,
	  "names as the linker has them" },
};

static const struct tee_perf_usage usage = {
	.command = "export",
	.synopsis = "--format folded [options]",
	.summary = "Writes a recording in a format that other tools read.",
	.options = options,
	.option_count = sizeof options / sizeof *options,
};

int tee_perf_cmd_export(int argc, char **argv)
{
	struct export_options chosen = { .input = TEE_PERF_DEFAULT_INPUT, .output = "-", .format = -1, .by = -1 };
	struct tee_perf_error err = { 0 };
	int first, status = tee_perf_options_parse(&usage, argc, argv, &chosen, &first, &err);
	if (status > 0)
		return 0;
	if (status == 0 && chosen.format < 0)
		status = tee_perf_fail(&err, TEE_PERF_USAGE,
				       "export: say which format, as in 'tee-perf export --format folded'");
	if (status != 0)
		return tee_perf_cli_fail(&err);
	struct tee_perf_recording *recording = tee_perf_input_open(chosen.input, &err);
	if (recording == NULL)
		return tee_perf_cli_fail(&err);
	struct tee_perf_output output;
	if (tee_perf_output_open(&output, chosen.output, &err) == 0) {
		formats[chosen.format].write(recording, &chosen, output.file, &err);
		tee_perf_output_close(&output, &err);
	}
	status = err.class != TEE_PERF_OK ? tee_perf_cli_fail(&err) : tee_perf_input_status(recording);
	tee_perf_recording_close(recording);
	return status;
}
