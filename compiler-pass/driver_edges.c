/* SPDX-License-Identifier: MIT */
/* The drivers' options about an enclave: its edges, and the policy that is built into it. */
#include "compiler-pass/driver.h"
#include "runtime/abi.h"
#include "runtime/log_layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int set_globs(const char **globs, const char *value)
{
	*globs = value;
	return !value || !*value || strchr(value, ';') ? -1 : 0;
}

int driver_set_ocalls(struct driver_request *r, const char *value)
{
	return set_globs(&r->ocall_globs, value);
}

int driver_set_ecalls(struct driver_request *r, const char *value)
{
	return set_globs(&r->ecall_globs, value);
}

/* ---- -ftee-perf-policy */

static int parse_number(const char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return *text < '0' || *text > '9' || *end || errno ? -1 : 0;
}

static int set_full(struct tee_perf_policy *policy, const char *value)
{
	static const char *const names[] = {
		[TEE_PERF_FULL_WAIT] = "wait",
		[TEE_PERF_FULL_DROP] = "drop",
		[TEE_PERF_FULL_OVERWRITE] = "overwrite",
	};

	for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (!strcmp(value, names[i])) {
			policy->full = i + 1;
			return 0;
		}
	}
	return -1;
}

/* "yes": as long as the runtime ever waits. */
static int set_wait(struct tee_perf_policy *policy, const char *value)
{
	uint64_t rounds = 0;

	if (!strcmp(value, "yes"))
		rounds = UINT32_MAX - 1;
	else if (strcmp(value, "no") && (parse_number(value, &rounds) < 0 || rounds >= UINT32_MAX - 1))
		return -1;
	policy->wait = (uint32_t)rounds + 1;
	return 0;
}

/* Rings grow by doubling, so the limit is a power of two: the next below. */
static int set_ring(struct tee_perf_policy *policy, const char *value)
{
	uint64_t limit;

	if (parse_number(value, &limit) < 0 || limit < TEE_PERF_RING_BYTES_MIN || limit > TEE_PERF_RING_BYTES_MAX)
		return -1;
	policy->ring_bytes = UINT64_C(1) << (63 - __builtin_clzll(limit));
	return 0;
}

static const struct {
	const char *name;
	int (*set)(struct tee_perf_policy *policy, const char *value);
} policy_words[] = { { "full=", set_full }, { "wait=", set_wait }, { "ring=", set_ring } };

static int set_word(struct tee_perf_policy *policy, const char *word)
{
	for (size_t i = 0; i < sizeof policy_words / sizeof *policy_words; i++) {
		size_t length = strlen(policy_words[i].name);
		if (!strncmp(word, policy_words[i].name, length))
			return policy_words[i].set(policy, word + length);
	}
	return -1;
}

int driver_set_policy(struct driver_request *r, const char *value)
{
	char *text = strdup(value ? value : ""), *rest = text, *word;
	int result = text && *text ? 0 : -1;

	r->policy = (struct tee_perf_policy){ 0 };
	while (result == 0 && (word = strsep(&rest, ",")))
		result = set_word(&r->policy, word);
	free(text);
	return result;
}

/* ---- for the pass */

/* Adds "name=value;" to text. */
static int append(char **text, const char *name, const char *value)
{
	char *longer;

	if (asprintf(&longer, "%s%s=%s;", *text, name, value) < 0)
		return -1;
	free(*text);
	*text = longer;
	return 0;
}

char *driver_edge_words(const struct driver_request *r)
{
	char *text = strdup(r->system_calls ? "system-calls;" : ""), policy[96];
	bool failed = !text;

	if (!failed && r->ocall_globs)
		failed = append(&text, "ocalls", r->ocall_globs) < 0;
	if (!failed && r->ecall_globs)
		failed = append(&text, "ecalls", r->ecall_globs) < 0;
	snprintf(policy, sizeof policy, "%" PRIu32 ".%" PRIu32 ".%" PRIu64, r->policy.full, r->policy.wait,
		 r->policy.ring_bytes);
	if (!failed && strcmp(policy, "0.0.0"))
		failed = append(&text, "policy", policy) < 0;
	if (!failed)
		return text;
	free(text);
	return NULL;
}
