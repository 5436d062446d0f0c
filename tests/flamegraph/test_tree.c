/* SPDX-License-Identifier: MIT */
#include "flamegraph/flamegraph.h"
#include "flamegraph/tree.h"
#include "suites.h"

#include <stdlib.h>
#include <string.h>

#define ROOT TEE_PERF_FLAME_ROOT

/* The SVG, which the caller frees. */
static char *svg(const struct tee_perf_flame *flame, struct tee_perf_flame_options options)
{
	struct tee_perf_error err = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	ck_assert_int_eq(tee_perf_flame_write(flame, &options, out, &err), 0);
	fclose(out);
	return text;
}

static enum tee_perf_error_class failure(const struct tee_perf_flame *flame, struct tee_perf_flame_options options,
					 const char *path)
{
	struct tee_perf_error err = { 0 };
	FILE *out = fopen(path, "w");
	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(tee_perf_flame_write(flame, &options, out, &err), -1);
	ck_assert_str_ne(err.message, "");
	fclose(out);
	return err.class;
}

static void assert_contains(const char *text, const char *part)
{
	const char *head = strstr(text, "id=\"head\""); /* what is written before depends on colours only */
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in %.3000s", part, head != NULL ? head : text);
}

static unsigned count_of(const char *text, const char *part)
{
	unsigned count = 0;
	for (text = strstr(text, part); text != NULL; text = strstr(text + 1, part))
		count++;
	return count;
}

START_TEST(test_identity)
{
	struct tee_perf_flame *flame = tee_perf_flame_new();
	static const struct {
		const char *name, *module, *file;
		uint32_t line;
	} frames[] = {
		{ "f", "a", "x.c", 1 }, { "g", "a", "x.c", 1 }, { "f", "b", "x.c", 1 }, { "f", "a", "y.c", 1 },
		{ "f", "a", "x.c", 2 }, { "", "a", "x.c", 2 },  { "f", "", "", 0 },     { "", "", "", 0 },
	};
	enum { COUNT = sizeof frames / sizeof *frames };
	tee_perf_flame_node nodes[COUNT];
	for (int i = 0; i < COUNT; i++) {
		nodes[i] =
		    tee_perf_flame_child(flame, ROOT, frames[i].name, frames[i].module, frames[i].file, frames[i].line);
		for (int before = 0; before < i; before++)
			ck_assert_uint_ne(nodes[before], nodes[i]);
		ck_assert_uint_ne(nodes[i], ROOT);
	}
	for (int i = 0; i < COUNT; i++)
		ck_assert_uint_eq(
		    tee_perf_flame_child(flame, ROOT, frames[i].name, frames[i].module, frames[i].file, frames[i].line),
		    nodes[i]);
	ck_assert_uint_eq(tee_perf_flame_child(flame, ROOT, "f", NULL, NULL, 0), nodes[6]);
	ck_assert_uint_eq(tee_perf_flame_child(flame, ROOT, NULL, NULL, NULL, 0), nodes[7]);
	ck_assert_uint_ne(tee_perf_flame_child(flame, nodes[0], "f", "a", "x.c", 1), nodes[0]);
	tee_perf_flame_free(flame);
}
END_TEST

START_TEST(test_strings_are_copied)
{
	struct tee_perf_flame *flame = tee_perf_flame_new();
	char name[] = "first";
	tee_perf_flame_node first = tee_perf_flame_child(flame, ROOT, name, name, name, 3);
	strcpy(name, "other");
	ck_assert_uint_eq(tee_perf_flame_child(flame, ROOT, "first", "first", "first", 3), first);
	tee_perf_flame_free(flame);
}
END_TEST

START_TEST(test_many)
{
	struct tee_perf_flame *flame = tee_perf_flame_new();
	enum { COUNT = 100000 };
	for (int round = 0; round < 2; round++) {
		for (unsigned i = 0; i < COUNT; i++) {
			char name[16];
			snprintf(name, sizeof name, "f%u", i);
			ck_assert_uint_eq(tee_perf_flame_child(flame, ROOT, name, "m", "", 0), i + 1);
		}
	}
	tee_perf_flame_free(flame);
}
END_TEST

