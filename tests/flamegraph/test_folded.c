/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* fopencookie */
#include "flamegraph/folded.h"
#include "flamegraph/tree.h"
#include "suites.h"

#include <errno.h>
#include <string.h>

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

static int parse(struct tee_perf_flame *flame, const char *text, size_t size, struct tee_perf_error *err)
{
	FILE *in = size > 0 ? fmemopen((void *)text, size, "r") : fopen("/dev/null", "r");
	ck_assert_ptr_nonnull(in);
	int status = tee_perf_flame_read_folded(flame, in, "x.folded", err);
	fclose(in);
	return status;
}

/* The tree as "parent>name=self" in the order of creation. */
static void describe(const struct tee_perf_flame *flame, char *text, size_t size)
{
	size_t used = 0;
	text[0] = '\0';
	for (size_t i = 1; i < flame->node_count; i++) {
		const struct flame_node *node = &flame->nodes[i];
		used += (size_t)snprintf(text + used, size - used, "%s%u>%s=%llu", i > 1 ? "," : "", node->parent,
					 flame_text(flame, flame->frames[node->frame].name),
					 (unsigned long long)node->self);
	}
}

static const struct {
	const char *text, *tree;
} good[] = {
	{ "", "" },
	{ "\n\r\n \t\n# nothing\n", "" },
	{ "a 1", "0>a=1" },
	{ "a 1\n", "0>a=1" },
	{ "a 1\r\n", "0>a=1" },
	{ "a\t 1 \t\r\n", "0>a=1" },
	{ "a;b 1\na;b 2\n", "0>a=0,1>b=3" },
	{ "a;b;c 1\na;b 2\na;b;d 3\na 4\nb 5\n", "0>a=4,1>b=2,2>c=1,2>d=3,0>b=5" },
	{ "ab;c 1\na;c 2\nabc;c 3\n", "0>ab=0,1>c=1,0>a=0,3>c=2,0>abc=0,5>c=3" },
	{ "a;b 1\n# a;b 7\n\na;b 1\n", "0>a=0,1>b=2" },
	{ "a b;c 12 34\n", "0>a b=0,1>c 12=34" },
	{ "f(int, char);operator new 5\n", "0>f(int, char)=0,1>operator new=5" },
	{ " a 1\n", "0> a=1" },
	{ ";a 1\na; 2\na;;b 3\n; 4\n", "0>=0,1>a=1,0>a=0,3>=2,4>b=3,1>=4" },
	{ "a 0\n", "0>a=0" },
	{ "a 18446744073709551615\n", "0>a=18446744073709551615" },
	{ "a 007\n", "0>a=7" },
	{ "\xef\xbb\xbf# bom\na 1\n", "0>a=1" },
	{ "\xef\xbb\xbfmain 1\n", "0>main=1" },
};

START_TEST(test_good)
{
	struct tee_perf_flame *flame = tee_perf_flame_new();
	struct tee_perf_error err = { 0 };
	char tree[256];
	ck_assert_msg(parse(flame, good[_i].text, strlen(good[_i].text), &err) == 0, "%s", err.message);
	describe(flame, tree, sizeof tree);
	ck_assert_str_eq(tree, good[_i].tree);
	tee_perf_flame_free(flame);
}
END_TEST

static const struct {
	const char *text;
	size_t size;
	const char *message;
} bad[] = {
#define BAD(text, message)                                                                                             \
	{                                                                                                              \
		text, sizeof(text) - 1, message                                                                        \
	}
	BAD("main\n", "x.folded:1: no count;"),
	BAD("main \n", "x.folded:1: no count;"),
	BAD("a 1\n\n# c\r\nb x\n", "x.folded:4: the count is not a whole number;"),
	BAD("a 1.5\n", "x.folded:1: the count is not a whole number;"),
	BAD("a -1\n", "x.folded:1: the count is not a whole number;"),
	BAD("a 0x10\n", "x.folded:1: the count is not a whole number;"),
	BAD("17\n", "x.folded:1: no stack before the count;"),
	BAD("  17\n", "x.folded:1: no stack before the count;"),
	BAD("a 18446744073709551616\n", "x.folded:1: the count is above 2^64 - 1;"),
	BAD("a 99999999999999999999999\n", "x.folded:1: the count is above 2^64 - 1;"),
	BAD("a 1\na\0b 1\n", "x.folded:2: a NUL byte;"),
	BAD("\0", "x.folded:1: a NUL byte;"),
	BAD("\x7f"
	    "ELF\x02\x01\x01",
	    "x.folded:1: no count;"),
};

START_TEST(test_bad)
{
	struct tee_perf_flame *flame = tee_perf_flame_new();
	struct tee_perf_error err = { 0 };
	ck_assert_int_eq(parse(flame, bad[_i].text, bad[_i].size, &err), -1);
	ck_assert_int_eq(err.class, TEE_PERF_INPUT);
	ck_assert_msg(strncmp(err.message, bad[_i].message, strlen(bad[_i].message)) == 0, "%s", err.message);
	tee_perf_flame_free(flame);
}
END_TEST

static ssize_t failing_read(void *cookie, char *buffer, size_t size)
{
	unsigned *calls = cookie;
	if ((*calls)++ == 0 && size >= 4) {
		memcpy(buffer, "a 1\n", 4);
		return 4;
	}
	errno = EIO;
	return -1;
}

START_TEST(test_read_error)
{
	struct tee_perf_flame *flame = tee_perf_flame_new();
	struct tee_perf_error err = { 0 };
	unsigned calls = 0;
	FILE *in = fopencookie(&calls, "r", (cookie_io_functions_t){ .read = failing_read });
	ck_assert_int_eq(tee_perf_flame_read_folded(flame, in, "x.folded", &err), -1);
	ck_assert_int_eq(err.class, TEE_PERF_SYSTEM);
	ck_assert_str_eq(err.message, "cannot read x.folded: Input/output error");
	fclose(in);
	tee_perf_flame_free(flame);
}
END_TEST

Suite *folded_suite(void)
{
	Suite *suite = suite_create("folded");
	TCase *tests = tcase_create("folded");
	tcase_add_loop_test(tests, test_good, 0, COUNT(good));
	tcase_add_loop_test(tests, test_bad, 0, COUNT(bad));
	tcase_add_test(tests, test_read_error);
	suite_add_tcase(suite, tests);
	return suite;
}
