/* SPDX-License-Identifier: MIT */
/* Platform of the strict simulator (simulator/). Freestanding: it runs inside. */
#ifndef TEE_PERF_RUNTIME_SIM_H
#define TEE_PERF_RUNTIME_SIM_H

#include "runtime/offer.h"

#define TEE_PERF_SIM_THREADS_MAX 8u

/* Told before anything else: the enclave's range, how many pauses one round of waiting for the host is, and whether the
 * hardware lets an enclave read the time-stamp counter. */
void tee_perf_sim_enclave(uintptr_t base, uint64_t size, uint64_t wait_pauses, bool tsc_legal);
/* Told by each thread of the enclave: its stack, and the number that the host knows it by. */
void tee_perf_sim_thread(uintptr_t stack_low, uintptr_t stack_high, uint32_t tid);
/* [begin, begin + size) lies wholly outside the enclave. */
bool tee_perf_sim_outside(uintptr_t begin, uint64_t size);
/* The host offers a log. offer: a copy in enclave memory. False: it is refused and nothing has changed. */
bool tee_perf_sim_attach(const struct tee_perf_offer *offer);

/* Rounds of waiting for the recorder so far, of all threads: for tests of the bounds. */
extern uint64_t tee_perf_sim_rounds TEE_PERF_HIDDEN;

#endif
