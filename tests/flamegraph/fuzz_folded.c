/* SPDX-License-Identifier: MIT */
/* Any bytes as folded stacks: either a message, or pictures that are written in full. With libFuzzer:
 *   clang -fsanitize=fuzzer,address,undefined -DTEE_PERF_LIBFUZZER ... ; by itself it replays the files of a folder
 * and some thousand mutations of each. */
#include "flamegraph/folded.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MAX_INPUT 4096
#define MUTATIONS      2000

static void require(int condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "fuzz_folded: %s\n", what);
		abort();
	}
}

static void draw(const struct tee_perf_flame *flame, struct tee_perf_flame_options options)
{
	struct tee_perf_error err = { 0 };
	char *svg = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&svg, &size);
	int status = tee_perf_flame_write(flame, &options, out, &err);
	fclose(out);
	require(status == 0 || err.class == TEE_PERF_RESOURCE, "failed for no reason of its own");
	if (status == 0)
		require(size > 7 && memcmp(svg + size - 7, "</svg>\n", 7) == 0, "no end");
	free(svg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tee_perf_flame *flame = tee_perf_flame_new();
	struct tee_perf_error err = { 0 };
	FILE *in = size > 0 ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "r");
	int status = tee_perf_flame_read_folded(flame, in, "fuzz", &err);
	fclose(in);
	require(status == 0 || (err.class == TEE_PERF_INPUT && strncmp(err.message, "fuzz:", 5) == 0), "no line named");
	draw(flame, (struct tee_perf_flame_options){ 0 });
	draw(flame, (struct tee_perf_flame_options){ .reverse = true, .max_depth = 2, .min_width_px = 50 });
	tee_perf_flame_free(flame);
	return 0;
}

#ifndef TEE_PERF_LIBFUZZER
static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* One to four changes of bytes to ones that mean something, or cuts. */
static void mutate(const uint8_t *data, size_t size, uint32_t *state)
{
	static const char special[] = ";;; \t\r\n#09\xff\xc3\0ab";
	uint8_t *copy = malloc(size + 1);
	memcpy(copy, data, size);
	for (uint32_t changes = 1 + next_random(state) % 4; changes > 0 && size > 0; changes--) {
		size_t at = next_random(state) % size;
		if (next_random(state) % 8 == 0)
			size = at;
		else
			copy[at] = (uint8_t)special[next_random(state) % (sizeof special - 1)];
	}
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void replay(const char *path)
{
	static uint8_t data[SIZE_MAX_INPUT];
	uint32_t state = 1;
	FILE *file = fopen(path, "r");
	require(file != NULL, path);
	size_t size = fread(data, 1, sizeof data, file);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	for (int i = 0; i < MUTATIONS; i++)
		mutate(data, size, &state);
}

int main(int argc, char **argv)
{
	DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
	struct dirent *entry;
	unsigned count = 0;
	require(folder != NULL, "usage: flame_fuzz_folded FOLDER");
	while ((entry = readdir(folder)) != NULL) {
		char path[4096];
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
		replay(path);
		count++;
	}
	closedir(folder);
	require(count > 0, "no files");
	return 0;
}
#endif
