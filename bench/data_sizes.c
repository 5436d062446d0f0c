/* SPDX-License-Identifier: MIT */
/* Says of a data file, as "KEY VALUE" lines: its bytes, the records that it keeps, the bytes of its EVENTS
 * sections before and after zstd, and from its summary what was lost. */
#include "format/data_file.h"
#include "format/sections.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>

struct totals {
	uint64_t records, raw_bytes, stored_bytes;
	json_t *end;
};

static int add_section(struct totals *totals, const struct tee_perf_section *section, struct tee_perf_error *err)
{
	struct tee_perf_events_info events;
	if (section->type == TEE_PERF_SECTION_END)
		totals->end = json_loadb(section->payload, section->size, 0, NULL);
	if (section->type != TEE_PERF_SECTION_EVENTS)
		return 0;
	totals->raw_bytes += section->size;
	totals->stored_bytes += section->stored_size;
	if (tee_perf_events_decode(section->payload, section->size, &events, err))
		return -1;
	totals->records += events.record_count;
	return 0;
}

static uint64_t summary(const struct totals *totals, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(totals->end, key));
}

int main(int argc, char **argv)
{
	struct tee_perf_error err = { 0 };
	struct tee_perf_section section;
	struct totals totals = { 0 };
	struct stat file;
	if (argc != 2 || stat(argv[1], &file)) {
		fprintf(stderr, "usage: data_sizes FILE\n");
		return 2;
	}
	struct tee_perf_reader *reader = tee_perf_reader_open(argv[1], &err);
	int more = reader ? 1 : -1;
	while (more > 0 && (more = tee_perf_reader_next(reader, &section, &err)) > 0)
		if (add_section(&totals, &section, &err))
			more = -1;
	if (more < 0 || !totals.end) {
		fprintf(stderr, "data_sizes: %s\n", more < 0 ? err.message : "the file has no summary");
		return tee_perf_error_exit_status(&err) + 1;
	}
	printf("file_bytes %" PRIu64 "\nrecords %" PRIu64 "\nevents_raw_bytes %" PRIu64 "\nevents_stored_bytes %" PRIu64
	       "\n",
	       (uint64_t)file.st_size, totals.records, totals.raw_bytes, totals.stored_bytes);
	for (const char *const *key =
		 (const char *const[]){ "events", "lost", "waited_ns", "resolution_ns", "unresolved_gap_ns", NULL };
	     *key; key++)
		printf("%s %" PRIu64 "\n", *key, summary(&totals, *key));
	tee_perf_reader_close(reader);
	json_decref(totals.end);
	return 0;
}
