/* SPDX-License-Identifier: MIT */
/* Functions that an exception leaves, or the end of a thread that unwinds its stack: they record their return there,
 * too. Every call out of which an exception can come becomes an invoke, whose landing pad is one clean-up per function,
 * and every way on to the next frame runs through one block, which holds the hook. */
#include "compiler-pass/pass.h"
#include "compiler-pass/shim.h"

#include <stdlib.h>
#include <string.h>

#define C_PERSONALITY   "__gcc_personality_v0"
#define CXX_PERSONALITY "__gxx_personality_v0"

/* String attribute of a call that was marked "notail", which an invoke cannot be. */
#define NOTAIL_ATTRIBUTE "tee-perf-notail"

struct list {
	LLVMValueRef *items;
	unsigned count, capacity;
};

struct unwinding {
	struct tee_perf_pass *pass;
	LLVMValueRef function, entry;
	struct list calls;        /* that become invokes */
	struct list resumes;      /* all of the function */
	struct list typed_pads;   /* landing pads that the unwinder enters for some exceptions only */
	bool has_pads;            /* any landing pad */
	LLVMBasicBlockRef leave;  /* the block with the hook; NULL: not made yet */
	LLVMValueRef leave_value; /* its PHI: what is resumed with */
};

static void add(struct list *list, LLVMValueRef item)
{
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? 2 * list->capacity : 16;
		list->items = realloc(list->items, list->capacity * sizeof(LLVMValueRef));
		if (!list->items)
			abort();
	}
	list->items[list->count++] = item;
}

static bool is_own_return_hook(struct tee_perf_pass *pass, LLVMValueRef instruction, LLVMValueRef entry)
{
	return LLVMIsACallInst(instruction) && tee_perf_hook_is(pass, instruction, TEE_PERF_HOOK_RETURN) &&
	       tee_perf_hook_entry(pass, instruction) == LLVMConstBitCast(entry, pass->int8_pointer);
}

static bool is_hook(LLVMValueRef call)
{
	LLVMValueRef callee = tee_perf_shim_callee(call);

	return callee && !strncmp(LLVMGetValueName(callee), "tee_perf_", strlen("tee_perf_"));
}

static bool catches_all(LLVMValueRef clause)
{
	if (LLVMGetTypeKind(LLVMTypeOf(clause)) == LLVMArrayTypeKind) /* an exception specification */
		return LLVMGetArrayLength(LLVMTypeOf(clause)) == 0;
	return LLVMIsNull(clause);
}

/* The unwinder passes the frame by for what no clause names. */
static bool is_typed_pad(LLVMValueRef pad)
{
	if (LLVMIsCleanup(pad))
		return false;
	for (unsigned i = 0; i < LLVMGetNumClauses(pad); i++) {
		if (catches_all(LLVMGetClause(pad, i)))
			return false;
	}
	return true;
}

static void find_places(struct unwinding *u)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(u->function); b; b = LLVMGetNextBasicBlock(b)) {
		/* A call behind the return hook is a jump: it has no way back to this function. */
		bool has_left = false;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (LLVMIsALandingPadInst(i)) {
				u->has_pads = true;
				if (is_typed_pad(i))
					add(&u->typed_pads, i);
			} else if (LLVMIsAResumeInst(i)) {
				add(&u->resumes, i);
			} else if (is_own_return_hook(u->pass, i, u->entry)) {
				has_left = true;
			} else if (!has_left && tee_perf_shim_may_unwind(i) && !is_hook(i)) {
				add(&u->calls, i);
			}
		}
	}
}

/* ---- personalities */

/* Its tables are read as those of C and C++ are. */
static bool has_known_personality(LLVMValueRef function)
{
	LLVMValueRef personality = tee_perf_shim_strip_to_function(LLVMGetPersonalityFn(function));
	const char *name = personality ? LLVMGetValueName(personality) : "";

	return !strcmp(name, C_PERSONALITY) || !strcmp(name, CXX_PERSONALITY);
}

static LLVMValueRef personality_function(struct tee_perf_pass *pass, const char *name, bool weak)
{
	LLVMValueRef function = LLVMGetNamedFunction(pass->module, name);

	if (function)
		return function;
	function =
	    LLVMAddFunction(pass->module, name, LLVMFunctionType(LLVMInt32TypeInContext(pass->context), NULL, 0, true));
	if (weak)
		LLVMSetLinkage(function, LLVMExternalWeakLinkage);
	return function;
}

/* For a function that had no landing pad. C's personality is right for C++, too, as there are only clean-ups, and
 * changes nothing else: C++'s ends the program where something is thrown from elsewhere than a call, by a signal's
 * handler or asynchronous cancellation. But a function is not inlined into one of another personality. In C++ the
 * reference is weak: a program that is linked without the personality, so without exceptions, needs none, and unwinders
 * pass by frames whose personality is 0. False: another language. */
