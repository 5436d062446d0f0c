/* SPDX-License-Identifier: MIT */
/* The stack pointer of a saved context, for the hosted platform. */
#ifndef TEE_PERF_RUNTIME_CONTEXT_H
#define TEE_PERF_RUNTIME_CONTEXT_H

#include <stdint.h>
#include <ucontext.h>

static inline uintptr_t arch_context_stack_pointer(const ucontext_t *context)
{
	return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
}

#endif
