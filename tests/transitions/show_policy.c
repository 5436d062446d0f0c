/* SPDX-License-Identifier: MIT */
/* Prints the policy that this process's runtime goes by. */
#define _GNU_SOURCE
#include "runtime/thread.h"

#include <dlfcn.h>
#include <stdio.h>

void in_library(void);

int main(void)
{
	const struct tee_perf_state *state = dlsym(RTLD_DEFAULT, "tee_perf_state");

	in_library();
	if (state == NULL)
		return 1;
	printf("%u %u %llu\n", state->policy->full, state->policy->wait, (unsigned long long)state->policy->ring_bytes);
	return 0;
}
