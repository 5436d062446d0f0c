/* SPDX-License-Identifier: MIT */
#include "analyzer/probe.h"

#include <math.h>

static double mixed(const struct tee_perf_probe *probe, double host, double tsc)
{
	return host + probe->tsc_share * (tsc - host);
}

/* On the straight line between the two lengths around it. */
static double inside_of(const struct tee_perf_hook_times *hooks, double seen_ns)
{
	const struct tee_perf_hook_length *length = hooks->length;
	unsigned above = 0;

	while (above < hooks->length_count && length[above].seen_ns < seen_ns)
		above++;
	if (hooks->length_count == 0)
		return 0;
	if (above == 0 || above == hooks->length_count)
		return length[above == 0 ? 0 : above - 1].inside_ns;
	const struct tee_perf_hook_length *from = &length[above - 1], *to = &length[above];
	double share = (seen_ns - from->seen_ns) / (to->seen_ns - from->seen_ns);
	return from->inside_ns + share * (to->inside_ns - from->inside_ns);
}

/* Its calls cut a function's own time into pieces; the length of those is what counts. */
double tee_perf_probe_ns(const struct tee_perf_probe *probe, uint64_t self_ns, uint64_t calls, uint64_t made)
{
	double piece_ns = (double)self_ns / fmax((double)calls + (double)made, 1);
	double inside_ns = mixed(probe, inside_of(&probe->host, piece_ns), inside_of(&probe->tsc, piece_ns));

	return (double)calls * inside_ns + (double)made * mixed(probe, probe->host.outside_ns, probe->tsc.outside_ns);
}
