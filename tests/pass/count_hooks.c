/* SPDX-License-Identifier: MIT */
/* Hooks for tests, in place of the runtime. They keep a stack as the analyzer does (runtime/abi.h, DESIGN 4),
 * destroy every register that a called function may destroy, and print at the end
 *
 *	calls N returns N resyncs N unwound N open N wrong N images N
 *
 * unwound: frames that a later record proved dead; open: still there at the end; wrong: returns of a function that
 * is not on top. TRACE in the environment prints every record as well. count_hooks_calls(name) is for the
 * program itself. */
#include "count_hooks.h"
#include "runtime/abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 1 << 20, MAX_NAMES = 256 };

struct frame {
	const struct tee_perf_map_entry *entry;
	const char *cfa;
};

static struct {
	struct frame frames[MAX_DEPTH];
	size_t depth;
	unsigned long calls, returns, resyncs, unwound, wrong;
	unsigned images;
	struct {
		const struct tee_perf_map_entry *entry;
		unsigned long calls;
	} names[MAX_NAMES];
} state;

static const char *name_of(const struct tee_perf_map_entry *entry)
{
	return (const char *)&entry->name + entry->name;
}

static void trace(const char *what, const struct tee_perf_map_entry *entry)
{
	static int wanted = -1;
	const char *file = entry->file ? (const char *)&entry->file + entry->file : "?";
	const char *slash = strrchr(file, '/');

	if (wanted < 0)
		wanted = getenv("TRACE") != NULL;
	if (wanted)
		printf("%*s%s %s %s:%u\n", (int)state.depth, "", what, name_of(entry), slash ? slash + 1 : file,
		       entry->line);
}

/* Frames below cfa are dead, those at cfa too unless it is shared. */
static void unwind(const char *cfa, int shared)
{
	while (state.depth &&
	       (state.frames[state.depth - 1].cfa < cfa || (!shared && state.frames[state.depth - 1].cfa == cfa))) {
		state.depth--;
		state.unwound++;
	}
}

static void push(const struct tee_perf_map_entry *entry, const void *cfa, int shared)
{
	unwind(cfa, shared);
	state.calls++;
	for (size_t i = 0; i < MAX_NAMES; i++) {
		if (!state.names[i].entry)
			state.names[i].entry = entry;
		if (state.names[i].entry == entry) {
			state.names[i].calls++;
			break;
		}
	}
	if (state.depth < MAX_DEPTH)
		state.frames[state.depth++] = (struct frame){ entry, cfa };
}

static void pop(const struct tee_perf_map_entry *entry, const void *cfa)
{
	const struct frame *top;

	unwind(cfa, 1);
	state.returns++;
	top = state.depth ? &state.frames[state.depth - 1] : NULL;
	if (top && top->entry == entry && top->cfa == cfa) {
		state.depth--;
	} else {
		state.wrong++;
		printf("wrong: %s returns, on top is %s\n", name_of(entry), top ? name_of(top->entry) : "nothing");
	}
}

static void resync(const struct tee_perf_map_entry *entry, const void *cfa)
{
	unwind(cfa, 1);
	state.resyncs++;
	while (state.depth && state.frames[state.depth - 1].cfa == cfa &&
	       state.frames[state.depth - 1].entry != entry) {
		state.depth--;
		state.unwound++;
	}
}

