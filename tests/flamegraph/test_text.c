/* SPDX-License-Identifier: MIT */
#include "flamegraph/colour.h"
#include "flamegraph/out.h"
#include "flamegraph/text.h"
#include "suites.h"
#include "util/duration.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

/* What flame_out_text makes of a string; the caller frees it. */
static char *written(const char *text)
{
	static struct flame_out out;
	char *result = NULL;
	size_t size = 0;
	out = (struct flame_out){ .file = open_memstream(&result, &size) };
	flame_out_text(&out, text, strlen(text));
	flame_out_flush(&out);
	fclose(out.file);
	return result;
}

static const struct {
	const char *in, *out;
} texts[] = {
	{ "", "" },
	{ "a<b>&\"'c", "a&lt;b&gt;&amp;&quot;'c" },
	{ "\x01\t\n\x1b\x7f", "\u2401\u2409\u240a\u241b\u2421" },
	{ "\u00e9\u65e5\U0001f600", "\u00e9\u65e5\U0001f600" },
	{ "\xff", "\ufffd" },
	{ "\xc0\xaf", "\ufffd\ufffd" },                     /* overlong */
	{ "\xe0\x80\xaf", "\ufffd\ufffd\ufffd" },           /* overlong */
	{ "\xed\xa0\x80", "\ufffd\ufffd\ufffd" },           /* surrogate */
	{ "\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd" }, /* above U+10FFFF */
	{ "\xe2\x82", "\ufffd" },                           /* ends too early */
	{ "\xe2\x82z", "\ufffdz" },
	{ "\xf0\x9f\x98\xe2\x82\xac", "\ufffd\u20ac" },
	{ "\xef\xbf\xbe", "\ufffd" }, /* U+FFFE, no character of XML */
	{ "\xef\xb7\x90", "\ufffd" }, /* U+FDD0 */
	{ "\xc2\x85", "\ufffd" },     /* C1 control */
	{ "\u202egnp.exe", "\ufffdgnp.exe" },
};

START_TEST(test_text)
{
	char *got = written(texts[_i].in);
	ck_assert_str_eq(got, texts[_i].out);
	free(got);
}
END_TEST

/* No byte sequence reaches the file as anything but well-formed UTF-8, and decoding never passes the end. */
START_TEST(test_every_pair)
{
	for (unsigned a = 1; a < 256; a++) {
		for (unsigned b = 1; b < 256; b++) {
			char in[] = { (char)a, (char)b, '\0' };
			char *once = written(in), *twice = written(once);
			const char *entity = strchr(once, '&');
			if (entity == NULL)
				ck_assert_str_eq(once, twice);
			free(once);
			free(twice);
		}
	}
}
END_TEST

static const struct {
	const char *text;
	unsigned columns;
	size_t size;
	bool cut;
} fits[] = {
	{ "", 0, 0, false },
	{ "abc", 3, 3, false },
	{ "abcd", 3, 2, true },
	{ "abcd", 1, 0, true },
	{ "a", 0, 0, true },
	{ "<&>\"", 3, 2, true },
	{ "\u00e9\u00e9\u00e9", 2, 2, true },
	{ "\u65e5\u672c", 4, 6, false },
	{ "\u65e5\u672c", 3, 3, true },
	{ "e\u0301e\u0301e\u0301", 3, 9, false },
	{ "e\u0301e\u0301e\u0301x", 3, 6, true }, /* the accent stays with its letter */
	{ "\xff\xff\xff", 4, 1, true },
};

START_TEST(test_fit)
{
	bool cut;
	ck_assert_uint_eq(flame_fit(fits[_i].text, fits[_i].columns, &cut), fits[_i].size);
	ck_assert_int_eq(cut, fits[_i].cut);
}
END_TEST

static const struct {
	uint64_t ns;
	const char *text;
} durations[] = {
	{ 0, "0 ns" },
	{ 1, "1 ns" },
	{ 999, "999 ns" },
	{ 1000, "1.00 us" },
	{ 1005, "1.01 us" },
	{ 9994, "9.99 us" },
	{ 9995, "10.0 us" },
	{ 12345, "12.3 us" },
	{ 99950, "100 us" },
	{ 999499, "999 us" },
	{ 999500, "1.00 ms" },
	{ 12345678, "12.3 ms" },
	{ 999999999, "1.00 s" },
	{ 59949999999, "59.9 s" },
	{ 999499999999, "999 s" },
	{ 1234500000000, "1,235 s" },
	{ UINT64_MAX, "18,446,744,074 s" },
};

