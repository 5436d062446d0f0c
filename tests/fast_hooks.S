/* SPDX-License-Identifier: MIT */
/* The hooks of runtime/arch/x86_64/hook.S on top of C functions of the same meaning, for tests that count: keeps every
 * register that the convention keeps, whatever the C function does, and destroys those that it does not. */
	.section .note.GNU-stack, "", @progbits
	.text
.macro HOOK name, function, a
	.globl \name
	.type \name, @function
\name:
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%rbx
	movq	%r10, %rdi
	movq	%\a, %rsi
	/* All vector state that there is, at a multiple of 64 bytes. */
	subq	$8192, %rsp
	andq	$-64, %rsp
	movq	%rsp, %rbx
	movl	$8, %ecx
	xorl	%eax, %eax
1:	movq	%rax, 504(%rbx,%rcx,8)
	decl	%ecx
	jnz	1b
	movl	$-1, %eax
	movl	$-1, %edx
	xsave64	(%rbx)
	call	\function@PLT
	movl	$-1, %eax
	movl	$-1, %edx
	xrstor64 (%rbx)
	leaq	-64(%rbp), %rsp
	popq	%rbx
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%rax
	popq	%rbp
	movabsq	$0xdeadbeefdeadbeef, %r10
	movq	%r10, %r11
	movq	%r10, %\a
	cmpq	$1, %r10
	ret
	.size \name, . - \name
.endm
	HOOK	tee_perf_call_fast, tee_perf_call, rax
	HOOK	tee_perf_call_inlined_fast, tee_perf_call_inlined, rax
	HOOK	tee_perf_return_fast, tee_perf_return, rcx
	HOOK	tee_perf_resync_fast, tee_perf_resync, rax
