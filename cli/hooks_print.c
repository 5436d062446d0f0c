/* SPDX-License-Identifier: MIT */
#include "cli/hooks.h"
#include "cli/text.h"
#include "runtime/log_layout.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const shapes[] = { "unknown", "plain", "fast", "inline" };
static const char *const fulls[] = { "", "wait", "drop", "overwrite" };

static const char *runtime_name(const struct tee_perf_hooks *hooks)
{
	if (hooks->needed[0] != '\0')
		return "shared";
	return hooks->has_runtime ? "static" : "none";
}

static const char *full_name(const struct tee_perf_policy *policy)
{
	return policy->full < sizeof fulls / sizeof *fulls ? fulls[policy->full] : "unknown";
}

/* "full=drop,wait=no,ring=65536", as -ftee-perf-policy has it. */
static void describe_policy(char *out, size_t size, const struct tee_perf_policy *policy)
{
	char wait[32] = "yes";
	size_t length = 0;

	out[0] = '\0';
	if (policy->wait == 1)
		strcpy(wait, "no");
	else if (policy->wait < UINT32_MAX)
		snprintf(wait, sizeof wait, "%u", policy->wait - 1);
	if (policy->full != 0)
		length += (size_t)snprintf(out, size, "full=%s,", full_name(policy));
	if (policy->wait != 0)
		length += (size_t)snprintf(out + length, size - length, "wait=%s,", wait);
	if (policy->ring_bytes != 0)
		length +=
		    (size_t)snprintf(out + length, size - length, "ring=%llu,", (unsigned long long)policy->ring_bytes);
	if (length != 0)
		out[length - 1] = '\0';
}

static const char *verdict(const struct tee_perf_hooks *hooks)
{
	if (!tee_perf_hooks_any(hooks))
		return "none";
	if (tee_perf_hooks_functions(hooks) + hooks->entries[TEE_PERF_ENTRY_EXTERNAL] +
		    hooks->entries[TEE_PERF_ENTRY_OCALL] !=
		0 ||
	    hooks->gcc)
		return "yes";
	return hooks->needed[0] != '\0' || hooks->has_runtime ? "in no function, but the runtime is there"
							      : "in no function, but marks";
}

static void print_text(const struct tee_perf_hooks *hooks, const char *path)
{
	const uint64_t *entries = hooks->entries;
	char count[TEE_PERF_TEXT], policy[160];
	char *line = tee_perf_text_line(path), *needed = tee_perf_text_line(hooks->needed);

	printf("file       %s%s\n", line != NULL ? line : "",
	       hooks->damaged ? " (damaged: what follows may lack)" : "");
	free(line);
	printf("hooks      %s\n", verdict(hooks));
	if (!tee_perf_hooks_any(hooks)) {
		free(needed);
		return;
	}
	printf("functions  %s", tee_perf_text_count(count, tee_perf_hooks_functions(hooks)));
	if (entries[TEE_PERF_ENTRY_ECALL] != 0)
		printf(", %llu of them ECALLs", (unsigned long long)entries[TEE_PERF_ENTRY_ECALL]);
	if (entries[TEE_PERF_ENTRY_OCALL] != 0)
		printf("; OCALLs: %llu", (unsigned long long)entries[TEE_PERF_ENTRY_OCALL]);
	if (entries[TEE_PERF_ENTRY_EXTERNAL] != 0)
		printf("; of other files: %llu", (unsigned long long)entries[TEE_PERF_ENTRY_EXTERNAL]);
	printf("%s\n", tee_perf_hooks_functions(hooks) == 0 && hooks->gcc ? " listed: gcc's hooks keep no list" : "");
	if (entries[TEE_PERF_ENTRY_MARK] != 0)
		printf("marks      %llu\n", (unsigned long long)entries[TEE_PERF_ENTRY_MARK]);
	printf("hook shape %s\n", shapes[hooks->shape]);
	printf("runtime    %s%s%s\n", runtime_name(hooks), hooks->needed[0] != '\0' ? ", " : "",
	       needed != NULL ? needed : "");
	describe_policy(policy, sizeof policy, &hooks->policy);
	printf("policy     %s\n", hooks->has_policy ? policy : "none built in: the host decides");
	free(needed);
}

static json_t *policy_json(const struct tee_perf_hooks *hooks)
{
	const struct tee_perf_policy *policy = &hooks->policy;

	if (!hooks->has_policy)
		return json_null();
	return json_pack("{s:s?, s:o, s:o}", "full", policy->full != 0 ? full_name(policy) : NULL, "wait_rounds",
			 policy->wait == 0            ? json_null()
			 : policy->wait == UINT32_MAX ? json_string("yes")
						      : json_integer(policy->wait - 1),
			 "ring_bytes",
			 policy->ring_bytes != 0 ? json_integer((json_int_t)policy->ring_bytes) : json_null());
}

static int print_json(const struct tee_perf_hooks *hooks, const char *path, struct tee_perf_error *err)
{
	const uint64_t *entries = hooks->entries;
	json_t *object = json_pack(
	    "{s:o, s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:b, s:s, s:s, s:o, s:o}", "file", tee_perf_text_json(path),
	    "damaged", hooks->damaged, "hooks", tee_perf_hooks_any(hooks), "functions",
	    (json_int_t)tee_perf_hooks_functions(hooks), "ocalls", (json_int_t)entries[TEE_PERF_ENTRY_OCALL], "ecalls",
	    (json_int_t)entries[TEE_PERF_ENTRY_ECALL], "external", (json_int_t)entries[TEE_PERF_ENTRY_EXTERNAL],
	    "marks", (json_int_t)entries[TEE_PERF_ENTRY_MARK], "gcc", hooks->gcc, "shape", shapes[hooks->shape],
	    "runtime", runtime_name(hooks), "soname",
	    hooks->needed[0] != '\0' ? tee_perf_text_json(hooks->needed) : json_null(), "policy", policy_json(hooks));
	int result = object == NULL || json_dumpf(object, stdout, JSON_INDENT(2)) != 0 ? -1 : 0;

	json_decref(object);
	putchar('\n');
	return result == 0 ? 0 : tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory");
}

int tee_perf_hooks_print(const struct tee_perf_hooks *hooks, const char *path, bool json, struct tee_perf_error *err)
{
	if (json)
		return print_json(hooks, path, err);
	print_text(hooks, path);
	return 0;
}
