/* SPDX-License-Identifier: MIT */
/* Layout of the memory that the trusted side (runtime) and the untrusted side (recorder) share.
 * docs/LOG-FORMAT.md is the normative text. Bump TEE_PERF_LOG_VERSION when the meaning of a bit
 * changes. Every field is one aligned 8-byte word. */
#ifndef TEE_PERF_RUNTIME_LOG_LAYOUT_H
#define TEE_PERF_RUNTIME_LOG_LAYOUT_H

#include <stdint.h>

#define TEE_PERF_LOG_MAGIC   0x31474f4c46504554u /* "TEPFLOG1" */
#define TEE_PERF_LOG_VERSION 2u

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
#define TEE_PERF_TIME_MASK  ((UINT64_C(1) << TEE_PERF_KIND_SHIFT) - 1)

enum tee_perf_meta {
	TEE_PERF_META_LOST = 1,     /* payload: records lost just before this place */
	TEE_PERF_META_OFF = 2,      /* recording was switched off here */
	TEE_PERF_META_ON = 3,       /* and on again here: open frames are unconfirmed */
	TEE_PERF_META_MARK = 4,     /* payload: low 32 bits of the address of a map entry of kind MARK */
	TEE_PERF_META_CLOCK = 5,    /* payload: enum tee_perf_clock of all later records; w0: the new clock's time */
	TEE_PERF_META_STACK_LO = 6, /* payload: lowest address of the stack that later CFAs lie in (thread's own) */
	TEE_PERF_META_STACK_HI = 7,
	TEE_PERF_META_THREAD_END = 9, /* written by the recorder: the thread is gone, what is open ends here; payload
				       * TEE_PERF_END_OF_PROCESS: so is its process */
	TEE_PERF_META_SIGNAL_STACK_HI = 10, /* as STACK_HI, of a stack that signal handlers run on */
	TEE_PERF_META_ENDS = 19,            /* the thread ends by itself */
	TEE_PERF_META_NAME =
	    16, /* to 18: payload: characters 0 to 6, 7 to 13, 14 of the thread's name, the first lowest */
	TEE_PERF_META_HOLE = 8, /* written by the recorder: payload incomplete records were skipped here */
	/* Frames that were open when recording began or resumed in the middle, the innermost first: a pair for each,
	 * then the end. */
	TEE_PERF_META_WALK_PC = 11,  /* payload: an address within the frame's function; the recorder puts the low 32
				      * bits of the map entry in its place, 0: a function without hooks */
	TEE_PERF_META_WALK_CFA = 12, /* payload: its CFA */
	TEE_PERF_META_WALK_END = 13, /* payload: 0: the walk went no further, 1: that was the bottom of the stack, 2: do
				      * not use it */
};

#define TEE_PERF_END_OF_PROCESS 1

enum tee_perf_clock { TEE_PERF_CLOCK_HOST = 0, TEE_PERF_CLOCK_TSC = 1 };
enum tee_perf_full { TEE_PERF_FULL_WAIT = 0, TEE_PERF_FULL_DROP = 1, TEE_PERF_FULL_OVERWRITE = 2 };

/* ---- control word, written by the host */
#define TEE_PERF_CONTROL_ON          UINT64_C(1)
#define TEE_PERF_CONTROL_CLOCK_SHIFT 4 /* 4 bits: enum tee_perf_clock */
#define TEE_PERF_CONTROL_FULL_SHIFT  8 /* 4 bits: enum tee_perf_full */
#define TEE_PERF_CONTROL_FIELD       UINT64_C(15)
#define TEE_PERF_CONTROL_NEVER       (UINT64_C(1) << 63) /* no control word has this bit */

/* In the clock word: look at the control word, which asks for something else than recording with this clock. So that a
 * hook needs one of the two words. */
