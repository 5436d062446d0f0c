/* SPDX-License-Identifier: MIT */
/* The section PROFILE: the tracks of a model, as LEB128 integers (docs/DATA-FORMAT.md). Internal to analyzer/.
 *
 *   profile  = version, track count, track...
 *   track    = process, thread, clock, first time, last time, guessed stacks, counters (count, value...),
 *              functions (count, function...), nodes (count, node...), segments (count, segment...), root,
 *              first call (kind, w1), marks (count, mark...)
 *   function = entry, stale, first time, unwound, unconfirmed, open, timed calls; and if timed: sum, minimum,
 *              maximum, first bucket, buckets (count, value...)
 *   node     = number - parent, function, calls, self time; node 0 without the first two
 *   segment  = root, kind of end, end w1, end time
 *   mark     = entry, time
 * Functions and nodes are numbered from 0; the pseudo functions (enum tee_perf_pseudo) and node 0 are implied. */
#ifndef TEE_PERF_ANALYZER_PROFILE_H
#define TEE_PERF_ANALYZER_PROFILE_H

#define TEE_PERF_PROFILE_VERSION 1u

#endif