START_TEST(test_details)
{
	struct tee_perf_flame *flame = tee_perf_flame_new();
	tee_perf_flame_node outer = tee_perf_flame_child(flame, ROOT, "outer", "/bin/p", "src/p.c", 12);
	tee_perf_flame_node inner = tee_perf_flame_child(flame, outer, "in<ner", "lib&.so", "", 0);
	tee_perf_flame_node last = tee_perf_flame_child(flame, outer, "no module", NULL, "x.c", 0);
	tee_perf_flame_add(flame, outer, 1200000, 1);
	tee_perf_flame_add(flame, inner, 5000000, 1000);
	tee_perf_flame_add(flame, inner, 6100000, 234);
	tee_perf_flame_add(flame, last, 700000, 0);
	char *text = svg(flame, (struct tee_perf_flame_options){ .title = "T & t", .subtitle = "four threads" });
	assert_contains(text, "<title>T &amp; t</title>");
	assert_contains(text, ">four threads</text>");
	assert_contains(text, ">total 13.0 ms</text>");
	assert_contains(text, "<title>all\n13.0 ms, 100 %</title>");
	assert_contains(text, "<title>outer\n13.0 ms, 100 %, 1 call, self 1.20 ms\n/bin/p, src/p.c:12</title>");
	assert_contains(text, "<title>in&lt;ner\n11.1 ms, 85.38 %, 1,234 calls, self 11.1 ms\nlib&amp;.so</title>");
	assert_contains(text, "<title>no module\n700 us, 5.38 %, self 700 us\nx.c</title>");
	free(text);
	text = svg(flame, (struct tee_perf_flame_options){ .unit = TEE_PERF_FLAME_CALLS });
	assert_contains(
	    text, ">width means calls, not time; total 1,235 calls; 1 frame narrower than 0.1 px hidden (0 %)</text>");
	assert_contains(text, "<title>outer\n1,235 calls, 100 %, self 1 call\n");
	free(text);
	text = svg(flame, (struct tee_perf_flame_options){ .reverse = true });
	assert_contains(text, "<title>in&lt;ner\n11.1 ms, 85.38 %, 1,234 calls\nlib&amp;.so</title>");
	assert_contains(text, "<title>outer\n11.1 ms, 85.38 %, 1,234 calls\n"); /* as the caller */
	assert_contains(text, "<title>outer\n1.20 ms, 9.23 %, 1 call\n");       /* as the leaf */
	free(text);
	tee_perf_flame_free(flame);
}
END_TEST

START_TEST(test_order)
{
	struct tee_perf_flame *flame = tee_perf_flame_new();
	static const char *const names[] = { "b", "a", "a", "a", "a", "B" };
	static const char *const modules[] = { "", "m", "l", "m", "m", "" };
	static const char *const files[] = { "", "y", "z", "x", "x", "" };
	static const uint32_t lines[] = { 0, 1, 1, 9, 10, 0 };
	static const char *const order[] = { "B\n", "l, z:1", "m, x:9", "m, x:10", "m, y:1", "b\n" };
	for (int i = 0; i < 6; i++)
		tee_perf_flame_add(flame, tee_perf_flame_child(flame, ROOT, names[i], modules[i], files[i], lines[i]),
				   1000, 1);
	char *text = svg(flame, (struct tee_perf_flame_options){ 0 });
	const char *at = strstr(text, "id=\"frames\"");
	for (int i = 0; i < 6; i++) {
		ck_assert_msg((at = strstr(at, order[i])) != NULL, "%s is not where it should be", order[i]);
		at++;
	}
	free(text);
	tee_perf_flame_free(flame);
}
END_TEST

START_TEST(test_empty)
{
	struct tee_perf_flame *flame = tee_perf_flame_new();
	char *text = svg(flame, (struct tee_perf_flame_options){ .title = "Empty" });
	assert_contains(text, "Nothing to show: no frames");
	assert_contains(text, ">Empty</text>");
	ck_assert_uint_eq(count_of(text, "<script"), 0);
	free(text);
	tee_perf_flame_add(flame, tee_perf_flame_child(flame, ROOT, "f", "", "", 0), 0, 7);
	text = svg(flame, (struct tee_perf_flame_options){ 0 });
	assert_contains(text, "Nothing to show: no frame has a width");
	assert_contains(text, ">total 0 ns; 1 frame narrower than 0.1 px hidden (0 %)</text>");
	free(text);
	text = svg(flame, (struct tee_perf_flame_options){ .unit = TEE_PERF_FLAME_CALLS });
	ck_assert_ptr_null(strstr(text, "Nothing to show"));
	free(text);
	tee_perf_flame_free(flame);
}
END_TEST

