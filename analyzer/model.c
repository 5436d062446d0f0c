/* SPDX-License-Identifier: MIT */
#include "analyzer/model_internal.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_TRACK_SLOTS 64u

int tee_perf_grow(void *array, uint32_t count, uint32_t *capacity, size_t size)
{
	if (count < *capacity)
		return 0;
	uint32_t wanted = *capacity == 0 ? 16 : *capacity * 2;
	if (wanted <= count)
		return -1;
	void *old;
	memcpy(&old, array, sizeof old);
	void *grown = realloc(old, wanted * size);
	if (grown == NULL)
		return -1;
	memcpy(array, &grown, sizeof grown);
	*capacity = wanted;
	return 0;
}

static int out_of_memory(struct tee_perf_error *err)
{
	return tee_perf_fail(err, TEE_PERF_RESOURCE,
			     "out of memory while reading the recording: close other programs or use a larger machine");
}

struct tee_perf_model *tee_perf_model_new(void)
{
	struct tee_perf_model *model = calloc(1, sizeof *model);
	if (model == NULL)
		return NULL;
	model->track_mask = FIRST_TRACK_SLOTS - 1;
	model->track_slots = calloc(FIRST_TRACK_SLOTS, sizeof *model->track_slots);
	if (model->track_slots != NULL)
		return model;
	free(model);
	return NULL;
}

static void free_module(struct tee_perf_module *module)
{
	free(module->path);
	free(module->build_id);
	free(module->map);
	free(module->strings);
}

void tee_perf_model_free(struct tee_perf_model *model)
{
	if (model == NULL)
		return;
	for (uint32_t i = 0; i < model->track_count; i++) {
		tee_perf_track_clear(model->tracks[i]);
		free(model->tracks[i]);
	}
	for (uint32_t i = 0; i < model->process_count; i++)
		free(model->processes[i].command);
	for (uint32_t i = 0; i < model->thread_count; i++)
		free(model->threads[i].name);
	for (uint32_t i = 0; i < model->module_count; i++)
		free_module(&model->modules[i]);
	free(model->tracks);
	free(model->track_slots);
	free(model->processes);
	free(model->threads);
	free(model->modules);
	tee_perf_texts_free(&model->texts);
	free(model->remaps);
	free(model->gaps);
	free(model->tsc);
	free(model);
}

/* A copy; NULL stands for "". */
static char *copy_string(const char *string)
{
	return strdup(string == NULL ? "" : string);
}

static void *copy_bytes(const void *bytes, size_t size)
{
	void *copy = malloc(size == 0 ? 1 : size);
	if (copy != NULL && size != 0)
		memcpy(copy, bytes, size);
	return copy;
}

int tee_perf_model_process(struct tee_perf_model *model, const struct tee_perf_process_info *info,
			   struct tee_perf_error *err)
{
	struct tee_perf_process *process = NULL;
	for (uint32_t i = 0; i < model->process_count && process == NULL; i++)
		if (model->processes[i].number == info->process)
			process = &model->processes[i];
	char *command = copy_string(info->command);
	if (command == NULL)
		return out_of_memory(err);
	if (process == NULL) {
		if (tee_perf_grow(&model->processes, model->process_count, &model->process_capacity,
				  sizeof *model->processes) != 0) {
			free(command);
			return out_of_memory(err);
		}
		process = &model->processes[model->process_count++];
		process->command = NULL;
	}
	free(process->command);
	*process = (struct tee_perf_process){ .number = info->process,
					      .parent = info->parent,
					      .pid = info->pid,
					      .start_ns = info->start_ns,
					      .command = command };
	return 0;
}

int tee_perf_model_thread(struct tee_perf_model *model, const struct tee_perf_thread_info *info,
			  struct tee_perf_error *err)
{
	struct tee_perf_thread *thread = NULL;
	for (uint32_t i = 0; i < model->thread_count && thread == NULL; i++)
		if (model->threads[i].process == info->process && model->threads[i].number == info->thread)
			thread = &model->threads[i];
	char *name = copy_string(info->name);
	if (name == NULL)
		return out_of_memory(err);
	if (thread == NULL) {
		if (tee_perf_grow(&model->threads, model->thread_count, &model->thread_capacity,
				  sizeof *model->threads) != 0) {
			free(name);
			return out_of_memory(err);
		}
		thread = &model->threads[model->thread_count++];
		thread->name = NULL;
	}
	free(thread->name);
	*thread = (struct tee_perf_thread){
		.process = info->process, .number = info->thread, .tid = info->tid, .name = name
	};
	return 0;
}

