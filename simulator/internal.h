/* SPDX-License-Identifier: MIT */
/* The library's parts: config.c; sim.c starts and ends; call.c talks to the enclave; keeper.c looks after its
 * processes; log.c finds or makes the log; image.c reads the trusted part's names. */
#ifndef TEE_PERF_SIMULATOR_HOST_INTERNAL_H
#define TEE_PERF_SIMULATOR_HOST_INTERNAL_H

#include "runtime/log_layout.h"
#include "simulator/channel.h"
#include "simulator/tee_perf_sim.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#define SIM_OCALL_MAX 256

/* Sets the thread's message; returns -1. */
int sim_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The log, on the host's side. Addresses are the enclave's as well. */
struct sim_log {
	int fd; /* -1: none */
	bool ours;
	struct tee_perf_log_header *header;
	struct tee_perf_log_process *process;
	struct tee_perf_log_segment *segment; /* only what comes before the slots is mapped, unless it is ours */
	uint64_t segment_offset, segment_bytes, module_bytes, slot_bytes, slots;
	pthread_t thread; /* plays the recorder, where the log is ours */
	bool thread_runs;
	_Atomic bool stop;
	void *host; /* struct sim_host: what it remembers */
};

/* One thread of the enclave. */
struct sim_tcs {
	struct sim_channel *channel;
	char *marshal;
	int pid;
	pthread_mutex_t lock; /* of outside and stopped */
	bool outside;         /* the enclave's thread has nothing to do but wait for us */
	bool stopped;         /* and has been stopped for that reason */
	uint64_t outside_since;
	bool busy; /* some thread of ours has taken it (tee_perf_sim.lock) */
	uint64_t turn, seen, exits;
	uint64_t used; /* of the marshalling buffer */
};

struct tee_perf_sim {
	struct tee_perf_sim_config config;
	struct sim_boot *boot;
	uint64_t address;
	int boot_fd;
	struct sim_log log;
	struct sim_tcs tcs[SIM_THREADS_MAX];
	pthread_mutex_t lock;
	struct {
		tee_perf_sim_ocall_fn *serve;
		void *user;
	} ocall[SIM_OCALL_MAX];
	struct {
		_Atomic uint64_t ecalls, ocalls, aex, loads, evictions, spent;
	} count;
	uint64_t transport_cycles;
	/* keeper.c */
	pthread_t keeper;
	bool keeper_runs;
	const char *path; /* of the trusted part, while it starts */
	int image_fd;
	pthread_cond_t changed; /* with lock: started, or something to look after again */
	bool started, ending;
	_Atomic bool dead;
	_Atomic int exit_status;
	_Atomic bool idle; /* every thread is stopped: the keeper sleeps */
};

/* keeper.c */
int sim_keeper_start(struct tee_perf_sim *sim);
/* Ends the trusted process (by force if it does not answer) and the keeper. */
void sim_keeper_end(struct tee_perf_sim *sim);
/* The enclave's thread is about to get a message; it has sent one. */
void sim_keeper_inside(struct tee_perf_sim *sim, struct sim_tcs *tcs);
void sim_keeper_outside(struct sim_tcs *tcs);

/* call.c */
/* Sends a message whose words are set and serves the enclave until it returns. -> enum tee_perf_sim_status */
int sim_converse(struct tee_perf_sim *sim, struct sim_tcs *tcs, enum sim_kind kind);
/* Waits for the enclave's next message; its kind, or SIM_NOTHING when it is dead. */
enum sim_kind sim_await(struct tee_perf_sim *sim, struct sim_tcs *tcs);
int sim_status_of(uint64_t refusal);

/* log.c */
#define SIM_LOG_DISTANCE (UINT64_C(1) << 40) /* of the log from the rest of the shared memory */
/* Where is it? By the environment, or made here. 0 (with log->fd -1: there is none) or -1. */
int sim_log_open(struct tee_perf_sim *sim);
/* The trusted process lives: tell the recorder, and name the functions. */
int sim_log_introduce(struct tee_perf_sim *sim);
void sim_log_close(struct sim_log *log);

/* image.c: appends the trusted part's names to the module area. bias: of its addresses. */
int sim_image_describe(int fd, const char *path, uint64_t bias, struct tee_perf_log_segment *segment,
		       uint64_t module_bytes, uint64_t clock);

/* hosts.c: plays the recorder in one of the ways of enum tee_perf_sim_host. */
int sim_host_start(struct tee_perf_sim *sim);
void sim_host_end(struct tee_perf_sim *sim);

static inline uint64_t sim_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
static inline void sim_store(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

#endif
