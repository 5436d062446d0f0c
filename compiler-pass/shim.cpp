/* SPDX-License-Identifier: MIT */
#include "compiler-pass/shim.h"

#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#if LLVM_VERSION_MAJOR >= 16
#include <llvm/TargetParser/Triple.h>
#else
#include <llvm/ADT/Triple.h>
#endif

using namespace llvm;

void tee_perf_shim_error(LLVMModuleRef module, const char *message)
{
	unwrap(module)->getContext().emitError(message);
}

enum tee_perf_target tee_perf_shim_target(LLVMModuleRef module)
{
	Triple triple(unwrap(module)->getTargetTriple());

	if (triple.isAMDGPU() || triple.isNVPTX() || triple.isSPIR())
		return TEE_PERF_TARGET_GPU;
	return triple.isOSBinFormatELF() ? TEE_PERF_TARGET_ELF : TEE_PERF_TARGET_OTHER;
}

/* Clang sets one of these flags before the pipeline of a module runs whose bitcode will be linked. */
bool tee_perf_shim_is_lto(LLVMModuleRef module)
{
	return unwrap(module)->getModuleFlag("ThinLTO") || unwrap(module)->getModuleFlag("EnableSplitLTOUnit");
}

const char *tee_perf_shim_module_string(LLVMModuleRef module, const char *flag)
{
	auto *value = dyn_cast_or_null<MDString>(unwrap(module)->getModuleFlag(flag));

	return value ? value->getString().data() : nullptr;
}

unsigned long long tee_perf_shim_vector_bits(LLVMTypeRef type)
{
	return unwrap(type)->getPrimitiveSizeInBits().getFixedValue();
}

void tee_perf_shim_erase_named_metadata(LLVMModuleRef module, const char *name)
{
	if (NamedMDNode *node = unwrap(module)->getNamedMetadata(name))
		node->eraseFromParent();
}

bool tee_perf_shim_is_musttail(LLVMValueRef call)
{
	auto *instruction = dyn_cast<CallInst>(unwrap(call));

	return instruction &&
	       (instruction->isMustTailCall() || instruction->getIntrinsicID() == Intrinsic::experimental_deoptimize);
}

bool tee_perf_shim_is_notail(LLVMValueRef call)
{
	auto *instruction = dyn_cast<CallInst>(unwrap(call));

	return instruction && instruction->isNoTailCall();
}

bool tee_perf_shim_returns_twice(LLVMValueRef call)
{
	return cast<CallBase>(unwrap(call))->hasFnAttr(Attribute::ReturnsTwice);
}

bool tee_perf_shim_is_noreturn(LLVMValueRef call)
{
	return cast<CallBase>(unwrap(call))->hasFnAttr(Attribute::NoReturn);
}

LLVMValueRef tee_perf_shim_callee(LLVMValueRef call)
{
	return tee_perf_shim_strip_to_function(wrap(cast<CallBase>(unwrap(call))->getCalledOperand()));
}

LLVMValueRef tee_perf_shim_next_call(LLVMValueRef instruction)
{
	auto *i = cast<Instruction>(unwrap(instruction));

	while (i && (!isa<CallBase>(i) || isa<IntrinsicInst>(i)))
		i = i->getNextNode();
	return wrap(i);
}

LLVMValueRef tee_perf_shim_strip_to_function(LLVMValueRef value)
{
	return wrap(dyn_cast_or_null<Function>(unwrap(value)->stripPointerCastsAndAliases()));
}

bool tee_perf_shim_is_libfunc(LLVMModuleRef module, const char *name)
{
	TargetLibraryInfoImpl info{ Triple(unwrap(module)->getTargetTriple()) };
	LibFunc which;

	return info.getLibFunc(StringRef(name), which);
}

/* Of the intrinsics, those that stand for calls and that LLVM lets an invoke have. */
static bool calls_function(const CallInst *call)
{
	switch (call->getIntrinsicID()) {
	case Intrinsic::not_intrinsic:
	case Intrinsic::coro_resume:
	case Intrinsic::coro_destroy:
		return !call->isInlineAsm();
	default:
		return false;
	}
}

