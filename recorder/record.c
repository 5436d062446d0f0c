/* SPDX-License-Identifier: MIT */
/* One recording from beginning to end. */
#define _GNU_SOURCE
#include "recorder/calibrate.h"
#include "recorder/cores.h"
#include "recorder/libos.h"
#include "recorder/session.h"

#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PROGRESS_MS 500
#define DAEMON_MS   1000 /* that a daemon has to show itself */
/* The drain compresses so much at a time, which takes it 4 to 6 us, if that is no gap for the clock. */
#define SLICE_BYTES 1024
#define SLICE_NS    1000

/* ---- setting up */

/* In an enclave the counter is slow, or not to be read. */
static enum tee_perf_clock first_clock(const struct tee_perf_record_options *options)
{
	if (options->clock == TEE_PERF_CHOOSE_AUTO && (options->shared_file != NULL || tee_perf_libos()))
		return TEE_PERF_CLOCK_HOST;
	if (options->clock == TEE_PERF_CHOOSE_AUTO)
		return tee_perf_cores() < 2 && tee_perf_tsc_usable() ? TEE_PERF_CLOCK_TSC : TEE_PERF_CLOCK_HOST;
	return options->clock == TEE_PERF_CHOOSE_TSC ? TEE_PERF_CLOCK_TSC : TEE_PERF_CLOCK_HOST;
}

static uint64_t first_control(const struct tee_perf_record_options *options)
{
	uint64_t control = options->delay_ms == 0 ? TEE_PERF_CONTROL_ON : 0;

	control |= (uint64_t)first_clock(options) << TEE_PERF_CONTROL_CLOCK_SHIFT;
	return control | (uint64_t)options->full << TEE_PERF_CONTROL_FULL_SHIFT;
}

static int push_tsc_pair(struct tee_perf_session *session, struct tee_perf_time_pair pair, struct tee_perf_error *err)
{
	struct tee_perf_bytes payload = { 0 };

	if (session->sink.model != NULL &&
	    tee_perf_model_tsc_live(session->sink.model, session->drain.tsc_last, pair, err) != 0)
		return -1;
	session->drain.tsc_last = pair;
	if (tee_perf_pairs_encode(&payload, &pair, 1) != 0)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory");
	return tee_perf_writer_push_section(session->sink.writer, TEE_PERF_SECTION_TSC, payload);
}

/* The model converts while it runs: it needs two points before the first record. 2 ms give some 50 ppm. */
static int calibrate_start(struct tee_perf_session *session, struct tee_perf_error *err)
{
	if (!tee_perf_tsc_usable())
		return session->options->clock == TEE_PERF_CHOOSE_TSC
			   ? tee_perf_fail(err, TEE_PERF_SYSTEM,
					   "this machine's time-stamp counter is not constant: use --clock host")
			   : 0;
	session->drain.tsc_start = tee_perf_publisher_tsc(&session->clock);
	if (push_tsc_pair(session, session->drain.tsc_start, err) != 0)
		return -1;
	if (session->sink.model == NULL)
		return 0;
	usleep(2000);
	return push_tsc_pair(session, tee_perf_publisher_tsc(&session->clock), err);
}

static void keep_clock_going(void *data)
{
	tee_perf_drain_tick(data);
}

static int open_output(struct tee_perf_session *session, struct tee_perf_error *err)
{
	struct tee_perf_bytes start = { 0 };

	session->file = tee_perf_writer_create(session->options->output, err);
	if (session->file == NULL)
		return -1;
	session->sink.writer = tee_perf_writer_thread_start(
	    session->file, session->options->clock_period_ns < SLICE_NS ? 0 : SLICE_BYTES, err);
	if (session->sink.writer == NULL)
		return -1;
	if (tee_perf_session_start_json(session, &start) != 0)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory");
	return tee_perf_writer_push_section(session->sink.writer, TEE_PERF_SECTION_START, start);
}

static int create_region(struct tee_perf_session *session, uint64_t control, struct tee_perf_error *err)
{
	const struct tee_perf_record_options *options = session->options;
	unsigned processes = options->no_follow ? 1 : options->shared_processes;

	if (options->shared_file != NULL)
		return tee_perf_region_create_shared(&session->region, options->shared_file, options->shared_bytes,
						     processes, options->ring_bytes, control, err);
	if (tee_perf_libos())
		return tee_perf_region_create_named(&session->region, processes, options->ring_bytes, control, err);
	return tee_perf_region_create(&session->region, options->ring_bytes, control, err);
}

