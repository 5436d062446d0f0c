/* SPDX-License-Identifier: MIT */
/* A scenario played into a model, and what came of it as text, for comparison with what a test expects. */
#ifndef TEE_PERF_TESTS_MODEL_TEXT_H
#define TEE_PERF_TESTS_MODEL_TEXT_H

#include "analyzer/model_internal.h"
#include "analyzer/recording.h"

/* Plays, finishes at end_ns and settles. The test ends if that fails. Free with model_text_free. */
struct tee_perf_recording *model_text_play(const char *scenario, uint64_t end_ns);
/* The same through a profile: what is read back from the serialized model. */
struct tee_perf_recording *model_text_play_profile(const char *scenario, uint64_t end_ns);
/* A finished model, settled, with what a report needs around it. Owns the model. */
struct tee_perf_recording *model_text_wrap(struct tee_perf_model *model);
void model_text_free(struct tee_perf_recording *recording);

/* All trees, a line per node: two blanks per level, name, calls, self time. Threads after the first begin with a line
 * "-- process thread". malloc'ed. */
char *model_text_tree(const struct tee_perf_recording *recording);
/* A line per function, by name: "name calls=2 self=3 total=5 min=1 max=4", and
 * unwound, unconfirmed, open where not 0. malloc'ed. */
char *model_text_functions(const struct tee_perf_recording *recording);

/* ck_assert that the tree of the scenario, fed and by way of a profile, is as expected. */
void model_text_expect_tree(const char *scenario, uint64_t end_ns, const char *expected);
void model_text_expect_functions(const char *scenario, uint64_t end_ns, const char *expected);

#endif