bool tee_perf_shim_may_unwind(LLVMValueRef instruction)
{
	auto *call = dyn_cast<CallInst>(unwrap(instruction));

	return call && calls_function(call) && !call->doesNotThrow() && !call->isMustTailCall() &&
	       !call->hasFnAttr(Attribute::ReturnsTwice);
}

void tee_perf_shim_call_to_invoke(LLVMValueRef call, LLVMBasicBlockRef unwind)
{
	changeToInvokeAndSplitBasicBlock(cast<CallInst>(unwrap(call)), ::unwrap(unwind));
}

LLVMValueRef tee_perf_shim_invoke_to_call(LLVMValueRef invoke)
{
	return wrap(changeToCall(cast<InvokeInst>(unwrap(invoke))));
}

LLVMValueRef tee_perf_shim_landing_pad(LLVMBasicBlockRef block)
{
	return wrap(unwrap(block)->getLandingPadInst());
}

void tee_perf_shim_remove_unreachable_blocks(LLVMValueRef function)
{
	removeUnreachableBlocks(*cast<Function>(unwrap(function)));
}

static enum tee_perf_language language_of(unsigned source_language)
{
	switch (source_language) {
	case dwarf::DW_LANG_C:
	case dwarf::DW_LANG_C89:
	case dwarf::DW_LANG_C99:
	case dwarf::DW_LANG_C11:
	case 0x2c: // C17, which not every version knows
	case 0x3e: // C23
		return TEE_PERF_LANGUAGE_C;
	default:
		return dwarf::isCPlusPlus((dwarf::SourceLanguage)source_language) ? TEE_PERF_LANGUAGE_CPLUSPLUS
										  : TEE_PERF_LANGUAGE_OTHER;
	}
}

enum tee_perf_language tee_perf_shim_language(LLVMModuleRef module)
{
	for (DICompileUnit *unit : unwrap(module)->debug_compile_units())
		return language_of(unit->getSourceLanguage());
	return unwrap(module)->getNamedValue("__gxx_personality_v0") ? TEE_PERF_LANGUAGE_CPLUSPLUS
								     : TEE_PERF_LANGUAGE_OTHER;
}

LLVMBasicBlockRef tee_perf_shim_split_normal_edge(LLVMValueRef invoke)
{
	auto *instruction = cast<InvokeInst>(unwrap(invoke));
	BasicBlock *from = instruction->getParent(), *to = instruction->getNormalDest();
	BasicBlock *edge = BasicBlock::Create(to->getContext(), "", to->getParent(), to);

	BranchInst::Create(to, edge)->setDebugLoc(instruction->getDebugLoc());
	instruction->setNormalDest(edge);
	to->replacePhiUsesWith(from, edge);
	return wrap(edge);
}

LLVMValueRef tee_perf_shim_split_if(LLVMValueRef where, LLVMValueRef condition)
{
	return wrap(SplitBlockAndInsertIfThen(unwrap(condition), cast<Instruction>(unwrap(where)), false));
}

void tee_perf_shim_fold_return(LLVMValueRef ret, LLVMBasicBlockRef pred)
{
	auto *instruction = cast<ReturnInst>(unwrap(ret));

	FoldReturnIntoUncondBranch(instruction, instruction->getParent(), unwrap(pred));
}

LLVMValueRef tee_perf_shim_first_insertion_point(LLVMBasicBlockRef block)
{
	return wrap(&*unwrap(block)->getFirstInsertionPt());
}

bool tee_perf_shim_makes_no_code(LLVMValueRef instruction)
{
	if (isa<BitCastInst>(unwrap(instruction)))
		return unwrap(instruction)->getType()->isPointerTy();
	auto *intrinsic = dyn_cast<IntrinsicInst>(unwrap(instruction));
	if (!intrinsic)
		return false;
	switch (intrinsic->getIntrinsicID()) {
	case Intrinsic::assume:
	case Intrinsic::lifetime_start:
	case Intrinsic::lifetime_end:
	case Intrinsic::invariant_start:
	case Intrinsic::invariant_end:
	case Intrinsic::experimental_noalias_scope_decl:
	case Intrinsic::sideeffect:
	case Intrinsic::var_annotation:
		return true;
	default:
		return isa<DbgInfoIntrinsic>(intrinsic) || intrinsic->getIntrinsicID() == Intrinsic::pseudoprobe;
	}
}

