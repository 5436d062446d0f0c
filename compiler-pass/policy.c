/* SPDX-License-Identifier: MIT */
/* What the trusted side is built with (-ftee-perf-policy): a constant that the runtime reads in trusted memory. */
#include "compiler-pass/pass.h"
#include "runtime/abi.h"

#include <inttypes.h>
#include <llvm-c/Comdat.h>
#include <stdio.h>

/* Strong, so that it takes the place of the static runtime's default; and in a group that is named after its value:
 * objects of one policy share it, objects of different ones do not link ("multiple definition"). */
void tee_perf_policy_emit(struct tee_perf_pass *pass)
{
	const struct tee_perf_policy *policy = &pass->options.policy;
	LLVMTypeRef int32 = LLVMInt32TypeInContext(pass->context), int64 = LLVMInt64TypeInContext(pass->context);
	LLVMValueRef fields[] = {
		LLVMConstInt(int32, policy->full, false),
		LLVMConstInt(int32, policy->wait, false),
		LLVMConstInt(int64, policy->ring_bytes, false),
	};
	LLVMValueRef value = LLVMConstStructInContext(pass->context, fields, 3, false), global;
	char group[96];

	if (policy->full == 0 && policy->wait == 0 && policy->ring_bytes == 0)
		return;
	snprintf(group, sizeof group, TEE_PERF_POLICY_SYMBOL ".%" PRIu32 ".%" PRIu32 ".%" PRIu64, policy->full,
		 policy->wait, policy->ring_bytes);
	global = LLVMAddGlobal(pass->module, LLVMTypeOf(value), TEE_PERF_POLICY_SYMBOL);
	LLVMSetInitializer(global, value);
	LLVMSetGlobalConstant(global, true);
	LLVMSetVisibility(global, LLVMHiddenVisibility);
	LLVMSetSection(global, TEE_PERF_POLICY_SECTION);
	LLVMSetAlignment(global, 8);
	LLVMSetComdat(global, LLVMGetOrInsertComdat(pass->module, group));
}
