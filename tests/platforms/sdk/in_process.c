/* SPDX-License-Identifier: MIT */
/* The enclave as a shared object of the same process, as in the SDK's own simulation mode: so the application's way to
 * the log is the real one (tee_perf_sgx_attach, tee_perf_oe_attach). */
#define _GNU_SOURCE
#include "calls.h"
#include "transport.h"

#include "simulator/tee_perf_sim_trusted.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct {
	const struct tee_perf_sim_table *table;
	void (*tell_thread)(uintptr_t low, uintptr_t high, uint32_t tid);
	uintptr_t base, end;
	const char *path;
} enclave;

static int find_range(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	if (info->dlpi_name == NULL || strstr(info->dlpi_name, enclave.path) == NULL)
		return 0;
	enclave.base = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
		if (info->dlpi_phdr[i].p_type == PT_LOAD && end > enclave.end)
			enclave.end = end;
	}
	return 1;
}

int sdk_start(const char *path)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (object == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return -1;
	}
	enclave.path = path;
	dl_iterate_phdr(find_range, NULL);
	void (*tell_enclave)(uintptr_t, uint64_t, uint64_t, bool) = dlsym(object, "tee_perf_sim_enclave");
	void (**ocall)(uint32_t) = dlsym(object, "sdk_ocall_in_process");
	enclave.tell_thread = dlsym(object, "tee_perf_sim_thread");
	enclave.table = dlsym(object, "tee_perf_sim_table");
	if (enclave.end == 0 || tell_enclave == NULL || ocall == NULL || enclave.tell_thread == NULL ||
	    enclave.table == NULL)
		return -1;
	tell_enclave(enclave.base, enclave.end - enclave.base, 0, false);
	*ocall = ocall_progress;
	return 0;
}

void sdk_enclave_range(uintptr_t *begin, uintptr_t *end)
{
	*begin = enclave.base;
	*end = enclave.end;
}

int sdk_stop(void)
{
	return 0;
}

/* The host thread's own stack serves as the enclave's. */
static void tell_stack(void)
{
	pthread_attr_t attributes;
	void *low;
	size_t bytes;

	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &low, &bytes);
	pthread_attr_destroy(&attributes);
	enclave.tell_thread((uintptr_t)low, (uintptr_t)low + bytes, 0);
}

int sdk_call(unsigned number, void *data, size_t bytes, int64_t *result)
{
	static __thread bool told;

	if (!told)
		tell_stack();
	told = true;
	if (sdk_before_entry != NULL)
		sdk_before_entry();
	*result = enclave.table->entry[number](data, bytes);
	return 0;
}
