/* SPDX-License-Identifier: MIT */
/* One thread being rebuilt; internal to analyzer/. The fast path is track.c, what is rare is in track_apply.c
 * (frames), track_time.c (time) and stacks.c (which stack a CFA lies in). */
#ifndef TEE_PERF_ANALYZER_TRACK_H
#define TEE_PERF_ANALYZER_TRACK_H

#include "analyzer/cct.h"
#include "analyzer/model.h"

#define TEE_PERF_FRAMES_MAX     (UINT32_C(1) << 25) /* open frames of one stack; 24 bytes each */
#define TEE_PERF_STACKS_MAX     8192u               /* announced stacks of one thread */
#define TEE_PERF_STACKS_GUESSED 64u                 /* guessed stacks of one thread */
#define TEE_PERF_STACK_SPAN_MAX UINT32_C(0x7fffffff)
#define TEE_PERF_ANNOUNCEMENTS  8u /* begun within each other */
#define TEE_PERF_STACK_DISTANCE                                                                                        \
	(UINT32_C(256) << 10)                     /* a CFA farther than this from a guessed stack lies in another      \
						   */
#define TEE_PERF_SEGMENTS_MAX 65536u              /* of one thread */
#define TEE_PERF_MARKS_MAX    (UINT32_C(1) << 20) /* of one thread */

/* Time within the stack: it advances only while the thread runs on this stack, and not while it waits for the
 * recorder or recording is off. A flag makes it differ from every time, which sends a return off the fast path. */
#define TEE_PERF_FRAME_PSEUDO      (UINT64_C(1) << 63)
#define TEE_PERF_FRAME_UNCONFIRMED (UINT64_C(1) << 62)
#define TEE_PERF_FRAME_EDGE        (UINT64_C(1) << 61) /* another stack lies between it and the frame before it */
#define TEE_PERF_FRAME_DOUBT       (TEE_PERF_FRAME_PSEUDO | TEE_PERF_FRAME_UNCONFIRMED)
#define TEE_PERF_FRAME_FLAGS       (TEE_PERF_FRAME_DOUBT | TEE_PERF_FRAME_EDGE)
/* The sentinel below the first frame. What has a CFA below its CFA can be no news of functions that were open before
 * the track began (see struct tee_perf_segment). */
#define TEE_PERF_FRAME_BOTTOM UINT64_MAX

struct tee_perf_frame {
	uint64_t w1;    /* of the call's record: CFA and map entry */
	uint64_t start; /* stack time of the call, and flags */
	uint32_t node;
};

/* What `calls` wants to know of each frame; parallel to the frames, and only then allocated. */
struct tee_perf_frame_extra {
	uint64_t id, parent; /* parent 0: none */
	uint64_t start_ns;
	uint64_t self_ns;
	uint32_t depth; /* real frames below it on this stack */
};

struct tee_perf_stack {
	uint32_t lo, span; /* CFAs lo .. lo + span, modulo 2^32 */
	bool announced;
	bool is_signal;                /* handlers run on it */
	bool resumable;                /* what is open on it called setjmp: it may be waiting for a longjmp */
	bool has_holes;                /* others lie within its range */
	uint32_t announcement;         /* its number, of the last one */
	struct tee_perf_stack *outer;  /* the one that this lies within; NULL: none */
	bool used;                     /* a guessed one: has a range */
	uint32_t last;                 /* a guessed one: the CFA that it was last chosen for */
	struct tee_perf_frame *frames; /* [0] is the sentinel */
	struct tee_perf_frame_extra *extras;
	uint32_t capacity;
	struct tee_perf_frame *top;      /* while another stack is the current one */
	uint64_t time;                   /* the same */
	struct tee_perf_stack *previous; /* ran before this one; where the thread goes on when this one is empty */
};

/* What the fast path keeps in registers. */
struct tee_perf_hot {
	struct tee_perf_frame *top;
	uint32_t *hint; /* holds the node that the next call will probably enter */
	uint64_t w0;    /* of the last record: its time bits are the present time in clock units */
	uint64_t time;  /* of the current stack */
	uint32_t lo;    /* of the current stack */
};

