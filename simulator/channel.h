/* SPDX-License-Identifier: MIT */
/* The memory that the simulator's two sides share, and what the loader tells the enclave. Host memory consists of
 * aligned 8-byte words and is accessed as such. It lies at the same address in both processes, so that a pointer into
 * it means the same on both sides. */
#ifndef TEE_PERF_SIMULATOR_CHANNEL_H
#define TEE_PERF_SIMULATOR_CHANNEL_H

#include <stdint.h>

#define SIM_PAGE        4096u
#define SIM_THREADS_MAX 8u
#define SIM_DEPTH_MAX   8u /* ECALLs within OCALLs within ECALLs ... of one thread */

/* Low byte of `to_enclave` and `to_host`; above it a number that changes with each message. */
enum sim_kind {
	SIM_NOTHING = 0,
	/* to the enclave */
	SIM_ECALL = 1,  /* word[0] entry of the table, word[1] bytes in the marshalling buffer */
	SIM_RESUME = 2, /* an OCALL or a page fault is done: word[0] result, word[1] nonzero: no handler */
	SIM_INIT = 3,   /* run the constructors */
	SIM_ATTACH = 4, /* word[0..5]: struct tee_perf_offer */
	SIM_PING = 5,
	SIM_QUIT = 6,
	/* to the host */
	SIM_RETURN = 16, /* word[0] result, word[1] enum sim_refusal, word[2] bytes to copy back */
	SIM_OCALL = 17,  /* word[0] number, word[1] bytes, word[2] offset in the marshalling buffer */
	SIM_FAULT = 18,  /* word[0] pages to load, word[1] pages to evict before */
	SIM_READY = 19,
};

enum sim_refusal { SIM_DONE = 0, SIM_NO_SUCH_ECALL = 1, SIM_BAD_SIZE = 2, SIM_TOO_DEEP = 3, SIM_NOT_ATTACHED = 4 };

/* One per enclave thread. A line pair for each writer. */
struct sim_channel {
	uint64_t to_enclave; /* the host writes word first, then this */
	uint64_t enclave_word[6];
	uint64_t exit_done; /* asynchronous exits that have cost what they cost */
	uint64_t pad0[8];
	uint64_t to_host; /* the enclave's */
	uint64_t host_word[6];
	uint64_t exits; /* asynchronous exits so far */
	uint64_t pad1[8];
};

/* First page of the shared memory: from the host to the loader, and its answer. */
struct sim_boot {
	uint64_t address, bytes; /* of the shared memory, in both processes */
	uint64_t host_pid;
	uint64_t threads, stack_bytes, heap_bytes, marshal_bytes, shared_bytes;
	uint64_t tsc_forbidden, exits_per_second;
	uint64_t epc_pages, wait_pauses, wait_rounds;
	uint64_t log_header, log_segment; /* addresses; 0: no log */
	uint64_t log_segment_offset;      /* in the log's file */
	uint64_t log_process, log_module_bytes, log_slot_bytes;
	/* the loader's */
	uint64_t error, detail; /* enum sim_error; an errno or a number in the file */
	uint64_t base, size, bias;
	uint64_t vdso; /* where the kernel's pages for reading the time were, before they were unmapped; 0: nowhere */
	uint64_t pid[SIM_THREADS_MAX];
};

enum sim_error {
	SIM_OK = 0,
	SIM_ERROR_MAP,        /* detail: errno */
	SIM_ERROR_FORMAT,     /* no ELF shared object for this machine */
	SIM_ERROR_NEEDED,     /* it needs another shared object */
	SIM_ERROR_UNDEFINED,  /* detail: number of the undefined symbol */
	SIM_ERROR_RELOCATION, /* detail: type */
	SIM_ERROR_THREAD,     /* detail: errno */
	SIM_ERROR_SECCOMP,    /* detail: errno */
	SIM_ERROR_TSC,        /* detail: errno */
	SIM_ERROR_TIMER,      /* detail: errno */
	SIM_ERROR_LOG,        /* detail: errno */
};

static inline uint64_t sim_channel_offset(void)
{
	return SIM_PAGE;
}
static inline uint64_t sim_marshal_offset(void)
{
	return SIM_PAGE + SIM_PAGE;
}
static inline uint64_t sim_shared_offset(const struct sim_boot *boot)
{
	return sim_marshal_offset() + boot->threads * boot->marshal_bytes;
}

_Static_assert(sizeof(struct sim_channel) * SIM_THREADS_MAX <= SIM_PAGE, "the channels fit into a page");

/* ---- in enclave memory, filled by the loader, which stands for the hardware that knows these things */
struct sim_thread {
	uint64_t number, pid;
	uint64_t stack_low, stack_high;
	uint64_t inside; /* runs the enclave's code: not in an OCALL, not idle */
	uint64_t in_exit;
	uint64_t *exits, *exit_done; /* in its channel */
	uint64_t thread_block;       /* value of the thread pointer */
	char *scratch;               /* private copy of the marshalling buffer */
};

struct sim_enclave {
	uint64_t base, size;
	uint64_t threads, marshal_bytes, shared_bytes, heap_bytes;
	uint64_t epc_pages, wait_pauses, wait_rounds, tsc_legal;
	struct sim_channel *channel;
	char *marshal, *shared; /* host memory */
	char *heap;
	uint8_t *page_state; /* one byte per page of the enclave, for the page cache */
	void (**constructor)(void);
	uint64_t constructor_count;
	struct sim_thread thread[SIM_THREADS_MAX];
};

/* At the thread pointer. */
struct sim_thread_block {
	void *self;
	void *reserved;
	struct sim_thread *thread; /* the loader's exit handler finds it at offset 16 */
	uint64_t stack_protector[5];
};

#endif
