/* SPDX-License-Identifier: MIT */
/* Calls to functions that have no body here: a record before and one after the call, so that an OCALL, a system call or
 * a library function shows as a frame with its own time. OCALLs always, the rest on request. */
#include "compiler-pass/pass.h"
#include "compiler-pass/shim.h"
#include "runtime/abi.h"

#include <fnmatch.h>
#include <string.h>

static bool is_listed(struct tee_perf_pass *pass, const char *name)
{
	char **glob = pass->options.external_globs;

	if (!pass->options.external_calls || !glob)
		return pass->options.external_calls;
	for (; *glob; glob++) {
		if (!fnmatch(*glob, name, 0))
			return true;
	}
	return false;
}

/* A call that comes back here once, if at all, and may have a record behind it. */
static bool is_bracketed(struct tee_perf_pass *pass, LLVMValueRef call)
{
	LLVMValueRef callee = tee_perf_shim_callee(call);

	if (!callee || !LLVMIsDeclaration(callee) || LLVMGetIntrinsicID(callee) ||
	    !strncmp(LLVMGetValueName(callee), "tee_perf_", strlen("tee_perf_")))
		return false;
	if (tee_perf_shim_is_musttail(call) || tee_perf_shim_is_noreturn(call) || tee_perf_shim_returns_twice(call))
		return false;
	return is_listed(pass, LLVMGetValueName(callee)) || tee_perf_edge_kind(pass, callee) == TEE_PERF_ENTRY_OCALL;
}

/* An exception out of the call leaves its frame open, and it has the CFA of this function. */
static void resync_unwinding(struct tee_perf_pass *pass, LLVMBasicBlockRef unwind, LLVMValueRef own_entry)
{
	LLVMValueRef place = tee_perf_shim_first_insertion_point(unwind), hook = tee_perf_shim_next_call(place);

	if (hook && tee_perf_hook_is(pass, hook, TEE_PERF_HOOK_RESYNC))
		return; /* several calls unwind to here */
	tee_perf_hook_insert(pass, TEE_PERF_HOOK_RESYNC, own_entry, place);
}

/* Inserts the hook before `where`. An OCALL may have hooks of its own in another object, where its proxy is compiled:
 * then none are needed here. */
static void insert(struct tee_perf_pass *pass, enum tee_perf_hook hook, LLVMValueRef entry, LLVMValueRef where,
		   LLVMValueRef callee)
{
	if (tee_perf_edge_kind(pass, callee) == TEE_PERF_ENTRY_OCALL)
		where = tee_perf_shim_split_if(where, tee_perf_edge_lacks_hooks(pass, callee, where));
	tee_perf_hook_insert(pass, hook, entry, where);
}

static void bracket(struct tee_perf_pass *pass, LLVMValueRef call, LLVMValueRef own_entry)
{
	LLVMValueRef callee = tee_perf_shim_callee(call), entry = tee_perf_map_entry_of_external(pass, callee), after;

	if (LLVMIsAInvokeInst(call)) {
		resync_unwinding(pass, LLVMGetUnwindDest(call), own_entry);
		after = tee_perf_shim_first_insertion_point(tee_perf_shim_split_normal_edge(call));
	} else {
		LLVMSetTailCall(call, false);
		after = LLVMGetNextInstruction(call);
	}
	insert(pass, TEE_PERF_HOOK_RETURN, entry, after, callee);
	insert(pass, TEE_PERF_HOOK_CALL_INLINED, entry, call, callee);
}

bool tee_perf_bracket_external_calls(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef own_entry)
{
	LLVMBasicBlockRef block, next_block;
	bool any = false;

	/* What an OCALL's proxy does to leave is that OCALL. */
	if (tee_perf_edge_kind(pass, function) == TEE_PERF_ENTRY_OCALL)
		return false;
	for (block = LLVMGetFirstBasicBlock(function); block; block = next_block) {
		LLVMValueRef instruction = LLVMGetFirstInstruction(block), next;
		next_block = LLVMGetNextBasicBlock(block);
		for (; instruction; instruction = next) {
			next = LLVMGetNextInstruction(instruction);
			if ((LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction)) &&
			    is_bracketed(pass, instruction)) {
				bracket(pass, instruction, own_entry);
				any = true;
			}
		}
	}
	return any;
}
