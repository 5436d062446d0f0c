/* SPDX-License-Identifier: MIT */
/* Calls to the runtime, and where the canonical frame address comes from. */
#include "compiler-pass/pass.h"
#include "compiler-pass/shim.h"
#include "runtime/abi.h"

#include <llvm-c/DebugInfo.h>
#include <llvm/Config/llvm-config.h>
#include <string.h>

/* The CFA must come from the instrumented function itself: a hook that is reached by a tail call would see
 * another frame. On x86-64 and aarch64 no frame pointer is needed for it. */
struct tee_perf_cfa_source {
	const char *arch;      /* first component of the target triple */
	const char *intrinsic; /* gives a pointer into the frame */
	unsigned offset;       /* from there to the stack pointer before the call */
	bool takes_level;
	bool has_fast_hooks;
	struct tee_perf_convention convention;
};

static const struct tee_perf_cfa_source cfa_sources[] = {
	{ "x86_64",
	  "llvm.addressofreturnaddress",
	  8,
	  false,
	  true,
	  { .integers = 6,
	    .vectors = 8,
	    .float_bits = 64,
	    .vector_bits = 128,
	    .keeps_together = true,
	    .jumps_to_weak = true } },
	{ "aarch64",
	  "llvm.sponentry",
	  0,
	  false,
	  false,
	  { .integers = 8,
	    .vectors = 8,
	    .float_bits = 128,
	    .vector_bits = 128,
	    .wide_values = true,
	    .keeps_together = true,
	    .even_pairs = true,
	    .jumps_with_structures = true,
	    .jumps_with_stack = true } },
	{ "riscv64",
	  "llvm.frameaddress",
	  0,
	  true,
	  false,
	  { .integers = 8,
	    .vectors = 8,
	    .float_bits = 64,
	    .wide_values = true,
	    .floats_overflow = true,
	    .saves_variadic = true,
	    .jumps_to_weak = LLVM_VERSION_MAJOR > 16 } },
};

const struct tee_perf_cfa_source *tee_perf_cfa_source_of(LLVMModuleRef module)
{
	const char *triple = LLVMGetTarget(module);
	size_t length = strcspn(triple, "-");

	if (tee_perf_shim_target(module) != TEE_PERF_TARGET_ELF || strstr(triple, "x32"))
		return NULL;
	for (size_t i = 0; i < sizeof cfa_sources / sizeof *cfa_sources; i++) {
		if (strlen(cfa_sources[i].arch) == length && !memcmp(triple, cfa_sources[i].arch, length))
			return &cfa_sources[i];
	}
	return NULL;
}

const struct tee_perf_convention *tee_perf_convention_of(const struct tee_perf_pass *pass)
{
	return &pass->cfa->convention;
}

static LLVMTypeRef hook_type(struct tee_perf_pass *pass)
{
	LLVMTypeRef parameters[] = { pass->int8_pointer, pass->int8_pointer };

	return LLVMFunctionType(LLVMVoidTypeInContext(pass->context), parameters, 2, false);
}

static const char *const hook_names[] = {
	[TEE_PERF_HOOK_CALL] = "tee_perf_call",
	[TEE_PERF_HOOK_CALL_INLINED] = "tee_perf_call_inlined",
	[TEE_PERF_HOOK_RETURN] = "tee_perf_return",
	[TEE_PERF_HOOK_RESYNC] = "tee_perf_resync",
};

LLVMValueRef tee_perf_hook_function(struct tee_perf_pass *pass, enum tee_perf_hook hook)
{
	LLVMValueRef function = pass->hooks[hook];
	unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", strlen("nounwind"));

	if (function)
		return function;
	function = LLVMGetNamedFunction(pass->module, hook_names[hook]);
	if (!function) {
		function = LLVMAddFunction(pass->module, hook_names[hook], hook_type(pass));
		LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
					LLVMCreateEnumAttribute(pass->context, nounwind, 0));
	}
	pass->hooks[hook] = function;
	return function;
}

/* A call in a function with debug information must carry a location, or the verifier rejects it once the callee
 * can be inlined. Entry hooks take the function's first line, others that of the instruction they stand before;
 * line 0 says "no line". */
static void set_location(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef where, enum tee_perf_hook hook)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(where);

	if (!subprogram)
		location = NULL;
	else if (hook == TEE_PERF_HOOK_CALL)
		location = LLVMDIBuilderCreateDebugLocation(pass->context, tee_perf_shim_scope_line(subprogram), 0,
							    subprogram, NULL);
	else if (!location)
		location = LLVMDIBuilderCreateDebugLocation(pass->context, 0, 0, subprogram, NULL);
	LLVMSetCurrentDebugLocation2(pass->builder, location);
}

