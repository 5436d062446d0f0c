/* SPDX-License-Identifier: MIT */
/* Where the loader jumps to, once per thread of the enclave, and the loop in which a thread waits for ECALLs. The host
 * is not trusted: each word is read once and checked, each wait has a bound. */
#include "simulator/trusted/internal.h"

#include "runtime/platform/sim.h"

const struct sim_enclave *sim_enclave;

static __thread struct sim_thread *own;
static __thread uint64_t seen, turn;          /* last message taken, last message sent */
static __thread uint64_t depth, marshal_used; /* of nested ECALLs */

void tee_perf_sim_enter(const struct sim_enclave *enclave, struct sim_thread *thread) __attribute__((noreturn));

static void pause(void)
{
	__builtin_ia32_pause();
}

static __attribute__((noreturn)) void leave(int status)
{
	for (;;) /* the one system call that is allowed: exit_group */
		__asm__ volatile("syscall" : : "a"(231L), "D"((long)status) : "rcx", "r11", "memory");
}

struct sim_channel *sim_own_channel(void)
{
	return &sim_enclave->channel[own->number];
}

uint64_t sim_marshal_take(uint64_t bytes)
{
	uint64_t offset = marshal_used, rounded = (bytes + 7) & ~UINT64_C(7);

	if (bytes > sim_enclave->marshal_bytes || rounded > sim_enclave->marshal_bytes - offset)
		return SIM_NO_ROOM;
	marshal_used = offset + rounded;
	return offset;
}

void sim_marshal_give(uint64_t offset)
{
	marshal_used = offset;
}

unsigned tee_perf_sim_thread_number(void)
{
	return (unsigned)own->number;
}

uint64_t *sim_marshal_buffer(uint64_t offset)
{
	return (uint64_t *)(sim_enclave->marshal + own->number * sim_enclave->marshal_bytes + offset);
}

void sim_copy_in(void *to, const uint64_t *host, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes; i += 8) {
		uint64_t word = host_read(&host[i / 8]);
		for (uint64_t k = i; k < bytes && k < i + 8; k++, word >>= 8)
			((uint8_t *)to)[k] = (uint8_t)word;
	}
}

void sim_copy_out(uint64_t *host, const void *from, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes; i += 8) {
		uint64_t word = 0;
		for (uint64_t k = i; k < bytes && k < i + 8; k++)
			word |= (uint64_t)((const uint8_t *)from)[k] << 8 * (k - i);
		host_write(&host[i / 8], word);
	}
}

/* ---- waiting and sending */

static void send(enum sim_kind kind)
{
	host_write(&sim_own_channel()->to_host, ++turn << 8 | kind);
}

/* The next message's kind; SIM_NOTHING: none came within the bound. */
static enum sim_kind receive(void)
{
	const struct sim_channel *channel = sim_own_channel();

	for (uint64_t round = 0; round < sim_enclave->wait_rounds; round++) {
		uint64_t message = host_read(&channel->to_enclave);
		if (message != seen) {
			seen = message;
			return (enum sim_kind)(message & 0xff);
		}
		pause();
	}
	return SIM_NOTHING;
}

static void answer(enum sim_refusal refusal, int64_t result, uint64_t bytes)
{
	struct sim_channel *channel = sim_own_channel();

	host_write(&channel->host_word[0], (uint64_t)result);
	host_write(&channel->host_word[1], refusal);
	host_write(&channel->host_word[2], bytes);
	send(SIM_RETURN);
}

/* ---- what the host may ask for */

static void serve_ecall(void)
{
	struct sim_channel *channel = sim_own_channel();
	uint64_t number = host_read(&channel->enclave_word[0]), bytes = host_read(&channel->enclave_word[1]);
	uint64_t offset;

	if (depth == SIM_DEPTH_MAX) {
		answer(SIM_TOO_DEEP, 0, 0);
		return;
	}
	if (number >= tee_perf_sim_table.count) {
		answer(SIM_NO_SUCH_ECALL, 0, 0);
		return;
	}
	if ((offset = sim_marshal_take(bytes)) == SIM_NO_ROOM) {
		answer(SIM_BAD_SIZE, 0, 0);
		return;
	}
	void *data = own->scratch + offset;
	sim_copy_in(data, sim_marshal_buffer(offset), bytes);
	depth++;
	own->inside = 1;
	int64_t result = tee_perf_sim_table.entry[number](bytes != 0 ? data : NULL, bytes);
	own->inside = 0;
	depth--;
	sim_marshal_give(offset);
	sim_copy_out(sim_marshal_buffer(offset), data, bytes);
	answer(SIM_DONE, result, bytes);
}

static void serve_init(void)
{
	static bool done;

	for (uint64_t i = 0; i < sim_enclave->constructor_count && !done; i++)
		sim_enclave->constructor[i]();
	done = true;
	answer(SIM_DONE, 0, 0);
}

static void serve_attach(void)
{
	const struct sim_channel *channel = sim_own_channel();
	struct tee_perf_offer offer = {
		.header = host_read(&channel->enclave_word[0]),
		.segment = host_read(&channel->enclave_word[1]),
		.segment_bytes = host_read(&channel->enclave_word[2]),
		.process = host_read(&channel->enclave_word[3]),
		.slots = host_read(&channel->enclave_word[4]),
	};

	answer(tee_perf_sim_attach(&offer) ? SIM_DONE : SIM_NOT_ATTACHED, 0, 0);
}

static void serve(enum sim_kind kind)
{
	switch (kind) {
	case SIM_ECALL:
		serve_ecall();
		break;
	case SIM_INIT:
		serve_init();
		break;
	case SIM_ATTACH:
		serve_attach();
		break;
	case SIM_PING:
		answer(SIM_DONE, 0, 0);
		break;
	case SIM_QUIT:
		leave(0);
	default: /* nothing that anybody asked for */
		break;
	}
}

enum sim_kind sim_ask_host(enum sim_kind kind)
{
	uint64_t was_inside = own->inside;
	enum sim_kind got;

	own->inside = 0;
	send(kind);
	while ((got = receive()) != SIM_RESUME && got != SIM_NOTHING)
		serve(got);
	own->inside = was_inside;
	return got;
}

void tee_perf_sim_enter(const struct sim_enclave *enclave, struct sim_thread *thread)
{
	enum sim_kind got;

	own = thread;
	sim_enclave = enclave; /* every thread is told the same */
	tee_perf_sim_enclave(enclave->base, enclave->size, enclave->wait_pauses, enclave->tsc_legal);
	tee_perf_sim_thread(thread->stack_low, thread->stack_high, (uint32_t)thread->pid);
	send(SIM_READY);
	while ((got = receive()) != SIM_NOTHING)
		serve(got);
	leave(1);
}