/* Addresses as records have them: the low 32 bits. */
static bool same_addresses(const struct tee_perf_module *a, const struct tee_perf_module *b)
{
	uint32_t a_begin = (uint32_t)a->map_begin, b_begin = (uint32_t)b->map_begin;
	return a->process == b->process && (b_begin - a_begin < a->map_size || a_begin - b_begin < b->map_size);
}

/* Where a module lies at the addresses of one that was loaded before it, the threads of the process begin new
 * functions there at its load time. */
int tee_perf_model_remap(struct tee_perf_model *model, uint32_t process, uint64_t begin, size_t size, uint64_t load_ns)
{
	if (tee_perf_grow(&model->remaps, model->remap_count, &model->remap_capacity, sizeof *model->remaps) != 0)
		return -1;
	uint32_t place = model->remap_count++;
	for (; place > 0 && model->remaps[place - 1].time_ns > load_ns; place--)
		model->remaps[place] = model->remaps[place - 1];
	model->remaps[place] = (struct tee_perf_remap){
		.process = process, .begin = (uint32_t)begin, .size = (uint32_t)size, .time_ns = load_ns
	};
	for (uint32_t i = 0; i < model->track_count; i++) {
		struct tee_perf_track *track = model->tracks[i];
		if (track->remap_cursor > place)
			track->remap_cursor =
			    place; /* a range that is retired twice is split once too often, not wrong */
		tee_perf_track_plan_remap(track);
	}
	return 0;
}

static int copy_module(struct tee_perf_module *module, const struct tee_perf_module_info *info)
{
	*module = (struct tee_perf_module){ .process = info->process,
					    .number = info->module,
					    .map_begin = info->map_begin,
					    .strings_begin = info->strings_begin,
					    .load_bias = info->load_bias,
					    .load_ns = info->load_ns,
					    .unload_ns = info->unload_ns,
					    .path = copy_string(info->path),
					    .build_id = copy_string(info->build_id),
					    .map = copy_bytes(info->map, info->map_size),
					    .strings = copy_bytes(info->strings, info->strings_size),
					    .map_size = info->map_size,
					    .strings_size = info->strings_size };
	if (module->path != NULL && module->build_id != NULL && module->map != NULL && module->strings != NULL)
		return 0;
	free_module(module);
	return -1;
}

int tee_perf_model_module(struct tee_perf_model *model, const struct tee_perf_module_info *info,
			  struct tee_perf_error *err)
{
	for (uint32_t i = 0; i < model->module_count; i++) /* told again: it was unloaded */
		if (model->modules[i].process == info->process && model->modules[i].number == info->module) {
			struct tee_perf_module module;
			if (copy_module(&module, info) != 0)
				return out_of_memory(err);
			free_module(&model->modules[i]);
			model->modules[i] = module;
			return 0;
		}
	if (tee_perf_grow(&model->modules, model->module_count, &model->module_capacity, sizeof *model->modules) != 0)
		return out_of_memory(err);
	struct tee_perf_module *module = &model->modules[model->module_count];
	if (copy_module(module, info) != 0)
		return out_of_memory(err);
	for (uint32_t i = 0; i < model->module_count; i++)
		if (same_addresses(&model->modules[i], module)) {
			if (tee_perf_model_remap(model, module->process, module->map_begin, module->map_size,
						 module->load_ns) != 0) {
				free_module(module);
				return out_of_memory(err);
			}
			break;
		}
	model->module_count++;
	return 0;
}

int tee_perf_model_gap(struct tee_perf_model *model, uint64_t from_ns, uint64_t to_ns, struct tee_perf_error *err)
{
	if (from_ns < model->gap_end_ns) /* overlapping or out of order: only what is new counts */
		from_ns = model->gap_end_ns;
	if (to_ns <= from_ns)
		return 0;
	if (model->gap_count == TEE_PERF_GAPS_MAX) { /* a recording may take hours */
		for (uint32_t i = 0; i < model->track_count; i++)
			tee_perf_track_hold_gap(model->tracks[i]);
		model->gap_count = 0;
	}
	if (tee_perf_grow(&model->gaps, model->gap_count, &model->gap_capacity, sizeof *model->gaps) != 0)
		return out_of_memory(err);
	model->gaps[model->gap_count++] = (struct tee_perf_gap){ from_ns, to_ns };
	model->gap_total++;
	model->gap_total_ns += to_ns - from_ns;
	model->gap_end_ns = to_ns;
	return 0;
}

static uint32_t *find_track_slot(const struct tee_perf_model *model, uint32_t process, uint32_t thread)
{
	uint64_t key = (uint64_t)process << 32 | thread;
	uint32_t place = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & model->track_mask;
	for (; model->track_slots[place] != 0; place = (place + 1) & model->track_mask) {
		const struct tee_perf_track *track = model->tracks[model->track_slots[place] - 1];
		if (track->process == process && track->thread == thread)
			break;
	}
	return &model->track_slots[place];
}