static LLVMValueRef build_cfa(struct tee_perf_pass *pass, LLVMValueRef function)
{
	const struct tee_perf_cfa_source *source = pass->cfa;
	unsigned id = LLVMLookupIntrinsicID(source->intrinsic, strlen(source->intrinsic));
	LLVMValueRef intrinsic = LLVMGetIntrinsicDeclaration(pass->module, id, &pass->int8_pointer, 1);
	LLVMTypeRef type = LLVMIntrinsicGetType(pass->context, id, &pass->int8_pointer, 1);
	LLVMTypeRef int8 = LLVMInt8TypeInContext(pass->context);
	LLVMValueRef level = LLVMConstInt(LLVMInt32TypeInContext(pass->context), 0, false);
	unsigned bytes = source->offset + tee_perf_variadic_area(&source->convention, function);
	LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(pass->context), bytes, false);
	LLVMValueRef address = LLVMBuildCall2(pass->builder, type, intrinsic, &level, source->takes_level, "");

	return bytes ? LLVMBuildGEP2(pass->builder, int8, address, &offset, 1, "") : address;
}

/* x86-64: the hooks in their own calling convention (runtime/abi.h). The operands are formed within the assembly, so
 * that the function holds nothing in registers between its hooks: $0 is the memory at the CFA, $1 the entry, near in
 * every code model. The call goes through the GOT, which the linker turns into a direct call where the image has its
 * own copy of the hook; a PLT that is bound lazily would destroy r10.
 *
 * The comparison is the shortest test of a word in memory that is 0 or all ones (struct tee_perf_image, recording): the
 * stack pointer is above 0 and not above all ones. */
#define FAST_HOOK(function, cfa_register)                                                                              \
	"cmpl %esp, tee_perf_image+40(%rip)\n\tjb 1f\n\t"                                                              \
	"leaq ${1:c}(%rip), %r10\n\tleaq $0, %" cfa_register "\n\tcall *" function "@GOTPCREL(%rip)\n1:"
_Static_assert(offsetof(struct tee_perf_image, recording) == 40, "named in the hooks' assembly");
static const char *const fast_hooks[] = {
	[TEE_PERF_HOOK_CALL] = FAST_HOOK("tee_perf_call_fast", "rax"),
	[TEE_PERF_HOOK_CALL_INLINED] = FAST_HOOK("tee_perf_call_inlined_fast", "rax"),
	[TEE_PERF_HOOK_RETURN] = FAST_HOOK("tee_perf_return_fast", "rcx"),
	[TEE_PERF_HOOK_RESYNC] = FAST_HOOK("tee_perf_resync_fast", "rax"),
};

/* The fast path of hook.S itself (there commented); what it does not cover it leaves to the function, after giving up
 * the owner word that it has taken. second_bit: "" or another btsq. */
#define INLINE_HOOK(function, a, a_low, bit, second_bit)                                                               \
	"cmpl %esp, tee_perf_image+40(%rip)\n\tjb 1f\n\t"                                                              \
	"leaq ${1:c}(%rip), %r10\n\tleaq $0, %" a "\n\t"                                                               \
	"movq tee_perf_self@GOTTPOFF(%rip), %r11\n\tmovq %fs:(%r11), %r11\n\t"                                         \
	"cmpq $$0, (%r11)\n\tjne 2f\n\tmovq %" a ", (%r11)\n\t"                                                        \
	"movl %r10d, %r10d\n\tshlq $$32, %" a "\n\torq %r10, %" a "\n\t"                                               \
	"movq 8(%r11), %r10\n\ttestl $$0x3fff, %r10d\n\tjz 3f\n\tmovq %" a ", 8(%r10)\n\t"                             \
	"movq 16(%r11), %" a "\n\tmovq (%" a "), %" a "\n\ttestq %" a ", %" a "\n\tjs 4f\n\t"                          \
	"btsq $$" bit ", %" a "\n\t" second_bit "movq %" a ", (%r10)\n\t"                                              \
	"addq $$16, %r10\n\tmovq %r10, 8(%r11)\n\tmovq $$0, (%r11)\n\tjmp 1f\n"                                        \
	"4:\tmovq 8(%r10), %" a "\n3:\tmovl %" a_low ", %r10d\n\tmovq (%r11), %" a "\n\tmovq $$0, (%r11)\n"            \
	"2:\tcall *" function "@GOTPCREL(%rip)\n1:"
static const char *const inline_hooks[] = {
	[TEE_PERF_HOOK_CALL] = INLINE_HOOK("tee_perf_call_fast", "rax", "eax", "61", ""),
	[TEE_PERF_HOOK_CALL_INLINED] = INLINE_HOOK("tee_perf_call_inlined_fast", "rax", "eax", "62", ""),
	[TEE_PERF_HOOK_RETURN] = INLINE_HOOK("tee_perf_return_fast", "rcx", "ecx", "61", "btsq $$62, %rcx\n\t"),
	[TEE_PERF_HOOK_RESYNC] = INLINE_HOOK("tee_perf_resync_fast", "rax", "eax", "63", ""),
};

static bool uses_fast_hooks(const struct tee_perf_pass *pass)
{
	/* Hooks that were placed before inlining are found again, and changed, by the function they call. Link-time
	 * optimisation may inline a function into one of another origin, which keeps its red zone. */
	return pass->cfa->has_fast_hooks && !pass->options.before_inlining && !pass->options.plain_hooks && !pass->lto;
}

