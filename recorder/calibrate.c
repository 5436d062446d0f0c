/* SPDX-License-Identifier: MIT */
#include "recorder/calibrate.h"

#include "recorder/cores.h"
#include "recorder/drain.h"
#include "recorder/libos.h"
#include "runtime/abi.h"
#include "runtime/platform/local.h"

#include "hook_call.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The host clock steps once in some 50 calls, and what a batch says varies by as much; the counter does not. */
#define HOST_BATCHES 200
#define TSC_BATCHES  50
#define TRIES        3   /* when too many batches were disturbed */
#define TAKEN_OF_10  6   /* batches that count, the fastest: in the others the machine was busy elsewhere */
#define ROUNDS       444 /* per batch: some 50 us with the host clock */

static struct tee_perf_map_entry entry __attribute__((aligned(16)));

/* The processor runs a hook and what is around it at once, so that a hook costs less there than alone, and most of it
 * counts for a neighbour where a function is short. Measured in functions of three lengths that leave the processor
 * little room. (In code that only waits for its own results a hook costs next to nothing.) */
#define STEPS_4(x)                                                                                                     \
	x = arch_full_step(x);                                                                                         \
	x = arch_full_step(x);                                                                                         \
	x = arch_full_step(x);                                                                                         \
	x = arch_full_step(x)
#define STEPS_16(x)                                                                                                    \
	STEPS_4(x);                                                                                                    \
	STEPS_4(x);                                                                                                    \
	STEPS_4(x);                                                                                                    \
	STEPS_4(x)
#define STEPS_64(x)                                                                                                    \
	STEPS_16(x);                                                                                                   \
	STEPS_16(x);                                                                                                   \
	STEPS_16(x);                                                                                                   \
	STEPS_16(x)

typedef long work_function(long x, const void *cfa);

#define FUNCTIONS(steps)                                                                                               \
	static __attribute__((noinline)) long plain_##steps(long x, const void *cfa)                                   \
	{                                                                                                              \
		(void)cfa;                                                                                             \
		STEPS_##steps(x);                                                                                      \
		return x;                                                                                              \
	}                                                                                                              \
	static __attribute__((noinline)) long hooked_##steps(long x, const void *cfa)                                  \
	{                                                                                                              \
		arch_hook_call(&entry, cfa);                                                                           \
		STEPS_##steps(x);                                                                                      \
		arch_hook_return(&entry, cfa);                                                                         \
		return x;                                                                                              \
	}
FUNCTIONS(4)
FUNCTIONS(16)
FUNCTIONS(64)

#define LENGTHS TEE_PERF_CALIBRATED_LENGTHS
static work_function *const plain[LENGTHS] = { plain_4, plain_16, plain_64 };
static work_function *const hooked[LENGTHS] = { hooked_4, hooked_16, hooked_64 };

/* Each length follows each, itself included: what a hook costs depends on what was before it. */
static const unsigned char order[] = { 0, 0, 1, 0, 2, 1, 1, 2, 2 };
#define ORDER (sizeof order)
#define CALLS (ROUNDS * ORDER)

/* The calls as an analyzer sees them: what lies between the readings of the clock at call and return. */
struct observer {
	struct tee_perf_drain drain; /* first: the sink hands out its address */
	uint64_t longest;            /* between two events; more: they, or the clock, were interrupted */
	uint64_t last, begin, calls;
	unsigned batches; /* the first warms up */
	bool any;         /* disturbed ones count, too */
	struct batch {
		double hooked_ns, plain_ns;            /* of a call, all lengths mixed, by the clock outside */
		double alone_ns[LENGTHS];              /* of a call without hooks */
		uint64_t sum[LENGTHS], count[LENGTHS]; /* by the clock that the hooks read */
		uint64_t begin, end;                   /* of all, by that clock */
		bool interrupted;
	} batch[HOST_BATCHES];
};