START_TEST(test_duration)
{
	char text[32];
	tee_perf_duration_text(text, (double)durations[_i].ns);
	ck_assert_str_eq(text, durations[_i].text);
}
END_TEST

START_TEST(test_count)
{
	char text[32];
	flame_format_count(text, 0);
	ck_assert_str_eq(text, "0");
	flame_format_count(text, 999);
	ck_assert_str_eq(text, "999");
	flame_format_count(text, 1000);
	ck_assert_str_eq(text, "1,000");
	flame_format_count(text, UINT64_MAX);
	ck_assert_str_eq(text, "18,446,744,073,709,551,615");
}
END_TEST

static const struct {
	uint64_t part, whole;
	const char *text;
} percents[] = {
	{ 0, 0, "0 %" },
	{ 0, 7, "0 %" },
	{ 7, 7, "100 %" },
	{ 1, 3, "33.33 %" },
	{ 1, 1000000, "<0.01 %" },
	{ 456, 10000, "4.56 %" },
	{ 5, 100, "5.00 %" },
	{ UINT64_MAX / 2, UINT64_MAX, "50.00 %" },
	{ UINT64_MAX - 1, UINT64_MAX, "100.00 %" }, /* nearly */
};

START_TEST(test_percent)
{
	char text[32];
	flame_format_percent(text, percents[_i].part, percents[_i].whole);
	ck_assert_str_eq(text, percents[_i].text);
}
END_TEST

/* WCAG 2 contrast of text on every colour, light and dark. */
static double luminance(uint32_t rgb)
{
	static const double weights[] = { 0.2126, 0.7152, 0.0722 };
	double sum = 0;
	for (int i = 0; i < 3; i++) {
		double value = (rgb >> (16 - 8 * i) & 0xff) / 255.0;
		/* the power of 2.4 by a power of 2 and of 0.4, near enough from above: no libm in a test of it */
		sum += weights[i] * (value <= 0.04045 ? value / 12.92 : value * value * (0.3 + 0.7 * value));
	}
	return sum;
}

START_TEST(test_colours_legible)
{
	static const uint32_t text[] = { 0x18181b, 0xf4f4f5 }; /* flame.css */
	for (unsigned colour = 0; colour < FLAME_COLOUR_COUNT; colour++) {
		for (int dark = 0; dark <= 1; dark++) {
			double a = luminance(flame_colour_rgb(colour, dark)) + 0.05, b = luminance(text[dark]) + 0.05;
			ck_assert_double_gt(a > b ? a / b : b / a, 4.5);
		}
	}
}
END_TEST

START_TEST(test_colours)
{
	unsigned main_colour = flame_colour("main", "/usr/bin/prog");
	/* pictures are compared with older ones: these never change */
	ck_assert_uint_eq(main_colour, 38);
	ck_assert_uint_eq(flame_colour("main", ""), 582);
	ck_assert_uint_eq(flame_colour("main", "/somewhere/else/prog"), main_colour);
	ck_assert_uint_eq(flame_colour("other", "prog") / 8, main_colour / 8);
	ck_assert_uint_ne(flame_colour("main", "libm.so.6") / 8, main_colour / 8);
	ck_assert_uint_eq(flame_colour("[unresolved]", "prog") / 8, 73);
	ck_assert_uint_ne(flame_colour("[", "prog") / 8, 73);
	ck_assert_uint_ne(flame_colour("[x", "prog") / 8, 73);
}
END_TEST

Suite *text_suite(void)
{
	Suite *suite = suite_create("text");
	TCase *tests = tcase_create("text");
	tcase_add_loop_test(tests, test_text, 0, COUNT(texts));
	tcase_add_test(tests, test_every_pair);
	tcase_add_loop_test(tests, test_fit, 0, COUNT(fits));
	tcase_add_loop_test(tests, test_duration, 0, COUNT(durations));
	tcase_add_test(tests, test_count);
	tcase_add_loop_test(tests, test_percent, 0, COUNT(percents));
	tcase_add_test(tests, test_colours_legible);
	tcase_add_test(tests, test_colours);
	suite_add_tcase(suite, tests);
	return suite;
}
