/* SPDX-License-Identifier: MIT */
/* The strict simulator, host side: an enclave without enclave hardware. The trusted part (tee_perf_sim_trusted.h) runs
 * in a process of its own that can make no system call; this side calls into it and serves its OCALLs.
 * docs/SIMULATOR.md.
 *
 *   struct tee_perf_sim *sim = tee_perf_sim_start("enclave.so", NULL);
 *   tee_perf_sim_on_ocall(sim, OCALL_GETPID, serve_getpid, NULL);
 *   tee_perf_sim_ecall(sim, ECALL_RUN, &arguments, sizeof arguments, &result);
 *   tee_perf_sim_stop(sim);
 *
 * Under `tee-perf record` the trusted part is recorded; without it, it runs without a log. */
#ifndef TEE_PERF_SIM_H
#define TEE_PERF_SIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tee_perf_sim;

enum tee_perf_sim_status {
	TEE_PERF_SIM_OK = 0,
	TEE_PERF_SIM_DIED = -1,     /* the trusted process is gone: tee_perf_sim_exit_status */
	TEE_PERF_SIM_BUSY = -2,     /* every thread of the enclave is in an ECALL */
	TEE_PERF_SIM_NO_ENTRY = -3, /* the enclave's table has no such ECALL */
	TEE_PERF_SIM_TOO_BIG = -4,  /* more bytes than the marshalling buffer holds */
	TEE_PERF_SIM_TOO_DEEP = -5, /* too many ECALLs within OCALLs */
	TEE_PERF_SIM_REFUSED = -6,  /* attach: what was offered as the log is not acceptable */
	TEE_PERF_SIM_NONSENSE = -7, /* the enclave sent what no trusted part sends */
};

/* How a log's host behaves that the simulator itself provides (key `host`; not under tee-perf record). */
enum tee_perf_sim_host {
	TEE_PERF_SIM_HOST_NONE = 0, /* no log */
	TEE_PERF_SIM_HOST_HONEST,   /* publishes the clock and frees what was written at once */
	TEE_PERF_SIM_HOST_FULL,     /* publishes the clock, frees nothing */
	TEE_PERF_SIM_HOST_SLOW,     /* frees one sub-buffer per host_slow_us */
	TEE_PERF_SIM_HOST_SILENT,   /* neither publishes nor frees */
	TEE_PERF_SIM_HOST_STOPPED,  /* honest, but still for host_stop_ms in every second */
	TEE_PERF_SIM_HOST_HOSTILE,  /* writes random and chosen values into every word that it has */
};

/* Costs are cycles of the time-stamp counter. tee_perf_sim_config_init fills in the profile of a hypervisor-based TEE.
 */
struct tee_perf_sim_config {
	uint64_t ecall_cycles, ocall_cycles;  /* of an empty call, there and back, the two below included */
	uint64_t eenter_cycles, eexit_cycles; /* of the instructions */
	uint64_t aex_hz, aex_cycles;          /* asynchronous exits per second; cost with the return */
	uint64_t epc_pages;                   /* that stay inside; 0: all */
	uint64_t epc_load_cycles, epc_evict_cycles;
	uint64_t threads;                     /* of the enclave (TCS), at most 8 */
	uint64_t stack_bytes, heap_bytes;     /* per thread; of the enclave */
	uint64_t marshal_bytes, shared_bytes; /* per thread; of the memory that both sides see */
	uint64_t tsc_forbidden;               /* 1: an instruction that reads the time-stamp counter is fatal */
	uint64_t wait_pauses, wait_rounds;    /* bounds of waiting inside, see docs/SIMULATOR.md */
	uint64_t host, host_slow_us, host_stop_ms,
	    host_full; /* enum tee_perf_sim_host; host_full: enum tee_perf_full */
};

void tee_perf_sim_config_init(struct tee_perf_sim_config *config);
/* A file of lines `key = value`; the keys are the names above, # begins a comment. Returns 0, or -1 with a message in
 * tee_perf_sim_error. */
int tee_perf_sim_config_read(struct tee_perf_sim_config *config, const char *path);
int tee_perf_sim_config_set(struct tee_perf_sim_config *config, const char *key, const char *value);

/* Starts the trusted part: a shared object without undefined symbols (tee_perf_sim_trusted.h says how to link it).
 * config NULL: the defaults, then the file that the environment variable TEE_PERF_SIM_CONFIG names. With TEE_PERF_LOG
 * in the environment the log is attached. NULL on failure, see tee_perf_sim_error. A thread of this process looks after
 * the trusted process; that is a child of it. */
struct tee_perf_sim *tee_perf_sim_start(const char *path, const struct tee_perf_sim_config *config);
/* Ends the trusted part; frees sim. Returns what waitpid said of it (0: it ended as it should). */
int tee_perf_sim_stop(struct tee_perf_sim *sim);
/* What went wrong last in this thread; never NULL. */
const char *tee_perf_sim_error(void);

/* Calls entry `number` of the enclave's table. data: bytes bytes, copied in and, after the call, copied back; may be
 * NULL. *result (may be NULL): what the function returned. Returns enum tee_perf_sim_status. May be called by several
 * threads, and from within an OCALL handler (on the same thread of the enclave then). */
int tee_perf_sim_ecall(struct tee_perf_sim *sim, unsigned number, void *data, size_t bytes, int64_t *result);

/* Serves OCALL `number` (less than 256): data is the enclave's copy of the arguments in host memory, to be changed in
 * place, valid until the handler returns. Set before the first ECALL. */
typedef int64_t tee_perf_sim_ocall_fn(void *user, void *data, size_t bytes);
int tee_perf_sim_on_ocall(struct tee_perf_sim *sim, unsigned number, tee_perf_sim_ocall_fn *handler, void *user);

/* Memory that both sides see, at the same address (user_check pointers). The enclave must take it for hostile. */
void *tee_perf_sim_shared(struct tee_perf_sim *sim, size_t *bytes);

/* What waitpid said of the trusted process; -1: it lives. Killed by SIGSYS: it tried a system call. */
int tee_perf_sim_exit_status(struct tee_perf_sim *sim);
/* Process id of the enclave's first thread, and where its memory begins and how much it is, in its own address space.
 */
int tee_perf_sim_pid(struct tee_perf_sim *sim);
void tee_perf_sim_range(struct tee_perf_sim *sim, uint64_t *begin, uint64_t *bytes);

struct tee_perf_sim_counts {
	uint64_t ecalls, ocalls, aex, epc_loads, epc_evictions;
	uint64_t spent_cycles;     /* injected */
	uint64_t transport_cycles; /* a call without injected cost, taken off the costs; 0: not known */
};
void tee_perf_sim_counts(struct tee_perf_sim *sim, struct tee_perf_sim_counts *counts);

/* What this machine can enforce. */
struct tee_perf_sim_machine {
	int seccomp; /* 0: without it nothing starts */
	int tsc;     /* 0: the time-stamp counter cannot be forbidden; tsc_forbidden is ignored then */
};
void tee_perf_sim_probe(struct tee_perf_sim_machine *machine);

#ifdef __cplusplus
}
#endif
#endif
