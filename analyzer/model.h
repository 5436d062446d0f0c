/* SPDX-License-Identifier: MIT */
/* The model: what streaming over the records leaves. It grows with the number of distinct stacks,
 * not of records. The recorder fills it live (--keep profile), `report` fills it from a file. */
#ifndef TEE_PERF_ANALYZER_MODEL_H
#define TEE_PERF_ANALYZER_MODEL_H

#include "format/sections.h"
#include "runtime/log_layout.h"
#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tee_perf_model;
struct tee_perf_track; /* one thread of one process being rebuilt; owned by the model */

struct tee_perf_model *tee_perf_model_new(void); /* NULL: out of memory */
void tee_perf_model_free(struct tee_perf_model *model);

/* Facts. They may come in any order and late: names are resolved when the model is read. Strings and map are copied. */
int tee_perf_model_process(struct tee_perf_model *model, const struct tee_perf_process_info *info,
			   struct tee_perf_error *err);
int tee_perf_model_thread(struct tee_perf_model *model, const struct tee_perf_thread_info *info,
			  struct tee_perf_error *err);
int tee_perf_model_module(struct tee_perf_model *model, const struct tee_perf_module_info *info,
			  struct tee_perf_error *err);
int tee_perf_model_text(struct tee_perf_model *model, const struct tee_perf_text_info *info,
			struct tee_perf_error *err);
int tee_perf_model_functions(struct tee_perf_model *model, const struct tee_perf_functions_info *info,
			     struct tee_perf_error *err);
/* The clock was not published between two times (ns); told before any record later than `from` is fed. */
int tee_perf_model_gap(struct tee_perf_model *model, uint64_t from_ns, uint64_t to_ns, struct tee_perf_error *err);
/* A calibration point; two or more make TSC times convertible. Before any record of clock TSC. */
int tee_perf_model_tsc(struct tee_perf_model *model, uint64_t ticks, uint64_t ns, struct tee_perf_error *err);
/* The same (a: ticks, b: ns) for a model that is fed while the clock runs: all records so far are of before `now`, and
 * their times stand. Times go on from there without a step; what they were off by is made good until the next point.
 * before: the point before this one, as it was measured. */
int tee_perf_model_tsc_live(struct tee_perf_model *model, struct tee_perf_time_pair before,
			    struct tee_perf_time_pair now, struct tee_perf_error *err);

/* Finds or creates the track. NULL: out of memory. */
struct tee_perf_track *tee_perf_model_track(struct tee_perf_model *model, uint32_t process, uint32_t thread);

/* The hot path: applies count records in ring order. Never fails visibly; when memory runs out
 * the rest goes to a frame "[out of memory]" and the header of the report says so. Different
 * tracks may not be fed from different threads at once. */
void tee_perf_track_feed(struct tee_perf_track *track, const struct tee_perf_record *records, size_t count);

/* What the thread said that its name is; "" nothing. */
const char *tee_perf_track_name(const struct tee_perf_track *track);

/* Closes what is open: at end_ns (0: at each thread's last record); in processes other than the command (process 0 and
 * those of its pid) at the process's last record; before an exec at the start of the next process of that pid. Threads
 * whose last record was followed by a meta record TEE_PERF_META_THREAD_END (9; its time is when the thread was found
 * gone; payload 0) have nothing open. After it the model is read only. */
int tee_perf_model_finish(struct tee_perf_model *model, uint64_t end_ns, struct tee_perf_error *err);

/* Joins what the threads did before their recording began with what they did after it (see track.h, segments). To be
 * called before a finished model is read, but after it is serialized. */
int tee_perf_model_settle(struct tee_perf_model *model, struct tee_perf_error *err);

/* ---- the model as a section PROFILE, and back */
int tee_perf_model_serialize(const struct tee_perf_model *model, struct tee_perf_bytes *out,
			     struct tee_perf_error *err);
int tee_perf_model_load(struct tee_perf_model *model, const void *payload, size_t size, struct tee_perf_error *err);

#endif