static void observe(void *data, const struct tee_perf_record *records, size_t count)
{
	struct observer *observer = data;

	for (size_t i = 0; i < count; i++) {
		uint64_t kind = records[i].w0 >> TEE_PERF_KIND_SHIFT, time = records[i].w0 & TEE_PERF_TIME_MASK;
		struct batch *batch = &observer->batch[observer->calls / CALLS % observer->batches];
		if (kind == TEE_PERF_CALL && observer->calls % CALLS == 0)
			observer->last = batch->begin = time;
		batch->interrupted |= time - observer->last > observer->longest;
		observer->last = batch->end = time;
		if (kind == TEE_PERF_CALL)
			observer->begin = time;
		if (kind != TEE_PERF_RETURN)
			continue;
		unsigned length = order[observer->calls++ % ORDER];
		batch->sum[length] += time - observer->begin;
		batch->count[length]++;
	}
}

static double busy_ns(const struct batch *batch)
{
	return batch->hooked_ns + batch->plain_ns + batch->alone_ns[0] + batch->alone_ns[1] + batch->alone_ns[2];
}

static int compare(const void *a, const void *b)
{
	double x = busy_ns(a), y = busy_ns(b);
	return (x > y) - (x < y);
}

static double time_mixed(work_function *const work[LENGTHS])
{
	const void *cfa = __builtin_frame_address(0);
	uint64_t before = tee_perf_monotonic_ns();
	long x = 1;

	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < ORDER; i++)
			x = work[order[i]](x, cfa);
	__asm__ volatile("" : : "r"(x));
	return (double)(tee_perf_monotonic_ns() - before) / CALLS;
}

static double time_alone(work_function *work)
{
	uint64_t before = tee_perf_monotonic_ns();
	long x = 1;

	for (unsigned i = 0; i < ROUNDS; i++)
		x = work(x, NULL);
	__asm__ volatile("" : : "r"(x));
	return (double)(tee_perf_monotonic_ns() - before) / ROUNDS;
}

/* With and without hooks in turn: the machine's speed changes. */
static void measure_batches(struct observer *observer)
{
	for (struct batch *batch = observer->batch; batch < observer->batch + observer->batches; batch++) {
		batch->hooked_ns = time_mixed(hooked);
		batch->plain_ns = time_mixed(plain);
		for (unsigned i = 0; i < LENGTHS; i++)
			batch->alone_ns[i] = time_alone(plain[i]);
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
		measure_batches(observer);
		tee_perf_local_detach();
	}
	atomic_store(&observer->drain.stop, true);
	pthread_join(thread, NULL);
	return attached;
}

/* Where nobody published for a while, then all at once or not at all, a batch is fast, and tells nothing. */
static bool is_good(const struct observer *observer, const struct batch *batch, double units_per_ns)
{
	double span = (double)(batch->end - batch->begin), took = batch->hooked_ns * CALLS * units_per_ns;

	for (unsigned i = 0; i < LENGTHS; i++)
		if (batch->count[i] == 0)
			return false;
	if (observer->any)
		return batch->sum[LENGTHS - 1] != 0;
	return !batch->interrupted && fabs(span - took) <= (double)observer->longest;
}

/* From the batches that nothing disturbed. False: there are too few. */
static bool take_fastest(struct observer *observer, double units_per_ns, struct tee_perf_hook_cost *cost)
{
	struct batch *batch = observer->batch, all = { 0 };
	unsigned taken = 0, fastest = observer->batches * TAKEN_OF_10 / 10;

	qsort(batch + 1, observer->batches - 1, sizeof *batch, compare);
	for (unsigned i = 1; i < observer->batches && taken < fastest; i++) {
		if (!is_good(observer, &batch[i], units_per_ns))
			continue;
		taken++;
		all.hooked_ns += batch[i].hooked_ns;
		all.plain_ns += batch[i].plain_ns;
		for (unsigned length = 0; length < LENGTHS; length++) {
			all.alone_ns[length] += batch[i].alone_ns[length];
			all.sum[length] += batch[i].sum[length];
			all.count[length] += batch[i].count[length];
		}
	}
	if (taken == 0)
		return false;
	*cost = (struct tee_perf_hook_cost){ 0 };
	for (unsigned i = 0; i < LENGTHS; i++) {
		struct tee_perf_hook_inside *inside = &cost->inside[i];
		inside->seen_ns = (double)all.sum[i] / (double)all.count[i] / units_per_ns;
		inside->added_ns = fmax(inside->seen_ns - all.alone_ns[i] / taken, 0);
		cost->inside_ns += inside->added_ns / LENGTHS;
	}
	cost->outside_ns = fmax((all.hooked_ns - all.plain_ns) / taken - cost->inside_ns, 0);
	return taken >= fastest / 2;
}

