/* SPDX-License-Identifier: MIT */
#ifndef TEE_PERF_SIMULATOR_INTERNAL_H
#define TEE_PERF_SIMULATOR_INTERNAL_H

#include "simulator/channel.h"
#include "simulator/tee_perf_sim_trusted.h"

#include <stdbool.h>

#define SIM_HIDDEN __attribute__((visibility("hidden")))

/* What the loader said, in enclave memory. NULL before the first entry. */
extern const struct sim_enclave *sim_enclave SIM_HIDDEN;

/* Sends a message (the words are set) and waits for the answer, serving ECALLs that come meanwhile. Returns the
 * answer's kind; SIM_NOTHING: the host did not answer within the bound. */
enum sim_kind sim_ask_host(enum sim_kind kind) SIM_HIDDEN;
struct sim_channel *sim_own_channel(void) SIM_HIDDEN;
/* Takes bytes of the thread's marshalling buffer (and of the private copy); returns the offset, to be given back in
 * reverse order. */
#define SIM_NO_ROOM UINT64_MAX
uint64_t sim_marshal_take(uint64_t bytes) SIM_HIDDEN;
void sim_marshal_give(uint64_t offset) SIM_HIDDEN;
uint64_t *sim_marshal_buffer(uint64_t offset) SIM_HIDDEN;
/* The host's memory is accessed by whole words, `bytes` of which are used. */
void sim_copy_in(void *to, const uint64_t *host, uint64_t bytes) SIM_HIDDEN;
void sim_copy_out(uint64_t *host, const void *from, uint64_t bytes) SIM_HIDDEN;

#endif
