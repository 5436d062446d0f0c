/* SPDX-License-Identifier: MIT */
/* Talking to the enclave: a message there, a message back. Costs are spent here, on the thread that waits: while one
 * side works the other does not, as on the hardware, where both are one thread. */
#include "simulator/internal.h"

#include <sched.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#define SPINS  500  /* before others get the processor */
#define YIELDS 4000 /* then, before this thread sleeps: a call that is so long does not mind NAP_NS */
#define NAP_NS (20 * 1000)

/* The call that this thread is within: a call from an OCALL handler goes to the same thread of the enclave. */
struct call {
	struct tee_perf_sim *sim;
	struct sim_tcs *tcs;
	struct call *outer;
};
static __thread struct call *current;

static void spend_until(struct tee_perf_sim *sim, uint64_t from, uint64_t cycles)
{
	atomic_fetch_add_explicit(&sim->count.spent, cycles, memory_order_relaxed);
	while (__rdtsc() - from < cycles)
		;
}

/* Of a transition's cost, the message takes some itself. */
static uint64_t half_cost(const struct tee_perf_sim *sim, uint64_t instruction, uint64_t whole)
{
	uint64_t instructions = sim->config.eenter_cycles + sim->config.eexit_cycles;
	uint64_t software = whole > instructions ? whole - instructions : 0;
	uint64_t half = instruction + software / 2, transport = sim->transport_cycles / 2;

	return half > transport ? half - transport : 0;
}

static void send(struct tee_perf_sim *sim, struct sim_tcs *tcs, enum sim_kind kind)
{
	sim_keeper_inside(sim, tcs);
	sim_store(&tcs->channel->to_enclave, ++tcs->turn << 8 | kind);
}

static void serve_exits(struct tee_perf_sim *sim, struct sim_tcs *tcs)
{
	uint64_t exits = sim_load(&tcs->channel->exits);

	if (exits == tcs->exits)
		return;
	tcs->exits = exits;
	atomic_fetch_add_explicit(&sim->count.aex, 1, memory_order_relaxed);
	spend_until(sim, __rdtsc(), sim->config.aex_cycles);
	sim_store(&tcs->channel->exit_done, exits);
}

enum sim_kind sim_await(struct tee_perf_sim *sim, struct sim_tcs *tcs)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };

	for (uint64_t spin = 0;; spin++) {
		uint64_t message = sim_load(&tcs->channel->to_host);
		if (message != tcs->seen) {
			tcs->seen = message;
			sim_keeper_outside(tcs);
			return (enum sim_kind)(message & 0xff);
		}
		serve_exits(sim, tcs);
		_mm_pause();
		if (spin < SPINS)
			continue;
		if (atomic_load(&sim->dead))
			return SIM_NOTHING;
		if (spin < SPINS + YIELDS || sim->config.aex_hz != 0) /* an exit is to be served at once */
			sched_yield();
		else
			nanosleep(&nap, NULL);
	}
}

/* ---- what the enclave asks for */

static bool serve_ocall(struct tee_perf_sim *sim, struct sim_tcs *tcs)
{
	uint64_t began = __rdtsc();
	uint64_t number = sim_load(&tcs->channel->host_word[0]), bytes = sim_load(&tcs->channel->host_word[1]);
	uint64_t offset = sim_load(&tcs->channel->host_word[2]), used = tcs->used, result = 0, missing = 1;

	if (offset > sim->config.marshal_bytes || bytes > sim->config.marshal_bytes - offset || offset % 8 != 0)
		return false;
	atomic_fetch_add_explicit(&sim->count.ocalls, 1, memory_order_relaxed);
	spend_until(sim, began, half_cost(sim, sim->config.eexit_cycles, sim->config.ocall_cycles));
	tcs->used = offset + ((bytes + 7) & ~UINT64_C(7));
	if (number < SIM_OCALL_MAX && sim->ocall[number].serve != NULL) {
		void *data = bytes != 0 ? tcs->marshal + offset : NULL;
		result = (uint64_t)sim->ocall[number].serve(sim->ocall[number].user, data, bytes);
		missing = 0;
	}
	tcs->used = used;
	sim_store(&tcs->channel->enclave_word[0], result);
	sim_store(&tcs->channel->enclave_word[1], missing);
	spend_until(sim, __rdtsc(), half_cost(sim, sim->config.eenter_cycles, sim->config.ocall_cycles));
	send(sim, tcs, SIM_RESUME);
	return true;
}

static void serve_fault(struct tee_perf_sim *sim, struct sim_tcs *tcs)
{
	uint64_t began = __rdtsc(), loads = sim_load(&tcs->channel->host_word[0]) & 1;
	uint64_t evictions = sim_load(&tcs->channel->host_word[1]) & 1;

	atomic_fetch_add_explicit(&sim->count.loads, loads, memory_order_relaxed);
	atomic_fetch_add_explicit(&sim->count.evictions, evictions, memory_order_relaxed);
	spend_until(sim, began, loads * sim->config.epc_load_cycles + evictions * sim->config.epc_evict_cycles);
	sim_store(&tcs->channel->enclave_word[0], 0);
	sim_store(&tcs->channel->enclave_word[1], 0);
	send(sim, tcs, SIM_RESUME);
}

