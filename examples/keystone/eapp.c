/* SPDX-License-Identifier: MIT */
/* The application within the enclave: counts primes. shared: the untrusted buffer. */
#include "keystone.h"

#include <stdint.h>

#define KEPT __attribute__((noinline))

KEPT static int divides(uint64_t divisor, uint64_t number)
{
	return number % divisor == 0;
}

KEPT static int is_prime(uint64_t number)
{
	for (uint64_t divisor = 2; divisor * divisor <= number; divisor++)
		if (divides(divisor, number))
			return 0;
	return number > 1;
}

KEPT static uint64_t count_primes(uint64_t below)
{
	uint64_t primes = 0;

	for (uint64_t number = 0; number < below; number++)
		primes += (uint64_t)is_prime(number);
	return primes;
}

/* From the enclave's start code, which knows where its memory and the buffer lie. *recorded: whether tee-perf takes
 * part. */
uint64_t eapp_run(void *shared, size_t shared_bytes, const void *own, size_t own_bytes, int *recorded);
__attribute__((no_instrument_function)) uint64_t eapp_run(void *shared, size_t shared_bytes, const void *own,
							  size_t own_bytes, int *recorded)
{
	*recorded = tee_perf_keystone_attach(shared, shared_bytes, own, own_bytes);
	return count_primes(1000);
}