static bool set_personality(struct tee_perf_pass *pass, LLVMValueRef function)
{
	enum tee_perf_language language = tee_perf_shim_language(pass->module);
	bool is_cplusplus = language == TEE_PERF_LANGUAGE_CPLUSPLUS;
	bool may_be_inlined = pass->lto || pass->options.before_inlining;

	if (language == TEE_PERF_LANGUAGE_OTHER)
		return LLVMHasPersonalityFn(function);
	LLVMSetPersonalityFn(
	    function,
	    personality_function(pass, is_cplusplus && may_be_inlined ? CXX_PERSONALITY : C_PERSONALITY, is_cplusplus));
	return true;
}

/* ---- changes */

static LLVMTypeRef pad_type(struct tee_perf_pass *pass)
{
	LLVMTypeRef parts[] = { pass->int8_pointer, LLVMInt32TypeInContext(pass->context) };

	return LLVMStructTypeInContext(pass->context, parts, 2, false);
}

/* Code that is hardly ever run is not to be copied to each of its predecessors, as the backend would. */
static void keep_single(struct tee_perf_pass *pass, LLVMValueRef hook)
{
	unsigned convergent = LLVMGetEnumAttributeKindForName("convergent", strlen("convergent"));

	if (LLVMIsAInlineAsm(LLVMGetCalledValue(hook)))
		LLVMAddCallSiteAttribute(hook, LLVMAttributeFunctionIndex,
					 LLVMCreateEnumAttribute(pass->context, convergent, 0));
}

static void make_leave_block(struct unwinding *u)
{
	LLVMValueRef resume;

	if (u->leave)
		return;
	u->leave = LLVMAppendBasicBlockInContext(u->pass->context, u->function, "tee_perf.leave");
	LLVMPositionBuilderAtEnd(u->pass->builder, u->leave);
	LLVMSetCurrentDebugLocation2(u->pass->builder, NULL);
	u->leave_value = LLVMBuildPhi(u->pass->builder, pad_type(u->pass), "");
	resume = LLVMBuildResume(u->pass->builder, u->leave_value);
	tee_perf_hook_insert(u->pass, TEE_PERF_HOOK_RETURN, u->entry, resume);
	keep_single(u->pass, LLVMGetPreviousInstruction(resume));
}

/* Ends the block by going on to the next frame with value. */
static void branch_to_leave(struct unwinding *u, LLVMBasicBlockRef from, LLVMValueRef value)
{
	make_leave_block(u);
	LLVMPositionBuilderAtEnd(u->pass->builder, from);
	LLVMSetCurrentDebugLocation2(u->pass->builder, NULL);
	LLVMBuildBr(u->pass->builder, u->leave);
	LLVMAddIncoming(u->leave_value, &value, &from, 1);
}

static void leave_at_resumes(struct unwinding *u)
{
	for (unsigned i = 0; i < u->resumes.count; i++) {
		LLVMValueRef resume = u->resumes.items[i], value = LLVMGetOperand(resume, 0);
		LLVMBasicBlockRef block = LLVMGetInstructionParent(resume);
		if (LLVMTypeOf(value) != pad_type(u->pass)) {
			tee_perf_hook_insert(u->pass, TEE_PERF_HOOK_RETURN, u->entry, resume);
			continue;
		}
		LLVMInstructionEraseFromParent(resume);
		branch_to_leave(u, block, value);
	}
}

/* What the pad's clauses do not name is to be seen as well, and goes on from there. */
static void see_all(struct unwinding *u, LLVMValueRef pad)
{
	LLVMBuilderRef builder = u->pass->builder;
	LLVMValueRef where = tee_perf_shim_first_insertion_point(LLVMGetInstructionParent(pad)), selector, end;
	LLVMBasicBlockRef block;

	if (LLVMTypeOf(pad) != pad_type(u->pass))
		return;
	LLVMSetCleanup(pad, true);
	LLVMPositionBuilderBefore(builder, where);
	LLVMSetCurrentDebugLocation2(builder, NULL);
	selector = LLVMBuildExtractValue(builder, pad, 1, "");
	selector = LLVMBuildICmp(builder, LLVMIntEQ, selector, LLVMConstNull(LLVMTypeOf(selector)), "");
	end = tee_perf_shim_split_if(where, selector);
	block = LLVMGetInstructionParent(end);
	LLVMInstructionEraseFromParent(end);
	branch_to_leave(u, block, pad);
}

static void invoke_calls(struct unwinding *u, bool resync)
{
	LLVMContextRef context = u->pass->context;
	LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(context, u->function, "tee_perf.unwind");
	LLVMValueRef pad;

	LLVMPositionBuilderAtEnd(u->pass->builder, block);
	LLVMSetCurrentDebugLocation2(u->pass->builder, NULL);
	pad = LLVMBuildLandingPad(u->pass->builder, pad_type(u->pass), NULL, 0, "");
	LLVMSetCleanup(pad, true);
	branch_to_leave(u, block, pad);
	if (resync)
		tee_perf_hook_insert(u->pass, TEE_PERF_HOOK_RESYNC, u->entry, LLVMGetBasicBlockTerminator(block));
	for (unsigned i = 0; i < u->calls.count; i++) {
		if (tee_perf_shim_is_notail(u->calls.items[i]))
			LLVMAddCallSiteAttribute(
			    u->calls.items[i], LLVMAttributeFunctionIndex,
			    LLVMCreateStringAttribute(context, NOTAIL_ATTRIBUTE, strlen(NOTAIL_ATTRIBUTE), "", 0));
		tee_perf_shim_call_to_invoke(u->calls.items[i], block);
	}
}

