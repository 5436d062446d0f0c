/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "tests/analyzer/scenario.h"
#include "runtime/abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULES_MAX 16
#define NAMES_MAX   256
#define WORDS_MAX   16
#define BATCH       64

struct module {
	uint32_t process, number;
	uint64_t begin, load_ns, unload_ns;
	char path[128];
	struct tee_perf_map_entry map[NAMES_MAX];
	size_t count;
	char strings[16384];
	size_t strings_size;
};

struct player {
	const struct scenario_sink *sink;
	struct module modules[MODULES_MAX];
	size_t module_count;
	bool module_open; /* fn statements may follow */
	uint64_t now;
	uint32_t process, thread;
	struct tee_perf_record records[BATCH];
	size_t record_count;
};

/* The map lies at begin, its strings 1 MiB behind. */
#define STRINGS_OFFSET 0x100000

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 0);
}

static int flush_records(struct player *player)
{
	size_t count = player->record_count;
	player->record_count = 0;
	return count == 0 ? 0
			  : player->sink->records(player->sink->argument, player->process, player->thread,
						  player->records, count);
}

static int tell_module(struct player *player, const struct module *module)
{
	struct tee_perf_module_info info = { .process = module->process,
					     .module = module->number,
					     .map_begin = module->begin,
					     .strings_begin = module->begin + STRINGS_OFFSET,
					     .load_bias = module->begin & ~UINT64_C(0xffff),
					     .load_ns = module->load_ns,
					     .unload_ns = module->unload_ns,
					     .path = module->path,
					     .build_id = "",
					     .map = module->map,
					     .map_size = module->count * sizeof *module->map,
					     .strings = module->strings,
					     .strings_size = module->strings_size };
	return player->sink->module(player->sink->argument, &info);
}

static int close_module(struct player *player)
{
	if (!player->module_open)
		return 0;
	player->module_open = false;
	return tell_module(player, &player->modules[player->module_count - 1]);
}

static int open_module(struct player *player, char **words, size_t count)
{
	if (player->module_count == MODULES_MAX || count < 4)
		return -1;
	struct module *module = &player->modules[player->module_count++];
	*module = (struct module){ .process = (uint32_t)number(words[1]),
				   .number = (uint32_t)number(words[2]),
				   .begin = UINT64_C(0x7f5500000000) + player->module_count * 0x200000,
				   .load_ns = player->now,
				   .unload_ns = UINT64_MAX,
				   .strings_size = 1 };
	if (count > 5)
		module->begin = number(words[5]);
	snprintf(module->path, sizeof module->path, "%s", words[3]);
	player->module_open = true;
	return 0;
}

/* Adds a string; the value of the self-relative field at `offset` within the map. */
static int32_t add_string(struct module *module, size_t offset, const char *text)
{
	size_t size = strlen(text) + 1, place = module->strings_size;
	if (strcmp(text, "-") == 0 || place + size > sizeof module->strings)
		return 0;
	memcpy(module->strings + place, text, size);
	module->strings_size += size;
	return (int32_t)(STRINGS_OFFSET + place - offset);
}

/* "\x20" and the like in names: what a word cannot hold. */
static void unescape(char *text)
{
	char *out = text;
	for (; *text != 0; text++)
		if (text[0] == '\\' && text[1] == 'x' && text[2] != 0 && text[3] != 0) {
			char digits[3] = { text[2], text[3], 0 };
			*out++ = (char)strtoul(digits, NULL, 16);
			text += 3;
		} else {
			*out++ = *text;
		}
	*out = 0;
}

static int add_function(struct player *player, char **words, size_t count)
{
	struct module *module = &player->modules[player->module_count - 1];
	if (!player->module_open || count < 4 || module->count == NAMES_MAX)
		return -1;
	size_t offset = module->count * sizeof *module->map;
	unescape(words[1]);
	module->map[module->count++] = (struct tee_perf_map_entry){
		.name = add_string(module, offset + offsetof(struct tee_perf_map_entry, name), words[1]),
		.file = add_string(module, offset + offsetof(struct tee_perf_map_entry, file), words[2]),
		.line = (uint32_t)number(words[3]),
		.kind = count > 4 ? (uint16_t)number(words[4]) : 0
	};
	return 0;
}

static int unload(struct player *player, uint32_t process, uint32_t module_number, uint64_t ns)
{
	for (size_t i = 0; i < player->module_count; i++) {
		struct module *module = &player->modules[i];
		if (module->process == process && module->number == module_number) {
			module->unload_ns = ns;
			return tell_module(player, module);
		}
	}
	return -1;
}

