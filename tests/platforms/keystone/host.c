/* SPDX-License-Identifier: MIT */
/* Stands for Keystone's host library and security monitor in one process: a buffer that both sides see, and the
 * enclave's own memory, which is the program's image. What lies in it must be refused. */
#include "runtime/platform/enclave_buffer_untrusted.h"

#include <stdio.h>

uint64_t eapp_run(void *shared, size_t shared_bytes, const void *own, size_t own_bytes, int *recorded);
int tee_perf_keystone_attach(void *shared, size_t bytes, const void *own, size_t own_bytes);

extern const char __executable_start[], _end[];

/* A host that says what it likes where the layout is told. Nothing of it is taken. */
static bool hostile_layouts_refused(struct tee_perf_buffer *buffer, const void *own, size_t own_bytes)
{
	static const uint64_t values[] = { 0,         1, 8, 4095, 20480, 1 << 20, UINT64_C(1) << 40, UINT64_MAX - 4095,
					   UINT64_MAX };
	struct tee_perf_buffer_control *control = buffer->begin, good = *control;

	for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
		control->header_offset = values[i];
		if (tee_perf_keystone_attach(buffer->begin, buffer->bytes, own, own_bytes))
			return false;
		*control = good;
		control->process = TEE_PERF_PROCESS_MAX + values[i] / 2;
		if (tee_perf_keystone_attach(buffer->begin, buffer->bytes, own, own_bytes))
			return false;
		*control = good;
	}
	control->slots = 0;
	if (tee_perf_keystone_attach(buffer->begin, buffer->bytes, own, own_bytes))
		return false;
	*control = good;
	return true;
}

int main(int argc, char **argv)
{
	struct tee_perf_buffer buffer;
	size_t own = (size_t)(_end - __executable_start);
	int recorded = 0;

	(void)argc;
	bool opened = tee_perf_buffer_open(&buffer, argv[0], 1);
	if (opened) {
		/* The enclave's own memory, memory that wraps around, too little: nothing of it. */
		if (tee_perf_keystone_attach(buffer.begin, buffer.bytes, buffer.begin, 1) ||
		    tee_perf_keystone_attach(buffer.begin, SIZE_MAX - 4096, __executable_start, own) ||
		    tee_perf_keystone_attach(buffer.begin, 65536, __executable_start, own) ||
		    tee_perf_keystone_attach((char *)buffer.begin + 8, buffer.bytes - 8, __executable_start, own))
			return 1;
		if (!hostile_layouts_refused(&buffer, __executable_start, own))
			return 4;
		/* Laid out in a way that never fits: the enclave says how it should be. */
		((struct tee_perf_buffer_control *)buffer.begin)->header_offset = 5 * TEE_PERF_BUFFER_PAGE;
		tee_perf_keystone_attach(buffer.begin, buffer.bytes, __executable_start, own);
		if (!tee_perf_buffer_asked(&buffer) || !tee_perf_buffer_again(&buffer))
			return 2;
	}
	uint64_t primes =
	    eapp_run(opened ? buffer.begin : NULL, opened ? buffer.bytes : 0, __executable_start, own, &recorded);
	if (opened && (tee_perf_buffer_asked(&buffer) || primes != 168))
		return 3;
	printf("recorded %d\nexpect count_primes 1\nexpect is_prime 1000\n", recorded);
	if (opened)
		tee_perf_buffer_close(&buffer);
	return 0;
}
