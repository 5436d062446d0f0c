/* SPDX-License-Identifier: MIT */
#include "format/codec.h"
#include "format/data_file.h"
#include "tests/analyzer/scenario.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- into a model */

static int model_process(void *model, const struct tee_perf_process_info *info)
{
	return tee_perf_model_process(model, info, NULL);
}

static int model_thread(void *model, const struct tee_perf_thread_info *info)
{
	return tee_perf_model_thread(model, info, NULL);
}

static int model_module(void *model, const struct tee_perf_module_info *info)
{
	return tee_perf_model_module(model, info, NULL);
}

static int model_gap(void *model, uint64_t from_ns, uint64_t to_ns)
{
	return tee_perf_model_gap(model, from_ns, to_ns, NULL);
}

static int model_tsc(void *model, uint64_t ticks, uint64_t ns)
{
	return tee_perf_model_tsc(model, ticks, ns, NULL);
}

static int model_json(void *model, bool is_end, const char *text)
{
	(void)model;
	(void)is_end;
	(void)text;
	return -1;
}

static int model_profile(void *model)
{
	(void)model;
	return -1;
}

static int model_bad_block(void *model, uint32_t process, uint32_t thread)
{
	(void)model;
	(void)process;
	(void)thread;
	return -1;
}

static int model_records(void *model, uint32_t process, uint32_t thread, const struct tee_perf_record *records,
			 size_t count)
{
	struct tee_perf_track *track = tee_perf_model_track(model, process, thread);
	if (track == NULL)
		return -1;
	tee_perf_track_feed(track, records, count);
	return 0;
}

struct scenario_sink scenario_model_sink(struct tee_perf_model *model)
{
	return (struct scenario_sink){ .argument = model,
				       .process = model_process,
				       .thread = model_thread,
				       .module = model_module,
				       .gap = model_gap,
				       .tsc = model_tsc,
				       .json = model_json,
				       .profile = model_profile,
				       .bad_block = model_bad_block,
				       .records = model_records };
}

/* ---- into a file */

#define STREAMS_MAX 64

struct stream {
	uint32_t process, thread;
	struct tee_perf_encoder *encoder;
};

struct file {
	struct tee_perf_writer *writer;
	struct stream streams[STREAMS_MAX];
	size_t stream_count;
	struct tee_perf_model *model; /* not NULL: the rest goes into a profile */
	char end[4096];               /* the END section comes last */
	struct tee_perf_error *err;
};

static int write_bytes(struct file *file, enum tee_perf_section_type type, struct tee_perf_bytes *bytes, int encoded)
{
	int result =
	    encoded != 0 ? -1 : tee_perf_writer_section(file->writer, type, bytes->data, bytes->size, 1, file->err);
	free(bytes->data);
	return result;
}

static int file_process(void *argument, const struct tee_perf_process_info *info)
{
	struct tee_perf_bytes bytes = { 0 };
	int encoded = tee_perf_process_encode(&bytes, info);
	return write_bytes(argument, TEE_PERF_SECTION_PROCESS, &bytes, encoded);
}

static int file_thread(void *argument, const struct tee_perf_thread_info *info)
{
	struct tee_perf_bytes bytes = { 0 };
	int encoded = tee_perf_thread_encode(&bytes, info);
	return write_bytes(argument, TEE_PERF_SECTION_THREAD, &bytes, encoded);
}

static int file_module(void *argument, const struct tee_perf_module_info *info)
{
	struct tee_perf_bytes bytes = { 0 };
	int encoded = tee_perf_module_encode(&bytes, info);
	return write_bytes(argument, TEE_PERF_SECTION_MODULE, &bytes, encoded);
}

static int file_pair(void *argument, enum tee_perf_section_type type, uint64_t a, uint64_t b)
{
	struct tee_perf_bytes bytes = { 0 };
	struct tee_perf_time_pair pair = { a, b };
	int encoded = tee_perf_pairs_encode(&bytes, &pair, 1);
	return write_bytes(argument, type, &bytes, encoded);
}

static int file_gap(void *argument, uint64_t from_ns, uint64_t to_ns)
{
	struct file *file = argument;
	if (file->model != NULL && tee_perf_model_gap(file->model, from_ns, to_ns, file->err) != 0)
		return -1;
	return file_pair(argument, TEE_PERF_SECTION_GAPS, from_ns, to_ns);
}

