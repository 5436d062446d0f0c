/* SPDX-License-Identifier: MIT */
/* The drain's part in the clock: gaps, the choice between word and counter, points that tie the two together. */
#include "recorder/drain.h"

#define UNRESOLVED_PERCENT 5
#define TSC_COST_PERCENT   5 /* of one core's time that the counter may cost for a better resolution */

static enum tee_perf_clock clock_now(const struct tee_perf_drain *drain)
{
	return atomic_load(&drain->control) >> TEE_PERF_CONTROL_CLOCK_SHIFT & TEE_PERF_CONTROL_FIELD;
}

/* The word is a clock only while recording is on and the host clock is chosen; else it is a heartbeat. */
static bool must_publish(const struct tee_perf_drain *drain)
{
	return (atomic_load(&drain->control) & TEE_PERF_CONTROL_ON) != 0 && clock_now(drain) == TEE_PERF_CLOCK_HOST;
}

/* Gaps go out before any record that could have seen their end: to the model at once, to the file ahead of the next
 * block of records (waking the writer for each would make gaps of its own). */
void tee_perf_drain_pass_gaps(struct tee_perf_drain *drain)
{
	struct tee_perf_publisher *clock = drain->clock;
	struct tee_perf_bytes payload = { 0 };

	if (clock->gap_count == 0)
		return;
	if (drain->sink->model != NULL)
		for (size_t i = 0; i < clock->gap_count; i++)
			tee_perf_model_gap(drain->sink->model, clock->gap[i].a, clock->gap[i].b, &drain->err);
	else if (drain->sink->writer != NULL && tee_perf_pairs_encode(&payload, clock->gap, clock->gap_count) == 0)
		tee_perf_writer_push_section(drain->sink->writer, TEE_PERF_SECTION_GAPS, payload);
	clock->gap_count = 0;
}

unsigned tee_perf_drain_chunk(uint64_t period_ns)
{
	return period_ns >= 1000 ? 512 : period_ns >= 300 ? 128 : 32;
}

void tee_perf_drain_tick(struct tee_perf_drain *drain)
{
	if (!drain->clock->counting || atomic_load_explicit(&drain->stop, memory_order_relaxed))
		return;
	tee_perf_publisher_tick(drain->clock);
	if (drain->clock->gap_count > 0 && drain->sink->model != NULL)
		tee_perf_drain_pass_gaps(drain);
}

void tee_perf_drain_before_block(void *data)
{
	tee_perf_drain_pass_gaps(data);
}

static void set_clock(struct tee_perf_drain *drain, enum tee_perf_clock choice)
{
	uint64_t control = atomic_load(&drain->control);

	control &= ~(TEE_PERF_CONTROL_FIELD << TEE_PERF_CONTROL_CLOCK_SHIFT);
	control |= (uint64_t)choice << TEE_PERF_CONTROL_CLOCK_SHIFT;
	atomic_store(&drain->control, control);
}

bool tee_perf_drain_crowded(struct tee_perf_drain *drain)
{
	if (!drain->clock->counting) {
		tee_perf_pace_restart(&drain->pace);
		return false;
	}
	bool crowded = tee_perf_pace_look(&drain->pace, drain->clock->last_ns);
	tee_perf_publisher_expect(drain->clock, crowded ? TEE_PERF_NAP_NS : 0);
	return crowded;
}

/* Once per second: a publisher that is kept from its core leaves too much unresolved. Not sooner: one preemption is
 * some per cent of a tenth of a second, and the TSC costs several times what the word does. */
void tee_perf_drain_judge_clock(struct tee_perf_drain *drain, uint64_t period_ns)
{
	uint64_t events = atomic_load(&drain->events);
	uint64_t gap = drain->clock->gap_total_ns - drain->gap_before;
	double cost_ns = (double)(events - drain->events_before) * drain->tsc_event_ns;
	bool cheap = drain->tsc_event_ns > 0 && cost_ns * 100 < (double)period_ns * TSC_COST_PERCENT;

	drain->gap_before = drain->clock->gap_total_ns;
	drain->events_before = events;
	if (!drain->automatic || !must_publish(drain))
		return;
	if (gap * 100 > period_ns * UNRESOLVED_PERCENT || (drain->pace.crowded && cheap))
		set_clock(drain, TEE_PERF_CLOCK_TSC);
}

void tee_perf_drain_follow_control(struct tee_perf_drain *drain)
{
	/* Such a process keeps to the word, whatever the clock is (attach.c): so it must be one. */
	drain->automatic &= !drain->other_machine;
	if (drain->other_machine && clock_now(drain) != TEE_PERF_CLOCK_HOST)
		set_clock(drain, TEE_PERF_CLOCK_HOST);
	uint64_t control = atomic_load(&drain->control);
	bool publish = must_publish(drain);

	if (region_load(&drain->region->header->control) != control)
		region_store(&drain->region->header->control, control);
	/* Who reads the clock word only is told to look at the control word, once that has changed. */
	drain->clock->look = TEE_PERF_CLOCK_WORD(0, control);
	if (publish != drain->clock->counting)
		tee_perf_publisher_beat(drain->clock);
	drain->clock->counting = publish;
}

/* More points make times of the counter exact, live as well. */
void tee_perf_drain_note_tsc(struct tee_perf_drain *drain)
{
	struct tee_perf_time_pair pair = tee_perf_publisher_tsc(drain->clock);
	struct tee_perf_bytes payload = { 0 };

	if (drain->tsc_start.a == 0)
		return;
	if (drain->sink->model != NULL)
		tee_perf_model_tsc_live(drain->sink->model, drain->tsc_last, pair, &drain->err);
	drain->tsc_last = pair;
	if (tee_perf_pairs_encode(&payload, &pair, 1) == 0)
		tee_perf_writer_push_section(drain->sink->writer, TEE_PERF_SECTION_TSC, payload);
}
