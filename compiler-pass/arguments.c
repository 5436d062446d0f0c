/* SPDX-License-Identifier: MIT */
/* Where arguments travel, of LLVM's types as clang makes them of C's. Two answers follow: whether the backend can make
 * a jump of a call (returns.c), and where the CFA of a variadic function is on riscv64 (hooks.c). */
#include "compiler-pass/pass.h"
#include "compiler-pass/shim.h"

#include <string.h>

/* How many registers or words a value takes, and of which kind. */
struct shape {
	unsigned count;
	unsigned bytes; /* of one */
	bool is_vector;
	bool is_pair; /* two integer registers */
};

/* False: the answer is not simple. */
static bool scalar_shape(const struct tee_perf_convention *convention, LLVMTypeRef type, struct shape *shape)
{
	unsigned long long bits;

	*shape = (struct shape){ .count = 1, .bytes = 8 };
	switch (LLVMGetTypeKind(type)) {
	case LLVMPointerTypeKind:
		return true;
	case LLVMIntegerTypeKind:
		shape->is_pair = LLVMGetIntTypeWidth(type) > 64;
		return LLVMGetIntTypeWidth(type) <= 128;
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
	case LLVMFloatTypeKind:
		shape->is_vector = convention->float_bits >= 32;
		shape->bytes = LLVMGetTypeKind(type) == LLVMFloatTypeKind ? 4 : 2; /* within an array */
		return true;
	case LLVMDoubleTypeKind:
		shape->is_vector = convention->float_bits >= 64;
		return true;
	case LLVMFP128TypeKind:
		shape->is_vector = convention->float_bits >= 128;
		shape->is_pair = !shape->is_vector;
		shape->bytes = 16;
		return convention->wide_values;
	case LLVMVectorTypeKind:
		bits = tee_perf_shim_vector_bits(type);
		shape->is_vector = true;
		shape->bytes = bits > 64 ? 16 : 8;
		return bits && bits <= convention->vector_bits;
	default:
		return false;
	}
}

/* The parts of an array are passed as they would be alone, or, where it stays together, all in registers or none. */
static bool shape_of(const struct tee_perf_convention *convention, LLVMTypeRef type, struct shape *shape)
{
	if (LLVMGetTypeKind(type) != LLVMArrayTypeKind)
		return scalar_shape(convention, type, shape);
	if (!convention->wide_values || !scalar_shape(convention, LLVMGetElementType(type), shape) ||
	    (shape->is_pair && LLVMGetArrayLength(type) != 1))
		return false;
	shape->count = LLVMGetArrayLength(type);
	return shape->count <= 8;
}

static void take_stack(struct tee_perf_arguments *arguments, const struct shape *shape)
{
	if (shape->is_pair || shape->bytes == 16)
		arguments->stack_bytes = (arguments->stack_bytes + 15) & ~15u;
	arguments->stack_bytes += (shape->count * (shape->is_pair ? 16 : shape->bytes) + 7) & ~7u;
}

/* Takes `count` registers at once. False: there are not as many left. */
static bool take(unsigned *used, unsigned most, unsigned count)
{
	if (*used + count > most)
		return false;
	*used += count;
	return true;
}

bool tee_perf_place_argument(const struct tee_perf_convention *convention, LLVMTypeRef type,
			     struct tee_perf_arguments *arguments)
{
	struct shape shape;
	unsigned registers, pieces = 1;

	if (!shape_of(convention, type, &shape))
		return false;
	registers = shape.count * (shape.is_pair ? 2 : 1);
	if (!convention->keeps_together) {
		pieces = registers;
		registers = 1;
		shape.count = 1;
		shape.is_pair = false;
	}
	if (shape.is_pair && convention->even_pairs)
		arguments->integers = (arguments->integers + 1) & ~1u;
	for (unsigned i = 0; i < pieces; i++) {
		if (shape.is_vector && take(&arguments->vectors, convention->vectors, registers))
			continue;
		if ((!shape.is_vector || convention->floats_overflow) &&
		    take(&arguments->integers, convention->integers, registers))
			continue;
		/* Once one has gone to the stack, no later one of its kind goes to a register. */
		if (shape.is_vector)
			arguments->vectors = convention->vectors;
		else
			arguments->integers = convention->integers;
		take_stack(arguments, &shape);
	}
	return true;
}

/* ---- riscv64: a variadic function saves the argument registers that are left between its CFA and where its frame
 * pointer points, an even number of them. */

/* Floating-point arguments travel as the ABI says that clang notes in the module. */
static unsigned float_bits_of(LLVMValueRef function)
{
	static const struct {
		const char *name;
		unsigned bits;
	} abis[] = { { "lp64", 0 }, { "lp64f", 32 }, { "lp64d", 64 }, { "lp64q", 128 } };
	const char *name = tee_perf_shim_module_string(LLVMGetGlobalParent(function), "target-abi");

	for (size_t i = 0; name && i < sizeof abis / sizeof *abis; i++) {
		if (!strcmp(name, abis[i].name))
			return abis[i].bits;
	}
	return 64;
}

unsigned tee_perf_variadic_area(const struct tee_perf_convention *convention, LLVMValueRef function)
{
	struct tee_perf_convention own = *convention;
	struct tee_perf_arguments arguments = { 0 };

	if (!convention->saves_variadic || !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)))
		return 0;
	own.float_bits = float_bits_of(function);
	for (unsigned i = 0; i < LLVMCountParams(function); i++) {
		/* What is neither of the simple types goes by its address. */
		if (!tee_perf_place_argument(&own, LLVMTypeOf(LLVMGetParam(function, i)), &arguments))
			take(&arguments.integers, own.integers, 1);
	}
	return (own.integers - arguments.integers + 1) / 2 * 16;
}
