/* SPDX-License-Identifier: MIT */
#include "analyzer/transitions.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "recorder/record.h"

#include <math.h>
#include <stdio.h>

#define LONGEST 1e9 /* seconds: a duration beyond is none */

struct record_options {
	const char *output, *shared_file, *keep_env, *transition_cost;
	int clock, full, keep;
	uint64_t clock_period, ring_size, max_size, delay, shared_size, shared_processes;
	double duration;
	bool no_follow, follow_daemons, quiet, progress, no_cmdline;
};

static const char *const clocks[] = { "auto", "host", "tsc", NULL };
static const char *const policies[] = { "wait", "drop", "overwrite", NULL };
static const char *const keeps[] = { "calls", "profile", NULL };

#define PLACE(member) offsetof(struct record_options, member)
static const struct tee_perf_option options[] = {
	{ "output", 'o', TEE_PERF_OPTION_STRING, PLACE(output), "FILE",
	  "where to (default " TEE_PERF_DEFAULT_INPUT "; an earlier file is kept as FILE.old)" },
	{ "clock", 0, TEE_PERF_OPTION_CHOICE, PLACE(clock), NULL,
	  "a word that this process publishes, the time-stamp counter, or what fits (default)", clocks },
	{ "clock-period", 0, TEE_PERF_OPTION_NUMBER, PLACE(clock_period), "NS",
	  "publish every NS nanoseconds (default 1000)", NULL, 50, 1000000000 },
	{ "full", 0, TEE_PERF_OPTION_CHOICE, PLACE(full), NULL,
	  "when a ring is full: the thread waits (default), drops and counts, or forgets the oldest", policies },
	{ "ring-size", 0, TEE_PERF_OPTION_SIZE, PLACE(ring_size), "BYTES",
	  "most that one thread's ring may take (default 4M; 1M with --shared-file)", NULL, TEE_PERF_RING_BYTES_MIN,
	  TEE_PERF_RING_BYTES_MAX },
	{ "keep", 0, TEE_PERF_OPTION_CHOICE, PLACE(keep), NULL,
	  "every call (default), or the profile alone, which does not grow with time", keeps },
	{ "max-size", 0, TEE_PERF_OPTION_SIZE, PLACE(max_size), "BYTES",
	  "keep calls up to this size of the file, then go on with the profile (default 4G)", NULL, 1 << 20 },
	{ "delay", 0, TEE_PERF_OPTION_NUMBER, PLACE(delay), "MS", "start to record after MS milliseconds" },
	{ "duration", 0, TEE_PERF_OPTION_REAL, PLACE(duration), "S",
	  "stop to record after S seconds; the program goes on" },
	{ "no-follow", 0, TEE_PERF_OPTION_FLAG, PLACE(no_follow), NULL, "record the first process only" },
	{ "follow-daemons", 0, TEE_PERF_OPTION_FLAG, PLACE(follow_daemons), NULL,
	  "wait for processes that outlive the command" },
	{ "shared-file", 0, TEE_PERF_OPTION_STRING, PLACE(shared_file), "PATH",
	  "keep the log in this file, for programs in a guest or a library OS that the command runs" },
	{ "shared-size", 0, TEE_PERF_OPTION_SIZE, PLACE(shared_size), "BYTES",
	  "size of that file (default 1G, sparse; an existing file keeps its own)", NULL, 2 << 20 },
	{ "shared-processes", 0, TEE_PERF_OPTION_NUMBER, PLACE(shared_processes), "N",
	  "that it is divided among, each counting once (default 16)", NULL, 1 },
	{ "no-cmdline", 0, TEE_PERF_OPTION_FLAG, PLACE(no_cmdline), NULL, "leave the command line out of the file" },
	{ "keep-env", 0, TEE_PERF_OPTION_STRING, PLACE(keep_env), "NAMES",
	  "variables to keep in the file, separated by commas, beside TEE_PERF_*, LANG, LC_* and PATH" },
	{ "transition-cost", 0, TEE_PERF_OPTION_STRING, PLACE(transition_cost), "COSTS",
	  "of an enclave's crossings here, for reports: as ecall=9600,ocall=4900ns,ghz=2.2 (no unit: cycles)" },
	{ "progress", 0, TEE_PERF_OPTION_FLAG, PLACE(progress), NULL,
	  "show a status line, even where the program writes" },
	{ "quiet", 'q', TEE_PERF_OPTION_FLAG, PLACE(quiet), NULL, "no summary" },
};

