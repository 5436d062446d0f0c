/* SPDX-License-Identifier: MIT */
/* Which functions are edges of the enclave: ECALLs, by which it is entered, and OCALLs, by which it calls out. Said by
 * the options' lists, by an attribute in the source (tee-perf.h), or by what the SDKs' generators write. */
#include "compiler-pass/pass.h"
#include "compiler-pass/shim.h"
#include "runtime/abi.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* String attribute of an edge; set at the mark stage, as optimisation may take away what it is known by. */
#define EDGE_ATTRIBUTE "tee-perf-edge"

#define OCALL_WORD "tee-perf:ocall"
#define ECALL_WORD "tee-perf:ecall"

/* What generated code looks like. A name is a glob; `caller_of` names functions of which every caller is such an edge:
 * generated proxies have the names that the user gave them, and what they call to leave is all that they have in
 * common. `local`: only a function that no other file sees. */
static const struct edge_pattern {
	const char *name, *caller_of;
	enum tee_perf_entry_kind kind;
	bool local;
} patterns[] = {
	/* Intel SGX SDK, sgx_edger8r, Enclave_t.c: `sgx_status_t NAME(...)`, a trusted proxy, calls sgx_ocall(index,
	 * ms) or its switchless form (sgx_edger8r's CodeGen.ml, gen_func_tproxy; sdk/trts/trts.cpp). HyperEnclave uses
	 * the same generator. */
	{ NULL, "sgx_ocall", TEE_PERF_ENTRY_OCALL, false },
	{ NULL, "sgx_ocall_switchless", TEE_PERF_ENTRY_OCALL, false },
	/* The same file: `static sgx_status_t SGX_CDECL sgx_NAME(void *pms)`, a trusted bridge (gen_func_tbridge). */
	{ "sgx_*", NULL, TEE_PERF_ENTRY_ECALL, true },
	/* Enclave_u.c: an untrusted proxy calls sgx_ecall(eid, index, table, ms) (gen_func_uproxy). */
	{ NULL, "sgx_ecall", TEE_PERF_ENTRY_ECALL, false },
	{ NULL, "sgx_ecall_switchless", TEE_PERF_ENTRY_ECALL, false },
	/* Open Enclave, oeedger8r, NAME_t.c: a wrapper calls oe_call_host_function(id, ...), or the switchless form
	 * (include/openenclave/edger8r/enclave.h); `static ... ecall_NAME(uint8_t *input_buffer, ...)` is a bridge. */
	{ NULL, "oe_call_host_function", TEE_PERF_ENTRY_OCALL, false },
	{ NULL, "oe_switchless_call_host_function", TEE_PERF_ENTRY_OCALL, false },
	/* NAME_u.c (include/openenclave/edger8r/host.h). */
	{ NULL, "oe_call_enclave_function", TEE_PERF_ENTRY_ECALL, false },
	{ NULL, "oe_switchless_call_enclave_function", TEE_PERF_ENTRY_ECALL, false },
	/* The strict simulator (simulator/tee_perf_sim_trusted.h). */
	{ NULL, "tee_perf_sim_ocall", TEE_PERF_ENTRY_OCALL, false },
	/* The way out itself, for proxies that are compiled without hooks. */
	{ "sgx_ocall", NULL, TEE_PERF_ENTRY_OCALL, false },
	{ "sgx_ocall_switchless", NULL, TEE_PERF_ENTRY_OCALL, false },
	{ "oe_call_host_function", NULL, TEE_PERF_ENTRY_OCALL, false },
	{ "oe_switchless_call_host_function", NULL, TEE_PERF_ENTRY_OCALL, false },
	/* Keystone SDK: ocall(id, ...) of the eyrie runtime's application library (sdk/include/app/syscall.h). */
	{ "ocall", NULL, TEE_PERF_ENTRY_OCALL, false },
	/* Names by which the samples of both SDKs tell edges. */
	{ "ocall_*", NULL, TEE_PERF_ENTRY_OCALL, false },
	{ "ecall_*", NULL, TEE_PERF_ENTRY_ECALL, false },
};

/* Wrappers of system calls: in a library OS each is an OCALL, or may be one. For -ftee-perf-external-calls=ocalls.
 * Sorted. */
