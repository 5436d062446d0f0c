/* SPDX-License-Identifier: MIT */
/* Hooks that do nothing, in the convention of runtime/arch/x86_64/hook.S. */

	.section .note.GNU-stack, "", @progbits
	.text

.macro HOOK name
	.globl \name
	.type \name, @function
	.p2align 5
\name:
	ret
	.size \name, . - \name
.endm

	HOOK	tee_perf_call_fast
	HOOK	tee_perf_call_inlined_fast
	HOOK	tee_perf_return_fast
	HOOK	tee_perf_resync_fast
