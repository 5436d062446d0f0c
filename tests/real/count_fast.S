/* SPDX-License-Identifier: MIT */
/* The counting hooks in the convention of runtime/arch/x86_64/hook.S: the entry in r10, the CFA in rax (rcx at
 * returns); only those, r11 and the flags may change. Each counts, and goes on to the runtime's hook if there is one. */

	.section .note.GNU-stack, "", @progbits
	.text

.macro HOOK name, is_call, number
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	andq	$-16, %rsp
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	movq	%r10, %rdi
	movl	$\is_call, %esi
	cld
	call	tee_perf_count
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%rax
	movq	%rbp, %rsp
	popq	%rbp
	.cfi_def_cfa rsp, 8
	movq	8 * \number + tee_perf_next_fast(%rip), %r11
	testq	%r11, %r11
	jz	1f
	jmp	*%r11
1:	ret
	.cfi_endproc
	.size \name, . - \name
.endm

	HOOK	tee_perf_call_fast, 1, 0
	HOOK	tee_perf_call_inlined_fast, 1, 1
	HOOK	tee_perf_return_fast, 0, 2
	HOOK	tee_perf_resync_fast, 0, 3
