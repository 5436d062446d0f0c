/* SPDX-License-Identifier: MIT */
/* From stacks on standard input to an SVG on standard output, for the tests: folded stacks, or with -R lines of
 *   self TAB calls {TAB name|module|file|line}
 * in which a field may be missing or empty. */
#include "flamegraph/folded.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static tee_perf_flame_node rich_child(struct tee_perf_flame *flame, tee_perf_flame_node parent, char *frame)
{
	char *fields[4] = { "", "", "", "" }, *field;
	for (unsigned i = 0; i < 4 && (field = strsep(&frame, "|")) != NULL; i++)
		fields[i] = field;
	return tee_perf_flame_child(flame, parent, fields[0], fields[1], fields[2], (uint32_t)atol(fields[3]));
}

static void read_rich(struct tee_perf_flame *flame, FILE *in)
{
	char *line = NULL, *frame;
	size_t capacity = 0;
	while (getline(&line, &capacity, in) >= 0) {
		char *rest = line;
		tee_perf_flame_node node = TEE_PERF_FLAME_ROOT;
		line[strcspn(line, "\n")] = '\0';
		uint64_t self = strtoull(strsep(&rest, "\t"), NULL, 10);
		uint64_t calls = rest == NULL ? 0 : strtoull(strsep(&rest, "\t"), NULL, 10);
		while ((frame = strsep(&rest, "\t")) != NULL)
			node = rich_child(flame, node, frame);
		tee_perf_flame_add(flame, node, self, calls);
	}
	free(line);
}

static enum tee_perf_flame_unit unit_of(const char *name)
{
	return name[0] == 'c' ? TEE_PERF_FLAME_CALLS : name[0] == 's' ? TEE_PERF_FLAME_SAMPLES : TEE_PERF_FLAME_NS;
}

int main(int argc, char **argv)
{
	struct tee_perf_flame_options options = { 0 };
	struct tee_perf_error err = { 0 };
	struct tee_perf_flame *flame = tee_perf_flame_new();
	bool rich = false;
	int option;
	while ((option = getopt(argc, argv, "t:s:w:m:d:u:irR")) != -1) {
		switch (option) {
		case 't':
			options.title = optarg;
			break;
		case 's':
			options.subtitle = optarg;
			break;
		case 'w':
			options.width_px = strtod(optarg, NULL);
			break;
		case 'm':
			options.min_width_px = strtod(optarg, NULL);
			break;
		case 'd':
			options.max_depth = (uint32_t)atol(optarg);
			break;
		case 'u':
			options.unit = unit_of(optarg);
			break;
		case 'i':
			options.icicle = true;
			break;
		case 'r':
			options.reverse = true;
			break;
		case 'R':
			rich = true;
			break;
		default:
			return 2;
		}
	}
	if (rich)
		read_rich(flame, stdin);
	if ((!rich && tee_perf_flame_read_folded(flame, stdin, "stdin", &err) != 0) ||
	    tee_perf_flame_write(flame, &options, stdout, &err) != 0)
		fprintf(stderr, "flame_tool: %s\n", err.message);
	tee_perf_flame_free(flame);
	return tee_perf_error_exit_status(&err);
}
