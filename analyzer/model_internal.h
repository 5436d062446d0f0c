/* SPDX-License-Identifier: MIT */
/* Inside of the model; internal to analyzer/. */
#ifndef TEE_PERF_ANALYZER_MODEL_INTERNAL_H
#define TEE_PERF_ANALYZER_MODEL_INTERNAL_H

#include "analyzer/model.h"
#include "analyzer/texts.h"
#include "analyzer/track.h"

struct tee_perf_process {
	uint32_t number, parent, pid;
	bool known; /* told, not only implied by a thread */
	uint64_t start_ns;
	char *command;
};

struct tee_perf_thread {
	uint32_t process, number, tid;
	char *name;
};

struct tee_perf_module {
	uint32_t process, number;
	uint64_t map_begin, strings_begin, load_bias, load_ns, unload_ns;
	char *path, *build_id;
	uint8_t *map;
	char *strings;
	size_t map_size, strings_size;
};

/* From time_ns on, the addresses begin .. begin + size - 1 of the process belong to another module. */
struct tee_perf_remap {
	uint32_t process, begin, size;
	uint64_t time_ns;
};

#define TEE_PERF_GAPS_MAX (UINT32_C(1) << 20) /* kept at a time; 16 bytes each */

/* From `ticks` on: ns + (time - ticks) * scale / 2^TEE_PERF_TSC_SHIFT. */
struct tee_perf_tsc_point {
	uint64_t ticks, ns, scale;
};

#define TEE_PERF_TSC_SHIFT 40

struct tee_perf_model {
	struct tee_perf_process *processes;
	struct tee_perf_thread *threads;
	struct tee_perf_module *modules;
	struct tee_perf_texts texts;
	struct tee_perf_remap *remaps; /* by time */
	struct tee_perf_gap *gaps;     /* by time, apart from each other */
	struct tee_perf_tsc_point *tsc;
	struct tee_perf_track **tracks; /* in the order of their creation */
	uint32_t process_count, thread_count, module_count, remap_count, gap_count, tsc_count, track_count;
	uint32_t process_capacity, thread_capacity, module_capacity, remap_capacity, gap_capacity, tsc_capacity,
	    track_capacity;
	uint32_t *track_slots; /* track index + 1 by (process, thread), 0 free */
	uint32_t track_mask;
	uint32_t node_count;                /* of all tracks */
	uint32_t loaded_node_count;         /* of trees from a profile: there is room for them when the calls fill it */
	struct tee_perf_observer *observer; /* for the tracks created from now on; NULL: none */
	bool finished;
	uint64_t gap_total, gap_total_ns, gap_end_ns; /* of all gaps told; end of the last */
	bool tsc_unknown; /* TSC times without calibration: one tick was taken for a nanosecond */
	bool tsc_beyond;  /* TSC times behind the last point: one that comes later would tell more */
	uint64_t end_ns;
};

/* Time of a clock in nanoseconds since the recording's start. *cursor is the caller's place in the calibration. */
uint64_t tee_perf_model_to_ns(struct tee_perf_model *model, enum tee_perf_clock clock, uint64_t time, uint32_t *cursor);

/* From load_ns on the process begins new functions at these addresses: something else has been loaded there. 0, or -1.
 */
int tee_perf_model_remap(struct tee_perf_model *model, uint32_t process, uint64_t begin, size_t size, uint64_t load_ns);

/* Makes room for one more element in *array. 0, or -1 out of memory. */
int tee_perf_grow(void *array, uint32_t count, uint32_t *capacity, size_t size);

#endif
