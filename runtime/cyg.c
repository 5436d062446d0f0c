/* SPDX-License-Identifier: MIT */
/* What gcc's -finstrument-functions calls, linked into each image that it compiles (libtee-perf-gcc.a). Hidden, or a
 * shared object that a plain program loads would be given the C library's own functions of these names, which do
 * nothing.
 *
 * A record names the function by its address. Its CFA follows from the frame pointer, which the driver has gcc keep.
 * What gcc inlined calls the hooks too, with the address of the inlined function and on its host's frame. */
#include "runtime/abi.h"

#include <stdbool.h>
#include <stddef.h>

static void start(void);
static void end(void);

/* Also the marks of tee-perf.h, unless objects that clang compiled have brought an image structure of their own. */
extern const struct tee_perf_image tee_perf_image __attribute__((weak, visibility("hidden")));
extern const struct tee_perf_map_entry __start_tee_perf_map[] __attribute__((weak, visibility("hidden")));
extern const struct tee_perf_map_entry __stop_tee_perf_map[] __attribute__((weak, visibility("hidden")));
extern const char __start_tee_perf_str[] __attribute__((weak, visibility("hidden")));
extern const char __stop_tee_perf_str[] __attribute__((weak, visibility("hidden")));

static struct tee_perf_image marks = { .abi_version = TEE_PERF_ABI_VERSION, .size = sizeof marks };
/* Not recording before it is registered: a resolver of ifuncs runs before its image is relocated. */
static struct tee_perf_text_image image = { .abi_version = TEE_PERF_ABI_VERSION,
					    .size = sizeof image,
					    .inside = (const void *)start };

static bool has_marks(void)
{
	return &tee_perf_image == NULL && &__start_tee_perf_map[0] != &__stop_tee_perf_map[0];
}

static void start(void)
{
	if (has_marks()) {
		marks.map_begin = __start_tee_perf_map;
		marks.map_end = __stop_tee_perf_map;
		marks.strings_begin = __start_tee_perf_str;
		marks.strings_end = __stop_tee_perf_str;
		tee_perf_image_register(&marks);
	}
	tee_perf_text_register(&image);
}

static void end(void)
{
	image.recording = 0;
	tee_perf_text_unregister(&image);
	if (has_marks())
		tee_perf_image_unregister(&marks);
}

/* Whether an image has these hooks, stripped or not (tee-perf info --hooks). */
#if defined(__has_attribute) && __has_attribute(retain)
__attribute__((retain)) /* --gc-sections, too */
#endif
__attribute__((used, section(TEE_PERF_GCC_SECTION))) static const uint64_t present = TEE_PERF_ABI_VERSION;

/* Before the program's own constructors, after its destructors. */
__attribute__((section(".init_array.00000"), used)) static void (*const at_start)(void) = start;
__attribute__((section(".fini_array.00000"), used)) static void (*const at_end)(void) = end;

/* ---- is the function that runs there the one that is said to begin? */

struct frame_table { /* .eh_frame_hdr as every linker writes it (Linux Standard Base, 10.6.2) */
	uint8_t version, frame_encoding, count_encoding, table_encoding;
	int32_t frame;
	uint32_t count;
	struct {
		int32_t begin, entry; /* relative to the header */
	} row[];
};

#define TABLE_ENCODINGS 0x3b031b01u /* version 1; relative 4-byte values, a 4-byte count, sorted 4-byte rows */

/* The address where the function that holds `inside` begins, 0: unknown. */
static uintptr_t function_begin(uintptr_t inside)
{
	const struct frame_table *table = image.frame_table;

	if (table == NULL || *(const uint32_t *)table != TABLE_ENCODINGS || table->count == 0)
		return 0;
	int64_t wanted = (int64_t)(inside - (uintptr_t)table);
	uint32_t low = 0, high = table->count;
	while (high - low > 1) { /* row[low] begins at or before it */
		uint32_t middle = low + (high - low) / 2;
		if (table->row[middle].begin <= wanted)
			low = middle;
		else
			high = middle;
	}
	return (uintptr_t)table + (uintptr_t)(intptr_t)table->row[low].begin;
}

