/* SPDX-License-Identifier: MIT */
#include "tests/format/streams.h"

static uint64_t random_state;

void random_seed(uint64_t seed)
{
	random_state = seed;
}

/* splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014) */
uint64_t random64(void)
{
	uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static struct tee_perf_record record(uint64_t kind, uint64_t time, uint64_t cfa, uint64_t entry)
{
	return (struct tee_perf_record){ kind << TEE_PERF_KIND_SHIFT | (time & TEE_PERF_TIME_MASK), cfa << 32 | entry };
}

static void fill_leaf(struct tee_perf_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		records[i] = record(i % 2 ? TEE_PERF_RETURN : TEE_PERF_CALL, i / 250 * 1000, 0xffffe000, 0x55550040);
}

static void fill_tsc(struct tee_perf_record *records, size_t count)
{
	uint64_t time = UINT64_C(1) << 50;
	random_seed(1);
	for (size_t i = 0; i < count; i++) {
		time += 10 + random64() % 90;
		records[i] = record(i % 2 ? TEE_PERF_RETURN : TEE_PERF_CALL, time, 0xffffe000, 0x55550040);
	}
}

/* Calls and returns of 300 functions at random: little to predict but the returns. */
static void fill_walk(struct tee_perf_record *records, size_t count)
{
	uint64_t stack[32];
	unsigned depth = 0;
	random_seed(2);
	for (size_t i = 0; i < count; i++) {
		uint64_t time = i / 200 * 950;
		if (depth == 32 || (depth > 0 && random64() % 2)) {
			depth--;
			records[i] = record(TEE_PERF_RETURN, time, stack[depth] >> 32, stack[depth] & 0xffffffff);
			continue;
		}
		uint64_t function = random64() % 300;
		uint64_t cfa = (depth == 0 ? 0x7000fff0 : stack[depth - 1] >> 32) - 16 - function % 8 * 16;
		stack[depth++] = cfa << 32 | (0x80001000 + function * 16);
		records[i] = record(TEE_PERF_CALL, time, cfa, 0x80001000 + function * 16);
	}
}

static void fill_deep(struct tee_perf_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t level = i < count / 2 ? i : count - 1 - i;
		records[i] = record(i < count / 2 ? TEE_PERF_CALL : TEE_PERF_RETURN, i, 0x10000000 - level * 32, 0x10);
	}
}

/* Gaps and meta records among the others, as recorder and runtime write them. */
static void fill_meta(struct tee_perf_record *records, size_t count)
{
	fill_leaf(records, count);
	for (size_t i = 7; i < count; i += 97) {
		uint64_t w1 = i % 2 ? (uint64_t)i << 8 | TEE_PERF_META_LOST : i * 1000 + 3;
		records[i].w0 = (uint64_t)(i % 2 ? TEE_PERF_META : TEE_PERF_GAP) << TEE_PERF_KIND_SHIFT | i;
		records[i].w1 = w1;
	}
}

/* Times that jump both ways by any amount. */
static void fill_times(struct tee_perf_record *records, size_t count)
{
	fill_leaf(records, count);
	random_seed(3);
	for (size_t i = 0; i < count; i++)
		records[i].w0 = (records[i].w0 & ~TEE_PERF_TIME_MASK) | random64() >> (3 + random64() % 61);
}

static void fill_noise(struct tee_perf_record *records, size_t count)
{
	random_seed(4);
	for (size_t i = 0; i < count; i++)
		records[i] = (struct tee_perf_record){ random64(), random64() };
}

/* Few distinct words with every low nibble and kind: values that say less than their record, and repeat. */
static void fill_lookalikes(struct tee_perf_record *records, size_t count)
{
	random_seed(5);
	for (size_t i = 0; i < count; i++)
		records[i] = record(random64() % 8, random64() % 4, 0, random64() % 32);
}

/* 2^20 distinct values, each seen once in a while: the table grows as far as it may. */
static void fill_many(struct tee_perf_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		records[i] = record(TEE_PERF_CALL, i / 64, i * 48271 % 1048573 * 16, i * 16807 % 65521 * 16);
}

static void fill_zero(struct tee_perf_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		records[i] = record(0, 0, 0, 0);
}

const struct stream_kind stream_kinds[] = {
	{ "leaf", fill_leaf, 0.2 },  { "tsc", fill_tsc, 1.5 },
	{ "walk", fill_walk, 3.5 },  { "deep", fill_deep, 4.5 },
	{ "meta", fill_meta, 0.6 },  { "times", fill_times, 10.5 },
	{ "noise", fill_noise, 19 }, { "lookalikes", fill_lookalikes, 13 },
	{ "many", fill_many, 8.5 },  { "zero", fill_zero, 0.02 },
};
const size_t stream_kind_count = sizeof stream_kinds / sizeof *stream_kinds;
