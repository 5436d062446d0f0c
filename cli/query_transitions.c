/* SPDX-License-Identifier: MIT */
/* The table `transitions`: a row per ECALL or OCALL and function that calls it. */
#include "cli/query_tables.h"
#include "runtime/abi.h"

int tee_perf_query_prepare_transitions(struct tee_perf_query_source *source, struct tee_perf_error *err)
{
	struct tee_perf_transition_cost cost = tee_perf_transition_cost_default(source->recording);

	if (!source->has_transitions &&
	    tee_perf_transitions_build(&source->transitions, source->recording, &cost, err) != 0)
		return -1;
	source->has_transitions = true;
	return 0;
}

uint64_t tee_perf_query_count_transitions(const struct tee_perf_query_source *source)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < source->transitions.count; i++)
		count += source->transitions.rows[i].caller_count;
	return count;
}

enum {
	FUNCTION,
	NAME,
	KIND,
	CALLS,
	PER_SECOND,
	TOTAL,
	TOTAL_SHARE,
	MEAN,
	P99,
	COST,
	CROSSING,
	CROSSING_SHARE,
	CALLER,
	CALLER_NAME,
	CALLER_CALLS,
	ADVICE,
	SAVED
};

static void put_text(const struct tee_perf_query_source *source, const struct tee_perf_transition *row,
		     const struct tee_perf_transition_caller *caller, int column, sqlite3_context *out)
{
	const struct tee_perf_symbols *symbols = source->recording->symbols;

	if (column == KIND)
		tee_perf_query_text(out, row->kind == TEE_PERF_ENTRY_ECALL ? "ecall" : "ocall");
	else if (column != ADVICE)
		tee_perf_query_text(out,
				    tee_perf_symbols_at(symbols, column == NAME ? row->symbol : caller->symbol)->name);
	else if (row->advice != TEE_PERF_ADVICE_NONE)
		tee_perf_query_text(out, tee_perf_advice_names[row->advice]);
	else
		sqlite3_result_null(out);
}

static void put_value(const struct tee_perf_query_source *source, const struct tee_perf_transition *row,
		      const struct tee_perf_transition_caller *caller, int column, sqlite3_context *out)
{
	const struct tee_perf_transitions *all = &source->transitions;
	double whole = all->thread_time_ns > 0 ? (double)all->thread_time_ns : 1;
	const uint64_t integers[] = {
		[FUNCTION] = row->symbol, [CALLS] = row->calls,      [TOTAL] = row->total_ns,
		[P99] = row->p99_ns,      [CALLER] = caller->symbol, [CALLER_CALLS] = caller->calls
	};
	const double reals[] = {
		[PER_SECOND] = row->per_second, [TOTAL_SHARE] = (double)row->total_ns / whole,
		[MEAN] = row->mean_ns,          [COST] = tee_perf_transition_cost_ns(&all->cost, row->kind),
		[CROSSING] = row->crossing_ns,  [CROSSING_SHARE] = row->crossing_ns / whole,
		[SAVED] = row->saved_ns
	};

	switch (column) {
	case NAME:
	case KIND:
	case CALLER_NAME:
	case ADVICE:
		put_text(source, row, caller, column, out);
		break;
	case FUNCTION:
	case CALLS:
	case TOTAL:
	case P99:
	case CALLER:
	case CALLER_CALLS:
		tee_perf_query_integer(out, integers[column]);
		break;
	default:
		sqlite3_result_double(out, reals[column]);
	}
}

void tee_perf_query_value_transition(const struct tee_perf_query_source *source, uint64_t number, int column,
				     sqlite3_context *out)
{
	const struct tee_perf_transition *row = source->transitions.rows;

	for (; number >= row->caller_count; row++)
		number -= row->caller_count;
	put_value(source, row, &row->callers[number], column, out);
}