static int prepare(struct tee_perf_session *session, struct tee_perf_error *err)
{
	const struct tee_perf_record_options *options = session->options;
	uint64_t control = first_control(options);

	if (create_region(session, control, err) != 0)
		return -1;
	tee_perf_publisher_init(&session->clock, &session->region.header->clock, options->clock_period_ns);
	if (options->keep == TEE_PERF_KEEP_PROFILE && (session->sink.model = tee_perf_model_new()) == NULL)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory");
	session->sink.while_waiting = keep_clock_going;
	session->sink.before_block = tee_perf_drain_before_block;
	session->sink.drain = &session->drain;
	session->drain.region = &session->region;
	session->drain.clock = &session->clock;
	session->drain.sink = &session->sink;
	session->drain.chunk = tee_perf_drain_chunk(options->clock_period_ns);
	session->drain.follow = !options->no_follow;
	if (options->no_follow)
		tee_perf_drain_close_table(&session->drain, 1);
	session->drain.foreign = session->region.foreign;
	/* The counter of a guest is not ours. */
	session->drain.automatic = options->clock == TEE_PERF_CHOOSE_AUTO && tee_perf_tsc_usable() &&
				   session->region.whole == NULL && !session->drain.foreign;
	session->drain.tsc_event_ns = (session->hook_costs.tsc.inside_ns + session->hook_costs.tsc.outside_ns) / 2;
	session->drain.overwrite = options->full == TEE_PERF_FULL_OVERWRITE;
	session->drain.max_bytes = options->max_bytes;
	session->drain.control = control;
	session->clock.counting = false;
	if (open_output(session, err) != 0 || calibrate_start(session, err) != 0)
		return -1;
	return 0;
}

/* ---- running */

/* A status line is for who watches, and must not garble what the program writes: without being asked for, it goes only
 * to a terminal in whose foreground we are and to which neither of our streams, which are the program's, is open. */
static FILE *open_progress(const struct tee_perf_record_options *options)
{
	if (options->progress)
		return stderr;
	if (options->quiet || isatty(STDOUT_FILENO) || isatty(STDERR_FILENO))
		return NULL;
	FILE *terminal = fopen("/dev/tty", "we");
	if (terminal != NULL && tcgetpgrp(fileno(terminal)) != getpgrp()) {
		fclose(terminal);
		return NULL;
	}
	return terminal;
}

static void close_progress(FILE *progress)
{
	if (progress != NULL && progress != stderr)
		fclose(progress);
}

/* --delay and --duration: when recording is to be switched on and off. */
static void switch_by_time(struct tee_perf_session *session, uint64_t ms, bool *on)
{
	const struct tee_perf_record_options *options = session->options;
	bool want =
	    ms >= options->delay_ms && (options->duration_ms == 0 || ms < options->delay_ms + options->duration_ms);

	if (want == *on)
		return;
	*on = want;
	if (want)
		atomic_fetch_or(&session->drain.control, TEE_PERF_CONTROL_ON);
	else
		atomic_fetch_and(&session->drain.control, ~TEE_PERF_CONTROL_ON);
}

/* A daemon attaches at its first hook after the fork, which may be later than the end of the process that forked. */
static bool must_wait(const struct tee_perf_session *session, uint64_t ms, uint64_t *alive_ms)
{
	if (!session->child.ended || session->drain.live_processes > 0)
		*alive_ms = ms;
	return !session->child.ended ||
	       (session->options->follow_daemons && !session->child.told_to_end && ms - *alive_ms < DAEMON_MS);
}

static void attend(struct tee_perf_session *session, uint64_t started_ns)
{
	const struct tee_perf_record_options *options = session->options;
	bool on = options->delay_ms == 0, timed = options->delay_ms != 0 || options->duration_ms != 0;
	uint64_t progress_due = PROGRESS_MS, ms = 0, alive_ms = 0;

	for (; must_wait(session, ms, &alive_ms); ms = (tee_perf_monotonic_ns() - started_ns) / 1000000) {
		tee_perf_child_wait(&session->child, timed ? 1 : session->child.ended ? 20 : PROGRESS_MS);
		if (timed)
			switch_by_time(session, ms, &on);
		if (session->progress != NULL && ms >= progress_due) {
			tee_perf_session_print_progress(session, false);
			progress_due = ms + PROGRESS_MS;
		}
	}
}

