/* SPDX-License-Identifier: MIT */
/* The clock file: the one place of a clock instruction (DESIGN 8, rule 1). Legal outside of enclaves,
 * on SGX2 and in confidential VMs; used only when the control word selects it. */
#ifndef TEE_PERF_RUNTIME_CLOCK_H
#define TEE_PERF_RUNTIME_CLOCK_H

#include <stdint.h>

static inline uint64_t arch_clock_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

#endif
