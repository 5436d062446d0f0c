/* SPDX-License-Identifier: MIT */
/* The trusted part: keys are made, sorted and looked up inside. Nothing in here knows of tee-perf; the compiler
 * (tee-perf-cc) and one more line in index.edl do it all. */
#include "index_t.h"

#define KEYS_MAX 4096u
#define KEPT     __attribute__((noinline))

static uint64_t key[KEYS_MAX];
static uint32_t key_count, split_count;

KEPT static uint64_t mix(uint64_t value)
{
	value ^= value >> 31;
	value *= 0x7fb5d329728ea185u;
	return value ^ value >> 27;
}

KEPT static uint32_t split(uint32_t begin, uint32_t end)
{
	uint64_t pivot = key[end - 1];
	uint32_t to = begin;

	split_count++;
	for (uint32_t i = begin; i < end; i++)
		if (key[i] < pivot || i == end - 1) {
			uint64_t swapped = key[to];
			key[to++] = key[i];
			key[i] = swapped;
		}
	return to - 1;
}

KEPT static void sort(uint32_t begin, uint32_t end)
{
	if (end - begin < 2)
		return;
	uint32_t middle = split(begin, end);
	sort(begin, middle);
	sort(middle + 1, end);
}

KEPT static int find(uint64_t wanted)
{
	uint32_t begin = 0, end = key_count;

	while (begin < end) {
		uint32_t middle = begin + (end - begin) / 2;
		if (key[middle] == wanted)
			return 1;
		if (key[middle] < wanted)
			begin = middle + 1;
		else
			end = middle;
	}
	return 0;
}

void ecall_fill(uint32_t count, uint64_t seed)
{
	key_count = count < KEYS_MAX ? count : KEYS_MAX;
	for (uint32_t i = 0; i < key_count; i++) {
		key[i] = mix(seed + i);
		if (i % 1000 == 999)
			ocall_progress(i + 1);
	}
}

uint32_t ecall_sort(void)
{
	split_count = 0;
	sort(0, key_count);
	return split_count;
}

uint32_t ecall_search(const uint64_t *keys, uint32_t count)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++)
		found += (uint32_t)find(mix(keys[i]));
	return found;
}
