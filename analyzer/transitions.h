/* SPDX-License-Identifier: MIT */
/* Transitions of an enclave: its ECALLs and OCALLs, what crossing its border costs, and what could be done about it. An
 * OCALL that is made within another one, by whatever the host does, is part of that one; so is an ECALL's bridge of it.
 */
#ifndef TEE_PERF_ANALYZER_TRANSITIONS_H
#define TEE_PERF_ANALYZER_TRANSITIONS_H

#include "analyzer/recording.h"

/* Who says what a crossing costs. TOLD: the enclave's own host, as the strict simulator does; RECORDED: who recorded.
 */
enum tee_perf_cost_source { TEE_PERF_COST_PUBLISHED, TEE_PERF_COST_TOLD, TEE_PERF_COST_RECORDED, TEE_PERF_COST_GIVEN };

/* Cost of one crossing there and back, without what is done on the other side. */
struct tee_perf_transition_cost {
	double ecall_cycles, ocall_cycles; /* 0: ecall_ns, ocall_ns count */
	double ecall_ns, ocall_ns;
	double hz; /* of the cycles */
	enum { TEE_PERF_HZ_ASSUMED, TEE_PERF_HZ_RECORDED, TEE_PERF_HZ_GIVEN } hz_source;
	enum tee_perf_cost_source source; /* of any of the two */
};

/* Reads "ecall=9600,ocall=4900ns,ghz=2.2" (any of the three) into *cost. 0, or -1 with err filled and *cost as it was.
 */
int tee_perf_transition_cost_parse(struct tee_perf_transition_cost *cost, const char *text, struct tee_perf_error *err);
/* What the recording says, else the published figures of docs/TRANSITIONS.md; with the clock rate of the recording
 * where it has one. */
struct tee_perf_transition_cost tee_perf_transition_cost_default(const struct tee_perf_recording *recording);
/* Of one transition of a kind of enum tee_perf_entry_kind. */
double tee_perf_transition_cost_ns(const struct tee_perf_transition_cost *cost, unsigned kind);

struct tee_perf_transition_caller {
	uint32_t symbol; /* may be a pseudo one */
	uint64_t calls;
};

/* What would help. */
enum tee_perf_advice {
	TEE_PERF_ADVICE_NONE,
	TEE_PERF_ADVICE_CACHE,      /* the answer never changes: ask once */
	TEE_PERF_ADVICE_TIME,       /* the time: ask seldom, go on by what is inside */
	TEE_PERF_ADVICE_BATCH,      /* made in a loop: hand over several at once */
	TEE_PERF_ADVICE_SWITCHLESS, /* short, and the crossing is most of it: let a thread outside serve it */
};
extern const char *const tee_perf_advice_names[];
#define TEE_PERF_ADVICE_TIME_CALLS 100 /* the time is asked for once in so many */

struct tee_perf_transition {
	uint32_t symbol;
	unsigned kind; /* TEE_PERF_ENTRY_OCALL or TEE_PERF_ENTRY_ECALL */
	uint64_t calls, total_ns;
	double mean_ns, per_second; /* per second between the first record and the last */
	uint64_t p99_ns;
	double crossing_ns; /* calls times the cost of one */
	struct tee_perf_transition_caller *callers;
	uint32_t caller_count; /* most calls first */
	enum tee_perf_advice advice;
	double batch;    /* BATCH: calls of it per call of its first caller */
	double saved_ns; /* by the advice, estimated */
};

/* OCALLs that a function makes equally often: perhaps they could be one. */
#define TEE_PERF_CHAIN_MAX 8
struct tee_perf_transition_chain {
	uint32_t caller, members[TEE_PERF_CHAIN_MAX], count; /* in the order of their first calls */
	uint64_t calls;                                      /* of each */
	double saved_ns;
};

struct tee_perf_transitions {
	struct tee_perf_transition *rows; /* most time first */
	uint32_t count;
	struct tee_perf_transition_chain *chains;
	uint32_t chain_count;
	uint64_t thread_time_ns, span_ns; /* from the first record to the last */
	struct tee_perf_transition_cost cost;
};

/* 0, or -1 out of memory. */
int tee_perf_transitions_build(struct tee_perf_transitions *transitions, const struct tee_perf_recording *recording,
			       const struct tee_perf_transition_cost *cost, struct tee_perf_error *err);
void tee_perf_transitions_clear(struct tee_perf_transitions *transitions);

#endif
