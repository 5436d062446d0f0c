/* SPDX-License-Identifier: MIT */
/* The options as the driver hands them over: "word;word=value;...;filter=HASH:PATH". The filter comes last, as a
 * path may contain anything. The hash is there for compiler caches, which see the command line only. */
#include "compiler-pass/pass.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(char *error, size_t error_size, const char *what)
{
	snprintf(error, error_size, "tee-perf: wrong plugin option \"%s\": compile with tee-perf-cc or tee-perf-c++",
		 what);
	return -1;
}

static char **split_globs(const char *text)
{
	size_t count = 1;
	char **globs;

	for (const char *p = text; *p; p++)
		count += *p == ',';
	globs = calloc(count + 1, sizeof *globs);
	for (size_t i = 0; globs && i < count; i++) {
		size_t length = strcspn(text, ",");
		globs[i] = strndup(text, length);
		text += length + 1;
	}
	return globs;
}

static int parse_policy(struct tee_perf_policy *policy, const char *value)
{
	int end = 0;

	return sscanf(value, "%" SCNu32 ".%" SCNu32 ".%" SCNu64 "%n", &policy->full, &policy->wait, &policy->ring_bytes,
		      &end) == 3 &&
		       !value[end]
		   ? 0
		   : -1;
}

/* What is said about the enclave (driver_edges.c). */
static int parse_edge_word(struct tee_perf_pass_options *options, const char *word)
{
	static const char ocalls[] = "ocalls=", ecalls[] = "ecalls=", policy[] = "policy=";

	if (!strcmp(word, "system-calls")) {
		options->system_calls = true;
	} else if (!strncmp(word, ocalls, sizeof ocalls - 1)) {
		options->ocall_globs = split_globs(word + sizeof ocalls - 1);
	} else if (!strncmp(word, ecalls, sizeof ecalls - 1)) {
		options->ecall_globs = split_globs(word + sizeof ecalls - 1);
	} else if (!strncmp(word, policy, sizeof policy - 1)) {
		return parse_policy(&options->policy, word + sizeof policy - 1);
	} else {
		return -1;
	}
	return 0;
}

static int parse_word(struct tee_perf_pass_options *options, const char *word)
{
	static const char minimum[] = "min-instructions=", external[] = "external-calls=";
	char *end;

	if (!strcmp(word, "before-inlining")) {
		options->before_inlining = true;
	} else if (!strcmp(word, "no-unwind-exits")) {
		options->no_unwind_exits = true;
	} else if (!strcmp(word, "plain-hooks")) {
		options->plain_hooks = true;
	} else if (!strcmp(word, "inline-hooks")) {
		options->inline_hooks = true;
	} else if (!strcmp(word, "lto")) {
		options->lto = true;
	} else if (!strcmp(word, "function-sections")) {
		options->function_sections = true;
	} else if (!strcmp(word, "strip-debug")) {
		options->strip_debug_info = true;
	} else if (!strncmp(word, "plugin=", strlen("plugin="))) {
		return 0; /* for compiler caches: which plugin compiled this */
	} else if (!strcmp(word, "external-calls")) {
		options->external_calls = true;
	} else if (!strncmp(word, external, sizeof external - 1)) {
		options->external_calls = true;
		options->external_globs = split_globs(word + sizeof external - 1);
	} else if (!strncmp(word, minimum, sizeof minimum - 1)) {
		options->min_instructions = (unsigned)strtoul(word + sizeof minimum - 1, &end, 10);
		return *end || end == word + sizeof minimum - 1 ? -1 : 0;
	} else {
		return parse_edge_word(options, word);
	}
	return 0;
}

static int parse_filter(struct tee_perf_pass_options *options, const char *text, char *error, size_t error_size)
{
	const char *colon = strchr(text, ':');

	if (!colon)
		return fail(error, error_size, text);
	options->filter = tee_perf_filter_read(colon + 1, error, error_size);
	return options->filter ? 0 : -1;
}

int tee_perf_options_parse(struct tee_perf_pass_options *options, const char *text, char *error, size_t error_size)
{
	static const char filter[] = "filter=";
	int result = 0;

	memset(options, 0, sizeof *options);
	while (*text && result == 0) {
		size_t length = strcspn(text, ";");
		char *word;
		if (!strncmp(text, filter, sizeof filter - 1))
			return parse_filter(options, text + sizeof filter - 1, error, error_size);
		word = strndup(text, length);
		if (length && (!word || parse_word(options, word) < 0))
			result = fail(error, error_size, word ? word : "");
		free(word);
		text += length + (text[length] == ';');
	}
	return result;
}

static void free_globs(char **globs)
{
	for (char **glob = globs; glob && *glob; glob++)
		free(*glob);
	free(globs);
}

void tee_perf_options_clear(struct tee_perf_pass_options *options)
{
	free_globs(options->external_globs);
	free_globs(options->ocall_globs);
	free_globs(options->ecall_globs);
	tee_perf_filter_free(options->filter);
}

void tee_perf_options_store(LLVMModuleRef module, const char *text)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMMetadataRef string = LLVMMDStringInContext2(context, text, strlen(text));
	LLVMMetadataRef node = LLVMMDNodeInContext2(context, &string, 1);

	LLVMAddNamedMetadataOperand(module, TEE_PERF_OPTIONS_NAME, LLVMMetadataAsValue(context, node));
}

char *tee_perf_options_load(LLVMModuleRef module)
{
	LLVMValueRef node, string;
	const char *text;
	unsigned length;

	if (LLVMGetNamedMetadataNumOperands(module, TEE_PERF_OPTIONS_NAME) != 1)
		return NULL;
	LLVMGetNamedMetadataOperands(module, TEE_PERF_OPTIONS_NAME, &node);
	if (LLVMGetMDNodeNumOperands(node) != 1)
		return NULL;
	LLVMGetMDNodeOperands(node, &string);
	text = LLVMGetMDString(string, &length);
	return text ? strndup(text, length) : NULL;
}
