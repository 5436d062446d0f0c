/* SPDX-License-Identifier: MIT */
/* What could be done about transitions, and what that would save. The rules stand in docs/TRANSITIONS.md. */
#include "analyzer/transitions_internal.h"
#include "runtime/abi.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define CALLS_MIN      100    /* fewer are not worth a change */
#define SHARE_MIN      0.01   /* of the threads' time, crossing included */
#define PER_SECOND_MIN 1000.0 /* "often" */
#define SHORT          10.0   /* crossings: what takes less than so many is short */
#define LOOP_MIN       4.0    /* calls per call of the caller */

const char *const tee_perf_advice_names[] = { "none", "cache", "time", "batch", "switchless" };

/* What a name promises. Edges are called ocall_getpid, sgx_getpid_ocall, u_getpid: hence the asterisks. */
static const struct {
	const char *glob;
	enum tee_perf_advice advice;
} known[] = {
	{ "*getpid*", TEE_PERF_ADVICE_CACHE },       { "*get_pid*", TEE_PERF_ADVICE_CACHE },
	{ "*getppid*", TEE_PERF_ADVICE_CACHE },      { "*gettid*", TEE_PERF_ADVICE_CACHE },
	{ "*getuid*", TEE_PERF_ADVICE_CACHE },       { "*geteuid*", TEE_PERF_ADVICE_CACHE },
	{ "*getgid*", TEE_PERF_ADVICE_CACHE },       { "*getegid*", TEE_PERF_ADVICE_CACHE },
	{ "*gethostname*", TEE_PERF_ADVICE_CACHE },  { "*uname*", TEE_PERF_ADVICE_CACHE },
	{ "*sysconf*", TEE_PERF_ADVICE_CACHE },      { "*getpagesize*", TEE_PERF_ADVICE_CACHE },
	{ "*get_nprocs*", TEE_PERF_ADVICE_CACHE },   { "*cpuid*", TEE_PERF_ADVICE_CACHE },
	{ "*clock_gettime*", TEE_PERF_ADVICE_TIME }, { "*gettimeofday*", TEE_PERF_ADVICE_TIME },
	{ "*get_time*", TEE_PERF_ADVICE_TIME },      { "*get_ticks*", TEE_PERF_ADVICE_TIME },
	{ "*timestamp*", TEE_PERF_ADVICE_TIME },     { "*time_stamp*", TEE_PERF_ADVICE_TIME },
	{ "*rdtsc*", TEE_PERF_ADVICE_TIME },         { "time", TEE_PERF_ADVICE_TIME },
	{ "*_time", TEE_PERF_ADVICE_TIME },          { "*_clock", TEE_PERF_ADVICE_TIME },
};

static enum tee_perf_advice advice_by_name(const char *name)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (fnmatch(known[i].glob, name, 0) == 0)
			return known[i].advice;
	}
	return TEE_PERF_ADVICE_NONE;
}

/* Calls of the row per call of the function that makes most of them; 0: that is none. */
static double loop_of(const struct tee_perf_transition *row, const struct tee_perf_transition_builder *b)
{
	if (row->caller_count == 0)
		return 0;
	uint64_t calls = b->sums[row->callers[0].symbol].function_calls;
	bool pseudo = tee_perf_symbols_at(b->recording->symbols, row->callers[0].symbol)->pseudo;
	return pseudo || calls == 0 ? 0 : (double)row->callers[0].calls / (double)calls;
}

/* What is saved where one crossing is: an OCALL that was measured to take less than the estimate saves no more. */
static double spared(const struct tee_perf_transition *row, const struct tee_perf_transition_cost *cost)
{
	double crossing = tee_perf_transition_cost_ns(cost, row->kind);

	return row->kind == TEE_PERF_ENTRY_OCALL && row->mean_ns < crossing ? row->mean_ns : crossing;
}

