/* SPDX-License-Identifier: MIT */
/* What the trusted core needs of the instruction set. A port is one more folder. */
#ifndef TEE_PERF_RUNTIME_ARCH_H
#define TEE_PERF_RUNTIME_ARCH_H

static inline void arch_pause(void)
{
	__builtin_ia32_pause();
}

#endif