/* clang-format off */
static const char *const system_calls[] = {
	"accept", "accept4", "bind", "clock_getres", "clock_gettime", "clock_nanosleep", "close", "connect", "creat",
	"dup", "dup2", "dup3", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_wait", "eventfd", "execv",
	"execve", "execvp", "fallocate", "fcntl", "fcntl64", "fdatasync", "flock", "fork", "fstat", "fstat64",
	"fsync", "ftruncate", "ftruncate64", "futex", "getcwd", "getdents64", "getegid", "geteuid", "getgid",
	"getpeername", "getpid", "getppid", "getrandom", "getrusage", "getsockname", "getsockopt", "gettid",
	"gettimeofday", "getuid", "inotify_add_watch", "ioctl", "kill", "listen", "lseek", "lseek64", "lstat",
	"lstat64", "madvise", "mkdir", "mkdirat", "mmap", "mmap64", "mprotect", "mremap", "msync", "munmap",
	"nanosleep", "open", "open64", "openat", "openat64", "pause", "pipe", "pipe2", "poll", "ppoll", "pread",
	"pread64", "preadv", "pselect", "pwrite", "pwrite64", "pwritev", "read", "readlink", "readlinkat", "readv",
	"recv", "recvfrom", "recvmmsg", "recvmsg", "rename", "renameat", "rmdir", "sched_getaffinity",
	"sched_setaffinity", "sched_yield", "select", "send", "sendfile", "sendfile64", "sendmmsg", "sendmsg",
	"sendto", "setitimer", "setsockopt", "shutdown", "sigprocmask", "sleep", "socket", "socketpair", "splice",
	"stat", "stat64", "statx", "sync", "syscall", "sysinfo", "time", "timer_settime", "timerfd_settime",
	"truncate", "truncate64", "umask", "uname", "unlink", "unlinkat", "usleep", "wait", "wait4", "waitid",
	"waitpid", "write", "writev",
};
/* clang-format on */

static bool matches_list(char **globs, const char *name)
{
	for (; globs && *globs; globs++) {
		if (!fnmatch(*globs, name, 0))
			return true;
	}
	return false;
}

static int compare_name(const void *name, const void *element)
{
	return strcmp(name, *(const char *const *)element);
}

static bool is_system_call(const char *name)
{
	return bsearch(name, system_calls, sizeof system_calls / sizeof *system_calls, sizeof *system_calls,
		       compare_name) != NULL;
}

static bool is_local(LLVMValueRef function)
{
	LLVMLinkage linkage = LLVMGetLinkage(function);

	return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

static bool calls(LLVMValueRef function, const char *name)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee =
			    LLVMIsACallInst(i) || LLVMIsAInvokeInst(i) ? tee_perf_shim_callee(i) : NULL;
			if (callee && !strcmp(LLVMGetValueName(callee), name))
				return true;
		}
	}
	return false;
}

static enum tee_perf_entry_kind kind_by_pattern(LLVMValueRef function)
{
	const char *name = LLVMGetValueName(function);

	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		const struct edge_pattern *p = &patterns[i];
		if (p->local && (LLVMIsDeclaration(function) || !is_local(function)))
			continue;
		if (p->name ? !fnmatch(p->name, name, 0) : calls(function, p->caller_of))
			return p->kind;
	}
	return TEE_PERF_ENTRY_FUNCTION;
}

static enum tee_perf_entry_kind kind_of(struct tee_perf_pass *pass, LLVMValueRef function)
{
	const char *name = LLVMGetValueName(function);

	if (matches_list(pass->options.ocall_globs, name))
		return TEE_PERF_ENTRY_OCALL;
	if (matches_list(pass->options.ecall_globs, name))
		return TEE_PERF_ENTRY_ECALL;
	if (LLVMIsDeclaration(function) && pass->options.system_calls && is_system_call(name))
		return TEE_PERF_ENTRY_OCALL;
	return kind_by_pattern(function);
}

static void tag(LLVMValueRef function, enum tee_perf_entry_kind kind)
{
	tee_perf_function_set_attribute(function, EDGE_ATTRIBUTE, kind == TEE_PERF_ENTRY_OCALL ? "o" : "e");
}

/* Clang up to 17 keeps `annotate` of a definition only, but `assume` of a declaration, too. */
static void tag_assumed(LLVMValueRef function)
{
	unsigned length;
	const char *value = tee_perf_function_attribute(function, "llvm.assume", &length);
	char *words = value ? strndup(value, length) : NULL;

	if (words && strstr(words, OCALL_WORD))
		tag(function, TEE_PERF_ENTRY_OCALL);
	else if (words && strstr(words, ECALL_WORD))
		tag(function, TEE_PERF_ENTRY_ECALL);
	free(words);
}

static LLVMValueRef strip_constant(LLVMValueRef value)
{
	while (LLVMIsAConstantExpr(value))
		value = LLVMGetOperand(value, 0);
	return value;
}

static void tag_annotated(LLVMValueRef annotation)
{
	LLVMValueRef function = tee_perf_shim_strip_to_function(LLVMGetOperand(annotation, 0));
	LLVMValueRef string = LLVMIsAGlobalVariable(strip_constant(LLVMGetOperand(annotation, 1)));
	LLVMValueRef text = string ? LLVMGetInitializer(string) : NULL;
	size_t length;

	if (!function || !text || !LLVMIsAConstantDataSequential(text) || !LLVMIsConstantString(text))
		return;
	const char *word = LLVMGetAsString(text, &length); /* with its zero */
	if (length == sizeof OCALL_WORD && !memcmp(word, OCALL_WORD, length))
		tag(function, TEE_PERF_ENTRY_OCALL);
	else if (length == sizeof ECALL_WORD && !memcmp(word, ECALL_WORD, length))
		tag(function, TEE_PERF_ENTRY_ECALL);
}

