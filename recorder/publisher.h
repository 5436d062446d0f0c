/* SPDX-License-Identifier: MIT */
/* The publisher of the clock word: nanoseconds since the start of the recording. */
#ifndef TEE_PERF_RECORDER_PUBLISHER_H
#define TEE_PERF_RECORDER_PUBLISHER_H

#include "format/sections.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define TEE_PERF_INTERVAL_BUCKETS 512

struct tee_perf_publisher {
	uint64_t *word;                               /* in shared memory */
	uint64_t look;                                /* or-ed to the word: TEE_PERF_CLOCK_LOOK, or 0 */
	uint64_t start_ns;                            /* CLOCK_MONOTONIC at the recording's start */
	uint32_t random;                              /* never 0 */
	uint64_t wanted_ns;                           /* until the next publication */
	uint64_t period_ns, gap_ns;                   /* a longer interval is a gap */
	uint64_t last_ns;                             /* published last */
	bool counting;                                /* intervals count: a program may be reading the word */
	uint64_t interval[TEE_PERF_INTERVAL_BUCKETS]; /* log-linear, 8 buckets per octave; sums of ns */
	uint64_t gap_total_ns;
	struct tee_perf_time_pair *gap; /* not yet taken over by the drain */
	size_t gap_count, gap_capacity;
};

static inline uint64_t tee_perf_monotonic_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void tee_perf_publisher_init(struct tee_perf_publisher *clock, uint64_t *word, uint64_t period_ns);
/* The publisher does its best when it comes every interval_ns: only much longer intervals are gaps. */
void tee_perf_publisher_expect(struct tee_perf_publisher *clock, uint64_t interval_ns);
/* Publishes if a period has passed; books the interval. */
void tee_perf_publisher_tick(struct tee_perf_publisher *clock);
/* Publishes without booking an interval: nobody reads the word as a clock now (TSC), it is the heartbeat. */
void tee_perf_publisher_beat(struct tee_perf_publisher *clock);
/* The time-stamp counter and the clock at one moment. */
struct tee_perf_time_pair tee_perf_publisher_tsc(const struct tee_perf_publisher *clock);
/* The counter runs at one rate in all states of the processor, and so alike on all cores. */
bool tee_perf_tsc_usable(void);
/* The interval within which half of the time was spent: the resolution that readers really had. */
uint64_t tee_perf_publisher_resolution(const struct tee_perf_publisher *clock);

#endif
