/* SPDX-License-Identifier: MIT */
/* Who is recorded: processes and threads, and their names, for the file or the model. */
#include "recorder/drain.h"

#include <stdio.h>
#include <string.h>

/* The first line of /proc/..., or nothing. */
static void read_name(const char *path, char *name, int size)
{
	FILE *file = fopen(path, "re");

	if (file == NULL)
		return;
	if (fgets(name, size, file) != NULL)
		name[strcspn(name, "\n")] = '\0';
	fclose(file);
}

void tee_perf_drain_process(struct tee_perf_drain *drain, const struct tee_perf_process *process)
{
	char command[256] = "", path[64];
	struct tee_perf_bytes payload = { 0 };

	snprintf(path, sizeof path, "/proc/%u/comm", process->pid);
	if (!drain->foreign && !process->enclave)
		read_name(path, command, sizeof command);
	if (command[0] == '\0') /* gone already, or not of this machine */
		tee_perf_modules_first_name(drain, process, command, sizeof command);
	struct tee_perf_process_info info = { .process = process->number,
					      .parent = process->parent,
					      .pid = process->pid,
					      .start_ns = drain->clock->last_ns,
					      .command = command };
	if (drain->sink->model != NULL)
		tee_perf_model_process(drain->sink->model, &info, &drain->err);
	if (drain->sink->writer != NULL && tee_perf_process_encode(&payload, &info) == 0)
		tee_perf_writer_push_section(drain->sink->writer, TEE_PERF_SECTION_PROCESS, payload);
}

static void push_thread(struct tee_perf_drain *drain, const struct tee_perf_stream *stream)
{
	struct tee_perf_bytes payload = { 0 };
	struct tee_perf_thread_info info = {
		.process = stream->process, .thread = stream->thread, .tid = stream->tid, .name = stream->name
	};

	if (drain->sink->model != NULL)
		tee_perf_model_thread(drain->sink->model, &info, &drain->err);
	if (drain->sink->writer != NULL && tee_perf_thread_encode(&payload, &info) == 0)
		tee_perf_writer_push_section(drain->sink->writer, TEE_PERF_SECTION_THREAD, payload);
}

/* A thread gets its name some time after its first record. */
void tee_perf_drain_thread(struct tee_perf_drain *drain, const struct tee_perf_process *process,
			   struct tee_perf_stream *stream)
{
	char name[sizeof stream->name] = "", path[64];

	snprintf(path, sizeof path, "/proc/%u/task/%u/comm", process->pid, stream->tid);
	if (!drain->foreign && !process->enclave)
		read_name(path, name, sizeof name);
	bool news = name[0] != '\0' && strcmp(name, stream->name) != 0;
	if (news)
		memcpy(stream->name, name, sizeof name);
	if (news || stream->looks == 0)
		push_thread(drain, stream);
	stream->looks++;
}

void tee_perf_drain_close(struct tee_perf_drain *drain, struct tee_perf_stream *stream)
{
	const char *name = stream->track != NULL ? tee_perf_track_name(stream->track) : "";

	drain->totals.extra += !stream->closed;
	tee_perf_sink_close(stream);
	if (name[0] == '\0' || strcmp(name, stream->name) == 0)
		return; /* records that go into the file say it there */
	snprintf(stream->name, sizeof stream->name, "%s", name);
	push_thread(drain, stream);
}
