/* SPDX-License-Identifier: MIT */
#include "cli/text.h"
#include "util/duration.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

char *tee_perf_text_resolved(char out[TEE_PERF_TEXT], double ns, double resolution_ns)
{
	if (ns >= resolution_ns)
		return tee_perf_duration_text(out, ns);
	out[0] = '<';
	tee_perf_duration_text(out + 1, resolution_ns);
	return out;
}

char *tee_perf_text_count(char out[TEE_PERF_TEXT], uint64_t count)
{
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
	char *end = out;
	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			*end++ = ',';
		*end++ = digits[i];
	}
	*end = 0;
	return out;
}

char *tee_perf_text_share(char out[TEE_PERF_TEXT], double part, double whole)
{
	snprintf(out, TEE_PERF_TEXT, "%.2f %%", whole > 0 ? 100 * part / whole : 0.0);
	return out;
}

/* Length of the valid UTF-8 character at text (RFC 3629), 0: none. */
static size_t utf8_length(const unsigned char *text)
{
	unsigned char first = text[0];
	size_t length = first < 0x80   ? 1
			: first < 0xc2 ? 0
			: first < 0xe0 ? 2
			: first < 0xf0 ? 3
			: first < 0xf5 ? 4
				       : 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	bool overlong = (first == 0xe0 && text[1] < 0xa0) || (first == 0xf0 && text[1] < 0x90);
	bool outside = (first == 0xed && text[1] > 0x9f) || (first == 0xf4 && text[1] > 0x8f);
	return overlong || outside ? 0 : length;
}

char *tee_perf_text_utf8(const char *bytes)
{
	char *text = malloc(2 * strlen(bytes) + 1), *end = text;
	const unsigned char *at = (const unsigned char *)bytes;
	while (text != NULL && *at != 0) {
		size_t length = utf8_length(at);
		if (length == 0) {
			*end++ = (char)(0xc0 | *at >> 6);
			*end++ = (char)(0x80 | (*at++ & 0x3f));
			continue;
		}
		memcpy(end, at, length);
		end += length;
		at += length;
	}
	if (text != NULL)
		*end = 0;
	return text;
}

char *tee_perf_text_line(const char *bytes)
{
	char *utf8 = tee_perf_text_utf8(bytes);
	char *line = utf8 == NULL ? NULL : malloc(4 * strlen(utf8) + 1), *end = line;
	for (const unsigned char *at = (const unsigned char *)utf8; line != NULL && *at != 0; at++) {
		static const char named[] = "abtnvfr"; /* 7 .. 13 */
		if (*at >= 7 && *at <= 13)
			end += sprintf(end, "\\%c", named[*at - 7]);
		else if (*at < 0x20 || *at == 0x7f)
			end += sprintf(end, "\\x%02x", *at);
		else if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0) /* C1 controls */
			end += sprintf(end, "\\x%02x", *++at);
		else
			*end++ = (char)*at;
	}
	if (line != NULL)
		*end = 0;
	free(utf8);
	return line;
}

json_t *tee_perf_text_json(const char *bytes)
{
	char *utf8 = tee_perf_text_utf8(bytes);
	json_t *string = utf8 == NULL ? NULL : json_string(utf8);
	free(utf8);
	return string;
}

void tee_perf_text_csv(FILE *out, const char *field)
{
	if (strpbrk(field, ",\"\r\n") == NULL) {
		fputs(field, out);
		return;
	}
	putc('"', out);
	for (; *field != 0; field++) {
		if (*field == '"')
			putc('"', out);
		putc(*field, out);
	}
	putc('"', out);
}
