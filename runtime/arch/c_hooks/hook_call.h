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

#define ARCH_BESIDE(x, n) __asm__ volatile("" : : "r"((x) + (n)))

/* A step of code that leaves the processor little room: three additions beside each that the next step waits for. */
static inline long arch_full_step(long x)
{
	x++;
	__asm__ volatile("" : "+r"(x));
	ARCH_BESIDE(x, 1);
	ARCH_BESIDE(x, 2);
	ARCH_BESIDE(x, 3);
	return x;
}

#endif
