/* SPDX-License-Identifier: MIT */
/* Keeps every vector register, whole, while a hook calls code that is not ours: hook.S promises to leave them alone,
 * and the C library uses what the processor has. */
#ifndef TEE_PERF_RUNTIME_ARCH_WALK_H
#define TEE_PERF_RUNTIME_ARCH_WALK_H

#include <cpuid.h>
#include <stdbool.h>

#define ARCH_WALK_STATE 0xe7u /* x87, SSE, AVX, AVX-512 */

/* xsave's standard form: its offsets are the same on all processors. */
struct arch_walk_registers {
	char area[2752];
} __attribute__((aligned(64)));

/* Whether there is such an instruction; without it there are no registers that it would be needed for. */
static inline bool arch_walk_usable(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_OSXSAVE) != 0;
}

static inline void arch_walk_save(struct arch_walk_registers *registers)
{
	for (unsigned i = 512; i < 576; i++) /* the header: what is not written must be zero */
		registers->area[i] = 0;
	__asm__ volatile("xsave64 %0" : "+m"(*registers) : "a"(ARCH_WALK_STATE), "d"(0));
}

static inline void arch_walk_restore(const struct arch_walk_registers *registers)
{
	__asm__ volatile("xrstor64 %0" : : "m"(*registers), "a"(ARCH_WALK_STATE), "d"(0));
}

#endif