static void destroy_registers(void)
{
#ifdef __x86_64__
	__asm__ volatile("mov $0xdeadbeefdeadbeef, %%rax\n\t"
			 "mov %%rax, %%rcx; mov %%rax, %%rdx; mov %%rax, %%rsi; mov %%rax, %%rdi\n\t"
			 "mov %%rax, %%r8; mov %%rax, %%r9; mov %%rax, %%r10; mov %%rax, %%r11\n\t"
			 "movq %%rax, %%xmm0; punpcklqdq %%xmm0, %%xmm0\n\t"
			 "movdqa %%xmm0, %%xmm1; movdqa %%xmm0, %%xmm2; movdqa %%xmm0, %%xmm3\n\t"
			 "movdqa %%xmm0, %%xmm4; movdqa %%xmm0, %%xmm5; movdqa %%xmm0, %%xmm6\n\t"
			 "movdqa %%xmm0, %%xmm7; movdqa %%xmm0, %%xmm8; movdqa %%xmm0, %%xmm15\n\t"
			 "fninit"
			 :
			 :
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3",
			   "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm15", "cc", "st", "st(1)", "st(2)", "st(3)",
			   "st(4)", "st(5)", "st(6)", "st(7)");
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroall" ::
				     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
				       "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#elif defined(__aarch64__)
	__asm__ volatile("mov x0, #-0x2153; mov x1, x0; mov x2, x0; mov x3, x0\n\t"
			 "mov x4, x0; mov x5, x0; mov x6, x0; mov x7, x0\n\t"
			 "mov x8, x0; mov x9, x0; mov x10, x0; mov x11, x0\n\t"
			 "mov x12, x0; mov x13, x0; mov x14, x0; mov x15, x0\n\t"
			 "mov x16, x0; mov x17, x0; dup v0.2d, x0; dup v1.2d, x0\n\t"
			 "dup v2.2d, x0; dup v3.2d, x0; dup v4.2d, x0; dup v5.2d, x0\n\t"
			 "dup v6.2d, x0; dup v7.2d, x0; dup v16.2d, x0; dup v17.2d, x0\n\t"
			 "dup v18.2d, x0; dup v19.2d, x0; dup v20.2d, x0; dup v21.2d, x0\n\t"
			 "dup v22.2d, x0; dup v23.2d, x0; dup v24.2d, x0; dup v25.2d, x0\n\t"
			 "dup v26.2d, x0; dup v27.2d, x0; dup v28.2d, x0; dup v29.2d, x0\n\t"
			 "dup v30.2d, x0; dup v31.2d, x0"
			 :
			 :
			 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
			   "x14", "x15", "x16", "x17", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17",
			   "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",
			   "v31", "cc");
#elif defined(__riscv)
	__asm__ volatile("li a0, -0x153; mv a1, a0; mv a2, a0; mv a3, a0\n\t"
			 "mv a4, a0; mv a5, a0; mv a6, a0; mv a7, a0\n\t"
			 "mv t0, a0; mv t1, a0; mv t2, a0; mv t3, a0\n\t"
			 "mv t4, a0; mv t5, a0; mv t6, a0; fmv.d.x fa0, a0\n\t"
			 "fmv.d.x fa1, a0; fmv.d.x fa2, a0; fmv.d.x fa3, a0; fmv.d.x fa4, a0\n\t"
			 "fmv.d.x fa5, a0; fmv.d.x fa6, a0; fmv.d.x fa7, a0; fmv.d.x ft0, a0\n\t"
			 "fmv.d.x ft1, a0; fmv.d.x ft2, a0; fmv.d.x ft3, a0; fmv.d.x ft4, a0\n\t"
			 "fmv.d.x ft5, a0; fmv.d.x ft6, a0; fmv.d.x ft7, a0; fmv.d.x ft8, a0\n\t"
			 "fmv.d.x ft9, a0; fmv.d.x ft10, a0; fmv.d.x ft11, a0"
			 :
			 :
			 : "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3", "t4", "t5", "t6",
			   "fa0", "fa1", "fa2", "fa3", "fa4", "fa5", "fa6", "fa7", "ft0", "ft1", "ft2", "ft3", "ft4",
			   "ft5", "ft6", "ft7", "ft8", "ft9", "ft10", "ft11");
#endif
}

void tee_perf_call(const struct tee_perf_map_entry *entry, const void *cfa)
{
	push(entry, cfa, 0);
	trace("call", entry);
	destroy_registers();
}

void tee_perf_call_inlined(const struct tee_perf_map_entry *entry, const void *cfa)
{
	push(entry, cfa, 1);
	trace("inlined", entry);
	destroy_registers();
}

void tee_perf_return(const struct tee_perf_map_entry *entry, const void *cfa)
{
	trace("return", entry);
	pop(entry, cfa);
	destroy_registers();
}

void tee_perf_resync(const struct tee_perf_map_entry *entry, const void *cfa)
{
	resync(entry, cfa);
	trace("resync", entry);
	destroy_registers();
}

unsigned long count_hooks_calls(const char *name)
{
	unsigned long calls = 0;

	for (size_t i = 0; i < MAX_NAMES && state.names[i].entry; i++) {
		if (!strcmp(name_of(state.names[i].entry), name))
			calls += state.names[i].calls;
	}
	return calls;
}

const void *count_hooks_cfa(void)
{
	return state.depth ? state.frames[state.depth - 1].cfa : NULL;
}

void tee_perf_image_register(const struct tee_perf_image *image)
{
	size_t count = (size_t)(image->map_end - image->map_begin);

	state.images++;
	if (image->abi_version != TEE_PERF_ABI_VERSION || image->size != sizeof *image ||
	    (uintptr_t)image->map_begin % 16)
		printf("wrong: image %u %u\n", image->abi_version, image->size);
	if (getenv("TRACE"))
		printf("image of %zu entries\n", count);
	for (size_t i = 0; i < count; i++) {
		const char *name = name_of(&image->map_begin[i]);
		if (name < image->strings_begin || name + strlen(name) >= image->strings_end)
			printf("wrong: the name of entry %zu lies outside of the strings\n", i);
	}
}

void tee_perf_image_unregister(const struct tee_perf_image *image)
{
	(void)image;
	if (--state.images == 0)
		printf("calls %lu returns %lu resyncs %lu unwound %lu open %zu wrong %lu\n", state.calls, state.returns,
		       state.resyncs, state.unwound, state.depth, state.wrong);
}