int sim_status_of(uint64_t refusal)
{
	static const int status[] = { [SIM_DONE] = TEE_PERF_SIM_OK,
				      [SIM_NO_SUCH_ECALL] = TEE_PERF_SIM_NO_ENTRY,
				      [SIM_BAD_SIZE] = TEE_PERF_SIM_TOO_BIG,
				      [SIM_TOO_DEEP] = TEE_PERF_SIM_TOO_DEEP,
				      [SIM_NOT_ATTACHED] = TEE_PERF_SIM_REFUSED };

	return refusal < sizeof status / sizeof *status ? status[refusal] : TEE_PERF_SIM_NONSENSE;
}

int sim_converse(struct tee_perf_sim *sim, struct sim_tcs *tcs, enum sim_kind kind)
{
	send(sim, tcs, kind);
	for (;;) {
		switch (sim_await(sim, tcs)) {
		case SIM_RETURN:
			return sim_status_of(sim_load(&tcs->channel->host_word[1]));
		case SIM_OCALL:
			if (!serve_ocall(sim, tcs))
				return TEE_PERF_SIM_NONSENSE;
			break;
		case SIM_FAULT:
			serve_fault(sim, tcs);
			break;
		case SIM_NOTHING:
			return TEE_PERF_SIM_DIED;
		default:
			return TEE_PERF_SIM_NONSENSE;
		}
	}
}

/* ---- ECALLs */

static struct sim_tcs *take_tcs(struct tee_perf_sim *sim)
{
	struct sim_tcs *taken = NULL;

	for (struct call *call = current; call != NULL; call = call->outer)
		if (call->sim == sim)
			return call->tcs;
	pthread_mutex_lock(&sim->lock);
	for (unsigned i = 0; i < sim->config.threads && taken == NULL; i++)
		if (!sim->tcs[i].busy)
			(taken = &sim->tcs[i])->busy = true;
	pthread_mutex_unlock(&sim->lock);
	return taken;
}

static void give_tcs(struct tee_perf_sim *sim, struct sim_tcs *tcs)
{
	for (struct call *call = current; call != NULL; call = call->outer)
		if (call->sim == sim)
			return;
	pthread_mutex_lock(&sim->lock);
	tcs->busy = false;
	pthread_mutex_unlock(&sim->lock);
}

static int call_in(struct tee_perf_sim *sim, struct sim_tcs *tcs, unsigned number, void *data, size_t bytes,
		   int64_t *result)
{
	uint64_t began = __rdtsc(), offset = tcs->used;
	struct call call = { .sim = sim, .tcs = tcs, .outer = current };

	if (bytes > sim->config.marshal_bytes - offset)
		return TEE_PERF_SIM_TOO_BIG;
	if (bytes != 0)
		memcpy(tcs->marshal + offset, data, bytes);
	sim_store(&tcs->channel->enclave_word[0], number);
	sim_store(&tcs->channel->enclave_word[1], bytes);
	atomic_fetch_add_explicit(&sim->count.ecalls, 1, memory_order_relaxed);
	spend_until(sim, began, half_cost(sim, sim->config.eenter_cycles, sim->config.ecall_cycles));
	current = &call;
	int status = sim_converse(sim, tcs, SIM_ECALL);
	current = call.outer;
	if (status != TEE_PERF_SIM_OK)
		return status;
	began = __rdtsc();
	if (bytes != 0)
		memcpy(data, tcs->marshal + offset, bytes);
	if (result != NULL)
		*result = (int64_t)sim_load(&tcs->channel->host_word[0]);
	spend_until(sim, began, half_cost(sim, sim->config.eexit_cycles, sim->config.ecall_cycles));
	return status;
}

int tee_perf_sim_ecall(struct tee_perf_sim *sim, unsigned number, void *data, size_t bytes, int64_t *result)
{
	struct sim_tcs *tcs = take_tcs(sim);

	if (tcs == NULL)
		return TEE_PERF_SIM_BUSY;
	int status = call_in(sim, tcs, number, data, bytes, result);
	give_tcs(sim, tcs);
	return status;
}

int tee_perf_sim_on_ocall(struct tee_perf_sim *sim, unsigned number, tee_perf_sim_ocall_fn *handler, void *user)
{
	if (number >= SIM_OCALL_MAX)
		return sim_fail("OCALL %u: the numbers end at %d", number, SIM_OCALL_MAX - 1);
	sim->ocall[number].user = user;
	sim->ocall[number].serve = handler;
	return 0;
}
