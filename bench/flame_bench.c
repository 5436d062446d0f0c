/* SPDX-License-Identifier: MIT */
/* How long the SVG of many unique stacks takes, and how much memory: builds a tree as a profile gives it, writes it to
 * a file, and prints both times (of CPU), the peak of memory and the size, one figure per line.
 *   flame_bench [-n STACKS] [-w MIN-WIDTH] [-r] [-o FILE.svg] [-f FILE.folded] [-c]
 * -f also writes the stacks as text, for other tools; -c fails above 1 s of CPU time or 100 MB (the figures that
 * 100,000 stacks must keep to). */
#include "flamegraph/flamegraph.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define DEPTH_MAX      48
#define FUNCTION_COUNT 4000
#define NODES_MAX      (1u << 24)
#define LIMIT_SECONDS  1.0
#define LIMIT_BYTES    100e6

struct function {
	char name[96], module[32], file[48];
};

struct bench {
	struct function functions[FUNCTION_COUNT];
	uint64_t random;
	unsigned stack[DEPTH_MAX]; /* functions */
	tee_perf_flame_node nodes[DEPTH_MAX];
	unsigned depth;
	unsigned long stack_count;
	FILE *folded;
	bool ends[NODES_MAX]; /* of a node: a stack ends there */
};

/* xorshift64*: the same stacks on every machine. */
static uint64_t next_random(struct bench *bench)
{
	bench->random ^= bench->random >> 12;
	bench->random ^= bench->random << 25;
	bench->random ^= bench->random >> 27;
	return bench->random * 0x2545f4914f6cdd1du >> 16;
}

static void name_functions(struct bench *bench)
{
	for (unsigned i = 0; i < FUNCTION_COUNT; i++) {
		struct function *f = &bench->functions[i];
		snprintf(f->name, sizeof f->name, "_ZN%u%s%u%sE%s", i % 7, "engine6module", i,
			 i % 3 ? "10parse_node" : "8evaluate", i % 5 ? "vRKSt6vectorIiSaIiEEPKc" : "");
		snprintf(f->module, sizeof f->module, "/usr/lib/libengine%u.so", i % 9);
		snprintf(f->file, sizeof f->file, "src/engine/part_%u.cc", i / 20);
	}
}

/* The function that `caller` calls: one of five of its own, the first ones far more often. */
static unsigned callee(struct bench *bench, unsigned caller)
{
	unsigned which = 0;
	while (which < 4 && next_random(bench) % 3 == 0)
		which++;
	return (caller * 31 + which * 1009 + 17) % FUNCTION_COUNT;
}

/* Back to a random depth of the last stack, and on from there. */
static void next_stack(struct bench *bench, struct tee_perf_flame *flame)
{
	unsigned keep = (unsigned)(next_random(bench) % (bench->depth + 1));
	unsigned depth = keep + 1 + (unsigned)(next_random(bench) % 20);
	if (depth > DEPTH_MAX)
		depth = DEPTH_MAX;
	for (unsigned i = keep; i < depth; i++) {
		const struct function *f;
		bench->stack[i] = i == 0 ? 0 : callee(bench, bench->stack[i - 1]);
		f = &bench->functions[bench->stack[i]];
		bench->nodes[i] = tee_perf_flame_child(flame, i ? bench->nodes[i - 1] : TEE_PERF_FLAME_ROOT, f->name,
						       f->module, f->file, bench->stack[i]);
	}
	bench->depth = depth;
}

/* A stack that was not there before, since the node of its leaf was not the end of one. */
static int next_unique_stack(struct bench *bench, struct tee_perf_flame *flame)
{
	tee_perf_flame_node leaf;
	do {
		next_stack(bench, flame);
		leaf = bench->nodes[bench->depth - 1];
		if (leaf >= NODES_MAX)
			return -1;
	} while (bench->ends[leaf]);
	bench->ends[leaf] = true;
	return 0;
}

static void write_folded(struct bench *bench, uint64_t self)
{
	for (unsigned i = 0; i < bench->depth; i++)
		fprintf(bench->folded, "%s%s", i ? ";" : "", bench->functions[bench->stack[i]].name);
	fprintf(bench->folded, " %llu\n", (unsigned long long)self);
}

static struct tee_perf_flame *build(struct bench *bench)
{
	struct tee_perf_flame *flame = tee_perf_flame_new();
	for (unsigned long i = 0; flame != NULL && i < bench->stack_count; i++) {
		/* each doubling half as likely: few stacks take most of the time */
		uint64_t self = (next_random(bench) % 900 + 100) << __builtin_ctzll(next_random(bench) | 1ull << 24);
		if (next_unique_stack(bench, flame) != 0)
			break;
		tee_perf_flame_add(flame, bench->nodes[bench->depth - 1], self, 1 + self / 1000);
		if (bench->folded != NULL)
			write_folded(bench, self);
	}
	return flame;
}

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static int run(struct bench *bench, const struct tee_perf_flame_options *options, const char *path, bool check)
{
	struct tee_perf_error err = { 0 };
	FILE *out = path != NULL ? fopen(path, "w") : tmpfile();
	if (out == NULL) {
		perror(path != NULL ? path : "temporary file");
		return 4;
	}
	double start = cpu_seconds();
	struct tee_perf_flame *flame = build(bench);
	double built = cpu_seconds();
	int status = flame == NULL ? -1 : tee_perf_flame_write(flame, options, out, &err);
	long size = ftell(out);
	double end = cpu_seconds();
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	fclose(out);
	tee_perf_flame_free(flame);
	if (status != 0) {
		fprintf(stderr, "flame_bench: %s\n", err.message);
		return tee_perf_error_exit_status(&err);
	}
	double peak = (double)usage.ru_maxrss * 1024;
	printf("stacks %lu\nbuild_seconds %.3f\nwrite_seconds %.3f\npeak_bytes %.0f\nsvg_bytes %ld\n",
	       bench->stack_count, built - start, end - built, peak, size);
	if (check && (end - start > LIMIT_SECONDS || peak > LIMIT_BYTES)) {
		fprintf(stderr, "flame_bench: above the limit of %.1f s or %.0f MB\n", LIMIT_SECONDS,
			LIMIT_BYTES / 1e6);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct bench bench = { .random = 0x9e3779b97f4a7c15u, .stack_count = 100000 };
	struct tee_perf_flame_options options = { .title = "flame_bench" };
	const char *path = NULL;
	bool check = false;
	int option;
	while ((option = getopt(argc, argv, "n:o:f:w:rc")) != -1) {
		switch (option) {
		case 'n':
			bench.stack_count = strtoul(optarg, NULL, 10);
			break;
		case 'o':
			path = optarg;
			break;
		case 'f':
			bench.folded = fopen(optarg, "w");
			if (bench.folded == NULL) {
				perror(optarg);
				return 4;
			}
			break;
		case 'w':
			options.min_width_px = strtod(optarg, NULL);
			break;
		case 'r':
			options.reverse = true;
			break;
		case 'c':
			check = true;
			break;
		default:
			fprintf(
			    stderr,
			    "usage: flame_bench [-n STACKS] [-w MIN-WIDTH] [-r] [-o FILE.svg] [-f FILE.folded] [-c]\n");
			return 2;
		}
	}
	name_functions(&bench);
	int status = run(&bench, &options, path, check);
	if (bench.folded != NULL)
		fclose(bench.folded);
	return status;
}
