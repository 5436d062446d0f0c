/* SPDX-License-Identifier: MIT */
/* The clock file: the one place of a clock instruction (DESIGN 8, rule 1). Legal outside of enclaves, on SGX2
 * and in confidential VMs; called only when the control word selects it. */
#include "runtime/thread.h"

uint64_t tee_perf_clock_ticks(void)
{
	return __builtin_ia32_rdtsc();
}
