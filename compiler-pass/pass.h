/* SPDX-License-Identifier: MIT */
/* Inside the plugin: how its parts work together.
 *
 * Stage "mark" runs first of all passes. It takes the options off the functions (the driver has clang put them
 * there), decides who is instrumented, and leaves an attribute on each. Stage "instrument" runs last, and gives
 * every function that still carries the attribute its hooks and its map entry. With before_inlining the hooks
 * come at the mark stage already, and the last stage only tells those that were inlined apart. */
#ifndef TEE_PERF_PASS_H
#define TEE_PERF_PASS_H

#include "runtime/abi.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* String attribute of a function to be instrumented; its value is the function's name when it was marked. */
#define TEE_PERF_MARK_ATTRIBUTE "tee-perf-function"
/* String attribute of a function that has its hooks; its value is the name of its map entry. */
#define TEE_PERF_ENTRY_ATTRIBUTE "tee-perf-entry"
/* String attribute through which the driver hands over the options, and named metadata that keeps them. */
#define TEE_PERF_OPTIONS_NAME "tee-perf"
#define TEE_PERF_MAP_SECTION  "tee_perf_map"
#define TEE_PERF_STR_SECTION  "tee_perf_str"

/* ---- options.c */
struct tee_perf_filter;

struct tee_perf_pass_options {
	bool before_inlining;
	bool no_unwind_exits;      /* functions that an exception leaves record nothing */
	bool inline_hooks;         /* the fast path within each function */
	bool plain_hooks;          /* C calls even where there is something better */
	bool lto;                  /* what is made is bitcode that the linker will optimise */
	bool function_sections;    /* each function gets a section of its own, so its map entry does too */
	bool strip_debug_info;     /* the driver asked for line tables only for our sake */
	unsigned min_instructions; /* 0: no minimum */
	bool external_calls;
	char **external_globs;             /* NULL-terminated; NULL: every external function */
	char **ocall_globs, **ecall_globs; /* NULL-terminated; NULL: none */
	bool system_calls;                 /* wrappers of system calls are OCALLs */
	struct tee_perf_policy policy;     /* to build in; zeros: none */
	struct tee_perf_filter *filter;    /* NULL: none */
};

/* Parses what the driver wrote. Fails with a message in error (any text of the file is quoted with its line). */
int tee_perf_options_parse(struct tee_perf_pass_options *options, const char *text, char *error, size_t error_size);
void tee_perf_options_clear(struct tee_perf_pass_options *options);
/* The module keeps the options' text from one stage to the next. load: malloc'ed, NULL if none was stored. */
void tee_perf_options_store(LLVMModuleRef module, const char *text);
char *tee_perf_options_load(LLVMModuleRef module);

/* ---- filter.c */
/* Reads a filter file; NULL with a message in error. The caller frees it with tee_perf_filter_free. */
struct tee_perf_filter *tee_perf_filter_read(const char *path, char *error, size_t error_size);
void tee_perf_filter_free(struct tee_perf_filter *filter);
/* Whether the function is to be instrumented: the last rule that matches decides, none: yes. Two spellings of the
 * source path, of which either may match; they may be NULL. */
bool tee_perf_filter_includes(const struct tee_perf_filter *filter, const char *function, const char *const sources[2]);

/* ---- the work on one module */
struct tee_perf_source_file {
	char *path;
	LLVMValueRef string;
};

struct tee_perf_pass {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	const struct tee_perf_cfa_source *cfa; /* NULL: the target is not supported */
	struct tee_perf_pass_options options;
	bool lto;
	LLVMTypeRef int8_pointer; /* any pointer: LLVM 14 still has typed ones */
	LLVMValueRef hooks[4];    /* by enum tee_perf_hook; NULL: not declared yet */
	struct tee_perf_source_file *files;
	size_t file_count;
};

enum tee_perf_hook {
	TEE_PERF_HOOK_CALL,
	TEE_PERF_HOOK_CALL_INLINED,
	TEE_PERF_HOOK_RETURN,
	TEE_PERF_HOOK_RESYNC,
};

/* pass.c. begin fails, having reported it, when the options are wrong. end is due in either case. */
int tee_perf_pass_begin(struct tee_perf_pass *pass, LLVMModuleRef module, const char *options);
void tee_perf_pass_end(struct tee_perf_pass *pass);
/* The value of a function's string attribute, or NULL; valid while the function has it. */
const char *tee_perf_function_attribute(LLVMValueRef function, const char *name, unsigned *length);
void tee_perf_function_set_attribute(LLVMValueRef function, const char *name, const char *value);
void tee_perf_function_remove_attribute(LLVMValueRef function, const char *name);
/* Whether the function's calling convention, linkage and kind allow hooks. */
bool tee_perf_function_can_have_hooks(LLVMValueRef function);

/* hooks.c: calls to the runtime. */
LLVMValueRef tee_perf_hook_function(struct tee_perf_pass *pass, enum tee_perf_hook hook);
/* The call is one of this hook. */
bool tee_perf_hook_is(struct tee_perf_pass *pass, LLVMValueRef call, enum tee_perf_hook hook);
/* Which map entry a call of a hook names, as a pointer of pass->int8_pointer. */
LLVMValueRef tee_perf_hook_entry(const struct tee_perf_pass *pass, LLVMValueRef call);
/* Inserts hook(entry, CFA of the function) before the instruction `where`. */
void tee_perf_hook_insert(struct tee_perf_pass *pass, enum tee_perf_hook hook, LLVMValueRef entry, LLVMValueRef where);
/* A coroutine may have kept its first part's CFA for functions that were inlined into it before it was split: makes
 * the call, if it is a hook, use that of the function that it lies in now. */
