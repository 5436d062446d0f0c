/* SPDX-License-Identifier: MIT */
/* The hardware's counter as the recorder reads it, on the host's side: what the runtime's clock file reads inside. */
#ifndef TEE_PERF_RUNTIME_COUNTER_H
#define TEE_PERF_RUNTIME_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t arch_counter(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
	return ticks;
}

static inline bool arch_counter_constant(void)
{
	return true; /* by the architecture */
}

#endif