unsigned tee_perf_hook_shape(const struct tee_perf_pass *pass)
{
	if (!uses_fast_hooks(pass))
		return TEE_PERF_SHAPE_PLAIN;
	return pass->options.inline_hooks ? TEE_PERF_SHAPE_INLINE : TEE_PERF_SHAPE_FAST;
}

static LLVMTypeRef fast_hook_type(struct tee_perf_pass *pass)
{
	LLVMTypeRef pointers[] = { pass->int8_pointer, pass->int8_pointer };

	return LLVMFunctionType(LLVMVoidTypeInContext(pass->context), pointers, 2, false);
}

/* LLVM keeps one value for equal inline assembly. */
static LLVMValueRef fast_hook_callee(struct tee_perf_pass *pass, enum tee_perf_hook hook)
{
	const char *constraints = hook == TEE_PERF_HOOK_RETURN
				      ? "*m,i,~{r10},~{rcx},~{r11},~{memory},~{dirflag},~{fpsr},~{flags}"
				      : "*m,i,~{r10},~{rax},~{r11},~{memory},~{dirflag},~{fpsr},~{flags}";

	const char *code = (pass->options.inline_hooks ? inline_hooks : fast_hooks)[hook];

	return LLVMGetInlineAsm(fast_hook_type(pass), (char *)code, strlen(code), (char *)constraints,
				strlen(constraints), true, false, LLVMInlineAsmDialectATT, false);
}

static void add_enum_attribute(struct tee_perf_pass *pass, LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(pass->context, kind, 0));
}

/* A call within inline assembly pushes where LLVM believes a red zone, so the function gets none. */
static void build_fast_call(struct tee_perf_pass *pass, LLVMValueRef function, enum tee_perf_hook hook,
			    LLVMValueRef entry, LLVMValueRef cfa)
{
	LLVMValueRef arguments[] = { cfa, entry };
	LLVMValueRef call =
	    LLVMBuildCall2(pass->builder, fast_hook_type(pass), fast_hook_callee(pass, hook), arguments, 2, "");
	unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", strlen("nounwind"));
	unsigned elementtype = LLVMGetEnumAttributeKindForName("elementtype", strlen("elementtype"));

	LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(pass->context, nounwind, 0));
	LLVMAddCallSiteAttribute(
	    call, 1, LLVMCreateTypeAttribute(pass->context, elementtype, LLVMInt8TypeInContext(pass->context)));
	add_enum_attribute(pass, function, "noredzone");
}

bool tee_perf_hook_is(struct tee_perf_pass *pass, LLVMValueRef call, enum tee_perf_hook hook)
{
	if (uses_fast_hooks(pass))
		return LLVMGetCalledValue(call) == fast_hook_callee(pass, hook);
	return tee_perf_shim_callee(call) == tee_perf_hook_function(pass, hook);
}

LLVMValueRef tee_perf_hook_entry(const struct tee_perf_pass *pass, LLVMValueRef call)
{
	return LLVMGetOperand(call, uses_fast_hooks(pass) ? 1 : 0);
}

void tee_perf_hook_insert(struct tee_perf_pass *pass, enum tee_perf_hook hook, LLVMValueRef entry, LLVMValueRef where)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(where));
	LLVMTypeRef type = hook_type(pass);
	LLVMValueRef arguments[2], callee;

	LLVMPositionBuilderBefore(pass->builder, where);
	set_location(pass, function, where, hook);
	arguments[0] = LLVMConstBitCast(entry, pass->int8_pointer);
	arguments[1] = build_cfa(pass, function);
	if (uses_fast_hooks(pass)) {
		build_fast_call(pass, function, hook, arguments[0], arguments[1]);
		return;
	}
	callee = LLVMConstBitCast(tee_perf_hook_function(pass, hook),
				  LLVMPointerType(type, 0)); /* the user may have declared it otherwise */
	LLVMBuildCall2(pass->builder, type, callee, arguments, 2, "");
}

void tee_perf_hook_renew_cfa(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef call)
{
	LLVMValueRef callee = tee_perf_shim_callee(call), cfa;
	bool is_hook = false;

	for (size_t i = 0; i < sizeof hook_names / sizeof *hook_names; i++)
		is_hook = is_hook || !strcmp(LLVMGetValueName(callee), hook_names[i]);
	if (!is_hook)
		return;
	cfa = LLVMGetOperand(call, 1);
	while (LLVMIsAGetElementPtrInst(cfa) || LLVMIsABitCastInst(cfa))
		cfa = LLVMGetOperand(cfa, 0);
	if (LLVMIsAIntrinsicInst(cfa))
		return;
	LLVMPositionBuilderBefore(pass->builder, call);
	LLVMSetCurrentDebugLocation2(pass->builder, LLVMInstructionGetDebugLoc(call));
	LLVMSetOperand(call, 1, build_cfa(pass, function));
}
