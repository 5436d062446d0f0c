/* SPDX-License-Identifier: MIT */
/* Calls hooks as compiled code does: here, as C functions. For the calibration. */
#ifndef TEE_PERF_RUNTIME_HOOK_CALL_H
#define TEE_PERF_RUNTIME_HOOK_CALL_H

#include "runtime/abi.h"

static inline void arch_hook_call(const void *entry, const void *cfa)
{
	tee_perf_call(entry, cfa);
}

static inline void arch_hook_return(const void *entry, const void *cfa)
{
	tee_perf_return(entry, cfa);
}

#endif
