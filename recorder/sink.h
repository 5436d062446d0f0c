/* SPDX-License-Identifier: MIT */
/* Where drained records go: encoded into blocks for the writer thread (--keep calls), or straight into
 * the analyzer's model (--keep profile). */
#ifndef TEE_PERF_RECORDER_SINK_H
#define TEE_PERF_RECORDER_SINK_H

#include "analyzer/model.h"
#include "format/codec.h"
#include "recorder/writer.h"

struct tee_perf_sink;

/* One thread of one process. */
struct tee_perf_stream {
	struct tee_perf_sink *sink;
	uint32_t process, thread;
	uint64_t records, records_seen;   /* in all; at the last tee_perf_sink_flush_idle */
	uint64_t last_time;               /* of the last record, in the thread's clock */
	struct tee_perf_track *track;     /* --keep profile */
	struct tee_perf_encoder *encoder; /* --keep calls, from here on */
	struct tee_perf_block *block;
	struct tee_perf_chain chain;
	uint64_t lost_told; /* of chain.lost_records */
	bool closed;        /* its thread has ended */
	bool with_process;  /* its process has ended; the thread may have before */
	uint32_t tid;
	char name[32];               /* as told last */
	unsigned looks;              /* at its name */
	uint64_t stack_lo, stack_hi; /* as told last */
	bool fresh;                  /* the next block starts with a reset encoder */
	struct tee_perf_stream *next;
};

struct tee_perf_sink {
	/* Calibration: takes all records in place of file and model; data is `drain`. */
	void (*observe)(void *data, const struct tee_perf_record *records, size_t count);
	struct tee_perf_model *model; /* not NULL: --keep profile */
	struct tee_perf_writer_thread *writer;
	void (*while_waiting)(void *); /* keeps the clock going while no block is free */
	void (*before_block)(void *);  /* called before a block goes to the writer */
	void *drain;                   /* what both get */
	uint64_t lost_records;         /* for want of memory */
	struct tee_perf_stream *streams;
};

struct tee_perf_stream *tee_perf_sink_stream(struct tee_perf_sink *sink, uint32_t process, uint32_t thread);

/* The hot path: count records (at most TEE_PERF_SUBBUF_RECORDS) in ring order. */
void tee_perf_sink_feed(struct tee_perf_stream *stream, const struct tee_perf_record *records, size_t count);

/* Hands a block that got nothing since the last call to the writer, so that it is not kept from the file. */
void tee_perf_sink_flush_idle(struct tee_perf_stream *stream);

/* The stream's thread is gone, alone or with its process: says so, hands its block to the writer and frees
 * its encoder. Once per stream. */
void tee_perf_sink_close(struct tee_perf_stream *stream);

/* From here on everything goes into the model (--max-size reached). */
void tee_perf_sink_turn_to_profile(struct tee_perf_sink *sink, struct tee_perf_model *model);

void tee_perf_sink_free(struct tee_perf_sink *sink);

#endif
