/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "recorder/drain.h"

#include "arch.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SCAN_NS       (1000u * 1000)        /* looks for new processes and control changes */
#define HEALTH_NS     (10u * 1000 * 1000)   /* looks for ended processes */
#define SECOND_NS     (1000u * 1000 * 1000) /* looks at sleeping threads; decides on the clock */
#define NAME_LOOKS    4                     /* at a thread that may name itself, one per second */
#define IDLE_SLEEP_NS (500u * 1000)         /* between two looks when nobody needs the clock word */

/* ---- processes */

static uint32_t number_of_parent(const struct tee_perf_drain *drain, const struct tee_perf_log_process *entry)
{
	uint64_t parent = region_load(&entry->parent), generation = region_load(&entry->parent_generation);

	for (unsigned i = 0; i < drain->process_count; i++) {
		const struct tee_perf_process *process = drain->process[i];
		if (process->entry + 1 == parent && process->generation == generation)
			return process->number;
	}
	return UINT32_MAX;
}

static void free_process(struct tee_perf_process *process)
{
	if (process->pidfd >= 0)
		close(process->pidfd);
	free(process->slot);
	free(process->stream);
	free(process->walked);
	free(process->module_at);
	free(process);
}

static bool known(const struct tee_perf_drain *drain, unsigned entry)
{
	for (unsigned i = 0; i < drain->process_count; i++)
		if (drain->process[i]->entry == entry)
			return true;
	return false;
}

static void meet(struct tee_perf_drain *drain, unsigned entry)
{
	const struct tee_perf_log_process *told = &drain->region->process[entry];
	struct tee_perf_process *process = calloc(1, sizeof *process);

	if (process == NULL || (process->slot = calloc(TEE_PERF_SLOT_MAX, sizeof *process->slot)) == NULL) {
		free(process);
		tee_perf_fail(&drain->err, TEE_PERF_RESOURCE, "out of memory for another process");
		return;
	}
	process->entry = entry;
	process->pid = (uint32_t)region_load(&told->pid);
	process->generation = region_load(&told->generation);
	process->parent = number_of_parent(drain, told);
	/* Of a foreign process nobody tells us the end: its entry is taken until the recording's. */
	process->pidfd = drain->foreign ? -1 : (int)syscall(SYS_pidfd_open, (pid_t)process->pid, 0);
	process->gone = process->pidfd < 0 && errno == ESRCH && !drain->foreign;
	process->segment = tee_perf_region_map(drain->region, entry, &drain->err);
	if (drain->process_count == drain->process_capacity) {
		unsigned capacity = drain->process_capacity ? 2 * drain->process_capacity : 16;
		void *grown = realloc(drain->process, capacity * sizeof *drain->process);
		if (grown != NULL) {
			drain->process = grown;
			drain->process_capacity = capacity;
		}
	}
	if (process->segment == NULL || drain->process_count == drain->process_capacity) {
		/* Nobody will make room in its rings: they must not wait for it. The program outranks the recording. */
		uint64_t full = (uint64_t)TEE_PERF_CONTROL_FIELD << TEE_PERF_CONTROL_FULL_SHIFT;
		uint64_t drop = (uint64_t)TEE_PERF_FULL_DROP << TEE_PERF_CONTROL_FULL_SHIFT;
		atomic_fetch_and(&drain->control, ~full | drop);
		atomic_fetch_or(&drain->control, drop);
		drain->unreadable = true;
		free_process(process);
		return;
	}
	uint64_t flags = region_load(&told->flags), machine = flags & TEE_PERF_PROCESS_MACHINE;
	process->enclave = (flags & TEE_PERF_PROCESS_ENCLAVE) != 0;
	drain->other_machine |= (machine != 0 && machine != ARCH_MACHINE) || (flags & TEE_PERF_PROCESS_HOST_CLOCK) != 0;
	process->number = drain->process_next++;
	/* The same pid again: the process has executed another program. An enclave lives beside it. */
	for (unsigned i = 0; i < drain->process_count; i++)
		if (drain->process[i]->pid == process->pid && !drain->process[i]->enclave && !process->enclave &&
		    !drain->foreign)
			drain->process[i]->gone = true;
	drain->process[drain->process_count++] = process;
	tee_perf_drain_process(drain, process);
	atomic_fetch_add(&drain->processes, 1);
	atomic_fetch_add(&drain->live_processes, 1);
}

/* Without --follow all entries but the first are taken from the start, and that one when its process is gone, so that
 * no other process attaches. */
void tee_perf_drain_close_table(struct tee_perf_drain *drain, unsigned from)
{
	for (unsigned i = from; i < drain->region->process_max; i++)
		if (region_load(&drain->region->process[i].state) == TEE_PERF_PROCESS_FREE)
			region_store(&drain->region->process[i].state, TEE_PERF_PROCESS_CLAIMED);
}

/* An enclave may be shown before it has attached, as its host cannot do so while it runs. */
static bool can_be_met(const struct tee_perf_drain *drain, unsigned entry)
{
	const struct tee_perf_log_process *told = &drain->region->process[entry];

	return region_load(&told->state) == TEE_PERF_PROCESS_LIVE && !known(drain, entry) &&
	       ((region_load(&told->flags) & TEE_PERF_PROCESS_ENCLAVE) == 0 ||
		tee_perf_region_has_modules(drain->region, entry));
}

