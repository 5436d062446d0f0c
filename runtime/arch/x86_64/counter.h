/* SPDX-License-Identifier: MIT */
/* The hardware's counter as the recorder reads it, on the host's side: what the runtime's clock file reads inside. */
#ifndef TEE_PERF_RUNTIME_COUNTER_H
#define TEE_PERF_RUNTIME_COUNTER_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

static inline uint64_t arch_counter(void)
{
	return __builtin_ia32_rdtsc();
}

/* It runs at one rate in all states of the processor. */
static inline bool arch_counter_constant(void)
{
	unsigned a, b, c, d;
	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8) != 0;
}

#endif
