/* SPDX-License-Identifier: MIT */
/* tee-perf-sim: what this machine can enforce, what a configuration says, and a trusted part without a host of its own.
 */
#include "simulator/tee_perf_sim.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const char usage[] =
    "usage: tee-perf-sim [options] ENCLAVE.so [ECALL [COUNT]]\n"
    "Runs the trusted part ENCLAVE.so and calls entry ECALL (default 0) of its table COUNT times (default 1), without\n"
    "data. Its OCALLs are all answered with 0. Runs under tee-perf record as well.\n"
    "  --config FILE     lines `key = value` (docs/SIMULATOR.md)\n"
    "  --set KEY=VALUE   one of them\n"
    "  --probe           say what this machine can enforce, and end\n"
    "  --help            this text\n";

enum { USAGE = 2 };

static int complain(const char *what, const char *which)
{
	fprintf(stderr, "tee-perf-sim: %s%s%s\n%s", what, which != NULL ? ": " : "", which != NULL ? which : "", usage);
	return USAGE;
}

static int probe(void)
{
	struct tee_perf_sim_machine machine;

	tee_perf_sim_probe(&machine);
	printf("system calls: %s\n", machine.seccomp ? "all but exit_group are fatal"
						     : "cannot be forbidden (no seccomp filters): nothing starts");
	printf("time-stamp counter: %s\n",
	       machine.tsc ? "can be made fatal (tsc_forbidden)" : "cannot be forbidden; tsc_forbidden is ignored");
	return machine.seccomp ? 0 : 1;
}

static int64_t answer(void *user, void *data, size_t bytes)
{
	(void)user;
	(void)data;
	(void)bytes;
	return 0;
}

static int set(struct tee_perf_sim_config *config, char *text)
{
	char *equals = strchr(text, '=');

	if (equals == NULL)
		return complain("--set wants KEY=VALUE, not", text);
	*equals = '\0';
	if (tee_perf_sim_config_set(config, text, equals + 1) == 0)
		return 0;
	fprintf(stderr, "tee-perf-sim: %s\n", tee_perf_sim_error());
	return USAGE;
}

static void print_counts(struct tee_perf_sim *sim)
{
	struct tee_perf_sim_counts counts;

	tee_perf_sim_counts(sim, &counts);
	printf(
	    "%llu ECALLs, %llu OCALLs, %llu asynchronous exits, %llu pages loaded, %llu evicted; %llu cycles spent on "
	    "them; an empty call takes %llu\n",
	    (unsigned long long)counts.ecalls, (unsigned long long)counts.ocalls, (unsigned long long)counts.aex,
	    (unsigned long long)counts.epc_loads, (unsigned long long)counts.epc_evictions,
	    (unsigned long long)counts.spent_cycles, (unsigned long long)counts.transport_cycles);
}

static void print_end(int status)
{
	if (WIFSIGNALED(status))
		fprintf(stderr, "tee-perf-sim: the trusted part was killed by signal %d%s\n", WTERMSIG(status),
			WTERMSIG(status) == SIGSYS    ? ": it tried a system call"
			: WTERMSIG(status) == SIGSEGV ? ": forbidden memory, or the time-stamp counter"
						      : "");
	else if (WEXITSTATUS(status) != 0)
		fprintf(stderr,
			"tee-perf-sim: the trusted part ended with status %d: it waited too long for the host\n",
			WEXITSTATUS(status));
}

static int run(const struct tee_perf_sim_config *config, const char *path, unsigned number, unsigned long count)
{
	static const char *const text[] = { "ok",
					    "the trusted part is gone",
					    "every thread is busy",
					    "its table has no such entry",
					    "too much data",
					    "too deep",
					    "refused",
					    "it sent what no trusted part sends" };
	struct tee_perf_sim *sim = tee_perf_sim_start(path, config);
	int64_t result = 0;
	int status = TEE_PERF_SIM_OK;

	if (sim == NULL) {
		fprintf(stderr, "tee-perf-sim: %s\n", tee_perf_sim_error());
		return 1;
	}
	for (unsigned i = 0; i < 256; i++)
		tee_perf_sim_on_ocall(sim, i, answer, NULL);
	for (unsigned long i = 0; i < count && status == TEE_PERF_SIM_OK; i++)
		status = tee_perf_sim_ecall(sim, number, NULL, 0, &result);
	if (status == TEE_PERF_SIM_OK)
		printf("ECALL %u returned %lld\n", number, (long long)result);
	else
		fprintf(stderr, "tee-perf-sim: ECALL %u: %s\n", number, text[-status]);
	print_counts(sim);
	int ended = tee_perf_sim_stop(sim);
	print_end(ended);
	return status == TEE_PERF_SIM_OK && ended == 0 ? 0 : 1;
}

static int number_of(const char *text, unsigned long *value)
{
	char *end;

	*value = strtoul(text, &end, 0);
	return *text >= '0' && *text <= '9' && *end == '\0' ? 0 : complain("no number", text);
}

int main(int argc, char **argv)
{
	struct tee_perf_sim_config config;
	unsigned long number = 0, count = 1;
	int at = 1, status = 0;

	tee_perf_sim_config_init(&config);
	for (; at < argc && strncmp(argv[at], "--", 2) == 0 && status == 0; at++) {
		const char *value = at + 1 < argc ? argv[at + 1] : NULL;
		if (strcmp(argv[at], "--help") == 0)
			return fputs(usage, stdout) < 0;
		if (strcmp(argv[at], "--probe") == 0)
			return probe();
		if (strcmp(argv[at], "--config") != 0 && strcmp(argv[at], "--set") != 0)
			return complain("unknown option", argv[at]);
		if (value == NULL)
			return complain("an option without its value", argv[at]);
		if (strcmp(argv[at++], "--set") == 0)
			status = set(&config, argv[at]);
		else if (tee_perf_sim_config_read(&config, value) != 0)
			status = (fprintf(stderr, "tee-perf-sim: %s\n", tee_perf_sim_error()), USAGE);
	}
	if (status != 0)
		return status;
	if (at == argc || argc - at > 3)
		return complain("expected ENCLAVE.so [ECALL [COUNT]]", NULL);
	if ((argc - at > 1 && number_of(argv[at + 1], &number) != 0) ||
	    (argc - at > 2 && number_of(argv[at + 2], &count) != 0))
		return USAGE;
	return run(&config, argv[at], (unsigned)number, count);
}
