/* SPDX-License-Identifier: MIT */
#include "util/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fill(struct tee_perf_error *err, enum tee_perf_error_class class, const char *format, va_list args)
{
	err->class = class;
	vsnprintf(err->message, sizeof err->message, format, args);
}

int tee_perf_fail(struct tee_perf_error *err, enum tee_perf_error_class class, const char *format, ...)
{
	if (err == NULL || err->class != TEE_PERF_OK)
		return -1;
	va_list args;
	va_start(args, format);
	fill(err, class, format, args);
	va_end(args);
	return -1;
}

int tee_perf_fail_errno(struct tee_perf_error *err, const char *format, ...)
{
	int number = errno;
	if (err == NULL || err->class != TEE_PERF_OK)
		return -1;
	va_list args;
	va_start(args, format);
	fill(err, TEE_PERF_SYSTEM, format, args);
	va_end(args);
	size_t length = strlen(err->message);
	snprintf(err->message + length, sizeof err->message - length, ": %s", strerror(number));
	return -1;
}

int tee_perf_error_exit_status(const struct tee_perf_error *err)
{
	static const int status[] = { 0, 2, 3, 4, 5 };
	return status[err->class];
}