/* What was found for a place of a call, the place times 2 plus the answer. Each word is read and written as a whole, so
 * threads and signal handlers share the table without a lock. */
#define PLACES 1024u
static uint64_t places[PLACES];

/* Whether the hook that returns to `inside` was called by the function itself, not by a host that it was inlined in. */
static bool runs_itself(uintptr_t inside, uintptr_t function)
{
	uint64_t *place = &places[(inside ^ inside >> 10) % PLACES];
	uint64_t known = __atomic_load_n(place, __ATOMIC_RELAXED);

	if (known >> 1 != inside) {
		uintptr_t begin = function_begin(inside - 1);
		bool itself = begin != 0 ? begin == function : inside - function < 256;
		known = (uint64_t)inside << 1 | itself;
		__atomic_store_n(place, known, __ATOMIC_RELAXED);
	}
	return known & 1;
}

/* ---- the CFA */

#define REALIGNED   32u /* gcc realigns no frame to less */
#define DISTANCE    (4 * 64u)
#define SAVED_SLOTS 5

/* `frame` is the frame pointer of the function that called the hook: there lies the caller's, above it the return
 * address. A function that realigns its stack and has outgoing arguments on it copies both to the realigned place, and
 * keeps its CFA in a register that it saves next to them (gcc's dynamic realigned argument pointer). */
static uintptr_t cfa_of(const uintptr_t *frame)
{
	uintptr_t cfa = (uintptr_t)(frame + 2);

	for (int i = 1; cfa % REALIGNED == 0 && i <= SAVED_SLOTS; i++) {
		uintptr_t saved = frame[-i];
		if (saved - cfa - 1 < DISTANCE && saved % 8 == 0 && ((const uintptr_t *)saved)[-1] == frame[1])
			return saved;
	}
	return cfa;
}

/* ---- the hooks */

/* The fast path in its own calling convention (arch/x86_64/hook.S): this image's copy, or the runtime's. */
#define HOOK(function_name, name, operand)                                                                             \
	static inline void function_name(uintptr_t function, uintptr_t cfa)                                            \
	{                                                                                                              \
		register uintptr_t r10 __asm__("r10") = function;                                                      \
		register uintptr_t a __asm__(operand) = cfa;                                                           \
		__asm__ volatile("call *tee_perf_" #name "_fast@GOTPCREL(%%rip)"                                       \
				 : "+r"(r10), "+r"(a)                                                                  \
				 :                                                                                     \
				 : "r11", "memory", "cc");                                                             \
	}
HOOK(record_call, call, "rax")
HOOK(record_call_inlined, call_inlined, "rax")
HOOK(record_return, return, "rcx")

void __cyg_profile_func_enter(void *function, void *call_site) __attribute__((visibility("hidden")));
void __cyg_profile_func_exit(void *function, void *call_site) __attribute__((visibility("hidden")));

void __cyg_profile_func_enter(void *function, void *call_site)
{
	const uintptr_t *own = __builtin_frame_address(0);

	(void)call_site;
	if (image.recording == 0)
		return;
	uintptr_t cfa = cfa_of((const uintptr_t *)own[0]);
	if (runs_itself(own[1], (uintptr_t)function))
		record_call((uintptr_t)function, cfa);
	else
		record_call_inlined((uintptr_t)function, cfa);
}

/* A function whose last act it is jumps here: its frame is gone, and we return to where it would have. */
void __cyg_profile_func_exit(void *function, void *call_site)
{
	const uintptr_t *own = __builtin_frame_address(0);
	bool jumped = own[1] == (uintptr_t)call_site;

	if (image.recording != 0)
		record_return((uintptr_t)function, jumped ? (uintptr_t)(own + 2) : cfa_of((const uintptr_t *)own[0]));
}