/* An edge that was inlined would not be seen; a transition costs more than any call. */
static void keep_whole(struct tee_perf_pass *pass, LLVMValueRef function)
{
	unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", strlen("alwaysinline"));
	unsigned never = LLVMGetEnumAttributeKindForName("noinline", strlen("noinline"));

	if (!LLVMIsDeclaration(function) && !LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, always))
		LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
					LLVMCreateEnumAttribute(pass->context, never, 0));
}

void tee_perf_edges_mark(struct tee_perf_pass *pass)
{
	LLVMValueRef list = LLVMGetNamedGlobal(pass->module, "llvm.global.annotations"), f;
	LLVMValueRef annotations = list ? LLVMGetInitializer(list) : NULL;

	for (int i = 0; annotations && i < LLVMGetNumOperands(annotations); i++)
		tag_annotated(LLVMGetOperand(annotations, (unsigned)i));
	for (f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f)) {
		enum tee_perf_entry_kind kind;
		tag_assumed(f);
		if (!tee_perf_function_attribute(f, EDGE_ATTRIBUTE, NULL) && !LLVMIsDeclaration(f) &&
		    (kind = kind_of(pass, f)) != TEE_PERF_ENTRY_FUNCTION)
			tag(f, kind);
		if (tee_perf_function_attribute(f, EDGE_ATTRIBUTE, NULL))
			keep_whole(pass, f);
	}
}

unsigned tee_perf_edge_kind(struct tee_perf_pass *pass, LLVMValueRef function)
{
	unsigned length;
	const char *value = tee_perf_function_attribute(function, EDGE_ATTRIBUTE, &length);

	if (value && length)
		return *value == 'o' ? TEE_PERF_ENTRY_OCALL : TEE_PERF_ENTRY_ECALL;
	/* What is defined here was judged at the mark stage; a declaration may have come since. */
	return LLVMIsDeclaration(function) ? kind_of(pass, function) : TEE_PERF_ENTRY_FUNCTION;
}

/* ---- an OCALL that another object of the image gives hooks of its own */

#define HOOKED_PREFIX "tee_perf_hooked."

static char *hooked_symbol(LLVMValueRef function)
{
	const char *name = LLVMGetValueName(function);
	char *symbol = malloc(sizeof HOOKED_PREFIX + strlen(name));

	strcpy(stpcpy(symbol, HOOKED_PREFIX), name[0] == '\1' ? name + 1 : name);
	return symbol;
}

static LLVMValueRef add_hooked(struct tee_perf_pass *pass, const char *symbol, bool hooked, LLVMLinkage linkage)
{
	LLVMTypeRef int8 = LLVMInt8TypeInContext(pass->context);
	LLVMValueRef global = LLVMAddGlobal(pass->module, int8, symbol);

	LLVMSetInitializer(global, LLVMConstInt(int8, hooked, false));
	LLVMSetGlobalConstant(global, true);
	LLVMSetLinkage(global, linkage);
	LLVMSetVisibility(global, LLVMHiddenVisibility);
	return global;
}

void tee_perf_edge_has_hooks(struct tee_perf_pass *pass, LLVMValueRef function)
{
	char *symbol = is_local(function) ? NULL : hooked_symbol(function);
	bool strong = LLVMGetLinkage(function) == LLVMExternalLinkage;

	if (symbol && !LLVMGetNamedGlobal(pass->module, symbol))
		add_hooked(pass, symbol, true, strong ? LLVMExternalLinkage : LLVMWeakODRLinkage);
	free(symbol);
}

/* Not a weak reference: gold makes an address of one that nobody defines. */
LLVMValueRef tee_perf_edge_lacks_hooks(struct tee_perf_pass *pass, LLVMValueRef function, LLVMValueRef where)
{
	char *symbol = hooked_symbol(function);
	LLVMValueRef global = LLVMGetNamedGlobal(pass->module, symbol);

	if (!global)
		global = add_hooked(pass, symbol, false, LLVMWeakAnyLinkage);
	free(symbol);
	LLVMPositionBuilderBefore(pass->builder, where);
	return LLVMBuildIsNull(pass->builder,
			       LLVMBuildLoad2(pass->builder, LLVMInt8TypeInContext(pass->context), global, ""), "");
}

void tee_perf_edges_clear(struct tee_perf_pass *pass)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
		tee_perf_function_remove_attribute(f, EDGE_ATTRIBUTE);
}
