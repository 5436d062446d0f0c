/* SPDX-License-Identifier: MIT */
/* Any bytes as a section PROFILE. */
#include "analyzer/tree.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

static int visit(void *argument, const struct tee_perf_tree *tree, uint32_t node, uint32_t depth)
{
	(void)argument;
	(void)depth;
	if (node >= tree->count)
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct tee_perf_error err = { 0 };
	struct tee_perf_model *model = tee_perf_model_new();
	if (model == NULL)
		abort();
	if (tee_perf_model_load(model, bytes, size, &err) != 0 && err.class != TEE_PERF_INPUT)
		abort();
	/* once more on top of itself: what goes on where another ended */
	(void)tee_perf_model_load(model, bytes, size, NULL);
	if (tee_perf_model_finish(model, 1000, NULL) != 0 || tee_perf_model_settle(model, NULL) != 0)
		abort();
	struct tee_perf_tree_visitor visitor = { visit, visit, NULL };
	for (uint32_t i = 0; i < model->track_count; i++) {
		struct tee_perf_tree tree;
		if (tee_perf_tree_build(&tree, model->tracks[i], NULL, false) != 0 ||
		    tee_perf_tree_walk(&tree, &visitor) != 0)
			abort();
		tee_perf_tree_clear(&tree);
	}
	tee_perf_model_free(model);
	return 0;
}
