/* SPDX-License-Identifier: MIT */
/* Map entries and the image structure: how a record's address gets a name again (runtime/abi.h). */
#include "compiler-pass/pass.h"
#include "compiler-pass/shim.h"
#include "runtime/abi.h"

#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY_PREFIX    "tee_perf_map."
#define EXTERNAL_PREFIX "tee_perf_external."

/* ---- names and places */

/* Clang stores a path that lies below the compilation directory, or has a part in common with it, in two
 * pieces. Below it: as the user most likely wrote it, relative, which also keeps objects independent of where
 * they are built. Elsewhere: whole. */
static char *join_path(LLVMMetadataRef file, LLVMMetadataRef unit_file, bool whole)
{
	unsigned name_length, directory_length, unit_length = 0;
	const char *name = LLVMDIFileGetFilename(file, &name_length);
	const char *directory = LLVMDIFileGetDirectory(file, &directory_length);
	const char *unit = unit_file ? LLVMDIFileGetDirectory(unit_file, &unit_length) : NULL;
	size_t size = (size_t)directory_length + name_length + 2;
	char *path;

	if (!name_length)
		return NULL;
	if (name[0] == '/' ||
	    (!whole && unit_length == directory_length && (!unit || !memcmp(unit, directory, unit_length))))
		directory_length = 0;
	path = malloc(size);
	if (path)
		snprintf(path, size, "%.*s%s%.*s", (int)directory_length, directory, directory_length ? "/" : "",
			 (int)name_length, name);
	return path;
}

char *tee_perf_source_of_function(LLVMValueRef function, bool whole)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	LLVMMetadataRef file = subprogram ? LLVMDIScopeGetFile(subprogram) : NULL;
	size_t length;
	const char *source;

	if (file)
		return join_path(file, tee_perf_shim_unit_file(subprogram), whole);
	source = LLVMGetSourceFileName(LLVMGetGlobalParent(function), &length);
	return length ? strndup(source, length) : NULL;
}

/* The name as the linker knows it, without the mark that keeps LLVM from mangling it. */
static const char *linkage_name(LLVMValueRef function)
{
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);

	return name[0] == '\1' ? name + 1 : name;
}

/* ---- strings */

static LLVMValueRef add_string(struct tee_perf_pass *pass, const char *text, LLVMComdatRef comdat)
{
	unsigned length = (unsigned)strlen(text);
	LLVMValueRef value = LLVMConstStringInContext(pass->context, text, length, false);
	LLVMValueRef global = LLVMAddGlobal(pass->module, LLVMTypeOf(value), "tee_perf_str");

	/* No unnamed_addr: merged strings would go to a section of another kind. */
	LLVMSetInitializer(global, value);
	LLVMSetGlobalConstant(global, true);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	LLVMSetSection(global, TEE_PERF_STR_SECTION);
	LLVMSetAlignment(global, 1);
	if (comdat)
		LLVMSetComdat(global, comdat);
	return global;
}

/* Source files are few and functions many: one string for each file, which all of the module's entries share. */
static LLVMValueRef file_string(struct tee_perf_pass *pass, const char *path)
{
	for (size_t i = 0; i < pass->file_count; i++) {
		if (!strcmp(pass->files[i].path, path))
			return pass->files[i].string;
	}
	LLVMValueRef string = add_string(pass, path, NULL);
	struct tee_perf_source_file *files = realloc(pass->files, (pass->file_count + 1) * sizeof *files);
	if (files) {
		pass->files = files;
		files[pass->file_count++] = (struct tee_perf_source_file){ .path = strdup(path), .string = string };
	}
	return string;
}

/* target minus the address of the int32 at `offset` in entry. */
static LLVMValueRef relative_address(struct tee_perf_pass *pass, LLVMValueRef target, LLVMValueRef entry, size_t offset)
{
	LLVMTypeRef int64 = LLVMInt64TypeInContext(pass->context);
	LLVMValueRef field = LLVMConstAdd(LLVMConstPtrToInt(entry, int64), LLVMConstInt(int64, offset, false));
	LLVMValueRef distance = LLVMConstSub(LLVMConstPtrToInt(target, int64), field);

	return LLVMConstTrunc(distance, LLVMInt32TypeInContext(pass->context));
}

/* ---- entries */

struct entry_text {
	const char *name, *file;
	unsigned line;
	enum tee_perf_entry_kind kind;
};

static LLVMTypeRef entry_type(struct tee_perf_pass *pass)
{
	LLVMTypeRef int32 = LLVMInt32TypeInContext(pass->context), int16 = LLVMInt16TypeInContext(pass->context);
	LLVMTypeRef fields[] = { int32, int32, int32, int16, int16 };

	return LLVMStructTypeInContext(pass->context, fields, 5, false);
}

