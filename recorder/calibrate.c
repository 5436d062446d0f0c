/* SPDX-License-Identifier: MIT */
#include "recorder/calibrate.h"

#include "recorder/cores.h"
#include "recorder/drain.h"
#include "runtime/abi.h"
#include "runtime/platform/local.h"

#include "hook_call.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCHES 128
#define PAIRS   4000 /* per batch: some 15 us with the host clock */
#define FASTEST 32   /* batches that count: in the others the machine was busy elsewhere */

static struct tee_perf_map_entry entry __attribute__((aligned(16)));

/* The calls as an analyzer sees them: what lies between the readings of the clock at call and return. */
struct observer {
	struct tee_perf_drain drain; /* first: the sink hands out its address */
	uint64_t longest;            /* longer ones were interrupted */
	uint64_t begin, calls;
	struct batch {
		double ns; /* of one pair of hooks, by the clock outside */
		uint64_t sum, count;
	} batch[BATCHES + 1]; /* the first warms up */
};

static void observe(void *data, const struct tee_perf_record *records, size_t count)
{
	struct observer *observer = data;

	for (size_t i = 0; i < count; i++) {
		uint64_t kind = records[i].w0 >> TEE_PERF_KIND_SHIFT, time = records[i].w0 & TEE_PERF_TIME_MASK;
		if (kind == TEE_PERF_CALL)
			observer->begin = time;
		if (kind != TEE_PERF_RETURN)
			continue;
		struct batch *batch = &observer->batch[observer->calls++ / PAIRS % (BATCHES + 1)];
		if (time - observer->begin > observer->longest)
			continue;
		batch->sum += time - observer->begin;
		batch->count++;
	}
}

static int compare(const void *a, const void *b)
{
	double x = ((const struct batch *)a)->ns, y = ((const struct batch *)b)->ns;
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

static void measure_pairs(struct observer *observer)
{
	for (int i = 0; i <= BATCHES; i++) {
		uint64_t before = tee_perf_monotonic_ns();
		run_pairs(PAIRS);
		observer->batch[i].ns = (double)(tee_perf_monotonic_ns() - before) / PAIRS;
	}
}

static void keep_clock_going(void *data)
{
	tee_perf_drain_tick(data);
}

/* Runs the hooks in this thread, as a process that the drain in another thread finds in the table. False: it could not.
 */
static bool run_attached(struct observer *observer, struct tee_perf_log_segment *segment, void *state)
{
	struct tee_perf_region *region = observer->drain.region;
	pthread_t thread;

	if (pthread_create(&thread, NULL, tee_perf_drain_run, &observer->drain) != 0)
		return false;
	region->process[0].pid = (uint64_t)getpid();
	region_store(&region->process[0].state, TEE_PERF_PROCESS_LIVE);
	bool attached = tee_perf_local_attach(region->header, segment, &region->process[0], state, 1);
	if (attached) {
		measure_pairs(observer);
		tee_perf_local_detach();
	}
	atomic_store(&observer->drain.stop, true);
	pthread_join(thread, NULL);
	return attached;
}

/* From the batches that nothing disturbed. Without a publication a batch is fast, and tells nothing. */
static void take_fastest(struct observer *observer, double units_per_ns, struct tee_perf_hook_cost *cost)
{
	struct batch *batch = observer->batch + 1, all = { 0 };
	int taken = 0;

	qsort(batch, BATCHES, sizeof *batch, compare);
	for (int i = 0; i < BATCHES && taken < FASTEST; i++) {
		if (batch[i].sum == 0)
			continue;
		taken++;
		all.ns += batch[i].ns;
		all.sum += batch[i].sum;
		all.count += batch[i].count;
	}
	if (all.count == 0)
		return;
	all.ns /= taken;
	cost->inside_ns = (double)all.sum / (double)all.count / units_per_ns;
	cost->outside_ns = all.ns > cost->inside_ns ? all.ns - cost->inside_ns : 0;
}

/* *units_per_ns: of the clock that the control word selects; 0: to be measured. */
static void measure_clock(const struct tee_perf_record_options *options, uint64_t control, double *units_per_ns,
			  struct tee_perf_hook_cost *cost)
{
	struct tee_perf_region region;
	struct tee_perf_publisher clock;
	struct tee_perf_sink sink = { .observe = observe, .while_waiting = keep_clock_going };
	struct observer observer = { .drain = { .region = &region,
						.clock = &clock,
						.sink = &sink,
						.chunk = tee_perf_drain_chunk(options->clock_period_ns),
						.follow = true,
						.control = control },
				     .longest = 20 * options->clock_period_ns };
	struct tee_perf_error err = { 0 };
	void *state = aligned_alloc(128, tee_perf_local_thread_bytes());

	if (state == NULL || tee_perf_region_create(&region, options->ring_bytes, control, &err) != 0) {
		free(state);
		return;
	}
	memset(state, 0, tee_perf_local_thread_bytes());
	tee_perf_publisher_init(&clock, &region.header->clock, options->clock_period_ns);
	sink.drain = &observer.drain;
	struct tee_perf_time_pair begin = tee_perf_publisher_tsc(&clock);
	struct tee_perf_log_segment *segment = tee_perf_region_map(&region, 0, &err);
	bool measured = segment != NULL && run_attached(&observer, segment, state);
	struct tee_perf_time_pair end = tee_perf_publisher_tsc(&clock);
	if (*units_per_ns == 0)
		*units_per_ns = (double)(end.a - begin.a) / (double)(end.b - begin.b);
	if (measured)
		take_fastest(&observer, *units_per_ns, cost);
	tee_perf_sink_free(&sink);
	free(clock.gap);
	free(state);
	tee_perf_region_destroy(&region);
}

void tee_perf_calibrate_hooks(const struct tee_perf_record_options *options, bool tsc_usable,
			      struct tee_perf_hook_costs *costs)
{
	const uint64_t tsc = (uint64_t)TEE_PERF_CLOCK_TSC << TEE_PERF_CONTROL_CLOCK_SHIFT;
	double host_units = 1, tsc_units = 0;

	/* Without a second core the drain and the hooks take turns, and the fastest batches still hold. */
	measure_clock(options, TEE_PERF_CONTROL_ON, &host_units, &costs->host);
	if (tsc_usable)
		measure_clock(options, TEE_PERF_CONTROL_ON | tsc, &tsc_units, &costs->tsc);
}