bool tee_perf_shim_is_static_alloca(LLVMValueRef instruction)
{
	auto *alloca = dyn_cast<AllocaInst>(unwrap(instruction));

	return alloca && alloca->isStaticAlloca();
}

void tee_perf_shim_add_constructor(LLVMModuleRef module, LLVMValueRef function, int priority)
{
	appendToGlobalCtors(*unwrap(module), cast<Function>(unwrap(function)), priority,
			    cast<Constant>(unwrap(function)));
}

void tee_perf_shim_add_destructor(LLVMModuleRef module, LLVMValueRef function, int priority)
{
	appendToGlobalDtors(*unwrap(module), cast<Function>(unwrap(function)), priority,
			    cast<Constant>(unwrap(function)));
}

unsigned tee_perf_shim_scope_line(LLVMMetadataRef subprogram)
{
	return unwrap<DISubprogram>(subprogram)->getScopeLine();
}

LLVMMetadataRef tee_perf_shim_unit_file(LLVMMetadataRef subprogram)
{
	DICompileUnit *unit = unwrap<DISubprogram>(subprogram)->getUnit();

	return wrap(unit ? unit->getFile() : nullptr);
}

char *tee_perf_shim_demangle(const char *name)
{
	return abi::__cxa_demangle(name, nullptr, nullptr, nullptr);
}

namespace
{
template <void (*stage)(LLVMModuleRef, unsigned)> struct StagePass : PassInfoMixin<StagePass<stage>> {
	unsigned level;
	explicit StagePass(unsigned level) : level(level)
	{
	}
	PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
	{
		stage(wrap(&module), level);
		return PreservedAnalyses::none();
	}
	static bool isRequired() // at -O0 and for optnone functions too
	{
		return true;
	}
};
using MarkPass = StagePass<tee_perf_stage_mark>;
using InstrumentPass = StagePass<tee_perf_stage_instrument>;

void register_callbacks(PassBuilder &builder)
{
	/* Later LLVMs hand over a phase as well. */
	builder.registerPipelineStartEPCallback([](ModulePassManager &manager, OptimizationLevel level, auto &&...) {
		manager.addPass(MarkPass(level.getSpeedupLevel()));
	});
	builder.registerOptimizerLastEPCallback([](ModulePassManager &manager, OptimizationLevel level, auto &&...) {
		manager.addPass(InstrumentPass(level.getSpeedupLevel()));
	});
	builder.registerPipelineParsingCallback([](StringRef name, ModulePassManager &manager, auto &&...) {
		if (name == "tee-perf-mark")
			manager.addPass(MarkPass(2));
		else if (name == "tee-perf-instrument")
			manager.addPass(InstrumentPass(2));
		else
			return false;
		return true;
	});
}

/* The major version of the LLVM that has loaded the plugin, 0: older than any that is supported. Nothing of
 * LLVM is called before it is known: classes differ in layout, and a wrong pair crashes. */
unsigned host_major()
{
	using get_version = void (*)(unsigned *, unsigned *, unsigned *);
	auto get = reinterpret_cast<get_version>(dlsym(RTLD_DEFAULT, "LLVMGetVersion"));
	unsigned major = 0, minor, patch;

	if (get) { /* from 16 on */
		get(&major, &minor, &patch);
		return major;
	}
	if (dlsym(RTLD_DEFAULT, "LLVMGetAggregateElement"))
		return 15;
	return dlsym(RTLD_DEFAULT, "LLVMGetGEPSourceElementType") ? 14 : 0;
}
} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo()
{
	unsigned major = host_major();
	uint32_t api_version = LLVM_PLUGIN_API_VERSION;

	if (major != LLVM_VERSION_MAJOR) {
		char host[32] = "older than 14";
		if (major)
			snprintf(host, sizeof host, "%u", major);
		fprintf(stderr,
			"tee-perf: this plugin is for LLVM %d, the compiler is built on LLVM %s: compile with "
			"tee-perf-cc or tee-perf-c++, which pick the plugin for the compiler\n",
			LLVM_VERSION_MAJOR, host);
		api_version = 0; /* the compiler refuses the plugin and fails */
	}
	return { api_version, "tee-perf", "1", register_callbacks };
}
