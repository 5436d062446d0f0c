/* SPDX-License-Identifier: MIT */
/* Where a function ends: return hooks, and tail calls that must stay jumps.
 *
 * A hook between a tail call and its return would turn the jump into a call, and mutual tail recursion of any
 * depth would need stack. So the return hook goes before a call that the backend will turn into a jump. It
 * stands in the block that is only reached when the call is made. */
#include "compiler-pass/pass.h"
#include "compiler-pass/shim.h"

#include <stdlib.h>
#include <string.h>

bool tee_perf_has_attribute(LLVMValueRef owner, bool is_call, LLVMAttributeIndex index, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	return is_call ? LLVMGetCallSiteEnumAttribute(owner, index, kind) != NULL
		       : LLVMGetEnumAttributeAtIndex(owner, index, kind) != NULL;
}

/* Arguments of these kinds lie on the stack, or bind the frame of the caller in another way. */
static bool passes_by_memory(LLVMValueRef call, unsigned parameter)
{
	static const char *const kinds[] = { "byval", "sret", "inalloca", "preallocated", "nest", "swifterror" };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (tee_perf_has_attribute(call, true, parameter + 1, kinds[i]))
			return true;
	}
	return false;
}

static bool returns_structure(LLVMValueRef function)
{
	for (unsigned i = 0; i < LLVMCountParams(function) && i < 2; i++) {
		if (tee_perf_has_attribute(function, false, i + 1, "sret"))
			return true;
	}
	return false;
}

/* Bytes of memory that the function's own arguments take; 0 if that is not simple. */
static unsigned own_stack_bytes(const struct tee_perf_convention *convention, LLVMValueRef function)
{
	struct tee_perf_arguments own = { 0 };

	for (unsigned i = 0; i < LLVMCountParams(function); i++) {
		bool elsewhere = tee_perf_has_attribute(function, false, i + 1, "sret");
		if (!elsewhere && !tee_perf_place_argument(convention, LLVMTypeOf(LLVMGetParam(function, i)), &own))
			return 0;
	}
	return own.stack_bytes;
}

static bool returns_value(LLVMValueRef function)
{
	LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(function));

	return LLVMGetTypeKind(type) != LLVMVoidTypeKind;
}

/* The arguments lie where those of the function itself lay, which is where a jump would have to put them. */
static bool arguments_have_room(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef call)
{
	const struct tee_perf_convention *convention = tee_perf_convention_of(pass);
	struct tee_perf_arguments arguments = { 0 }, result = { 0 };
	LLVMTypeRef type = LLVMTypeOf(call);

	/* A result that nobody takes may have to be cleared away (x87). */
	if (!returns_value(function) && LLVMGetTypeKind(type) != LLVMVoidTypeKind &&
	    !tee_perf_place_argument(convention, type, &result))
		return false;
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		if (convention->jumps_with_structures && tee_perf_has_attribute(call, true, i + 1, "sret"))
			continue; /* in a register of its own */
		if (passes_by_memory(call, i) ||
		    !tee_perf_place_argument(convention, LLVMTypeOf(LLVMGetOperand(call, i)), &arguments))
			return false;
	}
	if (arguments.stack_bytes == 0)
		return true;
	return convention->jumps_with_stack && !LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call)) &&
	       arguments.stack_bytes <= own_stack_bytes(convention, function);
}

/* Caller and callee must agree on how a small result is extended. */
static bool extends_alike(LLVMValueRef function, LLVMValueRef call)
{
	static const char *const kinds[] = { "zeroext", "signext" };

	for (size_t i = 0; i < 2; i++) {
		if (tee_perf_has_attribute(function, false, LLVMAttributeReturnIndex, kinds[i]) !=
		    tee_perf_has_attribute(call, true, LLVMAttributeReturnIndex, kinds[i]))
			return false;
	}
	return true;
}

bool tee_perf_lends_no_memory(LLVMValueRef function)
{
	if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)))
		return false;
	for (unsigned i = 0; i < LLVMCountParams(function); i++) {
		if (tee_perf_has_attribute(function, false, i + 1, "byval") ||
		    tee_perf_has_attribute(function, false, i + 1, "inalloca") ||
		    tee_perf_has_attribute(function, false, i + 1, "preallocated"))
			return false;
	}
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (LLVMIsAAllocaInst(i))
				return false;
		}
	}
	return true;
}

