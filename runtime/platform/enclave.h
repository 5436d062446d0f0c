/* SPDX-License-Identifier: MIT */
/* What the platforms of enclaves have in common: the host offers a log (runtime/offer.h), and the enclave takes it
 * over, tells its names, and finds each thread's ring again at its next entry. Freestanding: it runs inside. */
#ifndef TEE_PERF_RUNTIME_ENCLAVE_H
#define TEE_PERF_RUNTIME_ENCLAVE_H

#include "runtime/offer.h"
#include "runtime/platform.h"

/* Threads of the enclave that can be recorded. Each takes sizeof(struct tee_perf_thread) bytes inside. */
#ifndef TEE_PERF_ENCLAVE_THREADS
#define TEE_PERF_ENCLAVE_THREADS 64u
#endif

/* Of the path of the enclave's file in each record of the module area. Only the host knows it. */
#define TEE_PERF_ENCLAVE_PATH_BYTES 256u

/* offer: a copy in enclave memory. False: it is refused, or a log is attached already; nothing has changed. */
bool tee_perf_enclave_attach(const struct tee_perf_offer *offer) TEE_PERF_HIDDEN;
/* Once attached: writes the names of the enclave's functions into the module area. host_path: host memory with the path
 * of the enclave's file, copied word by word; NULL: room for it is left. */
void tee_perf_enclave_tell_names(const uint64_t *host_path) TEE_PERF_HIDDEN;

/* ---- what each platform file supplies */

/* [begin, begin + size) lies wholly outside the enclave, and speculation does not go past the answer. */
bool tee_perf_enclave_outside(uintptr_t begin, uint64_t size) TEE_PERF_HIDDEN;
/* The same value whenever the same thread (TCS, session) is inside; never 0. */
uintptr_t tee_perf_enclave_thread_key(void) TEE_PERF_HIDDEN;
/* Bounds of the stack that cfa lies in; 0, 0: unknown. */
void tee_perf_enclave_stack(uintptr_t cfa, uintptr_t *lo, uintptr_t *hi) TEE_PERF_HIDDEN;

#endif