/* A track may begin deep in the stack: after --delay, in a ring that overwrites, or where a recording of single calls
 * went on as a profile. Its tree is then cut into segments: each ends where a function that was open before the track
 * began returns (RETURN) or runs again (RESYNC), or where a call shows that functions above it may have gone (CALL,
 * CALL_INLINED). With the frames that were open, or those that the segments name, they are joined to one tree
 * (merge.c). */
struct tee_perf_segment {
	uint32_t root;   /* its node */
	uint64_t end_w1; /* of the record that ended it */
	uint64_t end_ns;
	enum tee_perf_kind end_kind;
};

struct tee_perf_gap {
	uint64_t from_ns, to_ns;
};

struct tee_perf_mark {
	uint32_t entry;
	uint64_t time_ns;
};

struct tee_perf_counts {
	uint64_t records, metas; /* metas: what is no call, return or resync */
	uint64_t lost, holes;
	uint64_t orphan_returns; /* of functions whose call was not seen */
	uint64_t backwards;      /* times that were earlier than the one before, and held */
	uint64_t unknown;        /* records of an unknown kind */
	uint64_t
	    too_deep; /* calls beyond TEE_PERF_FRAMES_MAX or without memory for a frame: counted, but without time */
	uint64_t marks_dropped;
	uint64_t waited_ns, off_ns;
	uint64_t tsc_records; /* fed while the clock was the TSC */
	uint64_t ended_open;  /* functions that were open when the thread ended */
	uint64_t exited_open; /* the same, when its process ended while it ran */
};

/* What `info --check` asks about, with the first place of each. A profile does not keep places. */
enum tee_perf_finding_kind {
	TEE_PERF_FOUND_RETURN,        /* without a call */
	TEE_PERF_FOUND_PAUSED_RETURN, /* the same after a pause, in which it may have been called */
	TEE_PERF_FOUND_BACKWARDS,
	TEE_PERF_FOUND_LOST,
	TEE_PERF_FOUND_HOLE,
	TEE_PERF_FOUND_UNKNOWN,
	TEE_PERF_FOUND_DEEP,
	TEE_PERF_FOUND_ENDED,  /* open when the thread ended: the innermost */
	TEE_PERF_FOUND_EXITED, /* open when the process ended */
	TEE_PERF_FOUND_UNWOUND,
	TEE_PERF_FOUND_GUESSED, /* a stack; the function that ran before */
	TEE_PERF_FOUND_COUNT
};

struct tee_perf_finding {
	uint64_t count, first_ns;
	uint32_t entry; /* of the function; 0: none */
};

/* Why a frame ended. */
enum tee_perf_ended { TEE_PERF_RETURNED, TEE_PERF_UNWOUND, TEE_PERF_LOST_IN_GAP, TEE_PERF_OPEN };

/* Told of each call when single calls are wanted. */
struct tee_perf_observer {
	void (*ended)(struct tee_perf_observer *observer, const struct tee_perf_track *track,
		      const struct tee_perf_frame *frame, const struct tee_perf_frame_extra *extra,
		      uint64_t duration_ns, enum tee_perf_ended how);
	uint64_t next_id; /* of the next call, from 1 */
};

/* A walk of the stack that is being told, the innermost frame first. */
struct tee_perf_walk {
	uint64_t *w1; /* as those of calls */
	uint32_t count, capacity;
	uint32_t entry;               /* of the frame whose CFA is to come; 0: a function without hooks */
	struct tee_perf_stack *stack; /* that was walked while recording is off; NULL: none */
};

struct tee_perf_track {
	struct tee_perf_hot hot;
	struct tee_perf_stack *stack; /* the current one */
	struct tee_perf_cct cct;
	struct tee_perf_model *model;
	uint32_t number; /* place among the model's tracks */
	uint32_t process, thread;

