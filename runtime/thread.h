/* SPDX-License-Identifier: MIT */
/* State of the trusted side. All of it lies in trusted memory; what points into host memory was
 * computed at attach from checked sizes and never again from host memory.
 *
 * Rules of this folder (DESIGN 8): freestanding C, no libc, no allocation, no system call outside
 * platform/, no clock instruction outside arch/.../clock.c; host memory only by aligned 8-byte
 * accesses (the host_ functions below); bounds, base and cursor live here. */
#ifndef TEE_PERF_RUNTIME_THREAD_H
#define TEE_PERF_RUNTIME_THREAD_H

#include "runtime/abi.h"
#include "runtime/log_layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an image's copy of hook.S reaches into. Part of the hook ABI: TEE_PERF_ABI_VERSION. */
#define TEE_PERF_IMAGE_VISIBLE __attribute__((visibility("protected")))
#define TEE_PERF_HIDDEN        __attribute__((visibility("hidden")))
#define TEE_PERF_UNLIKELY(x)   __builtin_expect(!!(x), 0)
#define TEE_PERF_CURSOR_MASK   ((uintptr_t)TEE_PERF_SUBBUF_BYTES - 1)

/* Where a thread stands in its ring. Two copies, the valid one named by thread->geometry, so that a
 * refill that is abandoned half-way (siglongjmp out of a signal handler) can simply be done again. */
struct tee_perf_geometry {
	uint64_t sequence; /* of the open sub-buffer */
	uintptr_t start;   /* address of the open sub-buffer; 0: none was opened yet */
	uint32_t index;    /* its place in the ring */
	uint32_t count;    /* sub-buffers that the ring has now */
	uint32_t touched;  /* sub-buffers that were ever used: beyond lies fresh zeroed memory */
	uint32_t grow;     /* the thread had to wait: take more at the next wrap */
};

#define TEE_PERF_STACKS_KNOWN 4
struct tee_perf_known_stack {
	uintptr_t lo, hi;
};

struct tee_perf_thread {
	/* The critical section: CFA of the function whose hook is at work, 0: none. A hook that finds it
	 * set runs in a signal handler that interrupted that hook, or the hook was abandoned. */
	volatile uintptr_t owner;
	volatile uintptr_t cursor; /* next record; on a multiple of the sub-buffer size: none, or full */
	/* The host's clock word where the fast path is right, else tee_perf_look. */
	const uint64_t *volatile clock_word;
	struct tee_perf_log_header *host;
	volatile uint64_t control_tsc; /* the control word for which the hardware's counter is right (x86-64) */

	volatile uint64_t control;    /* the control word that was applied last */
	volatile uint32_t generation; /* of state.generation when it was applied */
	bool on;
	uint8_t clock;
	uint8_t full;
	bool enters;   /* the hook at work is a call's: the function with the owner's CFA is only about to be open */
	bool live;     /* false after the memory was wiped in a forked child */
	bool dropping; /* no room, and no waiting for it, until the reader's position is not dropping_reader */
	volatile uint8_t geometry_valid;
	struct tee_perf_geometry geometry[2];
	uint64_t lost, lost_reported, waited, extra;
	bool hopeless; /* it waited as long as it may, although the recorder showed life */
	uint64_t dropping_reader;
	volatile uint64_t nested; /* nested records reserved so far */
	uint32_t slot, number, tid;
	uint32_t sub_buffer_max;
	uintptr_t ring, nested_ring;
	uint64_t *writer, *reader, *nested_writer, *nested_reader, *waiting, *lost_word, *waited_word,
	    *extra_word; /* host memory, this slot's words */
	uintptr_t stack_lo, stack_hi;
	/* platform/: the stacks announced last, so that a switch back to one of them writes nothing; valid while
	 * `lost` is known_lost and, in a ring that overwrites, no sub-buffer has been opened since.
	 * The fiber that runs, and the one that is being switched to. */
	struct tee_perf_known_stack known_stack[TEE_PERF_STACKS_KNOWN], fiber, next_fiber;
	uint64_t known_lost, known_sequence;
	uint32_t known_next;
} __attribute__((aligned(128)));

/* One per process. In the hosted platform `wiped` and the thread pool lie in pages that a forked
 * child finds zeroed. */
