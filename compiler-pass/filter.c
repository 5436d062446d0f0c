/* SPDX-License-Identifier: MIT */
/* The filter file. One rule per line, the last that matches a function decides:
 *
 *	# comment
 *	exclude function GLOB    GLOB against the linkage name and the demangled name
 *	include source GLOB      against the source path, as compilers print it or absolute
 *
 * A glob has *, ? and [...], and must match the whole; * matches slashes too. What no rule matches is
 * instrumented. */
#include "compiler-pass/pass.h"
#include "compiler-pass/shim.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rule {
	bool include, source;
	char *glob;
};

struct tee_perf_filter {
	size_t count, capacity;
	struct rule *rules;
};

static char *next_word(char **text)
{
	char *word = *text + strspn(*text, " \t");
	size_t length = strcspn(word, " \t");

	*text = word + length;
	if (**text)
		*(*text)++ = '\0';
	return word;
}

/* Splits a line, without its end, into a rule; returns what is wrong with it, or NULL. */
static const char *parse_rule(char *line, struct rule *rule)
{
	char *verb = next_word(&line), *subject = next_word(&line), *end;

	line += strspn(line, " \t");
	for (end = line + strlen(line); end > line && (end[-1] == ' ' || end[-1] == '\t'); end--)
		end[-1] = '\0';
	if (strcmp(verb, "include") && strcmp(verb, "exclude"))
		return "a rule begins with \"include\" or \"exclude\"";
	if (strcmp(subject, "function") && strcmp(subject, "source"))
		return "the second word must be \"function\" or \"source\"";
	if (!*line)
		return "a glob is missing";
	rule->include = verb[0] == 'i';
	rule->source = subject[0] == 's';
	rule->glob = strdup(line);
	return rule->glob ? NULL : "out of memory";
}

static const char *add_line(struct tee_perf_filter *filter, char *line)
{
	line[strcspn(line, "\r\n")] = '\0';
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return NULL;
	if (filter->count == filter->capacity) {
		size_t capacity = filter->capacity ? 2 * filter->capacity : 16;
		struct rule *rules = realloc(filter->rules, capacity * sizeof *rules);
		if (!rules)
			return "out of memory";
		filter->rules = rules;
		filter->capacity = capacity;
	}
	const char *wrong = parse_rule(line, &filter->rules[filter->count]);
	filter->count += !wrong;
	return wrong;
}

struct tee_perf_filter *tee_perf_filter_read(const char *path, char *error, size_t error_size)
{
	FILE *file = fopen(path, "r");
	struct tee_perf_filter *filter = calloc(1, sizeof *filter);
	char *line = NULL;
	const char *wrong = NULL;
	size_t size = 0;

	if (!file || !filter)
		snprintf(error, error_size, "tee-perf: cannot read the filter file %s: %s", path, strerror(errno));
	for (unsigned number = 1; file && filter && !wrong && getline(&line, &size, file) >= 0; number++) {
		wrong = add_line(filter, line);
		if (wrong)
			snprintf(error, error_size, "%s:%u: %s (rules look like \"exclude function std::*\")", path,
				 number, wrong);
	}
	free(line);
	if (file)
		fclose(file);
	if (file && filter && !wrong)
		return filter;
	tee_perf_filter_free(filter);
	return NULL;
}

void tee_perf_filter_free(struct tee_perf_filter *filter)
{
	if (!filter)
		return;
	for (size_t i = 0; i < filter->count; i++)
		free(filter->rules[i].glob);
	free(filter->rules);
	free(filter);
}

static bool matches_either(const char *glob, const char *const texts[2])
{
	for (int i = 0; i < 2; i++) {
		if (texts[i] && !fnmatch(glob, texts[i], 0))
			return true;
	}
	return false;
}

bool tee_perf_filter_includes(const struct tee_perf_filter *filter, const char *function, const char *const sources[2])
{
	char *demangled = tee_perf_shim_demangle(function);
	const char *const names[2] = { function, demangled };
	size_t i = filter->count;
	bool matches = false;

	while (i > 0 && !matches) {
		const struct rule *rule = &filter->rules[--i];
		matches = matches_either(rule->glob, rule->source ? sources : names);
	}
	free(demangled);
	return matches ? filter->rules[i].include : true;
}