static int run(struct tee_perf_session *session, struct tee_perf_error *err)
{
	pthread_t drain;
	int result;

	if (pthread_create(&drain, NULL, tee_perf_drain_run, &session->drain) != 0)
		return tee_perf_fail_errno(err, "cannot start the drain thread");
	uint64_t started = tee_perf_monotonic_ns();
	result = tee_perf_child_start(&session->child, session->options->command, session->region.environment, err);
	if (result == 0)
		attend(session, started);
	session->program_end_ns = tee_perf_monotonic_ns() - session->clock.start_ns;
	atomic_store(&session->drain.stop, true);
	/* Whoever does not want to wait for the rest of the file may now end us. */
	sigprocmask(SIG_SETMASK, &session->child.old_mask, NULL);
	pthread_join(drain, NULL);
	if (session->progress != NULL)
		tee_perf_session_print_progress(session, true);
	return result;
}

/* ---- finishing */

static int push_profile(struct tee_perf_session *session, struct tee_perf_error *err)
{
	struct tee_perf_bytes payload = { 0 };

	if (session->sink.model == NULL)
		return 0;
	if (tee_perf_model_finish(session->sink.model, session->program_end_ns, err) != 0 ||
	    tee_perf_model_serialize(session->sink.model, &payload, err) != 0) {
		free(payload.data);
		return -1;
	}
	return tee_perf_writer_push_section(session->sink.writer, TEE_PERF_SECTION_PROFILE, payload);
}

static int push_end(struct tee_perf_session *session, struct tee_perf_error *err)
{
	struct tee_perf_bytes payload = { 0 };

	tee_perf_writer_wait(session->sink.writer, &session->written);
	if (tee_perf_session_end_json(session, &payload) != 0)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory");
	return tee_perf_writer_push_section(session->sink.writer, TEE_PERF_SECTION_END, payload);
}

static void finish(struct tee_perf_session *session, struct tee_perf_error *err)
{
	session->tsc_used =
	    (session->drain.control >> TEE_PERF_CONTROL_CLOCK_SHIFT & TEE_PERF_CONTROL_FIELD) == TEE_PERF_CLOCK_TSC;
	session->tsc_end = tee_perf_publisher_tsc(&session->clock);
	if (session->drain.tsc_start.a != 0)
		push_tsc_pair(session, session->tsc_end, err);
	tee_perf_images_finish(&session->drain);
	push_profile(session, err);
	push_end(session, err);
}

static void close_session(struct tee_perf_session *session, struct tee_perf_error *err)
{
	if (session->sink.writer != NULL)
		tee_perf_writer_thread_stop(session->sink.writer, &session->written);
	if (session->file != NULL && session->drain.totals.processes != 0)
		tee_perf_writer_close(session->file, err);
	else if (session->file != NULL)
		tee_perf_writer_abandon(session->file); /* an earlier recording is worth more than an empty one */
	tee_perf_images_free(&session->drain.images);
	tee_perf_sink_free(&session->sink);
	tee_perf_model_free(session->sink.model);
	free(session->clock.gap);
	if (session->region.header != NULL)
		tee_perf_region_destroy(&session->region);
}

/* Each thread's own arena would take 64 MiB of it. */
static void spare_address_space(void)
{
	if (tee_perf_address_space() != RLIM_INFINITY)
		mallopt(M_ARENA_MAX, 1);
}

int tee_perf_record(const struct tee_perf_record_options *options, struct tee_perf_error *err)
{
	struct tee_perf_session session = { .options = options, .child = { .status = -1 } };

	tee_perf_child_block_signals(&session.child);
	spare_address_space();
	tee_perf_calibrate_hooks(options, tee_perf_tsc_usable(), &session.hook_costs);
	session.progress = open_progress(options);
	bool recorded = prepare(&session, err) == 0 && run(&session, err) == 0;
	if (recorded) {
		finish(&session, err);
		if (err->class == TEE_PERF_OK)
			*err = session.drain.err;
	}
	close_session(&session, err);
	close_progress(session.progress);
	if (recorded)
		tee_perf_session_print_summary(&session);
	for (unsigned i = 0; i < session.drain.conflict_count; i++)
		free(session.drain.conflict[i]);
	return session.child.status;
}
