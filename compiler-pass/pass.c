/* SPDX-License-Identifier: MIT */
/* What both stages share: the state of one module, attributes, who can have hooks at all. */
#include "compiler-pass/pass.h"
#include "compiler-pass/shim.h"

#include <stdlib.h>
#include <string.h>

int tee_perf_pass_begin(struct tee_perf_pass *pass, LLVMModuleRef module, const char *options)
{
	char error[1024];

	memset(pass, 0, sizeof *pass);
	pass->module = module;
	pass->context = LLVMGetModuleContext(module);
	pass->builder = LLVMCreateBuilderInContext(pass->context);
	pass->cfa = tee_perf_cfa_source_of(module);
	pass->int8_pointer = LLVMPointerType(LLVMInt8TypeInContext(pass->context), 0);
	if (tee_perf_options_parse(&pass->options, options, error, sizeof error) < 0) {
		tee_perf_shim_error(module, error);
		return -1;
	}
	pass->lto = pass->options.lto || tee_perf_shim_is_lto(module);
	return 0;
}

void tee_perf_pass_end(struct tee_perf_pass *pass)
{
	for (size_t i = 0; i < pass->file_count; i++)
		free(pass->files[i].path);
	free(pass->files);
	tee_perf_options_clear(&pass->options);
	LLVMDisposeBuilder(pass->builder);
}

const char *tee_perf_function_attribute(LLVMValueRef function, const char *name, unsigned *length)
{
	LLVMAttributeRef attribute =
	    LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, strlen(name));
	unsigned ignored;

	return attribute ? LLVMGetStringAttributeValue(attribute, length ? length : &ignored) : NULL;
}

void tee_perf_function_set_attribute(LLVMValueRef function, const char *name, const char *value)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));

	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateStringAttribute(context, name, strlen(name), value, strlen(value)));
}

void tee_perf_function_remove_attribute(LLVMValueRef function, const char *name)
{
	LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, strlen(name));
}

/* Conventions of code that is not entered by a call, or whose every register is spoken for. Numbers as in
 * llvm/IR/CallingConv.h, LLVM-C names only some; modules for GPUs are left alone as a whole. */
static const unsigned foreign_conventions[] = {
	10, /* GHC: no prologue, no stack of its own */
	11, /* HiPE */
	71, /* PTX kernel */
	72, /* PTX device */
	75, /* SPIR function */
	76, /* SPIR kernel */
	83, /* x86 interrupt */
	91, /* AMDGPU kernel */
};

bool tee_perf_function_can_have_hooks(LLVMValueRef function)
{
	unsigned convention = LLVMGetFunctionCallConv(function);

	if (LLVMIsDeclaration(function) || LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage)
		return false;
	for (size_t i = 0; i < sizeof foreign_conventions / sizeof *foreign_conventions; i++) {
		if (convention == foreign_conventions[i])
			return false;
	}
	if (LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
					LLVMGetEnumAttributeKindForName("naked", strlen("naked"))))
		return false;
	/* Interrupt handlers of targets that keep the C convention. */
	return !tee_perf_function_attribute(function, "interrupt", NULL);
}
