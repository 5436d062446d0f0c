/* SPDX-License-Identifier: MIT */
#include "flamegraph/out.h"

#include "flamegraph/text.h"

#include <errno.h>
#include <string.h>

void flame_out_flush(struct flame_out *out)
{
	if (out->error == 0 && fwrite(out->buffer, 1, out->used, out->file) != out->used)
		out->error = errno != 0 ? errno : EIO;
	out->used = 0;
}

void flame_out_bytes(struct flame_out *out, const char *bytes, size_t size)
{
	while (size > sizeof out->buffer - out->used) {
		size_t part = sizeof out->buffer - out->used;
		memcpy(out->buffer + out->used, bytes, part);
		out->used += part;
		bytes += part;
		size -= part;
		flame_out_flush(out);
	}
	memcpy(out->buffer + out->used, bytes, size);
	out->used += size;
}

void flame_out_string(struct flame_out *out, const char *string)
{
	flame_out_bytes(out, string, strlen(string));
}

void flame_out_number(struct flame_out *out, uint64_t number)
{
	char digits[20];
	size_t at = sizeof digits;
	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number != 0);
	flame_out_bytes(out, digits + at, sizeof digits - at);
}

void flame_out_hundredths(struct flame_out *out, uint64_t hundredths)
{
	unsigned rest = (unsigned)(hundredths % 100);
	char fraction[3] = { '.', (char)('0' + rest / 10), (char)('0' + rest % 10) };
	flame_out_number(out, hundredths / 100);
	if (rest != 0)
		flame_out_bytes(out, fraction, rest % 10 != 0 ? 3 : 2);
}

static void out_code_point(struct flame_out *out, uint32_t c)
{
	char bytes[4];
	size_t size;
	if (c < 0x80) {
		bytes[0] = (char)c;
		size = 1;
	} else if (c < 0x800) {
		bytes[0] = (char)(0xc0 | c >> 6);
		size = 2;
	} else if (c < 0x10000) {
		bytes[0] = (char)(0xe0 | c >> 12);
		size = 3;
	} else {
		bytes[0] = (char)(0xf0 | c >> 18);
		size = 4;
	}
	for (size_t i = 1; i < size; i++)
		bytes[i] = (char)(0x80 | ((c >> 6 * (size - 1 - i)) & 0x3f));
	flame_out_bytes(out, bytes, size);
}

static const char *entity(uint32_t code_point)
{
	switch (code_point) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	default:
		return NULL;
	}
}

void flame_out_text(struct flame_out *out, const char *text, size_t size)
{
	const char *end = text + size;
	while (text < end) {
		uint32_t code_point = flame_decode(&text);
		const char *escaped = entity(code_point);
		if (escaped != NULL)
			flame_out_string(out, escaped);
		else
			out_code_point(out, code_point);
	}
}
