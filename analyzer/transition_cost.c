/* SPDX-License-Identifier: MIT */
/* What one crossing costs: published, as the recording has it, as somebody says. */
#include "analyzer/transitions.h"
#include "runtime/abi.h"

#include <stdlib.h>
#include <string.h>

/* Published for a hypervisor-based TEE, see docs/TRANSITIONS.md. */
#define ECALL_CYCLES 9600
#define OCALL_CYCLES 4900
#define ASSUMED_HZ   3e9

static const struct unit {
	const char *name;
	double ns; /* 0: cycles */
} units[] = { { "", 0 }, { "cycles", 0 }, { "ns", 1 }, { "us", 1000 } };

/* One of cycles and ns is set, the other is 0. */
static int parse_cost(const char *text, double *cycles, double *ns)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || !(value >= 0 && value < 1e12))
		return -1;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(end, units[i].name) != 0)
			continue;
		*cycles = units[i].ns == 0 ? value : 0;
		*ns = value * units[i].ns;
		return 0;
	}
	return -1;
}

static int parse_word(struct tee_perf_transition_cost *cost, const char *word)
{
	double ghz;
	char *end;

	if (strncmp(word, "ecall=", 6) == 0)
		return parse_cost(word + 6, &cost->ecall_cycles, &cost->ecall_ns);
	if (strncmp(word, "ocall=", 6) == 0)
		return parse_cost(word + 6, &cost->ocall_cycles, &cost->ocall_ns);
	if (strncmp(word, "ghz=", 4) != 0)
		return -1;
	ghz = strtod(word + 4, &end);
	if (end == word + 4 || *end != '\0' || !(ghz >= 0.001 && ghz <= 100))
		return -1;
	cost->hz = ghz * 1e9;
	cost->hz_source = TEE_PERF_HZ_GIVEN;
	return 0;
}

static int parse(struct tee_perf_transition_cost *cost, const char *text)
{
	char *copy = strdup(text), *rest = copy, *word;
	int result = copy == NULL || *copy == '\0' ? -1 : 0;

	while (result == 0 && (word = strsep(&rest, ",")) != NULL)
		result = parse_word(cost, word);
	free(copy);
	return result;
}

int tee_perf_transition_cost_parse(struct tee_perf_transition_cost *cost, const char *text, struct tee_perf_error *err)
{
	struct tee_perf_transition_cost changed = *cost;

	if (parse(&changed, text) != 0)
		return tee_perf_fail(
		    err, TEE_PERF_USAGE,
		    "wrong --transition-cost '%s': expected ecall=COST,ocall=COST,ghz=RATE, any of the "
		    "three, COST in cycles or with a unit, as 1.6us or 4900ns",
		    text);
	changed.source = TEE_PERF_COST_GIVEN;
	*cost = changed;
	return 0;
}

/* What a section of the recording says. One that makes no sense says nothing. */
static void take_over(struct tee_perf_transition_cost *cost, const json_t *section, enum tee_perf_cost_source source)
{
	const char *text = json_string_value(json_object_get(section, "transition_cost"));
	struct tee_perf_transition_cost changed = *cost;

	if (text == NULL || parse(&changed, text) != 0)
		return;
	changed.source = source;
	*cost = changed;
}

struct tee_perf_transition_cost tee_perf_transition_cost_default(const struct tee_perf_recording *recording)
{
	double hz = json_number_value(json_object_get(recording->end, "tsc_hz"));
	bool recorded = hz > 1e6 && hz < 1e11;
	struct tee_perf_transition_cost cost = { .ecall_cycles = ECALL_CYCLES,
						 .ocall_cycles = OCALL_CYCLES,
						 .hz = recorded ? hz : ASSUMED_HZ,
						 .hz_source = recorded ? TEE_PERF_HZ_RECORDED : TEE_PERF_HZ_ASSUMED };

	take_over(&cost, recording->end, TEE_PERF_COST_TOLD);
	take_over(&cost, recording->start, TEE_PERF_COST_RECORDED);
	return cost;
}

double tee_perf_transition_cost_ns(const struct tee_perf_transition_cost *cost, unsigned kind)
{
	double cycles = kind == TEE_PERF_ENTRY_ECALL ? cost->ecall_cycles : cost->ocall_cycles;
	double ns = kind == TEE_PERF_ENTRY_ECALL ? cost->ecall_ns : cost->ocall_ns;

	return cycles != 0 ? cycles / cost->hz * 1e9 : ns;
}
