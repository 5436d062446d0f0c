/* SPDX-License-Identifier: MIT */
#include "format/codec_wire.h"

static uint64_t *new_table(unsigned bits)
{
	return calloc((size_t)2 << bits, sizeof(uint64_t));
}

int tee_perf_predictor_init(struct tee_perf_predictor *predictor)
{
	*predictor =
	    (struct tee_perf_predictor){ .bits = TEE_PERF_TABLE_BITS_MIN, .capacity_bits = TEE_PERF_TABLE_BITS_MIN };
	predictor->first = new_table(predictor->bits);
	if (predictor->first == NULL)
		return -1;
	predictor->second = predictor->first + ((size_t)1 << predictor->bits);
	return 0;
}

void tee_perf_predictor_reset(struct tee_perf_predictor *predictor)
{
	size_t size = sizeof(uint64_t) << predictor->bits;
	memset(predictor->first, 0, size);
	memset(predictor->second, 0, size);
	predictor->bits = TEE_PERF_TABLE_BITS_MIN;
	predictor->context = predictor->value = predictor->time = 0;
}

static void spread(uint64_t *to, const uint64_t *from, size_t count)
{
	for (size_t i = count; i-- > 0;) /* downwards: to may be from */
		to[2 * i] = to[2 * i + 1] = from[i];
}

int tee_perf_predictor_grow(struct tee_perf_predictor *predictor)
{
	size_t count = (size_t)1 << predictor->bits;
	uint64_t *first = predictor->first, *second = predictor->second;
	if (predictor->bits == predictor->capacity_bits) {
		first = new_table(predictor->bits + 1);
		if (first == NULL)
			return -1;
		second = first + 2 * count;
		predictor->capacity_bits++;
	}
	spread(first, predictor->first, count);
	spread(second, predictor->second, count);
	if (first != predictor->first)
		free(predictor->first);
	predictor->first = first;
	predictor->second = second;
	predictor->bits++;
	return 0;
}