static const char *entry_name(const struct module *module, size_t index)
{
	size_t offset = index * sizeof *module->map;
	return module->strings + (module->map[index].name + (int64_t)offset - STRINGS_OFFSET);
}

/* A name that no module has: an address that depends on it alone. */
static uint32_t unknown_entry(const char *name)
{
	uint32_t hash = 2166136261u;
	for (; *name != 0; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return (hash & 0xffff) << 4;
}

static uint32_t find_entry(const struct player *player, const char *name)
{
	char wanted[256];
	snprintf(wanted, sizeof wanted, "%s", name);
	char *at = strrchr(wanted, '@');
	if (at != NULL)
		*at = 0;
	unescape(wanted);
	for (size_t i = player->module_count; i-- > 0;) {
		const struct module *module = &player->modules[i];
		bool asked = module->process == player->process && (at == NULL || number(at + 1) == module->number);
		for (size_t j = 0; asked && j < module->count; j++)
			if (module->map[j].name != 0 && strcmp(entry_name(module, j), wanted) == 0)
				return (uint32_t)(module->begin + j * sizeof *module->map);
	}
	return unknown_entry(name);
}

static int add_record(struct player *player, enum tee_perf_kind kind, uint64_t w1)
{
	player->records[player->record_count++] =
	    (struct tee_perf_record){ (uint64_t)kind << TEE_PERF_KIND_SHIFT | player->now, w1 };
	return player->record_count == BATCH ? flush_records(player) : 0;
}

static int add_meta(struct player *player, unsigned meta, uint64_t payload)
{
	return add_record(player, TEE_PERF_META, payload << 8 | meta);
}

/* A statement that begins with a time. */
static int play_record(struct player *player, char **words, size_t count)
{
	static const struct {
		const char *word;
		enum tee_perf_kind kind;
	} calls[] = { { "call", TEE_PERF_CALL },
		      { "inl", TEE_PERF_CALL_INLINED },
		      { "ret", TEE_PERF_RETURN },
		      { "res", TEE_PERF_RESYNC } };
	static const struct {
		const char *word;
		unsigned meta;
		size_t words;
	} metas[] = { { "lost", TEE_PERF_META_LOST, 3 },       { "hole", TEE_PERF_META_HOLE, 3 },
		      { "off", TEE_PERF_META_OFF, 2 },         { "on", TEE_PERF_META_ON, 2 },
		      { "done", TEE_PERF_META_THREAD_END, 2 }, { "lo", TEE_PERF_META_STACK_LO, 3 },
		      { "hi", TEE_PERF_META_STACK_HI, 3 },     { "forget", TEE_PERF_META_STACK_HI, 3 } };
	player->now = number(words[0]);
	const char *what = words[1];
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (strcmp(what, calls[i].word) == 0 && count == 4)
			return add_record(player, calls[i].kind,
					  (uint64_t)(uint32_t)number(words[3]) << 32 | find_entry(player, words[2]));
	for (size_t i = 0; i < sizeof metas / sizeof *metas; i++)
		if (strcmp(what, metas[i].word) == 0 && count == metas[i].words)
			return (strcmp(what, "forget") == 0 ? add_meta(player, TEE_PERF_META_STACK_LO, number(words[2]))
							    : 0) |
			       add_meta(player, metas[i].meta, count > 2 ? number(words[2]) : 0);
	if (strcmp(what, "gap") == 0 && count == 3)
		return add_record(player, TEE_PERF_GAP, number(words[2]));
	if (strcmp(what, "mark") == 0 && count == 3)
		return add_meta(player, TEE_PERF_META_MARK, find_entry(player, words[2]));
	if (strcmp(what, "clock") == 0 && count == 3)
		return add_meta(player, TEE_PERF_META_CLOCK, strcmp(words[2], "tsc") == 0);
	if ((strcmp(what, "stack") == 0 || strcmp(what, "sigstack") == 0) && count == 4)
		return add_meta(player, TEE_PERF_META_STACK_LO, number(words[2])) |
		       add_meta(player, what[1] == 'i' ? TEE_PERF_META_SIGNAL_STACK_HI : TEE_PERF_META_STACK_HI,
				number(words[3]));
	if (strcmp(what, "frame") == 0 && count == 4)
		return add_meta(player, TEE_PERF_META_WALK_PC, find_entry(player, words[2])) |
		       add_meta(player, TEE_PERF_META_WALK_CFA, number(words[3]));
	if (strcmp(what, "walked") == 0 && count == 3)
		return add_meta(player, TEE_PERF_META_WALK_END, number(words[2]));
	if (strcmp(what, "exited") == 0 && count == 2)
		return add_meta(player, TEE_PERF_META_THREAD_END, TEE_PERF_END_OF_PROCESS);
	return -1;
}

/* The rest of the statement from word `from` on, as it was written. */
static const char *rest_from(char **words, size_t count, size_t from, const char *copy, const char *line)
{
	return from < count ? copy + (words[from] - line) : "";
}

static int play_fact(struct player *player, char **words, size_t count, const char *copy, const char *line)
{
	const struct scenario_sink *sink = player->sink;
	const char *what = words[0];
	if (strcmp(what, "process") == 0 && count >= 4) {
		struct tee_perf_process_info info = { .process = (uint32_t)number(words[1]),
						      .pid = (uint32_t)number(words[2]),
						      .parent =
							  words[3][0] == '-' ? UINT32_MAX : (uint32_t)number(words[3]),
						      .start_ns = player->now,
						      .command = rest_from(words, count, 4, copy, line) };
		return sink->process(sink->argument, &info);
	}
	if (strcmp(what, "thread") == 0 && count >= 4) {
		struct tee_perf_thread_info info = { .process = (uint32_t)number(words[1]),
						     .thread = (uint32_t)number(words[2]),
						     .tid = (uint32_t)number(words[3]),
						     .name = rest_from(words, count, 4, copy, line) };
		return sink->thread(sink->argument, &info);
	}
	if (strcmp(what, "module") == 0)
		return open_module(player, words, count);
	if (strcmp(what, "unload") == 0 && count == 4)
		return unload(player, (uint32_t)number(words[1]), (uint32_t)number(words[2]), number(words[3]));
	if (strcmp(what, "clockgap") == 0 && count == 3)
		return sink->gap(sink->argument, number(words[1]), number(words[2]));
	if (strcmp(what, "tsc") == 0 && count == 3)
		return sink->tsc(sink->argument, number(words[1]), number(words[2]));
	if (strcmp(what, "start") == 0 || strcmp(what, "end") == 0)
		return sink->json(sink->argument, what[0] == 'e', rest_from(words, count, 1, copy, line));
	if (strcmp(what, "profile") == 0)
		return sink->profile(sink->argument);
	if (strcmp(what, "badblock") == 0)
		return sink->bad_block(sink->argument, player->process, player->thread);
	if (strcmp(what, "@") == 0 && count == 3) {
		player->process = (uint32_t)number(words[1]);
		player->thread = (uint32_t)number(words[2]);
		return 0;
	}
	return -1;
}

static int play_statement(struct player *player, char *line)
{
	char copy[1024], *words[WORDS_MAX], *state;
	size_t count = 0;
	snprintf(copy, sizeof copy, "%s", line);
	for (char *word = strtok_r(line, " \t", &state); word != NULL && count < WORDS_MAX;
	     word = strtok_r(NULL, " \t", &state))
		words[count++] = word;
	if (count == 0)
		return 0;
	int result;
	if (strcmp(words[0], "fn") == 0)
		result = add_function(player, words, count);
	else if (close_module(player) != 0)
		result = -1;
	else if (words[0][0] >= '0' && words[0][0] <= '9' && count > 1)
		result = play_record(player, words, count);
	else
		result = flush_records(player) != 0 ? -1 : play_fact(player, words, count, copy, line);
	if (result != 0)
		fprintf(stderr, "scenario: cannot play '%s'\n", copy);
	return result;
}

int scenario_play(const char *text, const struct scenario_sink *sink)
{
	struct player *player = calloc(1, sizeof *player);
	char line[1024];
	int result = player == NULL ? -1 : 0;
	if (player != NULL)
		player->sink = sink;
	while (result == 0 && *text != 0) {
		bool json = strncmp(text, "start ", 6) == 0 || strncmp(text, "end ", 4) == 0;
		size_t length = strcspn(text, json ? "\n" : ";\n#");
		if (length >= sizeof line) {
			result = -1;
			break;
		}
		memcpy(line, text, length);
		line[length] = 0;
		text += length;
		text += *text == '#' ? strcspn(text, "\n") : 0;
		text += *text != 0;
		text += strspn(text, " \t\n");
		result = play_statement(player, line);
	}
	if (result == 0)
		result = close_module(player);
	if (result == 0)
		result = flush_records(player);
	free(player);
	return result;
}