static const struct tee_perf_usage usage = {
	.command = "record",
	.synopsis = "[options] [--] command ...",
	.summary = "Runs a command that was built with tee-perf-cc and records its calls and returns.",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.notes = "The exit status is the command's own (128 + signal number when a signal ended it).",
	.takes_arguments = true,
};

/* The ring grows by doubling from two sub-buffers: up to the next power of two. */
static uint64_t ring_bytes(uint64_t wanted)
{
	uint64_t bytes = TEE_PERF_RING_BYTES_MIN;

	while (bytes < wanted && bytes < TEE_PERF_RING_BYTES_MAX)
		bytes *= 2;
	return bytes;
}

static int check_shared(const struct record_options *chosen, struct tee_perf_error *err)
{
	if (chosen->shared_file == NULL && (chosen->shared_size != 0 || chosen->shared_processes != 0))
		return tee_perf_fail(err, TEE_PERF_USAGE,
				     "record: --shared-size and --shared-processes belong to --shared-file");
	if (chosen->shared_file != NULL && chosen->follow_daemons)
		return tee_perf_fail(
		    err, TEE_PERF_USAGE,
		    "record: with --shared-file nobody tells when a daemon ends: --follow-daemons cannot "
		    "be used");
	if (chosen->shared_file != NULL && chosen->clock == TEE_PERF_CHOOSE_TSC)
		return tee_perf_fail(err, TEE_PERF_USAGE,
				     "record: with --shared-file the clock is the host's: the time-stamp counter of a "
				     "guest is not this machine's");
	if (chosen->shared_processes > TEE_PERF_PROCESS_MAX)
		return tee_perf_fail(err, TEE_PERF_USAGE, "record: --shared-processes: %u at most",
				     TEE_PERF_PROCESS_MAX);
	return 0;
}

int tee_perf_cmd_record(int argc, char **argv)
{
	struct record_options chosen = { .output = TEE_PERF_DEFAULT_INPUT,
					 .clock_period = 1000,
					 .duration = INFINITY,
					 .max_size = UINT64_C(4) << 30 };
	struct tee_perf_error err = { 0 };
	int first, status = tee_perf_options_parse(&usage, argc, argv, &chosen, &first, &err);

	if (status != 0)
		return status > 0 ? 0 : tee_perf_cli_fail(&err);
	if (first == argc) {
		tee_perf_fail(&err, TEE_PERF_USAGE,
			      "record: no command given: tee-perf record [options] -- command ...");
		return tee_perf_cli_fail(&err);
	}
	if (chosen.duration < 0.001) {
		tee_perf_fail(&err, TEE_PERF_USAGE, "record: --duration: at least 0.001 seconds");
		return tee_perf_cli_fail(&err);
	}
	struct tee_perf_transition_cost cost = { 0 };
	if (check_shared(&chosen, &err) != 0 ||
	    (chosen.transition_cost != NULL &&
	     tee_perf_transition_cost_parse(&cost, chosen.transition_cost, &err) != 0))
		return tee_perf_cli_fail(&err);
	if (chosen.ring_size == 0)
		chosen.ring_size = chosen.shared_file != NULL ? 1u << 20 : 4u << 20;
	struct tee_perf_record_options record = {
		.output = chosen.output,
		.clock = (enum tee_perf_clock_choice)chosen.clock,
		.full = (enum tee_perf_full)chosen.full,
		.keep = (enum tee_perf_keep)chosen.keep,
		.clock_period_ns = chosen.clock_period,
		.ring_bytes = ring_bytes(chosen.ring_size),
		.max_bytes = chosen.max_size,
		.delay_ms = chosen.delay,
		.duration_ms = chosen.duration < LONGEST ? (uint64_t)(chosen.duration * 1e3) : 0,
		.no_follow = chosen.no_follow,
		.follow_daemons = chosen.follow_daemons,
		.quiet = chosen.quiet,
		.progress = chosen.progress,
		.no_cmdline = chosen.no_cmdline,
		.keep_env = chosen.keep_env,
		.transition_cost = chosen.transition_cost,
		.shared_file = chosen.shared_file,
		.shared_bytes = chosen.shared_size,
		.shared_processes = chosen.shared_processes != 0 ? (unsigned)chosen.shared_processes : 16,
		.command = argv + first,
	};
	status = tee_perf_record(&record, &err);
	if (err.class == TEE_PERF_OK)
		return status;
	/* The command's own status wins once it has run. */
	int failed = tee_perf_cli_fail(&err);
	return status >= 0 ? status : failed;
}
