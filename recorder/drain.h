/* SPDX-License-Identifier: MIT */
/* The drain thread: publishes the clock, finds processes, empties their rings. */
#ifndef TEE_PERF_RECORDER_DRAIN_H
#define TEE_PERF_RECORDER_DRAIN_H

#include "recorder/images.h"
#include "recorder/pace.h"
#include "recorder/publisher.h"
#include "recorder/region.h"
#include "recorder/sink.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Where the reader stands in one slot. */
struct tee_perf_slot {
	uint64_t reader;                /* sequence number of the sub-buffer that is read next */
	uint64_t nested;                /* nested records read */
	uint64_t written, written_ns;   /* sub-buffers finished, and when that was seen */
	uint64_t lost;                  /* of which the summary knows */
	uint64_t floor;                 /* no time of a record may lie below: what a handler wrote came before it */
	uint32_t index;                 /* place in the ring of the sub-buffer read last */
	uint32_t consumed;              /* records of sub-buffer `reader` that were taken before it was finished */
	uint32_t full, count;           /* enum tee_perf_full + 1 and sub-buffers, as its ring says; 0: not known */
	bool broken;                    /* positions and headers contradict each other: given up */
	struct tee_perf_stream *stream; /* of the thread that has the slot now */
	uint64_t extra_seen;            /* META and GAP records that were looked at */
};

struct tee_perf_process {
	unsigned entry;
	uint64_t generation;
	uint32_t number, parent; /* within the recording */
	uint32_t pid;
	int pidfd;
	bool gone, enclave;
	struct tee_perf_log_segment *segment;
	uint64_t modules_read;
	struct tee_perf_walked *walked; /* NULL: none yet */
	uint64_t *module_at;            /* by number: where its record lies, plus 1; 0: none */
	uint32_t module_capacity;
	struct tee_perf_slot *slot; /* TEE_PERF_SLOT_MAX of them */
	uint32_t slot_count;
	struct tee_perf_stream **stream; /* by thread number */
	uint32_t stream_capacity;
	uint32_t thread_count;
};

struct tee_perf_drain_totals {
	uint64_t events, extra, lost, holes, waited, processes, threads, refused, unserved, second_runtimes;
};

/* An image that is not recorded, as its addresses agree with another's. */
#define TEE_PERF_CONFLICTS_MAX 64

struct tee_perf_drain {
	struct tee_perf_region *region;
	struct tee_perf_publisher *clock;
	struct tee_perf_sink *sink;
	unsigned chunk;                      /* records between two looks at the clock */
	bool follow;                         /* false: only the first process */
	bool foreign;                        /* the programs' process ids are not of this machine */
	bool automatic;                      /* --clock auto: may change to the TSC */
	double tsc_event_ns;                 /* what an event costs with the TSC; 0: not measured */
	bool overwrite;                      /* was asked for; a ring that overwrites is read at the end only */
	struct tee_perf_time_pair tsc_start; /* a: 0 if the counter is no clock */
	struct tee_perf_time_pair tsc_last;  /* the last that the model was told of */
	uint64_t max_bytes;                  /* of the file, then the rest goes into a model; 0: no limit */
	/* set by the main thread */
	atomic_bool stop;         /* the command has ended: finish */
	_Atomic uint64_t control; /* what the control word should be */
	/* read by the main thread */
	_Atomic uint64_t events, lost;
	_Atomic uint32_t live_processes, processes;
	bool unreadable;                     /* a process was met whose rings could not be mapped: err says why */
	bool other_machine;                  /* a process was met whose hardware counter is not ours */
	struct tee_perf_drain_totals totals; /* valid after the thread has ended */
	uint32_t ring_full;                  /* enum tee_perf_full + 1 of the last ring found; 0: none was */
	struct tee_perf_error err;
	struct tee_perf_images images;
	char *conflict[TEE_PERF_CONFLICTS_MAX]; /* paths of images that are not recorded; the owner frees them */
	unsigned conflict_count;
	/* What an enclave's host said that a crossing costs: cycles. */
	uint64_t ecall_cycles, ocall_cycles;
	bool crossing_costs;
	/* private */
	struct tee_perf_process **process;
	unsigned process_count, process_capacity;
	uint32_t process_next;
	uint64_t due[3]; /* when the housekeeping of each kind is next */
	struct tee_perf_pace pace;
	uint64_t gap_before, events_before; /* what there was of each a second ago */
};

