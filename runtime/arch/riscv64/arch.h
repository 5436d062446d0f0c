/* SPDX-License-Identifier: MIT */
/* What the trusted core needs of the instruction set. Hooks are plain C functions here (abi.h): whoever calls them
 * knows which registers they change. */
#ifndef TEE_PERF_RUNTIME_ARCH_H
#define TEE_PERF_RUNTIME_ARCH_H

#include "runtime/arch/c_hooks/vectors.h"

#define ARCH_MACHINE 243 /* EM_RISCV: in the log, which processor's counter is meant */

static inline void arch_pause(void)
{
	__asm__ volatile(".4byte 0x0100000f"); /* pause, by number: assemblers know the name by extension only */
}

#endif