/* At -O1 calls are marked by the linker's part of link-time optimisation only, when the hooks stand already. So what
 * it could mark counts as marked. Not before inlining: what is inlined does not become a jump. */
static bool is_marked_tail(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef call)
{
	bool inlining_is_done =
	    !pass->options.before_inlining || tee_perf_function_attribute(function, TEE_PERF_ENTRY_ATTRIBUTE, NULL);

	return LLVMIsTailCall(call) ||
	       (pass->lto && inlining_is_done &&
		!tee_perf_has_attribute(function, false, LLVMAttributeFunctionIndex, "optnone") &&
		!tee_perf_shim_is_notail(call) && tee_perf_lends_no_memory(function));
}

/* The backend will make a jump of this call if its function returns its result, or nothing, right behind it. */
static bool is_tail_call(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef call)
{
	LLVMValueRef callee;
	const char *disabled;
	unsigned length;

	if (!LLVMIsACallInst(call) || !is_marked_tail(pass, function, call) ||
	    LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
		return false;
	disabled = tee_perf_function_attribute(function, "disable-tail-calls", &length);
	if (disabled && length == strlen("true"))
		return false;
	callee = tee_perf_shim_callee(call);
	/* An intrinsic, a function of the C library or of the runtime has no hooks and does not come back into this
	 * function by a tail call: its time belongs to who called it. */
	if (callee && (LLVMGetIntrinsicID(callee) || tee_perf_is_library_function(pass, callee) ||
		       !strncmp(LLVMGetValueName(callee), "tee_perf_", strlen("tee_perf_"))))
		return false;
	if (callee && LLVMGetLinkage(callee) == LLVMExternalWeakLinkage && !tee_perf_convention_of(pass)->jumps_to_weak)
		return false;
	if (returns_structure(function) && !tee_perf_convention_of(pass)->jumps_with_structures)
		return false;
	return LLVMGetInstructionCallConv(call) == LLVMGetFunctionCallConv(function) && extends_alike(function, call) &&
	       arguments_have_room(pass, function, call);
}

/* The last instruction before `end` that makes code, or NULL. */
static LLVMValueRef previous_code(LLVMValueRef end)
{
	LLVMValueRef previous = LLVMGetPreviousInstruction(end);

	while (previous && tee_perf_shim_makes_no_code(previous))
		previous = LLVMGetPreviousInstruction(previous);
	return previous;
}

static LLVMValueRef strip_bitcasts(LLVMValueRef value)
{
	while (LLVMIsABitCastInst(value))
		value = LLVMGetOperand(value, 0);
	return value;
}

/* The call whose result `value` (NULL: nothing is returned) would be returned right behind it, at `end`. */
static LLVMValueRef tail_call_before(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef end,
				     LLVMValueRef value)
{
	LLVMValueRef call = previous_code(end);

	if (!call || (value && strip_bitcasts(value) != call))
		return NULL;
	return is_tail_call(pass, function, call) ? call : NULL;
}

static LLVMValueRef returned_value(LLVMValueRef ret)
{
	return LLVMGetNumOperands(ret) ? LLVMGetOperand(ret, 0) : NULL;
}

/* The block holds nothing but PHIs and the return. */
static bool is_bare_return(LLVMBasicBlockRef block, LLVMValueRef ret)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != ret; i = LLVMGetNextInstruction(i)) {
		if (!LLVMIsAPHINode(i) && !tee_perf_shim_makes_no_code(i))
			return false;
	}
	return true;
}

/* What ret returns when its block is entered from pred; NULL: nothing. */
static LLVMValueRef value_from(LLVMValueRef ret, LLVMBasicBlockRef pred)
{
	LLVMValueRef value = returned_value(ret);

	if (!value || !LLVMIsAPHINode(value) || LLVMGetInstructionParent(value) != LLVMGetInstructionParent(ret))
		return value;
	for (unsigned i = 0; i < LLVMCountIncoming(value); i++) {
		if (LLVMGetIncomingBlock(value, i) == pred)
			return LLVMGetIncomingValue(value, i);
	}
	return value;
}

