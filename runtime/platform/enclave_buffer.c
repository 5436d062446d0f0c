/* SPDX-License-Identifier: MIT */
#include "runtime/platform/enclave_buffer.h"

#include "runtime/platform/enclave.h"

static struct {
	uint64_t nonce; /* of the log that was attached */
	uint64_t slots;
	uintptr_t header, segment;
	bool attached, inside;
} log;

/* Everything that points into the segment moves with it. */
static void move_thread(struct tee_perf_thread *thread, uintptr_t by)
{
	uint64_t **word[] = { &thread->writer,  &thread->reader,    &thread->nested_writer, &thread->nested_reader,
			      &thread->waiting, &thread->lost_word, &thread->waited_word,   &thread->extra_word };

	for (unsigned i = 0; i < sizeof word / sizeof *word; i++)
		*word[i] = (uint64_t *)((uintptr_t)*word[i] + by);
	for (unsigned i = 0; i < 2; i++)
		if (thread->geometry[i].start != 0)
			thread->geometry[i].start += by;
	thread->ring += by;
	thread->nested_ring += by;
	if (thread->cursor != 0)
		thread->cursor += by;
	thread->host = tee_perf_state.host;
	if (thread->clock_word != &tee_perf_look)
		thread->clock_word = &thread->host->clock;
}

static void move_log(uintptr_t header, uintptr_t segment)
{
	struct tee_perf_state *state = &tee_perf_state;
	uintptr_t by = segment - log.segment;

	state->segment = (struct tee_perf_log_segment *)segment;
	state->process = (struct tee_perf_log_process *)((uintptr_t)state->process + (header - log.header));
	state->slots += by;
	state->host = (struct tee_perf_log_header *)header;
	for (uint32_t i = 0; i < state->slot_count && i < state->slot_next; i++)
		if (state->threads[i].live)
			move_thread(&state->threads[i], by);
}

/* The same log again, at another address. Its size was checked when it was attached, and must not have shrunk. */
static bool attach_again(const struct tee_perf_offer *offer, uint64_t nonce)
{
	if (nonce != log.nonce || offer->slots != log.slots ||
	    !tee_perf_enclave_outside(offer->header, TEE_PERF_SEGMENTS_OFFSET) ||
	    !tee_perf_enclave_outside(offer->segment, offer->segment_bytes))
		return false;
	uint64_t needed = tee_perf_state.slots - log.segment +
			  tee_perf_state.slot_count * TEE_PERF_SLOT_BYTES(tee_perf_state.ring_bytes);
	if (offer->segment_bytes < needed)
		return false;
	move_log(offer->header, offer->segment);
	return true;
}

static bool attach(const struct tee_perf_offer *offer, const struct tee_perf_buffer_control *control)
{
	uint64_t nonce = host_read(&((struct tee_perf_log_header *)(uintptr_t)offer->header)->nonce);

	if (log.attached)
		return attach_again(offer, nonce);
	if (!tee_perf_enclave_attach(offer))
		return false;
	_Static_assert(sizeof control->path == TEE_PERF_ENCLAVE_PATH_BYTES, "one path");
	tee_perf_enclave_tell_names(control->path);
	log.nonce = nonce;
	log.slots = offer->slots;
	log.attached = true;
	return true;
}

bool tee_perf_buffer_enter(void *buffer, uint64_t bytes)
{
	struct tee_perf_buffer_control *control = buffer;
	uintptr_t begin = (uintptr_t)buffer;

	if (log.inside || bytes < 8 * TEE_PERF_BUFFER_PAGE + TEE_PERF_SEGMENTS_OFFSET ||
	    begin % TEE_PERF_BUFFER_PAGE != 0 || !tee_perf_enclave_outside(begin, bytes))
		return false;
	uint64_t offset = host_read(&control->header_offset), process = host_read(&control->process);
	uint64_t wanted = -(begin + TEE_PERF_SEGMENTS_OFFSET) & (TEE_PERF_SUBBUF_BYTES - 1);
	if (wanted == 0)
		wanted = TEE_PERF_SUBBUF_BYTES;
	if (offset != wanted || process >= TEE_PERF_PROCESS_MAX) {
		host_write(&control->answer, offset != wanted ? wanted : TEE_PERF_BUFFER_REFUSED);
		return false;
	}
	uintptr_t header = begin + offset;
	struct tee_perf_offer offer = {
		.header = header,
		.segment = header + TEE_PERF_SEGMENTS_OFFSET,
		.segment_bytes = bytes - offset - TEE_PERF_SEGMENTS_OFFSET,
		.process = header + TEE_PERF_TABLE_OFFSET + process * sizeof(struct tee_perf_log_process),
		.slots = host_read(&control->slots),
	};
	log.inside = attach(&offer, control);
	if (log.inside) {
		log.header = offer.header;
		log.segment = offer.segment;
	}
	host_write(&control->answer, log.inside ? TEE_PERF_BUFFER_ATTACHED : TEE_PERF_BUFFER_REFUSED);
	return log.inside;
}

void tee_perf_buffer_leave(void)
{
	tee_perf_state.host = NULL; /* hooks do nothing from here on */
	tee_perf_thread_forget();
	log.inside = false;
}