static void look_for_processes(struct tee_perf_drain *drain)
{
	for (unsigned i = 0; i < drain->region->process_max; i++)
		if (can_be_met(drain, i))
			meet(drain, i);
}

/* Without descriptors of processes (older kernels, library operating systems) a process has ended once its parent has
 * heard of it. */
static bool has_ended(const struct tee_perf_process *process)
{
	struct pollfd fd = { .fd = process->pidfd, .events = POLLIN };

	if (process->pidfd < 0)
		return getpgid((pid_t)process->pid) < 0 && errno == ESRCH; /* Occlum's kill takes no signal 0 */
	return poll(&fd, 1, 0) == 1;
}

static void look_for_ends(struct tee_perf_drain *drain)
{
	for (unsigned i = 0; i < drain->process_count; i++) {
		if (!drain->process[i]->gone && !drain->foreign)
			drain->process[i]->gone = has_ended(drain->process[i]);
		tee_perf_drain_tick(drain);
	}
}

static void add_up(struct tee_perf_drain *drain)
{
	uint64_t events = 0;

	for (const struct tee_perf_stream *stream = drain->sink->streams; stream != NULL; stream = stream->next)
		events += stream->records;
	atomic_store(&drain->events, events);
}

static uint32_t slots_of(const struct tee_perf_drain *drain, const struct tee_perf_process *process)
{
	uint64_t count = region_load(&drain->region->process[process->entry].slot_count);
	return count > drain->region->slots_mapped ? (uint32_t)drain->region->slots_mapped : (uint32_t)count;
}

static bool drain_process(struct tee_perf_drain *drain, struct tee_perf_process *process)
{
	uint32_t count = slots_of(drain, process);
	bool any = false;

	for (uint32_t slot = 0; slot < count; slot++) {
		any |= tee_perf_slot_drain(drain, process, slot);
		/* Half a nested ring: a handler goes on and on while the hook that it interrupted waits. */
		if (region_load(&process->segment->nested_writer[slot]) - process->slot[slot].nested >
		    TEE_PERF_NESTED_RECORDS / 4)
			any |= tee_perf_slot_drain_tail(drain, process, slot, false);
		if (slot % 64 == 63)
			tee_perf_drain_tick(drain);
	}
	return any;
}

/* The process is gone, or the recording ends: what is left in its rings. */
static void finish_process(struct tee_perf_drain *drain, unsigned index)
{
	struct tee_perf_process *process = drain->process[index];
	uint32_t count = slots_of(drain, process);

	drain_process(drain, process);
	tee_perf_modules_drain(drain, process);
	for (uint32_t slot = 0; slot < count; slot++) {
		tee_perf_slot_drain_tail(drain, process, slot, true);
		drain->totals.waited += region_load(&process->segment->waited[slot]);
		drain->totals.extra += region_load(&process->segment->extra[slot]);
		tee_perf_drain_tick(drain);
	}
	for (uint32_t i = 0; i < process->stream_capacity; i++) {
		if (process->stream[i] == NULL)
			continue;
		if (process->stream[i]->tid == process->pid && !process->stream[i]->closed)
			tee_perf_drain_thread(drain, process, process->stream[i]); /* as long as it is a zombie */
		process->stream[i]->with_process = true;
		tee_perf_drain_close(drain, process->stream[i]);
	}
	drain->totals.second_runtimes +=
	    (region_load(&drain->region->process[process->entry].flags) & TEE_PERF_PROCESS_TWICE) != 0;
	drain->totals.threads += process->thread_count;
	drain->totals.unserved += region_load(&drain->region->process[process->entry].unserved);
	tee_perf_region_release(drain->region, process->entry, process->segment);
	if (!drain->follow)
		tee_perf_drain_close_table(drain, 0);
	drain->process[index] = drain->process[--drain->process_count];
	atomic_fetch_sub(&drain->live_processes, 1);
	free_process(process);
}

static void finish_gone(struct tee_perf_drain *drain)
{
	for (unsigned i = drain->process_count; i-- > 0;)
		if (drain->process[i]->gone)
			finish_process(drain, i);
}

/* ---- --max-size */

/* What is on the disk stays; from here on the analyzer's model takes the records, and joins both when it is read. */
static void watch_size(struct tee_perf_drain *drain)
{
	struct tee_perf_writer_status status;
	struct tee_perf_model *model;
	struct tee_perf_time_pair now;

	if (drain->max_bytes == 0 || drain->sink->model != NULL || drain->sink->writer == NULL)
		return;
	tee_perf_writer_status(drain->sink->writer, &status);
	if (status.file_bytes < drain->max_bytes || (model = tee_perf_model_new()) == NULL)
		return;
	now = tee_perf_publisher_tsc(drain->clock);
	if (drain->tsc_start.a != 0) {
		tee_perf_model_tsc(model, drain->tsc_start.a, drain->tsc_start.b, &drain->err);
		tee_perf_model_tsc(model, now.a, now.b, &drain->err);
		drain->tsc_last = now;
	}
	tee_perf_drain_pass_gaps(drain);
	tee_perf_sink_turn_to_profile(drain->sink, model);
}