/* A return that several blocks share hides their tail calls; the backend would copy it, so it is done here. */
static void unshare_return(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef ret)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(ret), pred, next;

	if (block == LLVMGetEntryBasicBlock(function) || !is_bare_return(block, ret))
		return;
	for (pred = LLVMGetFirstBasicBlock(function); pred; pred = next) {
		LLVMValueRef branch = LLVMGetBasicBlockTerminator(pred);
		next = LLVMGetNextBasicBlock(pred);
		if (!branch || !LLVMIsABranchInst(branch) || LLVMIsConditional(branch) ||
		    LLVMGetSuccessor(branch, 0) != block)
			continue;
		if (tail_call_before(pass, function, branch, value_from(ret, pred)))
			tee_perf_shim_fold_return(ret, pred); /* PHIs with one value left may go with it */
	}
	if (!LLVMGetFirstUse(LLVMBasicBlockAsValue(block)))
		LLVMDeleteBasicBlock(block);
}

static LLVMValueRef return_of(LLVMBasicBlockRef block)
{
	LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);

	return terminator && LLVMIsAReturnInst(terminator) ? terminator : NULL;
}

static LLVMValueRef hook_place(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef ret)
{
	LLVMValueRef previous = previous_code(ret), call;

	if (previous && LLVMIsACallInst(previous) && tee_perf_shim_is_musttail(previous))
		return previous;
	call = tail_call_before(pass, function, ret, returned_value(ret));
	if (!call)
		return ret;
	LLVMSetTailCall(call, true);
	return call;
}

void tee_perf_insert_return_hooks(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef entry)
{
	unsigned count = LLVMCountBasicBlocks(function);
	LLVMBasicBlockRef *blocks = malloc(count * sizeof(LLVMBasicBlockRef));

	LLVMGetBasicBlocks(function, blocks);
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef ret = return_of(blocks[i]);
		if (ret)
			unshare_return(pass, function, ret); /* may delete the block itself, no other */
	}
	free(blocks);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef ret = return_of(b);
		if (ret)
			tee_perf_hook_insert(pass, TEE_PERF_HOOK_RETURN, entry, hook_place(pass, function, ret));
	}
}

/* The hook and what only it needs. */
static void erase_hook(LLVMValueRef hook)
{
	LLVMValueRef address = LLVMGetOperand(hook, 1), next;

	LLVMInstructionEraseFromParent(hook);
	for (; LLVMIsAInstruction(address) && !LLVMGetFirstUse(address); address = next) {
		next = LLVMGetOperand(address, 0);
		LLVMInstructionEraseFromParent(address);
	}
}

/* The function's own return hook, if nothing but the making of its operand stands between it and the return. */
static LLVMValueRef own_hook_before(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef ret)
{
	LLVMValueRef i = previous_code(ret);

	while (i && (LLVMIsAGetElementPtrInst(i) || LLVMIsAIntrinsicInst(i)))
		i = previous_code(i);
	return i && LLVMIsACallInst(i) && tee_perf_hook_is(pass, i, TEE_PERF_HOOK_RETURN) &&
		       tee_perf_is_own_hook(function, i)
		   ? i
		   : NULL;
}

void tee_perf_renew_return_hooks(struct tee_perf_pass *pass, LLVMValueRef function)
{
	unsigned count = LLVMCountBasicBlocks(function), kept_count = 0;
	LLVMBasicBlockRef *blocks = malloc(count * sizeof(LLVMBasicBlockRef));
	LLVMValueRef *kept = malloc(count * sizeof(LLVMValueRef)), entry = NULL;

	LLVMGetBasicBlocks(function, blocks);
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef ret = return_of(blocks[i]), hook = ret ? own_hook_before(pass, function, ret) : NULL;
		if (hook) {
			entry = LLVMGetOperand(hook, 0);
			erase_hook(hook);
		} else {
			blocks[i] = NULL;
			if (ret)
				kept[kept_count++] = ret;
		}
	}
	for (unsigned i = 0; i < count; i++) {
		if (blocks[i])
			unshare_return(pass, function, return_of(blocks[i]));
	}
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); entry && b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef ret = return_of(b);
		unsigned i = 0;
		while (ret && i < kept_count && kept[i] != ret)
			i++;
		if (ret && i == kept_count)
			tee_perf_hook_insert(pass, TEE_PERF_HOOK_RETURN, entry, hook_place(pass, function, ret));
	}
	free(blocks);
	free(kept);
}
