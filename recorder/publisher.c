/* SPDX-License-Identifier: MIT */
#include "recorder/publisher.h"

#include "counter.h"

#include <stdlib.h>
#include <string.h>

bool tee_perf_tsc_usable(void)
{
	return arch_counter_constant();
}

#define GAP_PERIODS 10

void tee_perf_publisher_init(struct tee_perf_publisher *clock, uint64_t *word, uint64_t period_ns)
{
	memset(clock, 0, sizeof *clock);
	clock->word = word;
	clock->period_ns = clock->wanted_ns = period_ns;
	clock->random = 1;
	tee_perf_publisher_expect(clock, 0);
	clock->start_ns = tee_perf_monotonic_ns() - 1; /* the word is never 0 */
	clock->counting = true;
	tee_perf_publisher_beat(clock);
}

void tee_perf_publisher_expect(struct tee_perf_publisher *clock, uint64_t interval_ns)
{
	clock->gap_ns = GAP_PERIODS * (interval_ns > clock->period_ns ? interval_ns : clock->period_ns);
}

static unsigned bucket(uint64_t ns)
{
	if (ns < 8)
		return (unsigned)ns;
	unsigned octave = 63 - (unsigned)__builtin_clzll(ns); /* >= 3 */
	return (octave - 2) * 8 + (unsigned)(ns >> (octave - 3) & 7);
}

static uint64_t bucket_ns(unsigned index)
{
	return index < 8 ? index : (uint64_t)(8 + index % 8) << (index / 8 - 1);
}

static void book_gap(struct tee_perf_publisher *clock, uint64_t from, uint64_t to)
{
	clock->gap_total_ns += to - from;
	if (clock->gap_count > 0 && clock->gap[clock->gap_count - 1].b == from) {
		clock->gap[clock->gap_count - 1].b = to;
		return;
	}
	if (clock->gap_count == clock->gap_capacity) {
		size_t capacity = clock->gap_capacity ? 2 * clock->gap_capacity : 256;
		void *grown = realloc(clock->gap, capacity * sizeof *clock->gap);
		if (grown == NULL)
			return; /* the time then counts for the frame on top */
		clock->gap = grown;
		clock->gap_capacity = capacity;
	}
	clock->gap[clock->gap_count++] = (struct tee_perf_time_pair){ from, to };
}

/* The next period: between three quarters and five quarters. A program whose loops keep time with its ring, and so with
 * the drain that publishes, would always be seen at the same places. Marsaglia's xorshift. */
static uint64_t dithered(struct tee_perf_publisher *clock)
{
	uint32_t x = clock->random;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	clock->random = x;
	return clock->period_ns * (96 + (x >> 26)) / 128;
}

void tee_perf_publisher_tick(struct tee_perf_publisher *clock)
{
	uint64_t now = tee_perf_monotonic_ns() - clock->start_ns;
	uint64_t interval = now - clock->last_ns;

	if (interval < clock->wanted_ns)
		return;
	if (interval > clock->gap_ns) /* before the word says so: readers of the new value find the gap booked */
		book_gap(clock, clock->last_ns, now);
	clock->interval[bucket(interval)] += interval;
	clock->last_ns = now;
	clock->wanted_ns = dithered(clock);
	__atomic_store_n(clock->word, now | clock->look, __ATOMIC_RELEASE);
}

void tee_perf_publisher_beat(struct tee_perf_publisher *clock)
{
	clock->last_ns = tee_perf_monotonic_ns() - clock->start_ns;
	__atomic_store_n(clock->word, clock->last_ns | clock->look, __ATOMIC_RELEASE);
}

uint64_t tee_perf_publisher_resolution(const struct tee_perf_publisher *clock)
{
	uint64_t total = 0, sum = 0;

	for (unsigned i = 0; i < TEE_PERF_INTERVAL_BUCKETS; i++)
		total += clock->interval[i];
	for (unsigned i = 0; i < TEE_PERF_INTERVAL_BUCKETS; i++) {
		sum += clock->interval[i];
		if (sum * 2 >= total && total != 0)
			return bucket_ns(i);
	}
	return clock->period_ns;
}

/* Two readings close together: the best of some. */
struct tee_perf_time_pair tee_perf_publisher_tsc(const struct tee_perf_publisher *clock)
{
	struct tee_perf_time_pair pair = { 0 };
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t before = arch_counter(), now = tee_perf_monotonic_ns() - clock->start_ns;
		uint64_t took = arch_counter() - before;
		if (took >= best)
			continue;
		best = took;
		pair = (struct tee_perf_time_pair){ before + took / 2, now };
	}
	return pair;
}