void tee_perf_hook_renew_cfa(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef call);
const struct tee_perf_cfa_source *tee_perf_cfa_source_of(LLVMModuleRef module);
/* How this module calls its hooks: enum tee_perf_hook_shape of runtime/abi.h. */
unsigned tee_perf_hook_shape(const struct tee_perf_pass *pass);
const struct tee_perf_convention *tee_perf_convention_of(const struct tee_perf_pass *pass);

/* arguments.c: the C calling convention of a target, as far as it matters for hooks. */
struct tee_perf_convention {
	unsigned integers, vectors; /* registers that carry arguments */
	unsigned float_bits;        /* the widest floating-point value that travels in a vector register */
	unsigned vector_bits;       /* the widest vector that does */
	bool wide_values;           /* 128-bit floating-point values and arrays are understood below */
	bool floats_overflow;       /* without a vector register left they take integer registers */
	bool keeps_together;        /* a value lies in registers as a whole or not at all */
	bool even_pairs;            /* a 128-bit integer begins at a register of even number */
	bool saves_variadic;        /* see tee_perf_variadic_area */
	/* what the backend makes jumps of */
	bool jumps_to_weak;         /* calls of functions that may not exist */
	bool jumps_with_structures; /* where the caller or the callee returns a structure in memory */
	bool jumps_with_stack;      /* arguments in memory, if the caller's own area there is large enough */
};

/* What the arguments placed so far take. */
struct tee_perf_arguments {
	unsigned integers, vectors, stack_bytes;
};

/* Places one more; false: where it travels is not simple. */
bool tee_perf_place_argument(const struct tee_perf_convention *convention, LLVMTypeRef type,
			     struct tee_perf_arguments *arguments);
/* Bytes between the CFA of a variadic function and where its frame pointer points; 0 for other functions. */
unsigned tee_perf_variadic_area(const struct tee_perf_convention *convention, LLVMValueRef function);

/* libc.c: the function is declared here and known to be the C library's, which has no hooks. */
bool tee_perf_is_library_function(struct tee_perf_pass *pass, LLVMValueRef function);

/* returns.c */
/* Splits returns so that tail calls stay tail calls, then inserts the return hooks. */
void tee_perf_insert_return_hooks(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef entry);
/* For hooks that were placed before the optimiser knew which calls can be tail calls: moves them before those. */
void tee_perf_renew_return_hooks(struct tee_perf_pass *pass, LLVMValueRef function);
/* An attribute of LLVM's own, of a function or (is_call) of a call; index as LLVM counts: function, result, arguments.
 */
bool tee_perf_has_attribute(LLVMValueRef owner, bool is_call, LLVMAttributeIndex index, const char *name);
/* Nothing of the function's frame can be known to what it calls. */
bool tee_perf_lends_no_memory(LLVMValueRef function);

/* unwind.c */
/* Return hooks where an exception leaves the function, if one can; after those of its returns. resync: other functions'
 * frames may have this one's CFA. */
void tee_perf_insert_unwind_hooks(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef entry, bool resync);
/* For hooks that were placed before the optimiser's work: calls that are invokes only for that reason become calls
 * again, so that they can be tail calls (jumps: at this level of optimisation they would be). The function's map entry
 * as the hooks name it, NULL: there was no such call. renew gives back what did not become a jump. */
LLVMValueRef tee_perf_take_unwind_hooks(struct tee_perf_pass *pass, LLVMValueRef function, bool jumps);
void tee_perf_renew_unwind_hooks(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef entry);

/* edges.c */
/* Finds and tags the edges of the module; they are not to be inlined. Before any optimisation. */
void tee_perf_edges_mark(struct tee_perf_pass *pass);
/* TEE_PERF_ENTRY_OCALL, TEE_PERF_ENTRY_ECALL, or TEE_PERF_ENTRY_FUNCTION: no edge. */
unsigned tee_perf_edge_kind(struct tee_perf_pass *pass, LLVMValueRef function);
/* The OCALL gets hooks of its own here: calls of it in other objects of the image need none. */
void tee_perf_edge_has_hooks(struct tee_perf_pass *pass, LLVMValueRef function);
/* Builds, before `where`, whether no object of the image gives hooks to an OCALL that is declared here. */
LLVMValueRef tee_perf_edge_lacks_hooks(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef where);
/* Takes the tags off again. */
void tee_perf_edges_clear(struct tee_perf_pass *pass);

/* external.c: records around calls of OCALLs and of what the options name; own_entry: the map entry of function.
 * Whether there are any. */
bool tee_perf_bracket_external_calls(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef own_entry);

/* map.c */
LLVMValueRef tee_perf_map_entry_of_function(struct tee_perf_pass *pass, LLVMValueRef function);
LLVMValueRef tee_perf_map_entry_of_external(struct tee_perf_pass *pass, LLVMValueRef function);
/* The image structure with its constructor and destructor, if the module has map entries that are used. */
void tee_perf_map_finish(struct tee_perf_pass *pass);
/* The source file as the user wrote it, or (whole) with the compilation directory before it, where that is known;
 * malloc'ed; NULL: unknown. */
char *tee_perf_source_of_function(LLVMValueRef function, bool whole);

/* policy.c: the policy that the options build in, as a constant of the image; nothing if they name none. */
void tee_perf_policy_emit(struct tee_perf_pass *pass);

/* instrument.c */
void tee_perf_instrument_function(struct tee_perf_pass *pass, LLVMValueRef function);
/* The hook, called as a C function, came with the function itself: it is not of one that was inlined into it. */
bool tee_perf_is_own_hook(LLVMValueRef function, LLVMValueRef hook);

#endif
