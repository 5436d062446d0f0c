/* SPDX-License-Identifier: MIT */
/* The untrusted part. `tee-perf record ./app` shows it and its enclave as two processes of one report. Each line
 * "expect <function> <calls>" is what the report must say of the enclave. */
#include "index_u.h"
#include "sgx_sdk_untrusted.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define KEYS     3000u
#define SEARCHES 30u
#define THREADS  2u

static sgx_enclave_id_t enclave;
static unsigned progress;

void ocall_progress(uint32_t done)
{
	progress = done;
}

static void check(sgx_status_t status, const char *what)
{
	if (status == SGX_SUCCESS)
		return;
	fprintf(stderr, "%s: status 0x%x\n", what, (unsigned)status);
	exit(1);
}

/* Each thread enters again and again. */
static void *search(void *data)
{
	uint64_t wanted[100];
	uint32_t found;

	for (unsigned i = 0; i < SEARCHES; i++) {
		for (unsigned k = 0; k < 100; k++)
			wanted[k] = i * 100 + k;
		check(ecall_search(enclave, &found, wanted, 100), "ecall_search");
		*(uint32_t *)data += found;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "index.signed.so";
	pthread_t thread[THREADS];
	uint32_t found[THREADS] = { 0 }, splits;

	check(sgx_create_enclave(path, SGX_DEBUG_FLAG, NULL, NULL, &enclave, NULL), "sgx_create_enclave");
	int recorded = tee_perf_sgx_attach(enclave, path);
	check(ecall_fill(enclave, KEYS, 0), "ecall_fill");
	check(ecall_sort(enclave, &splits), "ecall_sort");
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, search, &found[i]) != 0)
			return 1;
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	check(sgx_destroy_enclave(enclave), "sgx_destroy_enclave");
	for (unsigned i = 0; i < THREADS; i++)
		if (found[i] != KEYS || progress != KEYS)
			return 1;
	printf("recorded %d\n", recorded);
	printf("expect ecall_fill 1\nexpect ecall_sort 1\nexpect split %u\n", splits);
	printf("expect ecall_search %u\nexpect find %u\nexpect mix %u\n", THREADS * SEARCHES, THREADS * SEARCHES * 100,
	       THREADS * SEARCHES * 100 + KEYS);
	return 0;
}