/* Runs until stop is set and everything is read. The thread function for pthread_create; data is a struct
 * tee_perf_drain. */
void *tee_perf_drain_run(void *data);
/* No process attaches through the entries of the table from this one on that are free now. */
void tee_perf_drain_close_table(struct tee_perf_drain *drain, unsigned from);

/* ---- slots (drain_slot.c). Each returns whether anything was read.
 * Takes finished sub-buffers, but the last one of a thread that goes on only when the next is finished, too. */
bool tee_perf_slot_drain(struct tee_perf_drain *drain, struct tee_perf_process *process, uint32_t slot);
/* Takes what stands in the unfinished sub-buffer, too. final: the writer is gone, nothing will change. */
bool tee_perf_slot_drain_tail(struct tee_perf_drain *drain, struct tee_perf_process *process, uint32_t slot,
			      bool final);

/* ---- modules (modules.c): turns what the process has written since into sections MODULE or facts of the model. */
void tee_perf_modules_drain(struct tee_perf_drain *drain, struct tee_perf_process *process);

/* Calls a function for each image that the process has told of so far, also for those that are gone. */
void tee_perf_modules_each(struct tee_perf_drain *drain, const struct tee_perf_process *process,
			   void (*module)(void *data, const struct tee_perf_module_info *info),
			   void (*text)(void *data, const struct tee_perf_text_info *info), void *data);

/* ---- walks (walk.c): looks through count records for walked stacks while `extra`, the number of META and GAP records
 * that the slot's thread has written, says that there are unseen ones; addresses become map entries. */
void tee_perf_walks_resolve(struct tee_perf_drain *drain, struct tee_perf_process *process, struct tee_perf_slot *slot,
			    uint64_t extra, struct tee_perf_record *record, uint32_t count);

/* While recording is off: reads the functions of an image, so that the clock need not stand still for it later. */
void tee_perf_walks_prepare(struct tee_perf_drain *drain, const char *path, const char *build_id);

/* The last part of the path of the first module, the executable; "" where there is none yet. */
void tee_perf_modules_first_name(struct tee_perf_drain *drain, const struct tee_perf_process *process, char *name,
				 size_t size);

/* ---- names (drain_names.c): tells the file or the model. A process has appeared. */
void tee_perf_drain_process(struct tee_perf_drain *drain, const struct tee_perf_process *process);
/* A thread has appeared, or may have a new name. */
void tee_perf_drain_thread(struct tee_perf_drain *drain, const struct tee_perf_process *process,
			   struct tee_perf_stream *stream);
/* A thread is gone. */
void tee_perf_drain_close(struct tee_perf_drain *drain, struct tee_perf_stream *stream);

/* ---- the clock (drain_clock.c)
 * Gaps go to the model or to the file. */
void tee_perf_drain_pass_gaps(struct tee_perf_drain *drain);
/* Whether others want every core, so that publishing all the time would be in the program's way. */
bool tee_perf_drain_crowded(struct tee_perf_drain *drain);
/* Once per period_ns: --clock auto changes to the counter when too much of it was not published, or was published too
 * rarely and the counter costs little. */
void tee_perf_drain_judge_clock(struct tee_perf_drain *drain, uint64_t period_ns);
/* The control word in the log becomes what drain->control is. */
void tee_perf_drain_follow_control(struct tee_perf_drain *drain);
/* One more pair of counter and clock. */
void tee_perf_drain_note_tsc(struct tee_perf_drain *drain);

/* Records between two looks at the clock: about what is drained in a period. */
unsigned tee_perf_drain_chunk(uint64_t period_ns);

/* For struct tee_perf_sink: what must stand in the file before a block of records. data: the drain. */
void tee_perf_drain_before_block(void *data);

/* Publishes the clock when it is due. */
void tee_perf_drain_tick(struct tee_perf_drain *drain);

#endif