#define TEE_PERF_CLOCK_LOOK (UINT64_C(1) << 63)
/* The clock bits of such a control word, and that it is on. */
#define TEE_PERF_CONTROL_PLAIN_MASK (TEE_PERF_CONTROL_ON | TEE_PERF_CONTROL_FIELD << TEE_PERF_CONTROL_CLOCK_SHIFT)
#define TEE_PERF_CLOCK_WORD(ns, control)                                                                               \
	((ns) | (((control)&TEE_PERF_CONTROL_PLAIN_MASK) == TEE_PERF_CONTROL_ON ? 0 : TEE_PERF_CLOCK_LOOK))

/* ---- region: header, process table, one segment per process */
#define TEE_PERF_LINE            64
#define TEE_PERF_SUBBUF_BYTES    16384u
#define TEE_PERF_HEADER_WORDS    8 /* at the start of each sub-buffer */
#define TEE_PERF_SUBBUF_RECORDS  ((TEE_PERF_SUBBUF_BYTES - 8 * TEE_PERF_HEADER_WORDS) / 16)
#define TEE_PERF_NESTED_BYTES    16384u
#define TEE_PERF_NESTED_RECORDS  (TEE_PERF_NESTED_BYTES / 32)
#define TEE_PERF_SLOT_MAX        4096u
#define TEE_PERF_PROCESS_MAX     1024u
#define TEE_PERF_TABLE_OFFSET    4096u       /* of the process table */
#define TEE_PERF_SEGMENTS_OFFSET 1048576u    /* of the first segment */
#define TEE_PERF_MODULE_BYTES    (64u << 20) /* default size of a segment's module area */
#define TEE_PERF_RING_BYTES_MIN  (2 * TEE_PERF_SUBBUF_BYTES)
#define TEE_PERF_RING_BYTES_MAX  (UINT64_C(1) << 30)

struct tee_perf_log_header {
	uint64_t magic, version, nonce;
	uint64_t process_max, slot_max;
	uint64_t ring_bytes;    /* of one ring at most; a multiple of TEE_PERF_SUBBUF_BYTES */
	uint64_t segment_bytes; /* from one segment to the next */
	uint64_t module_bytes;  /* of the module area of a segment */
	uint64_t refused_count; /* processes that found no free entry */
	uint64_t counter;       /* ELF machine whose hardware counter the recorder can convert; 0: not said */
	uint64_t pad0[22];
	uint64_t control; /* at 256: written seldom, read by every hook */
	uint64_t pad1[31];
	uint64_t clock; /* at 512, a line pair of its own: written every period */
	uint64_t pad2[31];
	uint64_t doorbell; /* at 768: a waiting thread adds one and wakes the recorder (futex) */
};

enum tee_perf_process_state { TEE_PERF_PROCESS_FREE = 0, TEE_PERF_PROCESS_CLAIMED = 1, TEE_PERF_PROCESS_LIVE = 2 };

struct tee_perf_log_process { /* one line */
	uint64_t state;
	uint64_t pid;
	uint64_t parent; /* entry of the process that forked it, plus 1; 0: none */
	uint64_t parent_generation;
	uint64_t generation; /* counts the uses of this entry */
	uint64_t slot_count; /* slots used so far */
	uint64_t unserved;   /* threads that found no slot */
	uint64_t flags;      /* TEE_PERF_PROCESS_MACHINE: ELF machine of the program, 0: not said */
};
#define TEE_PERF_PROCESS_MACHINE       UINT64_C(0xffff)
#define TEE_PERF_PROCESS_TWICE         UINT64_C(0x20000) /* a second runtime in the process did not attach */
#define TEE_PERF_PROCESS_PROGRAM_SHIFT 32 /* bits from here on: the same for all runtimes of one executed program */
#define TEE_PERF_PROCESS_ENCLAVE       UINT64_C(0x10000) /* within the process that has the pid; its name is its file's */
#define TEE_PERF_PROCESS_HOST_CLOCK                                                                                    \
	UINT64_C(0x40000) /* it can read no hardware counter, whatever the control word says */

/* A segment, which the writer maps at a multiple of TEE_PERF_SUBBUF_BYTES (the end of a sub-buffer is seen by the
 * cursor's low bits): dense arrays of positions, the module area, the slots. Positions count sub-buffers
 * (nested: records) since the slot exists and never go back. */
