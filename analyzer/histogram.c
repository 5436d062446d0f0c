/* SPDX-License-Identifier: MIT */
#include "analyzer/histogram.h"

#include <stdlib.h>
#include <string.h>

uint64_t tee_perf_histogram_middle(unsigned bucket)
{
	if (bucket < 8)
		return bucket;
	unsigned exponent = bucket / 8 + 2;
	uint64_t width = UINT64_C(1) << (exponent - 3);
	return (UINT64_C(1) << exponent) + (bucket % 8) * width + width / 2;
}

int tee_perf_histogram_widen(struct tee_perf_histogram *histogram, unsigned bucket)
{
	unsigned begin = bucket & ~7u, end = begin + 8; /* whole octaves: few reallocations */
	if (histogram->count != 0) {
		unsigned old_end = histogram->first + histogram->count;
		begin = histogram->first < begin ? histogram->first : begin;
		end = old_end > end ? old_end : end;
	}
	uint32_t *counts = calloc(end - begin, sizeof *counts);
	if (counts == NULL)
		return -1;
	if (histogram->count != 0)
		memcpy(counts + (histogram->first - begin), histogram->counts, histogram->count * sizeof *counts);
	free(histogram->counts);
	histogram->counts = counts;
	histogram->first = (uint16_t)begin;
	histogram->count = (uint16_t)(end - begin);
	return 0;
}

int tee_perf_histogram_merge(struct tee_perf_histogram *into, const struct tee_perf_histogram *from)
{
	if (from->count == 0)
		return 0;
	unsigned last = from->first + from->count - 1u;
	if (tee_perf_histogram_widen(into, from->first) != 0 || tee_perf_histogram_widen(into, last) != 0)
		return -1;
	for (unsigned i = 0; i < from->count; i++)
		if (from->counts[i] != 0)
			tee_perf_histogram_add(into, from->first + i, from->counts[i]);
	return 0;
}

uint64_t tee_perf_histogram_percentile(const struct tee_perf_histogram *histogram, uint64_t zero_count, double share)
{
	uint64_t total = zero_count;
	for (unsigned i = 0; i < histogram->count; i++)
		total += histogram->counts[i];
	if (total == 0)
		return 0;
	double wanted = share * (double)total;
	uint64_t seen = zero_count;
	for (unsigned i = 0; i < histogram->count && (double)seen < wanted; i++) {
		seen += histogram->counts[i];
		if ((double)seen >= wanted)
			return tee_perf_histogram_middle(histogram->first + i);
	}
	return 0;
}

void tee_perf_histogram_clear(struct tee_perf_histogram *histogram)
{
	free(histogram->counts);
	*histogram = (struct tee_perf_histogram){ 0 };
}