static bool can_unwind(struct tee_perf_pass *pass, LLVMValueRef function)
{
	return !pass->options.no_unwind_exits &&
	       !tee_perf_has_attribute(function, false, LLVMAttributeFunctionIndex, "nounwind") &&
	       (!LLVMHasPersonalityFn(function) || has_known_personality(function));
}

/* calls_only: what leaves by the landing pads of the function itself has been seen to. */
static void insert_hooks(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef entry, bool resync,
			 bool calls_only)
{
	struct unwinding u = { .pass = pass, .function = function, .entry = entry };

	find_places(&u);
	if (!calls_only) {
		leave_at_resumes(&u);
		for (unsigned i = 0; i < u.typed_pads.count; i++)
			see_all(&u, u.typed_pads.items[i]);
	}
	if (u.calls.count && (u.has_pads || set_personality(pass, function)))
		invoke_calls(&u, resync);
	free(u.calls.items);
	free(u.resumes.items);
	free(u.typed_pads.items);
}

void tee_perf_insert_unwind_hooks(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef entry, bool resync)
{
	if (can_unwind(pass, function))
		insert_hooks(pass, function, entry, resync, false);
}

/* ---- hooks that were placed before the optimiser's work */

/* The block that follows in the way of an exception, or NULL. */
static LLVMBasicBlockRef only_successor(LLVMBasicBlockRef block)
{
	LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);

	return branch && LLVMIsABranchInst(branch) && !LLVMIsConditional(branch) ? LLVMGetSuccessor(branch, 0) : NULL;
}

/* The landing pad does no more than what invoke_calls made it for. The hook, or NULL. */
static LLVMValueRef own_hook_of_pad(struct tee_perf_pass *pass, LLVMValueRef function, LLVMBasicBlockRef block)
{
	LLVMValueRef hook = NULL, pad = tee_perf_shim_landing_pad(block);

	if (!pad || LLVMGetNumClauses(pad) || !LLVMIsCleanup(pad))
		return NULL;
	for (unsigned hops = 0; block && hops < 4; hops++, block = only_successor(block)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
			bool is_return = LLVMIsACallInst(i) && tee_perf_hook_is(pass, i, TEE_PERF_HOOK_RETURN) &&
					 tee_perf_is_own_hook(function, i);
			if (is_return && !hook)
				hook = i;
			else if (LLVMIsAResumeInst(i))
				return hook;
			else if (!LLVMIsALandingPadInst(i) && !LLVMIsAPHINode(i) && !LLVMIsABranchInst(i) &&
				 !LLVMIsAGetElementPtrInst(i) && !LLVMIsAIntrinsicInst(i) &&
				 !(LLVMIsACallInst(i) && tee_perf_hook_is(pass, i, TEE_PERF_HOOK_RESYNC)))
				return NULL;
		}
	}
	return NULL;
}

/* An invoke is never marked as one that may be a jump, so this is done here as the optimiser does. */
static void invoke_to_call(LLVMValueRef invoke, bool may_be_jump)
{
	LLVMValueRef call = tee_perf_shim_invoke_to_call(invoke);
	bool notail = LLVMGetCallSiteStringAttribute(call, LLVMAttributeFunctionIndex, NOTAIL_ATTRIBUTE,
						     strlen(NOTAIL_ATTRIBUTE)) != NULL;

	LLVMRemoveCallSiteStringAttribute(call, LLVMAttributeFunctionIndex, NOTAIL_ATTRIBUTE, strlen(NOTAIL_ATTRIBUTE));
	if (may_be_jump && !notail)
		LLVMSetTailCall(call, true);
}

LLVMValueRef tee_perf_take_unwind_hooks(struct tee_perf_pass *pass, LLVMValueRef function, bool jumps)
{
	LLVMValueRef entry = NULL;
	bool may_be_jump = jumps && !tee_perf_has_attribute(function, false, LLVMAttributeFunctionIndex, "optnone") &&
			   tee_perf_lends_no_memory(function);
	struct list invokes = { 0 };

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b), hook;
		if (!end || !LLVMIsAInvokeInst(end))
			continue;
		hook = own_hook_of_pad(pass, function, LLVMGetUnwindDest(end));
		if (!hook)
			continue;
		entry = LLVMGetOperand(hook, 0);
		add(&invokes, end);
	}
	for (unsigned i = 0; i < invokes.count; i++)
		invoke_to_call(invokes.items[i], may_be_jump);
	if (invokes.count)
		tee_perf_shim_remove_unreachable_blocks(function);
	free(invokes.items);
	return entry;
}

void tee_perf_renew_unwind_hooks(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef entry)
{
	insert_hooks(pass, function, entry, true, true);
}