static void fill_entry(struct tee_perf_pass *pass, LLVMValueRef entry, LLVMComdatRef comdat,
		       const struct entry_text *text)
{
	LLVMTypeRef int32 = LLVMInt32TypeInContext(pass->context), int16 = LLVMInt16TypeInContext(pass->context);
	LLVMValueRef zero = LLVMConstInt(int32, 0, false);
	LLVMValueRef fields[] = {
		relative_address(pass, add_string(pass, text->name, comdat), entry,
				 offsetof(struct tee_perf_map_entry, name)),
		text->file ? relative_address(pass, file_string(pass, text->file), entry,
					      offsetof(struct tee_perf_map_entry, file))
			   : zero,
		LLVMConstInt(int32, text->line, false),
		LLVMConstInt(int16, text->kind, false),
		LLVMConstInt(int16, 0, false),
	};

	LLVMSetInitializer(entry, LLVMConstStructInContext(pass->context, fields, 5, false));
	LLVMSetSection(entry, TEE_PERF_MAP_SECTION);
	LLVMSetAlignment(entry, sizeof(struct tee_perf_map_entry));
	if (comdat)
		LLVMSetComdat(entry, comdat);
}

/* One entry for all objects that emit it: of a function that several objects define, of an external one. */
static LLVMValueRef add_shared_entry(struct tee_perf_pass *pass, const char *symbol, const struct entry_text *text)
{
	LLVMComdatRef comdat = LLVMGetOrInsertComdat(pass->module, symbol);
	LLVMValueRef entry = LLVMAddGlobal(pass->module, entry_type(pass), symbol);

	LLVMSetLinkage(entry, LLVMLinkOnceODRLinkage);
	LLVMSetVisibility(entry, LLVMHiddenVisibility);
	fill_entry(pass, entry, comdat, text);
	return entry;
}

/* The entry of a function that this object alone defines. Where functions have sections of their own, so have
 * entries: lld then drops an entry with its function. ld.bfd and gold keep every section whose bounds are asked
 * for, so the function itself must not be in the entry's group, or they would keep it too. */
static LLVMValueRef add_private_entry(struct tee_perf_pass *pass, const char *symbol, const struct entry_text *text)
{
	LLVMValueRef entry = LLVMAddGlobal(pass->module, entry_type(pass), symbol);
	LLVMComdatRef comdat = NULL;

	LLVMSetLinkage(entry, LLVMPrivateLinkage);
	/* Not under LTO: the linker would reject two local functions of one name, and drops what is unused anyway. */
	if (pass->options.function_sections && !pass->lto) {
		comdat = LLVMGetOrInsertComdat(pass->module, symbol);
		LLVMSetComdatSelectionKind(comdat, LLVMNoDeduplicateComdatSelectionKind);
	}
	fill_entry(pass, entry, comdat, text);
	return entry;
}

LLVMValueRef tee_perf_map_entry_of_function(struct tee_perf_pass *pass, LLVMValueRef function)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	LLVMLinkage linkage = LLVMGetLinkage(function);
	bool local = linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
	char *file = tee_perf_source_of_function(function, false);
	struct entry_text text = {
		.name = linkage_name(function),
		.file = file,
		.line = subprogram ? LLVMDISubprogramGetLine(subprogram) : 0,
		.kind = (enum tee_perf_entry_kind)tee_perf_edge_kind(pass, function),
	};
	char *symbol = malloc(sizeof ENTRY_PREFIX + strlen(text.name));
	LLVMValueRef entry;

	strcpy(stpcpy(symbol, ENTRY_PREFIX), text.name);
	/* A private entry keeps ThinLTO from importing its function, so under LTO every function that has a name
	 * outside of its object has a shared one. */
	if (LLVMGetComdat(function) || (pass->lto && !local))
		entry = add_shared_entry(pass, symbol, &text);
	else
		entry = add_private_entry(pass, symbol, &text);
	free(symbol);
	free(file);
	return entry;
}

LLVMValueRef tee_perf_map_entry_of_external(struct tee_perf_pass *pass, LLVMValueRef function)
{
	unsigned edge = tee_perf_edge_kind(pass, function);
	struct entry_text text = {
		.name = linkage_name(function),
		.kind = edge == TEE_PERF_ENTRY_FUNCTION ? TEE_PERF_ENTRY_EXTERNAL : (enum tee_perf_entry_kind)edge,
	};
	char *symbol = malloc(sizeof EXTERNAL_PREFIX + strlen(text.name));
	LLVMValueRef entry;

	strcpy(stpcpy(symbol, EXTERNAL_PREFIX), text.name);
	entry = LLVMGetNamedGlobal(pass->module, symbol);
	if (!entry)
		entry = add_shared_entry(pass, symbol, &text);
	free(symbol);
	return entry;
}

/* ---- image */

static LLVMValueRef hidden_weak(struct tee_perf_pass *pass, const char *name)
{
	LLVMValueRef bound = LLVMGetNamedGlobal(pass->module, name);

	if (bound && LLVMGetInitializer(bound))
		return LLVMConstBitCast(bound, pass->int8_pointer);
	if (!bound)
		bound = LLVMAddGlobal(pass->module, LLVMInt8TypeInContext(pass->context), name);
	/* Weak: the linker may have dropped every entry. Hidden: each image has its own. */
	LLVMSetLinkage(bound, LLVMExternalWeakLinkage);
	LLVMSetVisibility(bound, LLVMHiddenVisibility);
	return LLVMConstBitCast(bound, pass->int8_pointer);
}