/* Keeps the table of tracks at most half full. */
static int grow_track_slots(struct tee_perf_model *model)
{
	uint32_t size = (model->track_mask + 1) * 2;
	uint32_t *slots = calloc(size, sizeof *slots);
	if (slots == NULL)
		return -1;
	free(model->track_slots);
	model->track_slots = slots;
	model->track_mask = size - 1;
	for (uint32_t i = 0; i < model->track_count; i++)
		*find_track_slot(model, model->tracks[i]->process, model->tracks[i]->thread) = i + 1;
	return 0;
}

struct tee_perf_track *tee_perf_model_track(struct tee_perf_model *model, uint32_t process, uint32_t thread)
{
	uint32_t found = *find_track_slot(model, process, thread);
	if (found != 0)
		return model->tracks[found - 1];
	if (tee_perf_grow(&model->tracks, model->track_count, &model->track_capacity, sizeof *model->tracks) != 0)
		return NULL;
	if (model->track_count * 2 > model->track_mask && grow_track_slots(model) != 0)
		return NULL;
	struct tee_perf_track *track = malloc(sizeof *track);
	if (track == NULL)
		return NULL;
	if (tee_perf_track_init(track, model, process, thread) != 0) {
		free(track);
		return NULL;
	}
	track->number = model->track_count;
	model->tracks[model->track_count++] = track;
	*find_track_slot(model, process, thread) = model->track_count;
	tee_perf_track_plan_remap(track);
	return track;
}

static const struct tee_perf_process *find_process(const struct tee_perf_model *model, uint32_t number)
{
	for (uint32_t i = 0; i < model->process_count; i++)
		if (model->processes[i].number == number)
			return &model->processes[i];
	return NULL;
}

/* Until when what a process left open can have run: an exec ended it where the next process of its pid begins; of
 * processes other than the command itself nobody knows more than their last record, unless their threads' ends are
 * in the log. */
static uint64_t process_end(const struct tee_perf_model *model, uint32_t number, uint64_t end_ns)
{
	const struct tee_perf_process *process = find_process(model, number), *first = find_process(model, 0);
	if (process == NULL || first == NULL || end_ns == 0)
		return end_ns;
	uint64_t last_ns = 0;
	for (uint32_t i = 0; i < model->track_count && process->pid != first->pid; i++)
		if (model->tracks[i]->process == number && model->tracks[i]->now_ns > last_ns)
			last_ns = model->tracks[i]->now_ns;
	if (process->pid != first->pid)
		end_ns = last_ns;
	for (uint32_t i = 0; i < model->process_count; i++) {
		const struct tee_perf_process *other = &model->processes[i];
		bool later = other->pid == process->pid && other->number > number;
		if (later && other->start_ns >= process->start_ns && other->start_ns < end_ns)
			end_ns = other->start_ns;
	}
	return end_ns;
}

/* A thread that told its name knows it best. */
static int name_thread(struct tee_perf_model *model, const struct tee_perf_track *track, struct tee_perf_error *err)
{
	struct tee_perf_thread_info info = { .process = track->process, .thread = track->thread, .name = track->name };
	if (track->name[0] == 0)
		return 0;
	for (uint32_t i = 0; i < model->thread_count; i++)
		if (model->threads[i].process == track->process && model->threads[i].number == track->thread)
			info.tid = model->threads[i].tid;
	return tee_perf_model_thread(model, &info, err);
}

const char *tee_perf_track_name(const struct tee_perf_track *track)
{
	return track->name;
}

int tee_perf_model_finish(struct tee_perf_model *model, uint64_t end_ns, struct tee_perf_error *err)
{
	if (model->finished)
		return 0;
	uint64_t end = end_ns;
	for (uint32_t i = 0; i < model->track_count; i++) {
		struct tee_perf_track *track = model->tracks[i];
		if (i == 0 || track->process != model->tracks[i - 1]->process)
			end = process_end(model, track->process, end_ns);
		tee_perf_track_finish(track, end);
		if (name_thread(model, track, err) != 0)
			return -1;
	}
	model->finished = true;
	model->end_ns = end_ns;
	return 0;
}

int tee_perf_model_settle(struct tee_perf_model *model, struct tee_perf_error *err)
{
	for (uint32_t i = 0; i < model->track_count; i++)
		if (tee_perf_track_settle(model->tracks[i]) != 0)
			return out_of_memory(err);
	return 0;
}