/* What the drain's thread writes to must not lie on the stack that the hooked functions use: with half of the places
 * that a stack may have, lines shared by both cores made a call take half as long again. */
struct bench {
	struct tee_perf_region region;
	struct tee_perf_publisher clock;
	struct tee_perf_sink sink;
	struct observer observer;
	char thread[] __attribute__((aligned(128)));
};

static struct bench *set_up(const struct tee_perf_record_options *options, uint64_t control)
{
	size_t bytes = sizeof(struct bench) + tee_perf_local_thread_bytes();
	struct bench *bench = aligned_alloc(128, (bytes + 127) / 128 * 128);
	struct tee_perf_error err = { 0 };

	if (bench == NULL)
		return NULL;
	memset(bench, 0, bytes);
	int created = tee_perf_libos() ? tee_perf_region_create_private(&bench->region, control, &err)
				       : tee_perf_region_create(&bench->region, options->ring_bytes, control, &err);
	if (created != 0) {
		free(bench);
		return NULL;
	}
	bench->sink = (struct tee_perf_sink){ .observe = observe,
					      .while_waiting = keep_clock_going,
					      .drain = &bench->observer.drain };
	bench->observer.drain = (struct tee_perf_drain){ .region = &bench->region,
							 .clock = &bench->clock,
							 .sink = &bench->sink,
							 .chunk = tee_perf_drain_chunk(options->clock_period_ns),
							 .follow = true,
							 .foreign = true, /* nobody need ask whether we have ended */
							 .control = control };
	bench->observer.longest = 4 * options->clock_period_ns;
	tee_perf_publisher_init(&bench->clock, &bench->region.header->clock, options->clock_period_ns);
	return bench;
}

static void tear_down(struct bench *bench)
{
	tee_perf_sink_free(&bench->sink);
	free(bench->clock.gap);
	tee_perf_region_destroy(&bench->region);
	free(bench);
}

struct clock {
	uint64_t control; /* that selects it */
	unsigned batches;
	double units_per_ns; /* 0: to be measured */
	struct tee_perf_hook_cost *cost;
};

/* any: disturbed batches count as well. False: too few counted, it is to be done again. */
static bool measure_clock(const struct tee_perf_record_options *options, struct clock *clock, bool any)
{
	struct bench *bench = set_up(options, clock->control);
	struct tee_perf_error err = { 0 };

	if (bench == NULL)
		return true;
	bench->observer.batches = clock->batches;
	bench->observer.any = any;
	struct tee_perf_time_pair begin = tee_perf_publisher_tsc(&bench->clock);
	struct tee_perf_log_segment *segment = tee_perf_region_map(&bench->region, 0, &err);
	bool measured = segment != NULL && run_attached(&bench->observer, segment, bench->thread);
	struct tee_perf_time_pair end = tee_perf_publisher_tsc(&bench->clock);
	if (clock->units_per_ns == 0)
		clock->units_per_ns = (double)(end.a - begin.a) / (double)(end.b - begin.b);
	bool done = !measured || take_fastest(&bench->observer, clock->units_per_ns, clock->cost);
	tear_down(bench);
	return done;
}

void tee_perf_calibrate_hooks(const struct tee_perf_record_options *options, bool tsc_usable,
			      struct tee_perf_hook_costs *costs)
{
	const uint64_t tsc = (uint64_t)TEE_PERF_CLOCK_TSC << TEE_PERF_CONTROL_CLOCK_SHIFT;
	struct clock clock[] = { { TEE_PERF_CONTROL_ON, HOST_BATCHES, 1, &costs->host },
				 { TEE_PERF_CONTROL_ON | tsc, TSC_BATCHES, 0, &costs->tsc } };

	/* Without a second core the drain and the hooks take turns: no batch is whole, but the fastest still hold. */
	for (int i = 0; i <= tsc_usable; i++)
		for (int left = tee_perf_cores() < 2 ? 1 : TRIES; left > 0; left--)
			if (measure_clock(options, &clock[i], left == 1))
				break;
}
