/* SPDX-License-Identifier: MIT */
#include "recorder/calibrate.h"

#include "recorder/cores.h"
#include "recorder/drain.h"
#include "runtime/abi.h"
#include "runtime/platform/local.h"

#include "hook_call.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define BATCHES 41
#define PAIRS   2000 /* per batch: some 15 us with the host clock */

static struct tee_perf_map_entry entry __attribute__((aligned(16)));

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* One hook after another, as a tiny function has them. */
static void run_pairs(int count)
{
	char *cfa = __builtin_frame_address(0);

	for (int i = 0; i < count; i++) {
		arch_hook_call(&entry, cfa);
		arch_hook_return(&entry, cfa);
	}
}

/* One of the fastest: batches in which the machine was busy elsewhere, or the ring full, do not count. */
static double measure(void)
{
	double ns[BATCHES];

	run_pairs(PAIRS);
	for (int i = 0; i < BATCHES; i++) {
		uint64_t before = tee_perf_monotonic_ns();
		run_pairs(PAIRS);
		ns[i] = (double)(tee_perf_monotonic_ns() - before) / PAIRS;
	}
	qsort(ns, BATCHES, sizeof *ns, compare);
	return ns[BATCHES / 8];
}

static void keep_clock_going(void *data)
{
	tee_perf_drain_tick(data);
}

/* Hooks with one clock, drained by the real drain into a sink of the same kind whose writer throws away. */
static double measure_clock(const struct tee_perf_record_options *options, uint64_t control)
{
	struct tee_perf_region region;
	struct tee_perf_publisher clock;
	struct tee_perf_sink sink = { .while_waiting = keep_clock_going, .before_block = tee_perf_drain_before_block };
	struct tee_perf_writer_status status;
	struct tee_perf_drain drain = { .region = &region,
					.clock = &clock,
					.sink = &sink,
					.chunk = tee_perf_drain_chunk(options->clock_period_ns),
					.follow = true,
					.control = control };
	struct tee_perf_error err = { 0 };
	void *state = aligned_alloc(128, tee_perf_local_thread_bytes());
	pthread_t thread;
	double ns = 0;

	if (state == NULL || tee_perf_region_create(&region, options->ring_bytes, control, &err) != 0) {
		free(state);
		return 0;
	}
	tee_perf_publisher_init(&clock, &region.header->clock, options->clock_period_ns);
	sink.drain = &drain;
	if (options->keep == TEE_PERF_KEEP_PROFILE)
		sink.model = tee_perf_model_new();
	sink.writer = tee_perf_writer_thread_start(NULL, &err);
	struct tee_perf_log_segment *segment = tee_perf_region_map(&region, 0, &err);
	if (sink.writer != NULL && segment != NULL && pthread_create(&thread, NULL, tee_perf_drain_run, &drain) == 0) {
		region.process[0].pid = (uint64_t)getpid();
		region.process[0].state = TEE_PERF_PROCESS_LIVE;
		for (size_t i = 0; i < tee_perf_local_thread_bytes(); i++)
			((char *)state)[i] = 0;
		if (tee_perf_local_attach(region.header, segment, &region.process[0], state, 1)) {
			ns = measure();
			tee_perf_local_detach();
		}
		atomic_store(&drain.stop, true);
		pthread_join(thread, NULL);
	}
	if (sink.writer != NULL)
		tee_perf_writer_thread_stop(sink.writer, &status);
	tee_perf_sink_free(&sink);
	tee_perf_model_free(sink.model);
	free(clock.gap);
	free(state);
	tee_perf_region_destroy(&region);
	return ns;
}

void tee_perf_calibrate_hooks(const struct tee_perf_record_options *options, bool tsc_usable,
			      struct tee_perf_hook_cost *cost)
{
	/* Without a second core the drain and the hooks take turns, and the fastest batches still hold. */
	cost->host_ns = measure_clock(options, TEE_PERF_CONTROL_ON);
	cost->tsc_ns = 0;
	if (tsc_usable)
		cost->tsc_ns = measure_clock(options, TEE_PERF_CONTROL_ON | (uint64_t)TEE_PERF_CLOCK_TSC
										<< TEE_PERF_CONTROL_CLOCK_SHIFT);
}
