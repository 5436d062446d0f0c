/* SPDX-License-Identifier: MIT */
/* The host of the same enclave as in ../sgx-sdk, for Open Enclave. Each line "expect <function> <calls>" is what the
 * report must say of the enclave. */
#include "index_u.h"
#include "open_enclave_untrusted.h"

#include <stdio.h>
#include <stdlib.h>

#define KEYS     2000u
#define SEARCHES 20u

static unsigned progress;

void ocall_progress(uint32_t done)
{
	progress = done;
}

static void check(oe_result_t result, const char *what)
{
	if (result == OE_OK)
		return;
	fprintf(stderr, "%s: result 0x%x\n", what, (unsigned)result);
	exit(1);
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "index.signed";
	uint64_t wanted[100];
	uint32_t found = 0, splits;
	oe_enclave_t *enclave;

	check(oe_create_index_enclave(path, OE_ENCLAVE_TYPE_AUTO, OE_ENCLAVE_FLAG_DEBUG, NULL, 0, &enclave),
	      "oe_create_index_enclave");
	int recorded = tee_perf_oe_attach(enclave, path);
	check(ecall_fill(enclave, KEYS, 0), "ecall_fill");
	check(ecall_sort(enclave, &splits), "ecall_sort");
	for (unsigned i = 0; i < SEARCHES; i++) {
		uint32_t hits;
		for (unsigned k = 0; k < 100; k++)
			wanted[k] = i * 100 + k;
		check(ecall_search(enclave, &hits, wanted, 100), "ecall_search");
		found += hits;
	}
	check(oe_terminate_enclave(enclave), "oe_terminate_enclave");
	if (found != KEYS || progress != KEYS)
		return 1;
	printf("recorded %d\nexpect ecall_fill 1\nexpect ecall_sort 1\nexpect split %u\n", recorded, splits);
	printf("expect ecall_search %u\nexpect find %u\nexpect mix %u\n", SEARCHES, SEARCHES * 100, 2 * KEYS);
	return 0;
}
