/* SPDX-License-Identifier: MIT */
/* What the compiler pass emits and the runtime accepts. Any change of meaning bumps
 * TEE_PERF_ABI_VERSION, which is part of the runtime's soname and of the registration call. */
#ifndef TEE_PERF_RUNTIME_ABI_H
#define TEE_PERF_RUNTIME_ABI_H

#include <stdint.h>

#define TEE_PERF_ABI_VERSION 2

/* One per instrumented function, in section `tee_perf_map` (allocated, writable, 16-byte aligned,
 * 16 bytes, no padding between entries). Its address is what a record names. */
struct tee_perf_map_entry {
	int32_t name;  /* address of the NUL-terminated linkage name, relative to this field's address */
	int32_t file;  /* the same for the source path; 0: unknown */
	uint32_t line; /* 0: unknown */
	uint16_t kind; /* enum tee_perf_entry_kind */
	uint16_t off;  /* nonzero: switched off at run time (reserved, 0) */
};

enum tee_perf_entry_kind {
	TEE_PERF_ENTRY_FUNCTION = 0,
	TEE_PERF_ENTRY_EXTERNAL = 1, /* a call to a function without hooks, bracketed at the call site */
	TEE_PERF_ENTRY_OCALL = 2,    /* the same, known to leave the enclave */
	TEE_PERF_ENTRY_ECALL = 3,    /* a function that is entered from outside the enclave */
	TEE_PERF_ENTRY_MARK = 4,     /* a named mark of tee-perf.h, no function */
};

/* One per image (executable or shared object), emitted in each object file as linkonce_odr hidden
 * comdat data `tee_perf_image`; filled with addresses, so it needs load-time relocation. Names lie in section
 * `tee_perf_str`, so that the image's names are one contiguous range. */
struct tee_perf_image {
	uint32_t abi_version;                                 /* TEE_PERF_ABI_VERSION */
	uint32_t size;                                        /* sizeof(struct tee_perf_image) */
	const struct tee_perf_map_entry *map_begin, *map_end; /* __start_/__stop_tee_perf_map */
	const char *strings_begin, *strings_end;              /* __start_/__stop_tee_perf_str */
	uint32_t recording;  /* all ones (as emitted): hooks are called; 0: passed by. Then the runtime's to set */
	uint32_t hook_shape; /* enum tee_perf_hook_shape of the object that this structure came from */
	/* What the image was built with (-ftee-perf-policy), NULL: nothing. Images of before have a smaller size. */
	const struct tee_perf_policy *policy;
};

/* How hooks are called (docs/HOOK-SHAPE.md). */
enum tee_perf_hook_shape {
	TEE_PERF_SHAPE_UNKNOWN = 0,
	TEE_PERF_SHAPE_PLAIN = 1,  /* as C functions */
	TEE_PERF_SHAPE_FAST = 2,   /* in a calling convention of their own */
	TEE_PERF_SHAPE_INLINE = 3, /* written out in each function */
};

/* What an enclave is built with outranks what the host says. A field of 0 leaves the choice to the host. It is a hidden
 * constant of each image, and of the static runtime: trusted memory. */
struct tee_perf_policy {
	uint32_t full;       /* enum tee_perf_full of log_layout.h, plus 1: the full policy */
	uint32_t wait;       /* rounds of tee_perf_platform_wait that a thread may wait for room, plus 1 */
	uint64_t ring_bytes; /* of one ring at most; a power of two */
};
#define TEE_PERF_POLICY_SYMBOL  "tee_perf_policy"
#define TEE_PERF_POLICY_SECTION "tee_perf_built_in" /* of what the compiler builds in */
#define TEE_PERF_STATIC_SECTION "tee_perf_runtime"  /* of the default in the runtime: an image has the runtime in it */
#define TEE_PERF_GCC_SECTION    "tee_perf_gcc"      /* an image has what gcc's hooks end in (cyg.c) */

/* The hooks. `cfa` is the canonical frame address of the instrumented function (the value of the
 * stack pointer before the call instruction on x86-64), the same value at call and return.
 * They preserve errno, never call instrumented code, and may be interrupted anywhere. */
void tee_perf_call(const struct tee_perf_map_entry *entry, const void *cfa);
void tee_perf_call_inlined(const struct tee_perf_map_entry *entry, const void *cfa); /* shares its host's CFA */
void tee_perf_return(const struct tee_perf_map_entry *entry, const void *cfa);
/* The function (entry, cfa) runs again after control came back by other means than a return into
 * it: after setjmp returned again, in a landing pad where frames may share a CFA. */
void tee_perf_resync(const struct tee_perf_map_entry *entry, const void *cfa);

/* x86-64: the same four in a calling convention of their own (arch/x86_64/hook.S): the entry in r10, the CFA in rax (at
 * tee_perf_return_fast in rcx); changed are r10, r11, that register and the flags. Code that calls them must not use a
 * red zone. Each image has its own hidden copy (libtee-perf-hooks.a), else the runtime's is called. */
#define TEE_PERF_HOOKS_FAST                                                                                            \
	"tee_perf_call_fast", "tee_perf_call_inlined_fast", "tee_perf_return_fast", "tee_perf_resync_fast"

/* Called by each image's constructor (priority 0, before user constructors) and destructor. */
void tee_perf_image_register(const struct tee_perf_image *image);
void tee_perf_image_unregister(const struct tee_perf_image *image);

/* An image with functions that gcc compiled (cyg.c): records name them by their addresses, whose low 32 bits stand
 * where else those of a map entry do. */
struct tee_perf_text_image {
	uint32_t abi_version, size;
	const void *inside; /* an address within the image's code */
	uint32_t recording; /* 0: hooks pass by. The runtime's to set */
	uint32_t reserved;
	const void *frame_table; /* its .eh_frame_hdr. The runtime's to set; NULL: there is none */
};
void tee_perf_text_register(struct tee_perf_text_image *image);
void tee_perf_text_unregister(const struct tee_perf_text_image *image);

#endif