	/* time */
	bool started, off, ended;
	bool switched; /* another stack since the last change of time */
	enum tee_perf_clock clock;
	uint64_t clock_since;                /* number of the record at which the clock was last set */
	const struct tee_perf_record *batch; /* being fed; counts.records does not count them yet */
	uint64_t first_ns, now_ns;
	uint32_t gap_cursor, tsc_cursor, remap_cursor; /* places in the model's lists */
	struct tee_perf_gap held_gap;                  /* around now_ns, when the model forgot its list */
	uint64_t remap_ns; /* next time at which addresses change their module; UINT64_MAX: none */

	/* stacks */
	struct tee_perf_stack **stacks; /* announced ones, by lo */
	struct tee_perf_stack *own;     /* the first announced one: the thread's; NULL: none */
	uint32_t stack_count, stack_capacity;
	struct tee_perf_stack *guessed[TEE_PERF_STACKS_GUESSED];
	uint32_t guessed_count;
	uint32_t guessed_stacks; /* opened by the distance rule next to another: the report says so */
	uint64_t
	    announced_lo[TEE_PERF_ANNOUNCEMENTS]; /* of which the upper end is to come: a handler may come between */
	uint32_t announced_count;
	uint32_t announcements, evicted; /* announced so far; place where the last one was taken out for want of room */

	uint32_t root;                     /* node of what runs below no known function: of the present segment */
	struct tee_perf_segment *segments; /* the ended ones */
	uint32_t segment_count, segment_capacity;
	uint64_t first_call_w1;             /* of the first call below no known function */
	enum tee_perf_kind first_call_kind; /* 0: none, or it ended a segment */

	struct tee_perf_walk walk;
	struct tee_perf_mark *marks;
	uint32_t mark_count, mark_capacity;
	struct tee_perf_counts counts;
	struct tee_perf_finding findings[TEE_PERF_FOUND_COUNT];
	bool was_paused, said_end;
	char name[24];                      /* of the thread, as it said itself; "" unknown */
	struct tee_perf_observer *observer; /* NULL: nobody wants single calls */
};

/* track.c */
int tee_perf_track_init(struct tee_perf_track *track, struct tee_perf_model *model, uint32_t process, uint32_t thread);
void tee_perf_track_clear(struct tee_perf_track *track);

/* track_apply.c: one record of any kind, its time already applied. State is in track->hot. */
void tee_perf_track_apply(struct tee_perf_track *track, const struct tee_perf_record *record);
/* track_meta.c: a record of kind META; one of a kind that is not known. */
void tee_perf_track_meta(struct tee_perf_track *track, const struct tee_perf_record *record);
void tee_perf_track_unknown(struct tee_perf_track *track);
/* The return that matches the top frame and took time. */
void tee_perf_track_time_return(struct tee_perf_track *track, struct tee_perf_frame *frame, uint64_t time);
/* The child of the top frame for an entry, and the hint set to it. May move nodes. */
uint32_t tee_perf_track_enter(struct tee_perf_track *track, uint32_t entry);
/* Pops the top frame, which is no sentinel. */
void tee_perf_track_pop(struct tee_perf_track *track, enum tee_perf_ended how);
/* Pops what is dead when a function with this CFA is called (equal_too: not inlined). */
void tee_perf_track_unwind(struct tee_perf_track *track, uint32_t cfa, bool equal_too);
/* Pops all frames of all stacks. */
void tee_perf_track_close(struct tee_perf_track *track, enum tee_perf_ended how);
/* Every open frame becomes unconfirmed; what runs below one shows under the pseudo frame. */
void tee_perf_track_unconfirm(struct tee_perf_track *track, enum tee_perf_pseudo pseudo);
/* The pseudo frame below a node. May move nodes. */
uint32_t tee_perf_track_pseudo(struct tee_perf_track *track, uint32_t parent, enum tee_perf_pseudo pseudo);
/* Room for count more frames above the top of the current stack; 0, or -1: too deep, or out of memory. */
int tee_perf_track_room(struct tee_perf_track *track, uint32_t count);

