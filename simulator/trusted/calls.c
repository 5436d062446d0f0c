/* SPDX-License-Identifier: MIT */
/* What the trusted part calls: OCALLs, memory, the page cache. */
#include "simulator/trusted/internal.h"

#include "runtime/platform/sim.h"

int tee_perf_sim_ocall(unsigned number, void *data, size_t bytes, int64_t *result)
{
	struct sim_channel *channel = sim_own_channel();
	uint64_t offset = sim_marshal_take(bytes);

	if (offset == SIM_NO_ROOM)
		return -2;
	sim_copy_out(sim_marshal_buffer(offset), data, bytes);
	host_write(&channel->host_word[0], number);
	host_write(&channel->host_word[1], bytes);
	host_write(&channel->host_word[2], offset);
	enum sim_kind got = sim_ask_host(SIM_OCALL);
	sim_marshal_give(offset);
	if (got == SIM_NOTHING)
		return -3;
	int64_t answer = (int64_t)host_read(&channel->enclave_word[0]);
	if (host_read(&channel->enclave_word[1]) != 0)
		return -1;
	sim_copy_in(data, sim_marshal_buffer(offset), bytes);
	if (result != NULL)
		*result = answer;
	return 0;
}

void *tee_perf_sim_shared_memory(size_t *bytes)
{
	*bytes = sim_enclave->shared_bytes;
	return sim_enclave->shared;
}

void *tee_perf_sim_heap(size_t *bytes)
{
	*bytes = sim_enclave->heap_bytes;
	return sim_enclave->heap;
}

int tee_perf_sim_is_outside(const void *begin, size_t bytes)
{
	return tee_perf_sim_outside((uintptr_t)begin, bytes);
}

int tee_perf_sim_is_inside(const void *begin, size_t bytes)
{
	uint64_t offset = (uintptr_t)begin - sim_enclave->base;

	return (uintptr_t)begin >= sim_enclave->base && offset <= sim_enclave->size &&
	       bytes <= sim_enclave->size - offset;
}

/* ---- page cache: which pages of the enclave are in the EPC, second-chance replacement */

enum { PAGE_OUT = 0, PAGE_IN = 1, PAGE_USED = 2 };

static struct {
	uint64_t resident, hand;
	bool lock;
} cache;

static void evict_one(void)
{
	uint64_t pages = sim_enclave->size / SIM_PAGE;

	for (uint64_t step = 0; step < 2 * pages; step++) {
		uint8_t *state = &sim_enclave->page_state[cache.hand];
		cache.hand = (cache.hand + 1) % pages;
		if (*state == PAGE_IN) {
			*state = PAGE_OUT;
			cache.resident--;
			return;
		}
		if (*state == PAGE_USED)
			*state = PAGE_IN;
	}
}

/* Returns how many pages had to go for it (0, 1), or -1: it was inside. */
static int use_page(uint64_t page)
{
	int evicted = 0;

	while (__atomic_exchange_n(&cache.lock, true, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
	uint8_t before = sim_enclave->page_state[page];
	if (before == PAGE_OUT) {
		if (cache.resident == sim_enclave->epc_pages) {
			evict_one();
			evicted = 1;
		}
		cache.resident++;
	}
	sim_enclave->page_state[page] = PAGE_USED;
	__atomic_store_n(&cache.lock, false, __ATOMIC_RELEASE);
	return before == PAGE_OUT ? evicted : -1;
}

void tee_perf_sim_touch(const void *begin, size_t bytes)
{
	if (sim_enclave->epc_pages == 0 || bytes == 0 || !tee_perf_sim_is_inside(begin, bytes))
		return;
	uint64_t first = ((uintptr_t)begin - sim_enclave->base) / SIM_PAGE;
	uint64_t last = ((uintptr_t)begin + bytes - 1 - sim_enclave->base) / SIM_PAGE;
	for (uint64_t page = first; page <= last; page++) {
		int evicted = use_page(page);
		if (evicted < 0)
			continue;
		host_write(&sim_own_channel()->host_word[0], 1);
		host_write(&sim_own_channel()->host_word[1], (uint64_t)evicted);
		sim_ask_host(SIM_FAULT);
	}
}
