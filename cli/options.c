/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MAX 32
#define HELP_VALUE  256 /* what getopt_long returns for --help; option i is HELP_VALUE + 1 + i */

/* "--name=a|b" as the help shows it. */
static void spell(const struct tee_perf_option *option, char *out, size_t size)
{
	int used = option->letter != 0 ? snprintf(out, size, "-%c, --%s", option->letter, option->name)
				       : snprintf(out, size, "    --%s", option->name);
	if (option->argument != NULL)
		snprintf(out + used, size - (size_t)used, " %s", option->argument);
	for (size_t i = 0; option->choices != NULL && option->choices[i] != NULL; i++)
		used += snprintf(out + used, size - (size_t)used, "%s%s", i == 0 ? " " : "|", option->choices[i]);
}

void tee_perf_options_help(const struct tee_perf_usage *usage)
{
	char text[128];
	int width = 10;
	for (size_t i = 0; i < usage->option_count; i++) {
		spell(&usage->options[i], text, sizeof text);
		int length = (int)strlen(text);
		width = length > width && length <= 34 ? length : width;
	}
	printf("usage: tee-perf %s %s\n\n%s\n\n", usage->command, usage->synopsis, usage->summary);
	for (size_t i = 0; i < usage->option_count; i++) {
		spell(&usage->options[i], text, sizeof text);
		if ((int)strlen(text) > width)
			printf("  %s\n  %-*s  %s\n", text, width, "", usage->options[i].help);
		else
			printf("  %-*s  %s\n", width, text, usage->options[i].help);
	}
	printf("  %-*s  %s\n", width, "-h, --help", "print this");
	if (usage->notes != NULL)
		printf("\n%s\n", usage->notes);
}

static int bad_value(const struct tee_perf_usage *usage, const struct tee_perf_option *option, const char *text,
		     const char *wanted, struct tee_perf_error *err)
{
	return tee_perf_fail(err, TEE_PERF_USAGE, "%s: --%s wants %s, not '%s': see 'tee-perf %s --help'",
			     usage->command, option->name, wanted, text, usage->command);
}

static int set_choice(const struct tee_perf_usage *usage, const struct tee_perf_option *option, const char *text,
		      int *value, struct tee_perf_error *err)
{
	char wanted[128] = "";
	for (int i = 0; option->choices[i] != NULL; i++) {
		if (strcmp(text, option->choices[i]) == 0) {
			*value = i;
			return 0;
		}
		size_t used = strlen(wanted);
		snprintf(wanted + used, sizeof wanted - used, "%s%s", i == 0 ? "" : " or ", option->choices[i]);
	}
	return bad_value(usage, option, text, wanted, err);
}

/* A limit as the user may write it. */
static void spell_limit(char *out, size_t size, const struct tee_perf_option *option, bool low)
{
	uint64_t limit = low ? option->minimum : option->maximum;
	unsigned unit = 0;
	for (; option->type == TEE_PERF_OPTION_SIZE && limit != 0 && limit % 1024 == 0 && unit < 4; unit++)
		limit /= 1024;
	snprintf(out, size, "at %s %" PRIu64 "%.1s", low ? "least" : "most", limit, unit == 0 ? "" : &"KMGT"[unit - 1]);
}

static int set_number(const struct tee_perf_usage *usage, const struct tee_perf_option *option, const char *text,
		      uint64_t *value, struct tee_perf_error *err)
{
	char *end;
	errno = 0;
	uint64_t number = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : (end = (char *)text, 0);
	unsigned shift = 0;
	if (option->type == TEE_PERF_OPTION_SIZE && end != text && *end != 0) {
		const char *units = "KMGT", *unit = strchr(units, toupper((unsigned char)*end));
		if (unit != NULL) {
			shift = 10 * (unsigned)(unit - units + 1);
			end++;
		}
	}
	if (end != text && *end == 0 && (errno == ERANGE || number > UINT64_MAX >> shift))
		return bad_value(usage, option, text, "a smaller number", err);
	if (end == text || *end != 0)
		return bad_value(usage, option, text,
				 shift != 0 || option->type == TEE_PERF_OPTION_SIZE
				     ? "a size such as 4096, 64K, 1M or 4G"
				     : "a whole number",
				 err);
	number <<= shift;
	if (number < option->minimum || (option->maximum != 0 && number > option->maximum)) {
		char wanted[64];
		spell_limit(wanted, sizeof wanted, option, number < option->minimum);
		return bad_value(usage, option, text, wanted, err);
	}
	*value = number;
	return 0;
}