static int file_tsc(void *argument, uint64_t ticks, uint64_t ns)
{
	struct file *file = argument;
	if (file->model != NULL && tee_perf_model_tsc(file->model, ticks, ns, file->err) != 0)
		return -1;
	return file_pair(argument, TEE_PERF_SECTION_TSC, ticks, ns);
}

static int file_json(void *argument, bool is_end, const char *text)
{
	struct file *file = argument;
	if (is_end) {
		strncpy(file->end, text, sizeof file->end - 1);
		return 0;
	}
	return tee_perf_writer_section(file->writer, TEE_PERF_SECTION_START, text, strlen(text), INT_MIN, file->err);
}

static int file_profile(void *argument)
{
	struct file *file = argument;
	file->model = tee_perf_model_new();
	return file->model == NULL ? -1 : 0;
}

static int write_events(struct file *file, uint32_t process, uint32_t thread, uint64_t count, uint32_t reset,
			const uint8_t *encoded, size_t size)
{
	struct tee_perf_bytes bytes = { 0 };
	struct tee_perf_events_info info = { process, thread, count, reset, encoded, size };
	int result = tee_perf_events_encode(&bytes, &info);
	return write_bytes(file, TEE_PERF_SECTION_EVENTS, &bytes, result);
}

static int file_bad_block(void *argument, uint32_t process, uint32_t thread)
{
	static const uint8_t nothing[1] = { 0 };
	return write_events(argument, process, thread, 100, 1, nothing, 0);
}

static int file_records(void *argument, uint32_t process, uint32_t thread, const struct tee_perf_record *records,
			size_t count)
{
	struct file *file = argument;
	if (file->model != NULL)
		return model_records(file->model, process, thread, records, count);
	struct stream *stream = NULL;
	for (size_t i = 0; i < file->stream_count; i++)
		if (file->streams[i].process == process && file->streams[i].thread == thread)
			stream = &file->streams[i];
	bool fresh = stream == NULL;
	if (fresh) {
		if (file->stream_count == STREAMS_MAX)
			return -1;
		stream = &file->streams[file->stream_count++];
		*stream = (struct stream){ process, thread, tee_perf_encoder_new() };
	}
	uint8_t *encoded = malloc((count + 1) * TEE_PERF_ENCODED_MAX);
	if (stream->encoder == NULL || encoded == NULL) {
		free(encoded);
		return -1;
	}
	uint8_t *end = tee_perf_encode(stream->encoder, records, count, encoded);
	end = tee_perf_encode_flush(stream->encoder, end);
	int result = write_events(file, process, thread, count, fresh, encoded, (size_t)(end - encoded));
	free(encoded);
	return result;
}

static int write_profile(struct file *file)
{
	struct tee_perf_bytes bytes = { 0 };
	int result = tee_perf_model_finish(file->model, 0, file->err);
	if (result == 0)
		result = tee_perf_model_serialize(file->model, &bytes, file->err);
	return write_bytes(file, TEE_PERF_SECTION_PROFILE, &bytes, result);
}

int scenario_write(const char *text, const char *path, struct tee_perf_error *err)
{
	struct file file = { .err = err };
	struct scenario_sink sink = { .argument = &file,
				      .process = file_process,
				      .thread = file_thread,
				      .module = file_module,
				      .gap = file_gap,
				      .tsc = file_tsc,
				      .json = file_json,
				      .profile = file_profile,
				      .bad_block = file_bad_block,
				      .records = file_records };
	file.writer = tee_perf_writer_create(path, err);
	if (file.writer == NULL)
		return -1;
	int result = scenario_play(text, &sink);
	if (result == 0 && file.model != NULL)
		result = write_profile(&file);
	if (result == 0 && file.end[0] != 0)
		result = tee_perf_writer_section(file.writer, TEE_PERF_SECTION_END, file.end, strlen(file.end), INT_MIN,
						 err);
	for (size_t i = 0; i < file.stream_count; i++)
		tee_perf_encoder_free(file.streams[i].encoder);
	tee_perf_model_free(file.model);
	if (tee_perf_writer_close(file.writer, err) != 0)
		result = -1;
	return result == 0 ? 0 : tee_perf_fail(err, TEE_PERF_INPUT, "the scenario could not be written to %s", path);
}
