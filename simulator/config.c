/* SPDX-License-Identifier: MIT */
/* The configuration: lines `key = value`. */
#define _GNU_SOURCE
#include "simulator/internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct key {
	const char *name;
	size_t offset;
	uint64_t preset, low, high;
};

#define KEY(name, preset, low, high)                                                                                   \
	{                                                                                                              \
#name, offsetof(struct tee_perf_sim_config, name), preset, low, high                                   \
	}
#define CYCLES UINT64_C(1000000000)

/* The presets are those of profiles/hypervisor.conf, where their sources stand. */
static const struct key keys[] = {
	KEY(ecall_cycles, 9600, 0, CYCLES),
	KEY(ocall_cycles, 4900, 0, CYCLES),
	KEY(eenter_cycles, 1700, 0, CYCLES),
	KEY(eexit_cycles, 1300, 0, CYCLES),
	KEY(aex_hz, 0, 0, 10000),
	KEY(aex_cycles, 3000, 0, CYCLES),
	KEY(epc_pages, 0, 0, UINT64_C(1) << 32),
	KEY(epc_load_cycles, 0, 0, CYCLES),
	KEY(epc_evict_cycles, 0, 0, CYCLES),
	KEY(threads, 1, 1, SIM_THREADS_MAX),
	KEY(stack_bytes, 1 << 20, 16 << 10, 1 << 30),
	KEY(heap_bytes, 16 << 20, 0, UINT64_C(1) << 36),
	KEY(marshal_bytes, 64 << 10, 4096, 1 << 30),
	KEY(shared_bytes, 1 << 20, 0, UINT64_C(1) << 36),
	KEY(tsc_forbidden, 1, 0, 1),
	KEY(wait_pauses, 20000, 1, UINT64_C(1) << 32),
	KEY(wait_rounds, UINT64_C(1) << 32, 1, UINT64_C(1) << 40),
	KEY(host, TEE_PERF_SIM_HOST_NONE, 0, TEE_PERF_SIM_HOST_HOSTILE),
	KEY(host_slow_us, 1000, 1, 10000000),
	KEY(host_stop_ms, 300, 1, 900),
	KEY(host_full, 0, 0, 2),
};

static const struct word {
	const char *key, *name;
	uint64_t value;
} words[] = {
	{ "host", "none", TEE_PERF_SIM_HOST_NONE },
	{ "host", "honest", TEE_PERF_SIM_HOST_HONEST },
	{ "host", "full", TEE_PERF_SIM_HOST_FULL },
	{ "host", "slow", TEE_PERF_SIM_HOST_SLOW },
	{ "host", "silent", TEE_PERF_SIM_HOST_SILENT },
	{ "host", "stopped", TEE_PERF_SIM_HOST_STOPPED },
	{ "host", "hostile", TEE_PERF_SIM_HOST_HOSTILE },
	{ "host_full", "wait", TEE_PERF_FULL_WAIT },
	{ "host_full", "drop", TEE_PERF_FULL_DROP },
	{ "host_full", "overwrite", TEE_PERF_FULL_OVERWRITE },
	{ "tsc_forbidden", "no", 0 },
	{ "tsc_forbidden", "yes", 1 },
};

#define COUNT(array) (sizeof array / sizeof *array)

static uint64_t *field(struct tee_perf_sim_config *config, const struct key *key)
{
	return (uint64_t *)((char *)config + key->offset);
}

void tee_perf_sim_config_init(struct tee_perf_sim_config *config)
{
	for (size_t i = 0; i < COUNT(keys); i++)
		*field(config, &keys[i]) = keys[i].preset;
}

static int parse_value(const struct key *key, const char *text, uint64_t *value)
{
	char *end;

	for (size_t i = 0; i < COUNT(words); i++)
		if (strcmp(words[i].key, key->name) == 0 && strcmp(words[i].name, text) == 0) {
			*value = words[i].value;
			return 0;
		}
	errno = 0;
	unsigned long long number = strtoull(text, &end, 0);
	int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
	if (!isdigit((unsigned char)text[0]) || errno != 0 || end[shift != 0] != '\0' || number > UINT64_MAX >> shift)
		return sim_fail("%s: '%s' is no value for it", key->name, text);
	uint64_t scaled = (uint64_t)number << shift;
	if (scaled < key->low || scaled > key->high)
		return sim_fail("%s: %s is not between %llu and %llu", key->name, text, (unsigned long long)key->low,
				(unsigned long long)key->high);
	*value = scaled;
	return 0;
}

int tee_perf_sim_config_set(struct tee_perf_sim_config *config, const char *name, const char *value)
{
	for (size_t i = 0; i < COUNT(keys); i++)
		if (strcmp(keys[i].name, name) == 0)
			return parse_value(&keys[i], value, field(config, &keys[i]));
	return sim_fail("the simulator's configuration has no key '%s'", name);
}

static char *trim(char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	char *end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

static int read_line(struct tee_perf_sim_config *config, char *line, const char *path, unsigned number)
{
	line[strcspn(line, "#")] = '\0';
	char *key = trim(line);
	if (*key == '\0')
		return 0;
	char *equals = strchr(key, '=');
	if (equals == NULL)
		return sim_fail("%s:%u: expected 'key = value'", path, number);
	*equals = '\0';
	if (tee_perf_sim_config_set(config, trim(key), trim(equals + 1)) == 0)
		return 0;
	char *message = strdup(tee_perf_sim_error());
	sim_fail("%s:%u: %s", path, number, message != NULL ? message : "out of memory");
	free(message);
	return -1;
}

int tee_perf_sim_config_read(struct tee_perf_sim_config *config, const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int result = 0;

	if (file == NULL)
		return sim_fail("cannot read %s: %s", path, strerror(errno));
	for (unsigned number = 1; result == 0 && getline(&line, &room, file) >= 0; number++)
		result = read_line(config, line, path, number);
	free(line);
	fclose(file);
	return result;
}
