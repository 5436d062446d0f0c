/* SPDX-License-Identifier: MIT */
/* Layout of the memory that the trusted side (runtime) and the untrusted side (recorder) share.
 * docs/LOG-FORMAT.md is the normative text. Bump TEE_PERF_LOG_VERSION when the meaning of a bit
 * changes. Every field is one aligned 8-byte word. */
#ifndef TEE_PERF_RUNTIME_LOG_LAYOUT_H
#define TEE_PERF_RUNTIME_LOG_LAYOUT_H

#include <stdint.h>

#define TEE_PERF_LOG_MAGIC 0x31474f4c46504554u /* "TEPFLOG1" */
#define TEE_PERF_LOG_VERSION 1u

/* ---- record: two words, the second stored first, so that a nonzero w0 means a complete record */
struct tee_perf_record {
	uint64_t w0; /* kind << 61 | time in clock units */
	uint64_t w1; /* CFA low 32 bits << 32 | map entry address low 32 bits; META, GAP: see below */
};

enum tee_perf_kind {
	TEE_PERF_CALL = 1,
	TEE_PERF_CALL_INLINED = 2, /* shares its host's CFA: frames with an equal CFA stay open */
	TEE_PERF_RETURN = 3,
	TEE_PERF_RESYNC = 4, /* the named frame runs again: all below its CFA are dead */
	TEE_PERF_GAP = 5,    /* w1: clock units that the thread waited for the recorder, ending at the record's time */
	TEE_PERF_META = 6,   /* w1: payload << 8 | enum tee_perf_meta */
};

#define TEE_PERF_KIND_SHIFT 61
#define TEE_PERF_TIME_MASK ((UINT64_C(1) << TEE_PERF_KIND_SHIFT) - 1)

enum tee_perf_meta {
	TEE_PERF_META_LOST = 1,     /* payload: records lost just before this place */
	TEE_PERF_META_OFF = 2,      /* recording was switched off here */
	TEE_PERF_META_ON = 3,       /* and on again here: open frames are unconfirmed */
	TEE_PERF_META_MARK = 4,     /* payload: low 32 bits of the address of a map entry of kind MARK */
	TEE_PERF_META_CLOCK = 5,    /* payload: enum tee_perf_clock of all later records; w0: the new clock's time */
	TEE_PERF_META_STACK_LO = 6, /* payload: lowest address of the stack that later CFAs lie in (thread's own) */
	TEE_PERF_META_STACK_HI = 7,
	TEE_PERF_META_HOLE = 8, /* written by the recorder: payload incomplete records were skipped here */
};

enum tee_perf_clock { TEE_PERF_CLOCK_HOST = 0, TEE_PERF_CLOCK_TSC = 1 };
enum tee_perf_full { TEE_PERF_FULL_WAIT = 0, TEE_PERF_FULL_DROP = 1, TEE_PERF_FULL_OVERWRITE = 2 };

#endif