static int set_real(const struct tee_perf_usage *usage, const struct tee_perf_option *option, const char *text,
		    double *value, struct tee_perf_error *err)
{
	char *end;
	double number = strtod(text, &end);
	if (end == text || *end != 0 || !isfinite(number) || number < (double)option->minimum)
		return bad_value(usage, option, text, "a number that is not negative", err);
	*value = number;
	return 0;
}

static int set(const struct tee_perf_usage *usage, const struct tee_perf_option *option, const char *text, void *values,
	       struct tee_perf_error *err)
{
	void *value = (char *)values + option->place;
	switch (option->type) {
	case TEE_PERF_OPTION_FLAG:
		*(bool *)value = true;
		return 0;
	case TEE_PERF_OPTION_STRING:
		*(const char **)value = text;
		return 0;
	case TEE_PERF_OPTION_CHOICE:
		return set_choice(usage, option, text, value, err);
	case TEE_PERF_OPTION_NUMBER:
	case TEE_PERF_OPTION_SIZE:
		return set_number(usage, option, text, value, err);
	case TEE_PERF_OPTION_REAL:
		return set_real(usage, option, text, value, err);
	}
	return 0;
}

/* getopt_long's tables; letters begins with '+' (stop at the first argument) and ':' (tell missing values apart). */
static void make_tables(const struct tee_perf_usage *usage, struct option *names, char *letters)
{
	*letters++ = '+';
	*letters++ = ':';
	*letters++ = 'h';
	for (size_t i = 0; i < usage->option_count; i++) {
		const struct tee_perf_option *option = &usage->options[i];
		bool has_value = option->type != TEE_PERF_OPTION_FLAG;
		names[i] = (struct option){ option->name, has_value ? required_argument : no_argument, NULL,
					    HELP_VALUE + 1 + (int)i };
		if (option->letter == 0)
			continue;
		*letters++ = option->letter;
		if (has_value)
			*letters++ = ':';
	}
	names[usage->option_count] = (struct option){ "help", no_argument, NULL, HELP_VALUE };
	names[usage->option_count + 1] = (struct option){ 0 };
	*letters = 0;
}

static const struct tee_perf_option *find(const struct tee_perf_usage *usage, int got)
{
	if (got > HELP_VALUE)
		return &usage->options[got - HELP_VALUE - 1];
	for (size_t i = 0; i < usage->option_count; i++)
		if (usage->options[i].letter == got)
			return &usage->options[i];
	return NULL;
}

int tee_perf_options_parse(const struct tee_perf_usage *usage, int argc, char **argv, void *values, int *first,
			   struct tee_perf_error *err)
{
	struct option names[OPTIONS_MAX + 2];
	char letters[2 * OPTIONS_MAX + 4];
	make_tables(usage, names, letters);
	opterr = 0;
	optind = 0; /* glibc: start afresh */
	int got;
	while ((got = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		const char *last = argv[optind - 1];
		if (got == 'h' || got == HELP_VALUE) {
			tee_perf_options_help(usage);
			return 1;
		}
		if (got == ':')
			return tee_perf_fail(err, TEE_PERF_USAGE,
					     "%s: option '%s' needs a value: see 'tee-perf %s --help'", usage->command,
					     last, usage->command);
		if (got == '?') {
			char letter[3] = { '-', (char)optopt, 0 };
			bool by_letter = optopt > 0 && optopt < HELP_VALUE;
			return tee_perf_fail(err, TEE_PERF_USAGE, "%s: unknown option '%s': see 'tee-perf %s --help'",
					     usage->command, by_letter ? letter : last, usage->command);
		}
		if (set(usage, find(usage, got), optarg, values, err) != 0)
			return -1;
	}
	*first = optind;
	if (!usage->takes_arguments && optind < argc)
		return tee_perf_fail(err, TEE_PERF_USAGE, "%s: '%s' is one argument too many: see 'tee-perf %s --help'",
				     usage->command, argv[optind], usage->command);
	return 0;
}