/* Title and subtitle stay, however long, however narrow the picture. */
START_TEST(test_head)
{
	struct tee_perf_flame *flame = tee_perf_flame_new();
	char *subtitle = malloc(100001);
	tee_perf_flame_add(flame, tee_perf_flame_child(flame, ROOT, "f", "", "", 0), 5, 1);
	for (int i = 0; i < 100000; i++)
		subtitle[i] = i % 7 == 6 ? ' ' : '<';
	subtitle[100000] = '\0';
	char *text =
	    svg(flame, (struct tee_perf_flame_options){ .title = subtitle, .subtitle = subtitle, .width_px = 200 });
	ck_assert_uint_lt(strlen(text), 60000);
	ck_assert_uint_eq(count_of(text, "<g class=\"sub\">"), 2);
	assert_contains(text, "\u2026</text></g>\n<g class=\"sub\"><text x=\"10\" y=\"148\">total 5 ns</text>");
	free(text);
	memset(subtitle, 'x', 100000); /* no blank to break at */
	text = svg(flame, (struct tee_perf_flame_options){ .subtitle = subtitle, .width_px = 200 });
	ck_assert_uint_eq(count_of(text, "xxxxxxxxxxxxxxxxxxxx</text>"), 5);
	free(text);
	text = svg(flame, (struct tee_perf_flame_options){ .subtitle = "one\ntwo\n\nthree" });
	assert_contains(text, "<g class=\"sub\"><text x=\"10\" y=\"46\">one</text></g>\n"
			      "<g class=\"sub\"><text x=\"10\" y=\"63\">two</text></g>\n");
	assert_contains(text, ">three</text></g>\n");
	free(text);
	free(subtitle);
	tee_perf_flame_free(flame);
}
END_TEST

START_TEST(test_errors)
{
	struct tee_perf_flame *flame = tee_perf_flame_new();
	tee_perf_flame_node f = tee_perf_flame_child(flame, ROOT, "f", "", "", 0);
	tee_perf_flame_add(flame, f, UINT64_MAX, 1);
	static const struct tee_perf_flame_options wrong[] = {
		{ .width_px = -5 },        { .width_px = 199 },           { .width_px = 1e9 },
		{ .min_width_px = -1 },    { .min_width_px = 1e7 },       { .max_depth = 1000000 },
		{ .width_px = 0.0 / 0.0 }, { .min_width_px = 0.0 / 0.0 },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		ck_assert_int_eq(failure(flame, wrong[i], "/dev/null"), TEE_PERF_USAGE);
	ck_assert_int_eq(failure(flame, (struct tee_perf_flame_options){ 0 }, "/dev/full"), TEE_PERF_SYSTEM);
	char *text = svg(flame, (struct tee_perf_flame_options){ 0 }); /* the largest sum that there can be */
	assert_contains(text, ">total 18,446,744,074 s<");
	free(text);
	tee_perf_flame_add(flame, f, 1, 1);
	ck_assert_int_eq(failure(flame, (struct tee_perf_flame_options){ 0 }, "/dev/null"), TEE_PERF_RESOURCE);
	tee_perf_flame_free(flame);
}
END_TEST

START_TEST(test_none)
{
	struct tee_perf_flame *flame = tee_perf_flame_new();
	ck_assert_uint_eq(tee_perf_flame_child(flame, TEE_PERF_FLAME_NONE, "f", "", "", 0), TEE_PERF_FLAME_NONE);
	tee_perf_flame_add(flame, TEE_PERF_FLAME_NONE, 1, 1);
	flame->out_of_memory = true; /* what a failed allocation leaves */
	ck_assert_int_eq(failure(flame, (struct tee_perf_flame_options){ 0 }, "/dev/null"), TEE_PERF_RESOURCE);
	tee_perf_flame_free(flame);
	tee_perf_flame_free(NULL);
}
END_TEST

Suite *tree_suite(void)
{
	Suite *suite = suite_create("tree");
	TCase *tests = tcase_create("tree");
	tcase_add_test(tests, test_identity);
	tcase_add_test(tests, test_strings_are_copied);
	tcase_add_test(tests, test_many);
	tcase_add_test(tests, test_details);
	tcase_add_test(tests, test_order);
	tcase_add_test(tests, test_empty);
	tcase_add_test(tests, test_head);
	tcase_add_test(tests, test_errors);
	tcase_add_test(tests, test_none);
	suite_add_tcase(suite, tests);
	return suite;
}
