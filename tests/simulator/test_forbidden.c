/* SPDX-License-Identifier: MIT */
/* What is forbidden to the trusted side, and to its host: system calls, clocks, each other's memory. test_forbidden
 * ENCLAVE.so */
#define _GNU_SOURCE
#include "tests/simulator/fixture.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* SECCOMP_MODE_STRICT would let it pass. */
START_TEST(a_write_is_fatal)
{
	char text[] = "this must never be seen\n";

	start();
	ck_assert_int_eq(tee_perf_sim_ecall(sim, ECALL_WRITE, text, sizeof text, NULL), TEE_PERF_SIM_DIED);
	dies_by(SIGSYS);
}
END_TEST

#define X32(number) (UINT64_C(0x40000000) | (number))
static const struct {
	const char *name;
	struct system_call call;
} system_calls[] = {
	{ "read", { WAY_SYSCALL, 0 } },
	{ "clone", { WAY_SYSCALL, 56 } },
	{ "clone3", { WAY_SYSCALL, 435 } },
	{ "fork", { WAY_SYSCALL, 57 } },
	{ "vfork", { WAY_SYSCALL, 58 } },
	{ "execve", { WAY_SYSCALL, 59 } },
	{ "io_uring_setup", { WAY_SYSCALL, 425 } },
	{ "io_uring_enter", { WAY_SYSCALL, 426 } },
	{ "futex", { WAY_SYSCALL, 202 } },
	{ "mmap", { WAY_SYSCALL, 9 } },
	{ "rt_sigreturn", { WAY_SYSCALL, 15 } },
	{ "getpid", { WAY_SYSCALL, 39 } },
	{ "clock_gettime", { WAY_SYSCALL, 228 } },
	{ "sched_yield", { WAY_SYSCALL, 24 } },
	{ "prctl", { WAY_SYSCALL, 157 } },
	{ "seccomp", { WAY_SYSCALL, 317 } },
	{ "exit, of one thread", { WAY_SYSCALL, 60 } },
	{ "no such call", { WAY_SYSCALL, 5000 } },
	{ "-1", { WAY_SYSCALL, UINT64_MAX } },
	{ "x32 write", { WAY_SYSCALL, X32(1) } },
	{ "x32 exit_group", { WAY_SYSCALL, X32(231) } },
	{ "32-bit exit", { WAY_INT80, 1 } },
	{ "32-bit write", { WAY_INT80, 4 } },
	{ "32-bit exit_group", { WAY_INT80, 252 } },
	{ "the number of exit_group, as 32-bit call", { WAY_INT80, 231 } },
	{ "sysenter", { WAY_SYSENTER, 252 } },
	{ "vsyscall", { WAY_VSYSCALL, 0 } },
};

/* By whatever way and number; a kernel that has no such way kills as well. */
START_TEST(every_system_call_is_fatal)
{
	struct system_call call = system_calls[_i].call;

	start();
	ck_assert_msg(tee_perf_sim_ecall(sim, ECALL_SYSTEM_CALL, &call, sizeof call, NULL) == TEE_PERF_SIM_DIED,
		      "it survives %s", system_calls[_i].name);
	int status = tee_perf_sim_exit_status(sim);
	ck_assert_msg(WIFSIGNALED(status), "%s: wait status 0x%x", system_calls[_i].name, status);
	if (call.way == WAY_SYSCALL)
		ck_assert_msg(WTERMSIG(status) == SIGSYS, "%s: signal %d", system_calls[_i].name, WTERMSIG(status));
	ck_assert_int_eq(tee_perf_sim_stop(sim), status);
}
END_TEST

START_TEST(exit_group_is_not)
{
	struct system_call call = { WAY_SYSCALL, 231 };

	start();
	ck_assert_int_eq(tee_perf_sim_ecall(sim, ECALL_SYSTEM_CALL, &call, sizeof call, NULL), TEE_PERF_SIM_DIED);
	ck_assert_int_eq(tee_perf_sim_stop(sim), 0);
}
END_TEST

/* The kernel's pages for reading the time without a system call are not there; nor is the first stack, with what the
 * kernel put there. */
