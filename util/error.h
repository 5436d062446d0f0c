/* SPDX-License-Identifier: MIT */
/* The one way to fail. Every fallible function takes a `struct tee_perf_error *`, fills it once,
 * and returns -1 (or NULL). Nothing below main() prints or exits. */
#ifndef TEE_PERF_UTIL_ERROR_H
#define TEE_PERF_UTIL_ERROR_H

/* The class decides the exit status of the command (see tee_perf_error_exit_status). */
enum tee_perf_error_class {
	TEE_PERF_OK = 0,
	TEE_PERF_USAGE,    /* the command line is wrong: exit status 2 */
	TEE_PERF_INPUT,    /* a file or a log is not what it should be: 3 */
	TEE_PERF_SYSTEM,   /* the operating system refused: 4 */
	TEE_PERF_RESOURCE, /* a stated limit or memory was exceeded: 5 */
};

struct tee_perf_error {
	enum tee_perf_error_class class;
	char message[1024]; /* what, where, and what to do next; no trailing newline or full stop */
};

/* Fills err (which may be NULL) and returns -1. The first error wins: a filled err stays. */
int tee_perf_fail(struct tee_perf_error *err, enum tee_perf_error_class class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As tee_perf_fail with class SYSTEM, and ": <strerror(errno)>" appended. */
int tee_perf_fail_errno(struct tee_perf_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Exit status for main: 0 for OK, else as listed above. */
int tee_perf_error_exit_status(const struct tee_perf_error *err);

#endif