/* ---- the loop */

/* Nobody needs the clock word, or there is no core to publish it all the time. */
static void sleep_a_little(struct tee_perf_drain *drain, uint32_t bell, long ns)
{
	struct timespec timeout = { .tv_nsec = ns };

	syscall(SYS_futex, &drain->region->header->doorbell, FUTEX_WAIT, bell, &timeout, NULL, 0);
}

static void look_for_names(struct tee_perf_drain *drain, const struct tee_perf_process *process)
{
	for (uint32_t i = 0; i < process->stream_capacity; i++) {
		struct tee_perf_stream *stream = process->stream[i];
		if (stream == NULL || stream->closed || stream->looks >= NAME_LOOKS)
			continue;
		tee_perf_drain_thread(drain, process, stream);
		tee_perf_drain_tick(drain);
	}
}

static void every_second(struct tee_perf_drain *drain)
{
	tee_perf_drain_note_tsc(drain);
	for (unsigned i = 0; i < drain->process_count; i++) {
		uint32_t count = slots_of(drain, drain->process[i]);
		for (uint32_t slot = 0; slot < count; slot++)
			tee_perf_slot_drain_tail(drain, drain->process[i], slot, false);
		look_for_names(drain, drain->process[i]);
	}
	for (struct tee_perf_stream *stream = drain->sink->streams; stream != NULL; stream = stream->next) {
		tee_perf_sink_flush_idle(stream);
		tee_perf_drain_tick(drain);
	}
}

static void housekeeping(struct tee_perf_drain *drain, uint64_t now)
{
	static const uint64_t period[] = { SCAN_NS, HEALTH_NS, SECOND_NS };
	uint64_t *due = drain->due;

	if (now >= due[0]) {
		due[0] = now + period[0];
		tee_perf_drain_follow_control(drain);
		look_for_processes(drain);
		for (unsigned i = 0; i < drain->process_count; i++)
			tee_perf_modules_drain(drain, drain->process[i]);
	}
	if (now >= due[1]) {
		due[1] = now + period[1];
		look_for_ends(drain);
		finish_gone(drain);
		add_up(drain);
		watch_size(drain);
	}
	if (now >= due[2]) {
		if (due[2] != 0) {
			tee_perf_drain_judge_clock(drain, period[2]);
			every_second(drain);
		}
		due[2] = now + period[2];
	}
}

static void finish(struct tee_perf_drain *drain)
{
	look_for_processes(drain);
	look_for_ends(drain);
	finish_gone(drain);
	/* What still runs (a daemon) is switched off, and read when it is still. */
	atomic_fetch_and(&drain->control, ~TEE_PERF_CONTROL_ON);
	tee_perf_drain_follow_control(drain);
	if (drain->process_count > 0)
		usleep(10 * 1000);
	while (drain->process_count > 0)
		finish_process(drain, drain->process_count - 1);
	tee_perf_drain_pass_gaps(drain);
	add_up(drain);
	drain->totals.events = drain->events > drain->totals.extra ? drain->events - drain->totals.extra : 0;
	drain->totals.lost = drain->lost;
	drain->totals.processes = drain->processes;
	drain->totals.refused = region_load(&drain->region->header->refused_count);
	free(drain->process);
}

/* Everything that can be done now. False: there was nothing to do. */
static bool work(struct tee_perf_drain *drain)
{
	bool any = false;

	for (unsigned i = 0; i < drain->process_count; i++)
		any |= drain_process(drain, drain->process[i]);
	if (!any && drain->sink->writer != NULL)
		any = tee_perf_writer_pack(drain->sink->writer);
	tee_perf_drain_tick(drain);
	return any;
}

/* Work begins at a publication, whose time is random. Begun when a sub-buffer is finished, it would publish at the same
 * places of a loop that keeps time with its ring. */
static void wait_for_tick(struct tee_perf_drain *drain)
{
	uint64_t last = drain->clock->last_ns;

	while (drain->clock->last_ns == last && !atomic_load(&drain->stop))
		tee_perf_drain_tick(drain);
}

void *tee_perf_drain_run(void *data)
{
	struct tee_perf_drain *drain = data;

	tee_perf_pace_prepare(&drain->pace);
	while (!atomic_load(&drain->stop)) {
		uint32_t bell = (uint32_t)region_load(&drain->region->header->doorbell);
		bool any = work(drain), crowded = tee_perf_drain_crowded(drain);
		if (!drain->clock->counting) {
			if (!any)
				sleep_a_little(drain, bell, IDLE_SLEEP_NS);
			tee_perf_publisher_beat(drain->clock);
		} else if (crowded && !any) {
			sleep_a_little(drain, bell, TEE_PERF_NAP_NS);
		} else if (!any) {
			wait_for_tick(drain);
		}
		housekeeping(drain, drain->clock->last_ns);
	}
	finish(drain);
	return NULL;
}