START_TEST(there_is_no_vdso)
{
	start();
	uint64_t page = sim->boot->vdso;
	if (page == 0) {
		printf("skipped: this kernel has no vDSO\n");
		tee_perf_sim_stop(sim);
		return;
	}
	ck_assert_int_eq(tee_perf_sim_ecall(sim, ECALL_LOAD, &page, 8, NULL), TEE_PERF_SIM_DIED);
	dies_by(SIGSEGV);
}
END_TEST

/* What the trusted process has mapped, in its own and its host's words; only root may look. */
START_TEST(nothing_is_mapped_but_what_the_enclave_needs)
{
	char path[64], line[512];
	unsigned lines = 0;

	config.host = TEE_PERF_SIM_HOST_SILENT;
	start();
	snprintf(path, sizeof path, "/proc/%d/maps", tee_perf_sim_pid(sim));
	FILE *file = fopen(path, "re");
	for (; file != NULL && fgets(line, sizeof line, file) != NULL; lines++) {
		const char *name = strpbrk(line, "[/");
		bool ours = name == NULL || strncmp(name, "/memfd:tee-perf-sim", 19) == 0 ||
			    strncmp(name, "[vsyscall]", 10) == 0;
		ck_assert_msg(ours, "mapped: %s", line);
	}
	if (lines == 0)
		printf("skipped: not allowed to look at what is mapped\n");
	if (file != NULL)
		fclose(file);
	tee_perf_sim_stop(sim);
}
END_TEST

static void give_up_the_right_to_trace(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	ck_assert_int_eq(syscall(SYS_capget, &header, data), 0);
	data[0].effective &= ~(1u << CAP_SYS_PTRACE);
	data[0].permitted &= ~(1u << CAP_SYS_PTRACE);
	ck_assert_int_eq(syscall(SYS_capset, &header, data), 0);
}

/* The host has no way in, though it is the parent and of the same user. */
START_TEST(the_host_cannot_read_or_write_the_memory)
{
	uint64_t begin, bytes, word = 0;
	char path[64];

	give_up_the_right_to_trace();
	start();
	tee_perf_sim_range(sim, &begin, &bytes);
	struct iovec here = { &word, 8 }, there = { (void *)begin, 8 };
	ck_assert_int_eq(process_vm_readv(tee_perf_sim_pid(sim), &here, 1, &there, 1, 0), -1);
	ck_assert_int_eq(process_vm_writev(tee_perf_sim_pid(sim), &here, 1, &there, 1, 0), -1);
	snprintf(path, sizeof path, "/proc/%d/mem", tee_perf_sim_pid(sim));
	ck_assert_int_eq(open(path, O_RDWR | O_CLOEXEC), -1);
	ck_assert_int_eq(ptrace(PTRACE_SEIZE, tee_perf_sim_pid(sim), NULL, NULL), -1);
	tee_perf_sim_stop(sim);
}
END_TEST

START_TEST(the_time_stamp_counter_is_fatal_where_it_can_be_forbidden)
{
	struct tee_perf_sim_machine machine;

	tee_perf_sim_probe(&machine);
	if (!machine.tsc) {
		printf("skipped: this machine cannot forbid the time-stamp counter\n");
		return;
	}
	start();
	ck_assert_int_eq(tee_perf_sim_ecall(sim, ECALL_READ_COUNTER, NULL, 0, NULL), TEE_PERF_SIM_DIED);
	dies_by(SIGSEGV);
	config.tsc_forbidden = 0;
	start();
	ck_assert_int_ne(call(ECALL_READ_COUNTER, NULL, 0), 0);
	ck_assert_int_eq(tee_perf_sim_stop(sim), 0);
}
END_TEST

int main(int argc, char **argv)
{
	TCase *tests = tcase_create("forbidden");

	(void)argc;
	enclave = argv[1];
	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, configure, NULL);
	tcase_add_loop_test(tests, every_system_call_is_fatal, 0, (int)(sizeof system_calls / sizeof *system_calls));
	tcase_add_test(tests, a_write_is_fatal);
	tcase_add_test(tests, exit_group_is_not);
	tcase_add_test(tests, there_is_no_vdso);
	tcase_add_test(tests, nothing_is_mapped_but_what_the_enclave_needs);
	tcase_add_test(tests, the_host_cannot_read_or_write_the_memory);
	tcase_add_test(tests, the_time_stamp_counter_is_fatal_where_it_can_be_forbidden);
	return run_suite(suite_create("forbidden"), tests);
}
