/* SPDX-License-Identifier: MIT */
/* Durations of the calls of one function: log-linear buckets (8 per octave, as in HdrHistogram), so that
 * a percentile is off by at most 1/16 of its value. Only the span of buckets in use is stored. */
#ifndef TEE_PERF_ANALYZER_HISTOGRAM_H
#define TEE_PERF_ANALYZER_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define TEE_PERF_HISTOGRAM_BUCKETS 496 /* covers every uint64_t */

struct tee_perf_histogram {
	uint32_t *counts; /* of buckets first .. first + count - 1; a count stays at its maximum */
	uint16_t first, count;
};

/* Bucket of a value: below 8 exact, then 8 per power of two. */
static inline unsigned tee_perf_histogram_bucket(uint64_t value)
{
	if (value < 8)
		return (unsigned)value;
	unsigned exponent = 63 - (unsigned)__builtin_clzll(value);
	return (exponent - 2) * 8 + (unsigned)(value >> (exponent - 3) & 7);
}

/* The middle of a bucket's values. */
uint64_t tee_perf_histogram_middle(unsigned bucket);

/* Makes room for the bucket; 0, or -1 out of memory. */
int tee_perf_histogram_widen(struct tee_perf_histogram *histogram, unsigned bucket);

/* Counts `times` values of one bucket. Out of memory: the value is not counted. */
static inline void tee_perf_histogram_add(struct tee_perf_histogram *histogram, unsigned bucket, uint32_t times)
{
	unsigned place = bucket - histogram->first;
	if (__builtin_expect(place >= histogram->count, 0)) {
		if (tee_perf_histogram_widen(histogram, bucket) != 0)
			return;
		place = bucket - histogram->first;
	}
	uint32_t *count = &histogram->counts[place];
	*count = *count > UINT32_MAX - times ? UINT32_MAX : *count + times;
}

/* Adds all of `from`; 0, or -1 out of memory. */
int tee_perf_histogram_merge(struct tee_perf_histogram *into, const struct tee_perf_histogram *from);

/* The value at rank share (0..1) among zero_count zeros and the counted values; 0 when there are none. */
uint64_t tee_perf_histogram_percentile(const struct tee_perf_histogram *histogram, uint64_t zero_count, double share);

void tee_perf_histogram_clear(struct tee_perf_histogram *histogram);

#endif
