/* SPDX-License-Identifier: MIT */
/* The clock file: the one place of a clock instruction (DESIGN 8, rule 1). Called only when the control word
 * selects it. */
#include "runtime/thread.h"

uint64_t tee_perf_clock_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("rdtime %0" : "=r"(ticks) : : "memory");
	return ticks;
}