/* An OCALL's duration has the crossing within it where it was measured inside; an ECALL's never has. */
static void advise(struct tee_perf_transition *row, const struct tee_perf_transitions *all,
		   const struct tee_perf_transition_builder *b)
{
	double cost = tee_perf_transition_cost_ns(&all->cost, row->kind), calls = (double)row->calls;
	double whole = (double)all->thread_time_ns,
	       part = row->kind == TEE_PERF_ENTRY_OCALL ? (double)row->total_ns : 0;
	double loop = loop_of(row, b), each = spared(row, &all->cost);

	if (part < row->crossing_ns)
		part = row->crossing_ns;
	if (row->calls < CALLS_MIN || part < SHARE_MIN * whole)
		return;
	if (row->kind == TEE_PERF_ENTRY_OCALL)
		row->advice = advice_by_name(tee_perf_symbols_at(b->recording->symbols, row->symbol)->linkage_name);
	if (row->advice == TEE_PERF_ADVICE_CACHE) {
		row->saved_ns = (double)row->total_ns * (1 - 1 / calls);
	} else if (row->advice == TEE_PERF_ADVICE_TIME) {
		row->saved_ns = (double)row->total_ns * (1 - 1.0 / TEE_PERF_ADVICE_TIME_CALLS);
	} else if (row->mean_ns < SHORT * cost && loop >= LOOP_MIN) {
		row->advice = TEE_PERF_ADVICE_BATCH;
		row->batch = loop;
		row->saved_ns = (double)row->callers[0].calls * (1 - 1 / loop) * each;
	} else if (row->mean_ns < SHORT * cost && row->per_second >= PER_SECOND_MIN) {
		row->advice = TEE_PERF_ADVICE_SWITCHLESS;
		row->saved_ns = calls * each;
	}
}

/* ---- chains */

static bool alike(uint64_t a, uint64_t b)
{
	uint64_t less = a < b ? a : b, more = a < b ? b : a;

	return more - less <= more / 100;
}

static bool in_chain(const struct tee_perf_transitions *all, uint32_t caller, uint32_t symbol)
{
	for (uint32_t i = 0; i < all->chain_count; i++) {
		const struct tee_perf_transition_chain *chain = &all->chains[i];
		for (uint32_t k = 0; chain->caller == caller && k < chain->count; k++) {
			if (chain->members[k] == symbol)
				return true;
		}
	}
	return false;
}

/* What is to be cached is no part of a chain. */
static bool may_be_chained(const struct tee_perf_transitions *all, const struct tee_perf_transition_builder *b,
			   const struct tee_perf_transition_pair *pair)
{
	const struct tee_perf_symbol *callee = tee_perf_symbols_at(b->recording->symbols, pair->callee);

	return callee->kind == TEE_PERF_ENTRY_OCALL && pair->calls >= CALLS_MIN &&
	       !tee_perf_symbols_at(b->recording->symbols, pair->caller)->pseudo &&
	       advice_by_name(callee->linkage_name) == TEE_PERF_ADVICE_NONE &&
	       !in_chain(all, pair->caller, pair->callee);
}

/* Every OCALL that somebody calls has a row. */
static const struct tee_perf_transition *row_of(const struct tee_perf_transitions *all, uint32_t symbol)
{
	const struct tee_perf_transition *row = all->rows;

	while (row < all->rows + all->count - 1 && row->symbol != symbol)
		row++;
	return row;
}

#define CHAINS_MAX 64u

/* Pairs are few: one per edge and caller. A hostile recording's are cut off. */
static int find_chains(struct tee_perf_transitions *all, const struct tee_perf_transition_builder *b)
{
	uint32_t limit = b->pair_count < 4096 ? b->pair_count : 4096;

	all->chains = calloc(CHAINS_MAX, sizeof *all->chains);
	if (all->chains == NULL)
		return -1;
	for (uint32_t i = 0; i < limit && all->chain_count < CHAINS_MAX; i++) {
		const struct tee_perf_transition_pair *first = &b->pairs[i];
		struct tee_perf_transition_chain chain = { .caller = first->caller, .calls = first->calls };
		if (all->count == 0 || !may_be_chained(all, b, first))
			continue;
		for (uint32_t k = i; k < limit && chain.count < TEE_PERF_CHAIN_MAX; k++) {
			const struct tee_perf_transition_pair *next = &b->pairs[k];
			if (next->caller == first->caller && alike(next->calls, first->calls) &&
			    may_be_chained(all, b, next))
				chain.members[chain.count++] = next->callee;
		}
		for (uint32_t k = 1; k < chain.count; k++)
			chain.saved_ns += (double)chain.calls * spared(row_of(all, chain.members[k]), &all->cost);
		if (chain.count >= 2 && chain.saved_ns >= SHARE_MIN * (double)all->thread_time_ns)
			all->chains[all->chain_count++] = chain;
	}
	return 0;
}

int tee_perf_transitions_advise(struct tee_perf_transitions *transitions,
				const struct tee_perf_transition_builder *builder)
{
	for (uint32_t i = 0; i < transitions->count; i++)
		advise(&transitions->rows[i], transitions, builder);
	return find_chains(transitions, builder);
}
