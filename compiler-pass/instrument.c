/* SPDX-License-Identifier: MIT */
/* Stage "instrument": hooks for the functions that were marked. */
#include "compiler-pass/pass.h"
#include "compiler-pass/shim.h"
#include "runtime/abi.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

/* What a function claims about itself no longer holds once it calls hooks, and link-time optimisation would
 * delete or merge calls to it. */
static void drop_memory_attributes(LLVMValueRef owner, bool is_call)
{
	static const char *const names[] = {
		"memory",
		"readnone",
		"readonly",
		"writeonly",
		"argmemonly",
		"inaccessiblememonly",
		"inaccessiblemem_or_argmemonly",
		"speculatable",
		"nosync",
		"nofree",
		"willreturn",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
		if (!kind)
			continue; /* of another version */
		if (is_call)
			LLVMRemoveCallSiteEnumAttribute(owner, LLVMAttributeFunctionIndex, kind);
		else
			LLVMRemoveEnumAttributeAtIndex(owner, LLVMAttributeFunctionIndex, kind);
	}
}

/* After the fixed frame's allocas, before anything that acts. */
static LLVMValueRef entry_place(LLVMValueRef function)
{
	LLVMValueRef place = tee_perf_shim_first_insertion_point(LLVMGetEntryBasicBlock(function));

	while (tee_perf_shim_is_static_alloca(place) || tee_perf_shim_makes_no_code(place))
		place = LLVMGetNextInstruction(place);
	return place;
}

/* Other functions' frames may have the CFA of the one that they were inlined into. */
static bool shares_cfa(struct tee_perf_pass *pass)
{
	return pass->options.before_inlining || pass->lto || pass->options.external_calls;
}

/* Control can come back to these places by other means than a return into this function. */
static void insert_resyncs(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef entry)
{
	/* What an exception leaves says so itself (unwind.c), but for functions that cannot: C's without -fexceptions,
	 * those of other languages. So a landing pad says who is left where frames share a CFA, as hooks may be inlined
	 * or a bracketed call throws. Elsewhere the next call tells by its CFA, unless it is made by code without hooks
	 * from deeper on the stack than what the exception ended, which a handler does (a callback of the C library, a
	 * terminate handler), a cleanup hardly. */
	bool shared_cfa = shares_cfa(pass);
	LLVMBasicBlockRef block, next_block;

	for (block = LLVMGetFirstBasicBlock(function); block; block = next_block) {
		LLVMValueRef instruction = LLVMGetFirstInstruction(block), next;
		next_block = LLVMGetNextBasicBlock(block);
		for (; instruction; instruction = next) {
			next = LLVMGetNextInstruction(instruction);
			if (LLVMIsALandingPadInst(instruction)) {
				if (shared_cfa || LLVMGetNumClauses(instruction))
					tee_perf_hook_insert(pass, TEE_PERF_HOOK_RESYNC, entry,
							     tee_perf_shim_first_insertion_point(block));
			} else if (LLVMIsAInvokeInst(instruction)) {
				if (tee_perf_shim_returns_twice(instruction))
					tee_perf_hook_insert(pass, TEE_PERF_HOOK_RESYNC, entry,
							     tee_perf_shim_first_insertion_point(
								 tee_perf_shim_split_normal_edge(instruction)));
			} else if (LLVMIsACallInst(instruction) && tee_perf_shim_returns_twice(instruction) && next) {
				tee_perf_hook_insert(pass, TEE_PERF_HOOK_RESYNC, entry, next);
			}
		}
	}
}

void tee_perf_instrument_function(struct tee_perf_pass *pass, LLVMValueRef function)
{
	LLVMValueRef entry = tee_perf_map_entry_of_function(pass, function);
	bool resync;

	insert_resyncs(pass, function, entry);
	resync = tee_perf_bracket_external_calls(pass, function, entry) || shares_cfa(pass);
	if (tee_perf_edge_kind(pass, function) == TEE_PERF_ENTRY_OCALL)
		tee_perf_edge_has_hooks(pass, function);
	tee_perf_insert_return_hooks(pass, function, entry);
	tee_perf_hook_insert(pass, TEE_PERF_HOOK_CALL, entry, entry_place(function));
	tee_perf_insert_unwind_hooks(pass, function, entry, resync);
	drop_memory_attributes(function, false);
	tee_perf_function_remove_attribute(function, TEE_PERF_MARK_ATTRIBUTE);
	tee_perf_function_set_attribute(function, TEE_PERF_ENTRY_ATTRIBUTE, LLVMGetValueName(entry));
}

