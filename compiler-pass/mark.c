/* SPDX-License-Identifier: MIT */
/* Stage "mark": who is instrumented. Runs before any other pass, so that it sees the functions that the user
 * wrote. */
#include "compiler-pass/pass.h"
#include "compiler-pass/shim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Clang leaves these on every function that -finstrument-functions-after-inlining would instrument; a function
 * with no_instrument_function lacks them, and that attribute leaves no other trace. */
#define CLANG_ENTRY "instrument-function-entry-inlined"
#define CLANG_EXIT  "instrument-function-exit-inlined"

/* Excluded for this module: functions that run before the program's relocations are done. */
#define EARLY_ATTRIBUTE "tee-perf-early"

/* The options stand on every function that clang made, and on every call; they must not reach the object. */
static char *take_options(LLVMModuleRef module)
{
	static const char name[] = TEE_PERF_OPTIONS_NAME;
	char *options = NULL;

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		unsigned length;
		const char *value = tee_perf_function_attribute(f, name, &length);
		if (value && !options)
			options = strndup(value, length);
		tee_perf_function_remove_attribute(f, name);
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
				if (LLVMIsACallInst(i) || LLVMIsAInvokeInst(i) || LLVMIsACallBrInst(i))
					LLVMRemoveCallSiteStringAttribute(i, LLVMAttributeFunctionIndex, name,
									  sizeof name - 1);
			}
		}
	}
	return options ? options : strdup("");
}

/* An ifunc's resolver runs while the image is being relocated: no hook can be called from there, nor from what
 * it calls. */
static void mark_early(LLVMValueRef function)
{
	if (!function || LLVMIsDeclaration(function) || tee_perf_function_attribute(function, EARLY_ATTRIBUTE, NULL))
		return;
	tee_perf_function_set_attribute(function, EARLY_ATTRIBUTE, "");
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (LLVMIsACallInst(i) || LLVMIsAInvokeInst(i))
				mark_early(tee_perf_shim_callee(i));
		}
	}
}

static bool is_wanted(struct tee_perf_pass *pass, LLVMValueRef function)
{
	char *sources[2];
	bool wanted;

	if (tee_perf_function_attribute(function, EARLY_ATTRIBUTE, NULL) ||
	    !strncmp(LLVMGetValueName(function), "tee_perf_", strlen("tee_perf_")))
		return false;
	if (!pass->options.filter)
		return true;
	sources[0] = tee_perf_source_of_function(function, false);
	sources[1] = tee_perf_source_of_function(function, true);
	wanted =
	    tee_perf_filter_includes(pass->options.filter, LLVMGetValueName(function), (const char *const *)sources);
	free(sources[0]);
	free(sources[1]);
	return wanted;
}

/* A coroutine is still whole at this stage: hooks would go into the parts that it is split into. */
static bool is_unsplit_coroutine(LLVMValueRef function)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("presplitcoroutine", strlen("presplitcoroutine"));

	return tee_perf_function_attribute(function, "coroutine.presplit", NULL) ||
	       (kind && LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind));
}

static unsigned mark_functions(struct tee_perf_pass *pass)
{
	unsigned count = 0;

	for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(pass->module); i; i = LLVMGetNextGlobalIFunc(i))
		mark_early(tee_perf_shim_strip_to_function(LLVMGetGlobalIFuncResolver(i)));
	for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f)) {
		bool candidate = tee_perf_function_attribute(f, CLANG_ENTRY, NULL) != NULL;
		/* Always: or LLVM's own instrumentation would put calls of __cyg_profile_func_enter here. */
		tee_perf_function_remove_attribute(f, CLANG_ENTRY);
		tee_perf_function_remove_attribute(f, CLANG_EXIT);
		if (candidate && tee_perf_function_can_have_hooks(f) && is_wanted(pass, f)) {
			tee_perf_function_set_attribute(f, TEE_PERF_MARK_ATTRIBUTE, LLVMGetValueName(f));
			count++;
		}
	}
	for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
		tee_perf_function_remove_attribute(f, EARLY_ATTRIBUTE);
	return count;
}

static void report_target(LLVMModuleRef module)
{
	char message[256];

	snprintf(message, sizeof message,
		 "tee-perf: no support for the target %s: compile for x86-64, aarch64 or riscv64 on an ELF system, "
		 "or with clang itself",
		 LLVMGetTarget(module));
	tee_perf_shim_error(module, message);
}

void tee_perf_stage_mark(LLVMModuleRef module, unsigned level)
{
	struct tee_perf_pass pass;
	char *options = take_options(module);
	unsigned count = 0;

	(void)level;
	if (tee_perf_pass_begin(&pass, module, options) == 0 && tee_perf_shim_target(module) != TEE_PERF_TARGET_GPU)
		count = mark_functions(&pass);
	if (count && pass.cfa)
		tee_perf_edges_mark(&pass);
	if (count && !pass.cfa)
		report_target(module);
	if (count && pass.cfa) {
		tee_perf_options_store(module, options);
		for (LLVMValueRef f = LLVMGetFirstFunction(module); pass.options.before_inlining && f;
		     f = LLVMGetNextFunction(f)) {
			if (tee_perf_function_attribute(f, TEE_PERF_MARK_ATTRIBUTE, NULL) && !is_unsplit_coroutine(f))
				tee_perf_instrument_function(&pass, f);
		}
	}
	tee_perf_pass_end(&pass);
	free(options);
}