static LLVMValueRef add_image(struct tee_perf_pass *pass)
{
	LLVMTypeRef int32 = LLVMInt32TypeInContext(pass->context);
	LLVMValueRef fields[] = {
		LLVMConstInt(int32, TEE_PERF_ABI_VERSION, false),
		LLVMConstInt(int32, sizeof(struct tee_perf_image), false),
		hidden_weak(pass, "__start_" TEE_PERF_MAP_SECTION),
		hidden_weak(pass, "__stop_" TEE_PERF_MAP_SECTION),
		hidden_weak(pass, "__start_" TEE_PERF_STR_SECTION),
		hidden_weak(pass, "__stop_" TEE_PERF_STR_SECTION),
		LLVMConstInt(int32, UINT32_MAX, false),
		LLVMConstInt(int32, tee_perf_hook_shape(pass), false),
		/* Weak: any object of the image may bring it (policy.c). */
		hidden_weak(pass, TEE_PERF_POLICY_SYMBOL),
	};
	LLVMValueRef value = LLVMConstStructInContext(pass->context, fields, sizeof fields / sizeof *fields, false);
	LLVMValueRef image = LLVMAddGlobal(pass->module, LLVMTypeOf(value), "tee_perf_image");

	LLVMSetInitializer(image, value);
	LLVMSetLinkage(image, LLVMLinkOnceODRLinkage);
	LLVMSetVisibility(image, LLVMHiddenVisibility);
	LLVMSetSection(image, "tee_perf_anchor"); /* a name that keeps sanitizers from padding it */
	LLVMSetAlignment(image, 8);
	LLVMSetComdat(image, LLVMGetOrInsertComdat(pass->module, "tee_perf_image"));
	return image;
}

/* void name(void) { callee(&image); }, one per image. */
static LLVMValueRef add_image_function(struct tee_perf_pass *pass, LLVMValueRef image, const char *name,
				       const char *callee_name)
{
	LLVMTypeRef none = LLVMVoidTypeInContext(pass->context);
	LLVMTypeRef callee_type = LLVMFunctionType(none, &pass->int8_pointer, 1, false);
	LLVMValueRef callee = LLVMGetNamedFunction(pass->module, callee_name);
	LLVMValueRef function = LLVMAddFunction(pass->module, name, LLVMFunctionType(none, NULL, 0, false));
	LLVMValueRef argument = LLVMConstBitCast(image, pass->int8_pointer);

	if (!callee)
		callee = LLVMAddFunction(pass->module, callee_name, callee_type);
	callee = LLVMConstBitCast(callee, LLVMPointerType(callee_type, 0));
	LLVMSetLinkage(function, LLVMLinkOnceODRLinkage);
	LLVMSetVisibility(function, LLVMHiddenVisibility);
	LLVMSetComdat(function, LLVMGetOrInsertComdat(pass->module, name));
	LLVMPositionBuilderAtEnd(pass->builder, LLVMAppendBasicBlockInContext(pass->context, function, ""));
	LLVMSetCurrentDebugLocation2(pass->builder, NULL);
	LLVMBuildCall2(pass->builder, callee_type, callee, &argument, 1, "");
	LLVMBuildRetVoid(pass->builder);
	return function;
}

/* Deletes entries of functions that are gone, their strings too; whether any entry is left. */
static bool sweep_entries(struct tee_perf_pass *pass)
{
	static const char *const sections[] = { TEE_PERF_MAP_SECTION, TEE_PERF_STR_SECTION };
	bool found = false;

	for (size_t i = 0; i < 2; i++) {
		LLVMValueRef global = LLVMGetFirstGlobal(pass->module), next;
		for (; global; global = next) {
			const char *section = LLVMGetSection(global);
			next = LLVMGetNextGlobal(global);
			if (!section || strcmp(section, sections[i]))
				continue;
			if (!LLVMGetFirstUse(global))
				LLVMDeleteGlobal(global);
			else
				found = true;
		}
	}
	return found;
}

void tee_perf_map_finish(struct tee_perf_pass *pass)
{
	LLVMValueRef image, function;

	if (!sweep_entries(pass) || LLVMGetNamedGlobal(pass->module, "tee_perf_image"))
		return;
	tee_perf_policy_emit(pass);
	image = add_image(pass);
	/* Before the user's constructors, after the user's destructors. */
	function = add_image_function(pass, image, "tee_perf_image_init", "tee_perf_image_register");
	tee_perf_shim_add_constructor(pass->module, function, 0);
	function = add_image_function(pass, image, "tee_perf_image_exit", "tee_perf_image_unregister");
	tee_perf_shim_add_destructor(pass->module, function, 0);
}
