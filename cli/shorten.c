/* SPDX-License-Identifier: MIT */
/* Names of C++ templates can be thousands of characters long: what a table shows of them. */
#include "cli/shorten.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DOTS "..."

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Length of an operator's name at text, whose brackets are none. */
static size_t operator_length(const char *text)
{
	static const char *const brackets[] = {
		"()", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"
	};
	static const char word[] = "operator";
	if (strncmp(text, word, sizeof word - 1) != 0)
		return 0;
	for (size_t i = 0; i < sizeof brackets / sizeof *brackets; i++)
		if (strncmp(text + sizeof word - 1, brackets[i], strlen(brackets[i])) == 0)
			return sizeof word - 1 + strlen(brackets[i]);
	return sizeof word - 1;
}

/* What the library calls std::string. */
static void name_strings(char *name)
{
	static const char spelled[] = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
	static const char word[] = "std::string";
	for (char *at = name; (at = strstr(at, spelled)) != NULL; at += sizeof word - 1) {
		memcpy(at, word, sizeof word - 1);
		memmove(at + sizeof word - 1, at + sizeof spelled - 1, strlen(at + sizeof spelled - 1) + 1);
	}
}

/* By how much the character at text changes the number of open brackets. *length: how many are to be passed. */
static int step(const char *text, size_t *length)
{
	*length = operator_length(text);
	if (*length != 0)
		return 0;
	*length = 1;
	return (*text == '<' || *text == '(') - (*text == '>' || *text == ')');
}

/* The closing bracket, or the name's end. text is behind the opening one. */
static const char *group_end(const char *text)
{
	size_t length;
	for (int depth = 1; *text != 0; text += length) {
		depth += step(text, &length);
		if (depth == 0)
			break;
	}
	return text;
}

static int deepest(const char *text)
{
	int depth = 0, most = 0;
	size_t length;
	for (; *text != 0; text += length) {
		depth += step(text, &length);
		if (depth > most)
			most = depth;
	}
	return most;
}

/* Copies a name, with dots in place of what stands within more than `keep` brackets. out is as large as in. */
static void fold(char *out, const char *in, int keep)
{
	int depth = 0;
	while (*in != 0) {
		size_t length;
		int change = step(in, &length);
		memcpy(out, in, length);
		out += length;
		in += length;
		depth += change;
		if (change <= 0 || depth != keep + 1)
			continue;
		const char *end = group_end(in);
		bool shorter = (size_t)(end - in) > sizeof DOTS - 1;
		length = shorter ? sizeof DOTS - 1 : (size_t)(end - in);
		memcpy(out, shorter ? DOTS : in, length);
		out += length;
		in = end;
	}
	*out = 0;
}

/* Leaves out the middle. */
static void cut(char *name, size_t max)
{
	size_t length = strlen(name), tail = max / 3, head = max - tail - (sizeof DOTS - 1);
	while (head > 0 && is_continuation(name[head]))
		head--;
	char *from = name + length - tail;
	while (is_continuation(*from))
		from++;
	memcpy(name + head, DOTS, sizeof DOTS - 1);
	memmove(name + head + sizeof DOTS - 1, from, strlen(from) + 1);
}

char *tee_perf_shorten(const char *text, size_t max)
{
	char *name = strdup(text), *folded = malloc(strlen(text) + 1);
	if (name == NULL || folded == NULL) {
		free(name);
		free(folded);
		return NULL;
	}
	if (strlen(name) > max)
		name_strings(name);
	strcpy(folded, name);
	for (int keep = deepest(name); strlen(folded) > max && keep-- > 0;)
		fold(folded, name, keep);
	free(name);
	if (strlen(folded) > max)
		cut(folded, max);
	return folded;
}

char *tee_perf_tidy_path(const char *path)
{
	char *tidy = strdup(path), *up;
	while (tidy != NULL && (up = strstr(tidy, "/../")) != NULL && up != tidy) {
		char *folder = up;
		while (folder > tidy && folder[-1] != '/')
			folder--;
		if (folder == tidy || strncmp(folder, "../", 3) == 0 || strncmp(folder, "./", 2) == 0)
			break;
		memmove(folder, up + 4, strlen(up + 4) + 1);
	}
	return tidy;
}
