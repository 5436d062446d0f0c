/* SPDX-License-Identifier: MIT */
/* What the pass needs of LLVM and LLVM-C 14 lacks. The only C++ of the plugin stands behind it.
 * Nothing here keeps state; what is returned belongs to the module unless said otherwise. */
#ifndef TEE_PERF_PASS_SHIM_H
#define TEE_PERF_PASS_SHIM_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The two stages, called by the shim's passes for each module (mark.c and instrument.c). level: of optimisation, 0
 * to 3.
 */
void tee_perf_stage_mark(LLVMModuleRef module, unsigned level);
void tee_perf_stage_instrument(LLVMModuleRef module, unsigned level);

/* Reports an error of the module's compilation, which then fails. */
void tee_perf_shim_error(LLVMModuleRef module, const char *message);

enum tee_perf_target { TEE_PERF_TARGET_ELF, TEE_PERF_TARGET_GPU, TEE_PERF_TARGET_OTHER };
enum tee_perf_target tee_perf_shim_target(LLVMModuleRef module);

/* The module is compiled for link-time optimisation of either kind. */
bool tee_perf_shim_is_lto(LLVMModuleRef module);
void tee_perf_shim_erase_named_metadata(LLVMModuleRef module, const char *name);

/* A call that must stand directly before its return. */
bool tee_perf_shim_is_musttail(LLVMValueRef call);
/* A call that the source forbids to make a jump of. */
bool tee_perf_shim_is_notail(LLVMValueRef call);
bool tee_perf_shim_returns_twice(LLVMValueRef call);
bool tee_perf_shim_is_noreturn(LLVMValueRef call);
/* The function that a call names, seen through casts and aliases; NULL: not known. */
LLVMValueRef tee_perf_shim_callee(LLVMValueRef call);
/* The first call in the block at or after the instruction that is none of an intrinsic, or NULL. */
LLVMValueRef tee_perf_shim_next_call(LLVMValueRef instruction);
/* The function behind casts and aliases, or NULL. */
LLVMValueRef tee_perf_shim_strip_to_function(LLVMValueRef value);
/* The module flag of that name, if it is a string; NULL: there is none. */
const char *tee_perf_shim_module_string(LLVMModuleRef module, const char *flag);
/* Of a vector of fixed length as a whole; 0: not known. */
unsigned long long tee_perf_shim_vector_bits(LLVMTypeRef type);
/* The compiler knows the name as one of the C library. */
bool tee_perf_shim_is_libfunc(LLVMModuleRef module, const char *name);

/* A call, no invoke, out of which an exception can come, and that may become an invoke. */
bool tee_perf_shim_may_unwind(LLVMValueRef instruction);
/* Ends the call's block with an invoke in its place, which unwinds to the block given. */
void tee_perf_shim_call_to_invoke(LLVMValueRef call, LLVMBasicBlockRef unwind);
/* The other way round; the call. */
LLVMValueRef tee_perf_shim_invoke_to_call(LLVMValueRef invoke);
/* The landing pad of a block, or NULL. */
LLVMValueRef tee_perf_shim_landing_pad(LLVMBasicBlockRef block);
void tee_perf_shim_remove_unreachable_blocks(LLVMValueRef function);

/* What the module was compiled from, as its debug information says, else its use of C++'s personality. */
enum tee_perf_language { TEE_PERF_LANGUAGE_C, TEE_PERF_LANGUAGE_CPLUSPLUS, TEE_PERF_LANGUAGE_OTHER };
enum tee_perf_language tee_perf_shim_language(LLVMModuleRef module);

/* A new block on the normal edge of an invoke. */
LLVMBasicBlockRef tee_perf_shim_split_normal_edge(LLVMValueRef invoke);
/* Splits the block before `where` so that a new block runs in between if the condition holds; its last instruction. */
LLVMValueRef tee_perf_shim_split_if(LLVMValueRef where, LLVMValueRef condition);
/* Copies `ret`, whose block holds nothing else but PHIs, into pred, which so far branches there and nowhere else. */
void tee_perf_shim_fold_return(LLVMValueRef ret, LLVMBasicBlockRef pred);
/* The first place in a block after PHIs and landing pad. */
LLVMValueRef tee_perf_shim_first_insertion_point(LLVMBasicBlockRef block);
/* An instruction that makes no code: debug and lifetime intrinsics and their like, casts between pointer types. */
bool tee_perf_shim_makes_no_code(LLVMValueRef instruction);
/* An alloca of the function's fixed frame. */
bool tee_perf_shim_is_static_alloca(LLVMValueRef instruction);

/* Appends to llvm.global_ctors or llvm.global_dtors, with the function itself as comdat key. */
void tee_perf_shim_add_constructor(LLVMModuleRef module, LLVMValueRef function, int priority);
void tee_perf_shim_add_destructor(LLVMModuleRef module, LLVMValueRef function, int priority);

unsigned tee_perf_shim_scope_line(LLVMMetadataRef subprogram);
/* The file of the compile unit of a subprogram, or NULL. */
LLVMMetadataRef tee_perf_shim_unit_file(LLVMMetadataRef subprogram);

/* The demangled form of a C++ name, malloc'ed; NULL if it is none. */
char *tee_perf_shim_demangle(const char *name);

#ifdef __cplusplus
}
#endif
#endif
