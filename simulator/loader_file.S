/* SPDX-License-Identifier: MIT */
/* The loader's file, within the library: whoever links that needs no other file. */
	.section .note.GNU-stack, "", @progbits
	.section .rodata
	.globl sim_loader_begin, sim_loader_end
	.balign 16
sim_loader_begin:
	.incbin SIM_LOADER_FILE
sim_loader_end:
	.byte 0