struct tee_perf_state {
	struct tee_perf_log_header *host; /* NULL: not attached */
	struct tee_perf_log_segment *segment;
	struct tee_perf_log_process *process; /* hosted: this process's entry; may be NULL */
	struct tee_perf_thread *threads;      /* trusted: slot_count of them */
	uint64_t ring_bytes;
	uintptr_t slots;                            /* address of slot 0 */
	uint32_t slot_count;                        /* that can be served */
	uint32_t slot_next;                         /* atomic */
	uint32_t thread_next;                       /* atomic */
	uint32_t unserved;                          /* atomic */
	uint32_t generation;                        /* atomic: bumped by tee_perf_on/off */
	bool enabled;                               /* what the program itself asked for */
	bool foreign_counter;                       /* the host's counter is not this machine's: never read it */
	uint64_t stalled_clock;                     /* heartbeat at which a thread gave up waiting; 0: none */
	uint64_t slot_free[TEE_PERF_SLOT_MAX / 64]; /* bit set: given back */
	const struct tee_perf_policy *policy;       /* built in: outranks the host */
	/* Where thread-local memory does not last (an enclave's, from one root ECALL to the next): the state that the
	 * calling thread had before, NULL: none. NULL: it lasts. */
	struct tee_perf_thread *(*thread_again)(void);
};

extern struct tee_perf_state tee_perf_state TEE_PERF_IMAGE_VISIBLE;
extern const struct tee_perf_thread tee_perf_unattached TEE_PERF_HIDDEN;
extern const uint64_t tee_perf_look TEE_PERF_HIDDEN; /* TEE_PERF_CLOCK_LOOK, and no time */
extern __thread struct tee_perf_thread *tee_perf_self TEE_PERF_IMAGE_VISIBLE __attribute__((tls_model("initial-exec")));

/* The only ways to touch host memory. Aligned 8-byte accesses; x86-64 keeps their order, elsewhere
 * release and acquire do. */
static inline uint64_t host_read(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
static inline void host_write(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* Nanoseconds since the start of the recording, as the host says. */
static inline uint64_t host_time(const struct tee_perf_log_header *host)
{
	return host_read(&host->clock) & TEE_PERF_TIME_MASK;
}

/* Sends the thread's next hook the slow way. Called by other threads, too. */
static inline void tee_perf_shut_fast_paths(struct tee_perf_thread *thread)
{
	__atomic_store_n(&thread->clock_word, &tee_perf_look, __ATOMIC_SEQ_CST);
	__atomic_store_n(&thread->control_tsc, TEE_PERF_CONTROL_NEVER, __ATOMIC_SEQ_CST);
}

/* hook.c */
void tee_perf_busy(uint64_t kind, uint64_t entry, uintptr_t cfa) TEE_PERF_IMAGE_VISIBLE;
void tee_perf_slow(uint64_t kind, uint64_t entry, uintptr_t cfa) TEE_PERF_IMAGE_VISIBLE;

/* ring.c: all with the owner held by the caller */
void tee_perf_put(struct tee_perf_thread *thread, uint64_t kind, uint64_t w1) TEE_PERF_HIDDEN;
void tee_perf_put_nested(struct tee_perf_thread *thread, uint64_t kind, uint64_t w1) TEE_PERF_HIDDEN;
void tee_perf_apply_control(struct tee_perf_thread *thread) TEE_PERF_HIDDEN;
bool tee_perf_still_dropping(struct tee_perf_thread *thread) TEE_PERF_HIDDEN;
void tee_perf_count_lost(struct tee_perf_thread *thread) TEE_PERF_HIDDEN;
void tee_perf_publish_partial(struct tee_perf_thread *thread) TEE_PERF_HIDDEN;
uint64_t tee_perf_now(struct tee_perf_thread *thread) TEE_PERF_HIDDEN;

/* arch/.../clock.c: the hardware's counter */
uint64_t tee_perf_clock_ticks(void) TEE_PERF_HIDDEN;

/* api.c: what the threads' fast paths go by has changed: the next hook of each looks again. */
void tee_perf_refresh_threads(void) TEE_PERF_HIDDEN;

/* attach.c */
struct tee_perf_thread *tee_perf_thread_attach(uintptr_t cfa) TEE_PERF_HIDDEN;
void tee_perf_thread_detach(void) TEE_PERF_HIDDEN;

/* What attach takes over from the host, checked. slot_count may be less than the header's. Returns false when the
 * header is not one that this runtime can use. */
struct tee_perf_attachment {
	struct tee_perf_log_header *host;
	struct tee_perf_log_segment *segment;
	struct tee_perf_log_process *process;
	struct tee_perf_thread *threads; /* zeroed trusted memory */
	uint64_t ring_bytes, module_bytes;
	uint32_t slot_count;
	bool host_clock_only; /* a clock instruction may be illegal here, whatever the host says */
};
bool tee_perf_sizes_sane(uint64_t process_max, uint64_t slot_max, uint64_t ring_bytes, uint64_t segment_bytes,
			 uint64_t module_bytes) TEE_PERF_HIDDEN;
void tee_perf_attach(const struct tee_perf_attachment *attachment) TEE_PERF_HIDDEN;
/* What the program was built with: from now on it outranks the host. Rings that are larger already stay. */
void tee_perf_set_policy(const struct tee_perf_policy *policy) TEE_PERF_HIDDEN;
/* In a forked child: the calling thread is a new one. */
void tee_perf_thread_forget(void) TEE_PERF_HIDDEN;

#endif
