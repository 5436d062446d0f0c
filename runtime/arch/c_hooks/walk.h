/* SPDX-License-Identifier: MIT */
/* Hooks are C calls here: nothing is to be kept for the caller. */
#ifndef TEE_PERF_RUNTIME_ARCH_WALK_H
#define TEE_PERF_RUNTIME_ARCH_WALK_H

#include <stdbool.h>

struct arch_walk_registers {
	char none;
};

static inline bool arch_walk_usable(void)
{
	return true;
}

static inline void arch_walk_save(struct arch_walk_registers *registers)
{
	(void)registers;
}

static inline void arch_walk_restore(const struct arch_walk_registers *registers)
{
	(void)registers;
}

#endif