struct tee_perf_log_segment {
	uint64_t module_written;                      /* bytes of the module area that are valid */
	uint64_t pad0[TEE_PERF_SUBBUF_BYTES / 8 - 1]; /* all sizes are multiples of a sub-buffer */
	uint64_t writer[TEE_PERF_SLOT_MAX];
	uint64_t nested_writer[TEE_PERF_SLOT_MAX];
	uint64_t reader[TEE_PERF_SLOT_MAX];
	uint64_t nested_reader[TEE_PERF_SLOT_MAX];
	uint64_t lost[TEE_PERF_SLOT_MAX];    /* records that the slot's threads have lost so far */
	uint64_t extra[TEE_PERF_SLOT_MAX];   /* records of kinds META and GAP that they have written */
	uint64_t waited[TEE_PERF_SLOT_MAX];  /* clock word units that they have waited for room */
	uint64_t waiting[TEE_PERF_SLOT_MAX]; /* nonzero: the writer sleeps until its reader position is that */
};

#define TEE_PERF_SLOTS_OFFSET(module_bytes) (sizeof(struct tee_perf_log_segment) + (module_bytes))
#define TEE_PERF_SLOT_BYTES(ring_bytes)     (TEE_PERF_NESTED_BYTES + (ring_bytes))

/* How many slots of a segment a process maps whose address space is limited to limit bytes (UINT64_MAX: not): the
 * program, and the recorder, which inherited the same limit. */
static inline uint64_t tee_perf_slots_within(uint64_t limit, uint64_t slots, uint64_t ring_bytes, uint64_t module_bytes)
{
	while (slots > 1 && TEE_PERF_SLOTS_OFFSET(module_bytes) + slots * TEE_PERF_SLOT_BYTES(ring_bytes) > limit / 8)
		slots /= 2;
	return slots;
}

/* ---- sub-buffer header: 8 words, written before the first record */
enum tee_perf_subbuf_word {
	TEE_PERF_SUBBUF_SEQ = 0, /* META kind bits | sequence number: never zero */
	TEE_PERF_SUBBUF_THREAD,  /* thread number << 32 | tid */
	TEE_PERF_SUBBUF_CLOCK,   /* clock word when it was opened */
	TEE_PERF_SUBBUF_LOST,    /* records that this slot has lost so far */
	TEE_PERF_SUBBUF_STACK_LO,
	TEE_PERF_SUBBUF_STACK_HI,
	TEE_PERF_SUBBUF_FLAGS, /* enum tee_perf_clock of the first record */
	TEE_PERF_SUBBUF_RING,  /* sub-buffers of the ring << 32 | what it does when full: enum tee_perf_full + 1 */
};

/* ---- nested record: what a signal handler's hook wrote while it had interrupted another hook */
struct tee_perf_nested_record {
	uint64_t w0, w1;
	uint64_t place; /* it precedes this record: sequence number * TEE_PERF_SUBBUF_RECORDS + index */
	uint64_t pad;
};

/* ---- module area: records of whole words, the size in bytes first */
enum tee_perf_module_record {
	TEE_PERF_MODULE_LOAD = 1,
	TEE_PERF_MODULE_UNLOAD = 2,
	TEE_PERF_MODULE_CONFLICT = 3, /* 4, 5: an image compiled by gcc, and what it may call */
	TEE_PERF_MODULE_TEXT = 4,
	TEE_PERF_MODULE_SYMBOLS = 5,
	TEE_PERF_MODULE_CROSSING = 6 /* map_begin: cycles that an ECALL costs, strings_begin: an OCALL; no image */
};

struct tee_perf_module_header {
	uint64_t bytes; /* of this record, a multiple of 8 */
	uint64_t type;
	uint64_t module; /* number in this process */
	uint64_t clock;
	uint64_t map_begin, map_bytes;
	uint64_t strings_begin, strings_bytes;
	uint64_t load_bias;
	uint64_t path_bytes;     /* with the final zero */
	uint64_t build_id_bytes; /* raw */
				 /* then map, strings, path, build-id, each padded to 8 bytes */
};

#endif
