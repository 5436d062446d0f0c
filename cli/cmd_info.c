/* SPDX-License-Identifier: MIT */
#include "cli/check.h"
#include "cli/commands.h"
#include "cli/hooks.h"
#include "cli/input.h"
#include "cli/options.h"

struct info_options {
	const char *input, *hooks;
	int format;
	bool check;
};

static const char *const formats[] = { "table", "json", NULL };

static const struct tee_perf_option options[] = {
	{ "input", 'i', TEE_PERF_OPTION_STRING, offsetof(struct info_options, input), "FILE",
	  "the recording (default " TEE_PERF_DEFAULT_INPUT ")" },
	{ "check", 0, TEE_PERF_OPTION_FLAG, offsetof(struct info_options, check), NULL,
	  "whether it is whole and its calls are balanced, and where not" },
	{ "hooks", 0, TEE_PERF_OPTION_STRING, offsetof(struct info_options, hooks), "BINARY",
	  "whether a program, library or object file carries hooks, instead" },
	{ "format", 0, TEE_PERF_OPTION_CHOICE, offsetof(struct info_options, format), NULL, "how to print it",
	  formats },
};

static const struct tee_perf_usage usage = {
	.command = "info",
	.synopsis = "[options]",
	.summary = "Prints what a recording says about itself: command, duration, threads, events, losses, clock.",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.notes = "--hooks: how many functions have hooks, which runtime they call, what policy is built in. The exit\n"
		 "status is 0 if there are hooks, 1 if there are none, as in a production build.\n"
		 "--check: the exit status is 0 if there are no faults, 1 if there are (docs/CHECK.md).",
};

/* 0: there are hooks; 1: there are none. */
static int info_hooks(const struct info_options *chosen)
{
	struct tee_perf_error err = { 0 };
	struct tee_perf_hooks hooks;

	if (tee_perf_hooks_read(&hooks, chosen->hooks, &err) != 0 ||
	    tee_perf_hooks_print(&hooks, chosen->hooks, chosen->format == 1, &err) != 0)
		return tee_perf_cli_fail(&err);
	return tee_perf_hooks_any(&hooks) ? 0 : 1;
}

static int info_check(const struct tee_perf_recording *recording, enum tee_perf_format format)
{
	struct tee_perf_error err = { 0 };
	uint32_t faults = 0;

	if (tee_perf_check_print(recording, format, stdout, &faults, &err) != 0)
		return tee_perf_cli_fail(&err);
	return tee_perf_input_status(recording) != 0 ? tee_perf_input_status(recording) : faults != 0;
}

int tee_perf_cmd_info(int argc, char **argv)
{
	struct info_options chosen = { .input = TEE_PERF_DEFAULT_INPUT };
	struct tee_perf_error err = { 0 };
	int first, status = tee_perf_options_parse(&usage, argc, argv, &chosen, &first, &err);
	if (status != 0)
		return status > 0 ? 0 : tee_perf_cli_fail(&err);
	if (chosen.hooks != NULL)
		return info_hooks(&chosen);
	struct tee_perf_recording *recording = tee_perf_input_open(chosen.input, &err);
	if (recording == NULL)
		return tee_perf_cli_fail(&err);
	enum tee_perf_format format = chosen.format == 1 ? TEE_PERF_FORMAT_JSON : TEE_PERF_FORMAT_TABLE;
	if (chosen.check) {
		status = info_check(recording, format);
		tee_perf_recording_close(recording);
		return status;
	}
	if (tee_perf_input_print_head(recording, format, stdout, &err) == 0 && format == TEE_PERF_FORMAT_JSON)
		putchar('\n');
	status = err.class != TEE_PERF_OK ? tee_perf_cli_fail(&err) : tee_perf_input_status(recording);
	tee_perf_recording_close(recording);
	return status;
}
