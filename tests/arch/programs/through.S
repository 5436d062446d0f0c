/* SPDX-License-Identifier: MIT */
/* long through(function, a, b): calls function(a, b) and leaves in sp_at_call the stack pointer before that call,
 * which is what the CFA is by definition. */
	.section .note.GNU-stack, "", %progbits
	.text
	.globl through
	.type through, %function
through:
	.cfi_startproc
#if defined(__aarch64__)
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	adrp	x9, sp_at_call
	add	x9, x9, :lo12:sp_at_call
	mov	x10, sp
	str	x10, [x9]
	mov	x9, x0
	mov	x0, x1
	mov	x1, x2
	blr	x9
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
#elif defined(__riscv)
	addi	sp, sp, -16
	.cfi_def_cfa_offset 16
	sd	ra, 8(sp)
	.cfi_offset ra, -8
	lla	t0, sp_at_call
	sd	sp, 0(t0)
	mv	t1, a0
	mv	a0, a1
	mv	a1, a2
	jalr	t1
	ld	ra, 8(sp)
	addi	sp, sp, 16
	.cfi_def_cfa_offset 0
	ret
#else
	pushq	%rbp
	.cfi_def_cfa_offset 16
	movq	%rsp, sp_at_call(%rip)
	movq	%rdi, %r10
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	xorl	%eax, %eax
	callq	*%r10
	popq	%rbp
	.cfi_def_cfa_offset 8
	ret
#endif
	.cfi_endproc
	.size through, . - through