static bool has_enough_instructions(struct tee_perf_pass *pass, LLVMValueRef function)
{
	unsigned count = 0;

	if (tee_perf_edge_kind(pass, function) != TEE_PERF_ENTRY_FUNCTION)
		return true;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (count >= pass->options.min_instructions)
				return true;
			count += !tee_perf_shim_makes_no_code(i);
		}
	}
	return count >= pass->options.min_instructions;
}

/* Passes that split cold or repeated parts off a function copy its attributes to them. The parts are no
 * functions to the user; those that a coroutine is made of are. */
static bool is_split_part(LLVMValueRef function)
{
	static const char *const wholes[] = { "resume", "destroy", "cleanup", "specialized" };
	unsigned length;
	const char *marked = tee_perf_function_attribute(function, TEE_PERF_MARK_ATTRIBUTE, &length);
	const char *name = LLVMGetValueName(function);

	if (strncmp(name, marked, length) || name[length] != '.')
		return false;
	for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
		if (!strncmp(name + length + 1, wholes[i], strlen(wholes[i])))
			return false;
	}
	return true;
}

bool tee_perf_is_own_hook(LLVMValueRef function, LLVMValueRef hook)
{
	unsigned length;
	const char *own = tee_perf_function_attribute(function, TEE_PERF_ENTRY_ATTRIBUTE, &length);
	LLVMValueRef entry = LLVMGetOperand(hook, 0);

	while (LLVMIsAConstantExpr(entry))
		entry = LLVMGetOperand(entry, 0);
	return own && strlen(LLVMGetValueName(entry)) == length && !memcmp(LLVMGetValueName(entry), own, length);
}

/* Hooks that came with an inlined body share the CFA of the function that they now lie in. */
static void retarget_inlined_hook(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef call)
{
	/* Link-time optimisation may inline any hook yet, and nobody can tell then. */
	if (!pass->lto && tee_perf_is_own_hook(function, call))
		return;
	LLVMSetOperand(call, LLVMGetNumOperands(call) - 1, tee_perf_hook_function(pass, TEE_PERF_HOOK_CALL_INLINED));
}

/* Visits every call once more: what the callee no longer promises, the call must not promise either. */
static void finish_calls(struct tee_perf_pass *pass, LLVMValueRef function)
{
	LLVMValueRef call_hook = LLVMGetNamedFunction(pass->module, "tee_perf_call");

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee =
			    LLVMIsACallInst(i) || LLVMIsAInvokeInst(i) ? tee_perf_shim_callee(i) : NULL;
			if (!callee)
				continue;
			if (pass->options.before_inlining)
				tee_perf_hook_renew_cfa(pass, function, i);
			if (callee == call_hook)
				retarget_inlined_hook(pass, function, i);
			else if (tee_perf_function_attribute(callee, TEE_PERF_ENTRY_ATTRIBUTE, NULL))
				drop_memory_attributes(i, true);
		}
	}
}

/* What was inlined is known now, and which calls are jumps. */
static void renew_hooks(struct tee_perf_pass *pass, LLVMValueRef function, unsigned level)
{
	LLVMValueRef entry = tee_perf_take_unwind_hooks(pass, function, level >= 2);

	tee_perf_renew_return_hooks(pass, function);
	if (entry)
		tee_perf_renew_unwind_hooks(pass, function, entry);
}

static void instrument_module(struct tee_perf_pass *pass, unsigned level)
{
	LLVMValueRef f;

	for (f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f)) {
		if (!tee_perf_function_attribute(f, TEE_PERF_MARK_ATTRIBUTE, NULL))
			continue;
		if (tee_perf_function_can_have_hooks(f) && !is_split_part(f) && has_enough_instructions(pass, f))
			tee_perf_instrument_function(pass, f);
		else
			tee_perf_function_remove_attribute(f, TEE_PERF_MARK_ATTRIBUTE);
	}
	for (f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f)) {
		if (pass->options.before_inlining && tee_perf_function_attribute(f, TEE_PERF_ENTRY_ATTRIBUTE, NULL) &&
		    !LLVMIsDeclaration(f))
			renew_hooks(pass, f, level);
		finish_calls(pass, f);
	}
	for (f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
		tee_perf_function_remove_attribute(f, TEE_PERF_ENTRY_ATTRIBUTE);
	tee_perf_edges_clear(pass);
	tee_perf_map_finish(pass);
}

void tee_perf_stage_instrument(LLVMModuleRef module, unsigned level)
{
	struct tee_perf_pass pass;
	char *options = tee_perf_options_load(module);

	if (!options) /* nothing was marked */
		return;
	if (tee_perf_pass_begin(&pass, module, options) == 0)
		instrument_module(&pass, level);
	if (pass.options.strip_debug_info)
		LLVMStripModuleDebugInfo(module);
	tee_perf_shim_erase_named_metadata(module, TEE_PERF_OPTIONS_NAME);
	tee_perf_pass_end(&pass);
	free(options);
}
