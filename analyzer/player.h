/* SPDX-License-Identifier: MIT */
/* Plays a data file into a model, a batch of records at a time; internal to analyzer/. */
#ifndef TEE_PERF_ANALYZER_PLAYER_H
#define TEE_PERF_ANALYZER_PLAYER_H

#include "analyzer/model_internal.h"
#include "format/codec.h"
#include "format/data_file.h"

#define TEE_PERF_PLAYER_BATCH 4096u /* records decoded at a time: they stay in the cache */
/* A block of events may not claim to hold more: a short run-length code can stand for any number of records. */
#define TEE_PERF_BLOCK_RECORDS_MAX (UINT64_C(1) << 26)

struct tee_perf_player {
	struct tee_perf_reader *reader;
	struct tee_perf_model *model; /* not owned */
	/* What the model does not take; the payload of START and END. May be NULL. */
	int (*meta)(struct tee_perf_player *player, const struct tee_perf_section *section, struct tee_perf_error *err);
	void *argument;
	bool skip_profile;

	/* state of each track, by its number */
	struct tee_perf_player_track {
		struct tee_perf_decoder *decoder;
		bool broken;       /* nothing can be decoded until a block that starts afresh */
		bool hole;         /* records are missing before the next one that is decoded */
		bool ended;        /* the last record said so */
		uint32_t position; /* that the next block has, if none is missing */
		uint64_t missing;  /* records before the thread's first one */
		uint64_t doubts;   /* of the reader's damage, what had been passed over at the last block */
	} * tracks;
	uint32_t track_capacity;

	/* the block of events being played */
	struct tee_perf_track *track; /* NULL: none */
	const uint8_t *in, *end;
	uint64_t offset, wanted, played;

	uint64_t event_blocks, broken_blocks, broken_sections, profile_sections;
	uint64_t cut_off_blocks, cut_off_records; /* whole, but they go on from a block that is not */
	uint64_t last_ns;                         /* latest time of any thread */
	/* of what is damaged: when records are missing; from > to: at no known time */
	uint64_t hole_from_ns, hole_to_ns;
	uint64_t missing; /* records, as far as their number is known */
	bool holes_closed;
	uint64_t told;          /* records that stand for damage and were not in the file */
	char first_broken[256]; /* what was wrong with the first broken block of events */
	char first_broken_section[1200];
	struct tee_perf_record records[TEE_PERF_PLAYER_BATCH];
};

/* 0, or -1. The model is borrowed. */
int tee_perf_player_open(struct tee_perf_player *player, const char *path, struct tee_perf_model *model,
			 struct tee_perf_error *err);
void tee_perf_player_close(struct tee_perf_player *player);

/* Plays the next section, or the next batch of records. 1: played; 0: the file is at its end; -1: error. A section
 * that cannot be understood is no error: it is counted, and the rest of a block of events is counted as lost. */
int tee_perf_player_step(struct tee_perf_player *player, struct tee_perf_error *err);

#endif