/* track_time.c: the record's time differs from the one before. State is in track->hot. */
void tee_perf_track_time(struct tee_perf_track *track, const struct tee_perf_record *record);
/* Ends the thread's time: what is still open is open until end_ns, if that is later than its last record. */
void tee_perf_track_finish(struct tee_perf_track *track, uint64_t end_ns);
/* The thread's time goes on to ns, which is not earlier than its last record's; the first time starts it. */
void tee_perf_track_advance(struct tee_perf_track *track, uint64_t ns);
/* The model forgets its gaps: the one that the thread's time lies in still matters. */
void tee_perf_track_hold_gap(struct tee_perf_track *track);
/* A change of modules was told: tells the track when the next one comes. */
void tee_perf_track_plan_remap(struct tee_perf_track *track);

/* track_walk.c: a record of a walk. */
/* Of WALK_END: the walk reached the bottom of the stack; it is not to be used. */
#define TEE_PERF_WALK_PAYLOAD_WHOLE   1
#define TEE_PERF_WALK_PAYLOAD_INVALID 2
void tee_perf_track_walk(struct tee_perf_track *track, enum tee_perf_meta meta, uint64_t payload);
/* track_apply.c: pushes a frame whose call was not seen: it is not counted, and no single call. 0, or -1: too deep, or
 * out of memory. */
int tee_perf_track_reopen(struct tee_perf_track *track, uint64_t w1);

/* merge.c */
/* Adds to a track what another of the same thread, which began where this one ended, has seen. 0, or -1 out of memory.
 */
int tee_perf_track_merge(struct tee_perf_track *into, const struct tee_perf_track *from);
/* Makes what was read of a thread the state of a track that has no record yet. What is left of `from` is to be cleared.
 */
void tee_perf_track_take_over(struct tee_perf_track *into, struct tee_perf_track *from);
/* Joins the segments of a finished track: what returned without a call was open from the beginning. 0, or -1. */
int tee_perf_track_settle(struct tee_perf_track *track);

/* stacks.c */
int tee_perf_stacks_init(struct tee_perf_track *track);
void tee_perf_stacks_clear(struct tee_perf_track *track);
/* Makes the stack that the CFA lies in the current one. */
void tee_perf_stacks_assign(struct tee_perf_track *track, uint32_t cfa);
/* If the current stack is empty: the one that ran before it goes on, or the thread's own. */
void tee_perf_stacks_leave(struct tee_perf_track *track);
/* A stack that lies within another is a hole in that one. Forgotten: hi == lo. */
void tee_perf_stacks_announce(struct tee_perf_track *track, uint64_t lo, uint64_t hi, bool is_signal);
/* A function that called setjmp runs again, with this CFA: the handlers of the signal stack that it was left from are
 * gone, unless they called setjmp themselves. */
void tee_perf_stacks_resync(struct tee_perf_track *track, uint32_t cfa);
/* The top frame has changed: the fast path must not take CFAs of a hole for its own. True: a hole lies between the top
 * frame and the one before. */
bool tee_perf_stacks_edge(struct tee_perf_track *track);
/* Calls visit for every stack, the current one included, after making it the current one; goes back at the end. */
void tee_perf_stacks_each(struct tee_perf_track *track, void (*visit)(struct tee_perf_track *track, void *argument),
			  void *argument);

static inline void tee_perf_track_found(struct tee_perf_track *track, enum tee_perf_finding_kind kind, uint64_t count,
					uint32_t entry)
{
	struct tee_perf_finding *finding = &track->findings[kind];
	if (finding->count == 0) {
		finding->first_ns = track->now_ns;
		finding->entry = entry;
	}
	finding->count += count;
}

static inline uint32_t tee_perf_cfa(uint64_t w1)
{
	return (uint32_t)(w1 >> 32);
}

static inline bool tee_perf_frame_is_bottom(const struct tee_perf_frame *frame)
{
	return frame->start == TEE_PERF_FRAME_BOTTOM;
}

#endif
