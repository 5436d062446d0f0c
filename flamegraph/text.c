/* SPDX-License-Identifier: MIT */
#include "flamegraph/text.h"

#include <stdio.h>
#include <string.h>

#define REPLACEMENT 0xfffdu

/* RFC 3629, table of well-formed sequences: the first byte says the length and the range of the second byte. */
static const struct sequence {
	uint8_t first, last, length, second_min, second_max;
} sequences[] = {
	{ 0xc2, 0xdf, 2, 0x80, 0xbf }, { 0xe0, 0xe0, 3, 0xa0, 0xbf }, { 0xe1, 0xec, 3, 0x80, 0xbf },
	{ 0xed, 0xed, 3, 0x80, 0x9f }, { 0xee, 0xef, 3, 0x80, 0xbf }, { 0xf0, 0xf0, 4, 0x90, 0xbf },
	{ 0xf1, 0xf3, 4, 0x80, 0xbf }, { 0xf4, 0xf4, 4, 0x80, 0x8f },
};

struct range {
	uint32_t first, last;
};

static bool in_ranges(const struct range *ranges, size_t count, uint32_t code_point)
{
	for (size_t i = 0; i < count; i++)
		if (code_point >= ranges[i].first && code_point <= ranges[i].last)
			return true;
	return false;
}
#define IN(ranges, code_point) in_ranges(ranges, sizeof(ranges) / sizeof *(ranges), code_point)

/* C1 controls, marks and overrides of direction, noncharacters: nothing that a label may do to the text around it. */
static const struct range unwanted[] = {
	{ 0x80, 0x9f }, { 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 }, { 0xfdd0, 0xfdef },
};

static uint32_t presentable(uint32_t code_point)
{
	if (code_point < 0x20)
		return 0x2400 + code_point;
	if (code_point == 0x7f)
		return 0x2421;
	if (code_point < 0x7f)
		return code_point;
	return (code_point & 0xfffe) == 0xfffe || IN(unwanted, code_point) ? REPLACEMENT : code_point;
}

/* Of an ill-formed sequence the longest well-formed start counts as one character (Unicode 15, section 3.9, "U+FFFD
 * Substitution of Maximal Subparts"): what browsers and Python do, too. */
uint32_t flame_decode(const char **text)
{
	const uint8_t *bytes = (const uint8_t *)*text;
	const struct sequence *s = sequences, *end = sequences + sizeof sequences / sizeof *sequences;
	*text += 1;
	if (bytes[0] < 0x80)
		return presentable(bytes[0]);
	while (s < end && (bytes[0] < s->first || bytes[0] > s->last))
		s++;
	if (s == end || bytes[1] < s->second_min || bytes[1] > s->second_max)
		return REPLACEMENT;
	uint32_t code_point = (bytes[0] & (0x7fu >> s->length)) << 6 | (bytes[1] & 0x3fu);
	*text += 1;
	for (unsigned i = 2; i < s->length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return REPLACEMENT;
		code_point = code_point << 6 | (bytes[i] & 0x3fu);
		*text += 1;
	}
	return presentable(code_point);
}

unsigned flame_columns(uint32_t code_point)
{
	static const struct range zero[] = {
		{ 0x300, 0x36f },   { 0x483, 0x489 },   { 0x591, 0x5bd },     { 0x610, 0x61a },   { 0x64b, 0x65f },
		{ 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200d },   { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f },
		{ 0xfe20, 0xfe2f }, { 0xfeff, 0xfeff }, { 0xe0100, 0xe01ef },
	};
	static const struct range one[] = { { 0x20, 0x52f }, { 0x2010, 0x22ff } };
	if (code_point >= 0x300 && IN(zero, code_point))
		return 0;
	return IN(one, code_point) ? 1 : 2;
}

size_t flame_fit(const char *text, unsigned columns, bool *cut)
{
	const char *at = text, *fits = text; /* fits: up to here an ellipsis has room as well */
	unsigned used = 0;
	while (*at != '\0') {
		const char *next = at;
		unsigned more = flame_columns(flame_decode(&next));
		if (used + more > columns) {
			*cut = true;
			return (size_t)(fits - text);
		}
		used += more;
		at = next;
		if (used < columns)
			fits = at;
	}
	*cut = false;
	return (size_t)(at - text);
}

void flame_format_count(char *out, uint64_t count)
{
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
}

void flame_format_percent(char *out, uint64_t part, uint64_t whole)
{
	unsigned hundredths = whole == 0 ? 0 : (unsigned)(((unsigned __int128)part * 10000 + whole / 2) / whole);
	if (hundredths == 0)
		strcpy(out, part == 0 ? "0 %" : "<0.01 %");
	else if (part >= whole)
		strcpy(out, "100 %");
	else
		snprintf(out, 32, "%u.%02u %%", hundredths / 100, hundredths % 100);
}
