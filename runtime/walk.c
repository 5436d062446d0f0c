/* SPDX-License-Identifier: MIT */
/* With libunwind's local mode, which is signal-safe without a cache of its own. */
#define UNW_LOCAL_ONLY
#include "runtime/walk.h"

#include <errno.h>
#include <libunwind.h>

#define FRAMES_MAX 32768

static enum tee_perf_walked walk(unw_cursor_t *cursor, void (*visit)(void *data, uintptr_t pc, uintptr_t cfa),
				 void *data)
{
	uintptr_t before = 0;

	for (unsigned i = 0; i < FRAMES_MAX; i++) {
		unw_proc_info_t info;
		unw_word_t pc, cfa;
		if (unw_is_signal_frame(cursor) > 0)
			return TEE_PERF_WALK_INVALID;
		/* Without unwind information libunwind guesses. */
		if (unw_get_reg(cursor, UNW_REG_IP, &pc) != 0 || unw_get_proc_info(cursor, &info) != 0)
			return TEE_PERF_WALK_CUT;
		int step = unw_step(cursor);
		if (step == 0)
			return TEE_PERF_WALK_WHOLE;
		if (step < 0 || unw_get_reg(cursor, UNW_REG_SP, &cfa) != 0 || cfa <= before)
			return TEE_PERF_WALK_CUT;
		before = cfa;
		visit(data, pc - 1, cfa); /* a return address may be that of the next function */
	}
	return TEE_PERF_WALK_CUT;
}

__attribute__((visibility("default"))) enum tee_perf_walked
tee_perf_walk(void (*visit)(void *data, uintptr_t pc, uintptr_t cfa), void *data)
{
	enum tee_perf_walked result = TEE_PERF_WALK_CUT;
	unw_context_t context;
	unw_cursor_t cursor;
	int error = errno;

	unw_getcontext(&context);
	if (unw_init_local(&cursor, &context) == 0)
		result = walk(&cursor, visit, data);
	errno = error;
	return result;
}

/* What libunwind sets up at its first use must not happen in a hook. */
static void nothing(void *data, uintptr_t pc, uintptr_t cfa)
{
	(void)data;
	(void)pc;
	(void)cfa;
}

__attribute__((constructor)) static void prepare(void)
{
	unw_set_caching_policy(unw_local_addr_space, UNW_CACHE_NONE);
	tee_perf_walk(nothing, 0);
}
