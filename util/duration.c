/* SPDX-License-Identifier: MIT */
#include "util/duration.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static const struct unit {
	uint64_t ns;
	const char *name;
} units[] = { { 1000, "us" }, { 1000000, "ms" }, { 1000000000, "s" } };

static const unsigned powers[] = { 1, 10, 100 };

/* value / unit * 10^decimals, rounded half up. */
static uint64_t scaled(uint64_t value, uint64_t unit, unsigned decimals)
{
	unit /= powers[decimals];
	uint64_t rest = value % unit;
	return value / unit + (rest >= unit - unit / 2);
}

/* Below a microsecond: a mean has a fraction. */
static void write_nanoseconds(char *out, double ns)
{
	int digits = ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0;
	bool whole = ns >= 0 && ns == (double)(uint64_t)ns;
	snprintf(out, TEE_PERF_DURATION_BYTES, "%.*f ns", whole ? 0 : digits, ns);
}

/* Three digits of the unit; false: it takes more. */
static bool write_in(char *out, uint64_t ns, const struct unit *unit)
{
	for (unsigned decimals = 3; decimals-- > 0;) {
		uint64_t value = scaled(ns, unit->ns, decimals);
		unsigned power = powers[decimals];
		if (value >= 1000)
			continue;
		if (decimals == 0)
			snprintf(out, TEE_PERF_DURATION_BYTES, "%" PRIu64 " %s", value, unit->name);
		else
			snprintf(out, TEE_PERF_DURATION_BYTES, "%u.%0*u %s", (unsigned)value / power, (int)decimals,
				 (unsigned)value % power, unit->name);
		return true;
	}
	return false;
}

static void write_seconds(char *out, uint64_t seconds)
{
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, seconds);
	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	snprintf(out, 3, " s");
}

char *tee_perf_duration_text(char out[TEE_PERF_DURATION_BYTES], double ns)
{
	if (!(ns >= 999.5)) {
		write_nanoseconds(out, ns);
		return out;
	}
	uint64_t whole = ns < 0x1p64 ? (uint64_t)(ns + 0.5) : UINT64_MAX;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (write_in(out, whole, &units[i]))
			return out;
	write_seconds(out, scaled(whole, 1000000000, 0));
	return out;
}
