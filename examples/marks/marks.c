/* SPDX-License-Identifier: MIT */
/* Records the second half of its work only, and names two moments of it. */
#include <tee-perf.h>

#include <stdio.h>

static unsigned work(unsigned sum, unsigned rounds)
{

	for (unsigned i = 0; i < rounds; i++)
		sum = sum * 31 + i;
	return sum;
}

__attribute__((noinline)) static unsigned warm_up(unsigned sum)
{
	return work(sum, 1000000);
}

__attribute__((noinline)) static unsigned measured(unsigned sum)
{
	return work(sum, 2000000);
}

int main(void)
{
	unsigned sum = 0;

	tee_perf_off();
	for (int i = 0; i < 10; i++)
		sum = warm_up(sum);
	tee_perf_on();
	TEE_PERF_MARK("warm");
	for (int i = 0; i < 10; i++)
		sum = measured(sum);
	TEE_PERF_MARK("done");
	printf("%u\n", sum);
	return 0;
}
