/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "simulator/loader/loader.h"

#include "runtime/arch/x86_64/syscall.h"
#include "runtime/log_layout.h"

#include <asm/prctl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>

#define GUARD (16 * SIM_PAGE) /* without access, around each stack */

void loader_main(const uint64_t *stack);

static struct sim_boot *boot;
static struct loader_image image;
static struct sim_enclave *enclave;

/* ---- what a C library would do */

long loader_call(long number, long a, long b, long c, long d, long e, long f)
{
	return arch_syscall6(number, a, b, c, d, e, f);
}

void loader_fail(enum sim_error error, uint64_t detail)
{
	if (boot != NULL) {
		boot->detail = detail;
		__atomic_store_n(&boot->error, error, __ATOMIC_RELEASE);
	}
	for (;;)
		loader_call(SYS_exit_group, 2, 0, 0, 0, 0, 0);
}

static void check(long result, enum sim_error error)
{
	if (result < 0)
		loader_fail(error, (uint64_t)-result);
}

void *loader_map(uint64_t at, uint64_t size, int protection, int flags, int fd, uint64_t offset, enum sim_error error)
{
	long result = loader_call(SYS_mmap, (long)at, (long)size, protection, flags, fd, (long)offset);

	if (result < 0 && result > -4096)
		loader_fail(error, (uint64_t)-result);
	return (void *)result;
}

void loader_copy(void *to, const void *from, size_t bytes)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

/* Compilers call it of their own accord. */
void *memset(void *to, int value, size_t bytes)
{
	void *at = to;

	__asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(value) : "memory");
	return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
	loader_copy(to, from, bytes);
	return to;
}

/* ---- host memory */

static void map_shared_memory(void)
{
	struct sim_boot *first = loader_map(0, SIM_PAGE, PROT_READ, MAP_SHARED, LOADER_BOOT_FD, 0, SIM_ERROR_MAP);

	boot = loader_map(first->address, first->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
			  LOADER_BOOT_FD, 0, SIM_ERROR_MAP);
	if ((uint64_t)boot != boot->address)
		loader_fail(SIM_ERROR_MAP, 0);
	loader_keep(boot->address, boot->bytes);
	loader_call(SYS_munmap, (long)first, SIM_PAGE, 0, 0, 0, 0);
}

/* Where the enclave has no business to write, or none at all, the memory protection says so: a store that strays ends
 * the process. */
static void map_log_part(uint64_t begin, uint64_t size, int protection, uint64_t offset)
{
	uint64_t lead = begin % SIM_PAGE;

	loader_map(begin - lead, size + lead, protection, MAP_SHARED | MAP_FIXED_NOREPLACE, LOADER_LOG_FD,
		   offset - lead, SIM_ERROR_LOG);
	loader_keep(begin - lead, size + lead);
}

static void map_log(void)
{
	static const struct {
		size_t offset;
		int protection;
	} part[] = {
		{ offsetof(struct tee_perf_log_segment, writer), PROT_READ | PROT_WRITE },
		{ offsetof(struct tee_perf_log_segment, nested_writer), PROT_READ | PROT_WRITE },
		{ offsetof(struct tee_perf_log_segment, reader), PROT_READ },
		{ offsetof(struct tee_perf_log_segment, nested_reader), PROT_READ },
		{ offsetof(struct tee_perf_log_segment, lost), PROT_READ | PROT_WRITE },
		{ offsetof(struct tee_perf_log_segment, extra), PROT_READ | PROT_WRITE },
		{ offsetof(struct tee_perf_log_segment, waited), PROT_READ | PROT_WRITE },
	};
	uint64_t slots = TEE_PERF_SLOTS_OFFSET(boot->log_module_bytes);

	if (boot->log_header == 0)
		return;
	map_log_part(boot->log_header, sizeof(struct tee_perf_log_header), PROT_READ, 0);
	map_log_part(boot->log_process, sizeof(struct tee_perf_log_process), PROT_READ | PROT_WRITE,
		     boot->log_process - boot->log_header);
	for (unsigned i = 0; i < sizeof part / sizeof *part; i++)
		map_log_part(boot->log_segment + part[i].offset, 8 * SIM_THREADS_MAX, part[i].protection,
			     boot->log_segment_offset + part[i].offset);
	map_log_part(boot->log_segment + slots, boot->threads * boot->log_slot_bytes, PROT_READ | PROT_WRITE,
		     boot->log_segment_offset + slots);
}

/* ---- enclave memory: the image, what the hardware knows, then a stack, thread-local memory and the private copy of
 * the marshalling buffer for each thread, then the heap */

static uint64_t page_up(uint64_t value)
{
	return (value + SIM_PAGE - 1) & ~(uint64_t)(SIM_PAGE - 1);
}

static uint64_t tls_area(void)
{
	return page_up(image.tls_bytes + sizeof(struct sim_thread_block) + 64);
}

static uint64_t thread_area(void)
{
	return GUARD + page_up(boot->stack_bytes) + GUARD + tls_area() + page_up(boot->marshal_bytes);
}

static void *open_memory(uint64_t begin, uint64_t size)
{
	check(loader_call(SYS_mprotect, (long)begin, (long)size, PROT_READ | PROT_WRITE, 0, 0, 0), SIM_ERROR_MAP);
	return (void *)begin;
}

static uint64_t open_thread(unsigned number, uint64_t at)
{
	struct sim_thread *thread = &enclave->thread[number];
	uint64_t stack = page_up(boot->stack_bytes);

	thread->number = number;
	thread->stack_low = at + GUARD;
	thread->stack_high = thread->stack_low + stack;
	open_memory(thread->stack_low, stack);
	thread->thread_block = thread->stack_high + GUARD + ((image.tls_bytes + 63) & ~UINT64_C(63));
	open_memory(thread->stack_high + GUARD, tls_area() + page_up(boot->marshal_bytes));
	loader_copy((char *)thread->thread_block - image.tls_bytes, (const void *)image.tls, image.tls_file_bytes);
	struct sim_thread_block *block = (struct sim_thread_block *)thread->thread_block;
	block->self = block;
	block->thread = thread;
	thread->scratch = (char *)(thread->stack_high + GUARD + tls_area());
	thread->exits = &enclave->channel[number].exits;
	thread->exit_done = &enclave->channel[number].exit_done;
	return at + thread_area();
}

static void build_enclave(void)
{
	loader_image_open(&image);
	uint64_t facts = page_up(sizeof *enclave), heap = page_up(boot->heap_bytes);
	uint64_t size = image.span + facts + boot->threads * thread_area() + GUARD + heap;
	uint64_t states = page_up((size + (size >> 11) + SIM_PAGE) / SIM_PAGE);
	size += states;
	uint64_t base =
	    (uint64_t)loader_map(0, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0, SIM_ERROR_MAP);
	loader_keep(base, size);
	open_memory(base, image.span + facts);
	loader_image_load(&image, base);
	enclave = (struct sim_enclave *)(base + image.span);
	*enclave = (struct sim_enclave){
		.base = base,
		.size = size,
		.threads = boot->threads,
		.marshal_bytes = boot->marshal_bytes,
		.shared_bytes = boot->shared_bytes,
		.heap_bytes = boot->heap_bytes,
		.epc_pages = boot->epc_pages,
		.wait_pauses = boot->wait_pauses,
		.wait_rounds = boot->wait_rounds,
		.tsc_legal = !boot->tsc_forbidden,
		.channel = (struct sim_channel *)(boot->address + sim_channel_offset()),
		.marshal = (char *)(boot->address + sim_marshal_offset()),
		.shared = (char *)(boot->address + sim_shared_offset(boot)),
		.constructor = (void (**)(void))image.constructors,
		.constructor_count = image.constructor_count,
	};
	uint64_t at = base + image.span + facts;
	for (unsigned i = 0; i < boot->threads; i++)
		at = open_thread(i, at);
	at += GUARD;
	enclave->heap = open_memory(at, heap + states);
	enclave->page_state = (uint8_t *)(at + heap);
	boot->base = base;
	boot->size = size;
	boot->bias = image.bias;
}

/* ---- giving up */

static void forbid_system_calls(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	static struct sock_fprog program = { .len = sizeof code / sizeof *code, .filter = code };

	check(loader_call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0), SIM_ERROR_SECCOMP);
	check(loader_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program, 0, 0, 0), SIM_ERROR_SECCOMP);
}

/* The kernel's own layout, which C libraries hide. */
struct kernel_sigaction {
	void (*handler)(void);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

#define KERNEL_SA_RESTORER 0x04000000

static void start_exits(void)
{
	struct kernel_sigaction action = { .handler = loader_exit_handler,
					   .flags = SA_SIGINFO | SA_NODEFER | SA_RESTART | KERNEL_SA_RESTORER,
					   .restorer = loader_restorer };
	struct itimerval timer = { 0 };

	if (boot->exits_per_second == 0)
		return;
	timer.it_interval.tv_usec = (long)(1000000 / boot->exits_per_second);
	timer.it_value = timer.it_interval;
	check(loader_call(SYS_rt_sigaction, SIGALRM, (long)&action, 0, 8, 0, 0), SIM_ERROR_TIMER);
	check(loader_call(SYS_setitimer, ITIMER_REAL, (long)&timer, 0, 0, 0, 0), SIM_ERROR_TIMER);
}

/* What the handler does between saving and restoring: nothing, for as long as the host says. An enclave that is not
 * running (idle, in an OCALL) cannot be interrupted. Bounded like any wait. */
void loader_exit(struct sim_thread *thread)
{
	if (!thread->inside || thread->in_exit)
		return;
	thread->in_exit = 1;
	uint64_t number = *thread->exits + 1;
	__atomic_store_n(thread->exits, number, __ATOMIC_RELEASE);
	for (uint64_t i = 0; i < enclave->wait_rounds && __atomic_load_n(thread->exit_done, __ATOMIC_ACQUIRE) < number;
	     i++)
		__builtin_ia32_pause();
	thread->in_exit = 0;
}

/* As linux/sched/types.h has it, which libc headers contradict. */
struct kernel_sched_attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

/* A thread that waits for the host cannot give the processor away: let others have it after a tenth of a millisecond.
 * Kernels before 6.12 do not know this. */
static void ask_for_short_turns(void)
{
	struct kernel_sched_attr attributes = { .size = sizeof attributes };

	if (loader_call(SYS_sched_getattr, 0, (long)&attributes, sizeof attributes, 0, 0, 0) < 0)
		return;
	attributes.runtime = 100 * 1000;
	loader_call(SYS_sched_setattr, 0, (long)&attributes, 0, 0, 0, 0);
}

static void enter(void *argument)
{
	struct sim_thread *thread = argument;

	loader_call(SYS_prctl, PR_SET_NAME, (long)"enclave", 0, 0, 0, 0);
	check(loader_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0), SIM_ERROR_THREAD);
	if (loader_call(SYS_getppid, 0, 0, 0, 0, 0, 0) != (long)boot->host_pid)
		loader_fail(SIM_ERROR_THREAD, 0);
	thread->pid = (uint64_t)loader_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	boot->pid[thread->number] = thread->pid;
	check(loader_call(SYS_arch_prctl, ARCH_SET_FS, (long)thread->thread_block, 0, 0, 0, 0), SIM_ERROR_THREAD);
	if (boot->tsc_forbidden)
		check(loader_call(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0, 0), SIM_ERROR_TSC);
	ask_for_short_turns();
	start_exits();
	forbid_system_calls();
	loader_jump(enclave, thread, thread->stack_high, image.entry);
}

static void start_threads(void)
{
	extern const char __executable_start[], _end[];

	loader_keep((uint64_t)__executable_start, (uint64_t)(_end - __executable_start));
	loader_unmap_others();
	/* Processes that share the memory, so that each can be stopped while nobody is in it: an idle thread of an
	 * enclave uses no processor. They are children of the host, as this one is. */
	for (unsigned i = 1; i < boot->threads; i++)
		check(loader_clone(CLONE_VM | CLONE_PARENT | SIGCHLD, (void *)enclave->thread[i].stack_high, enter,
				   &enclave->thread[i]),
		      SIM_ERROR_THREAD);
	enter(&enclave->thread[0]);
}

void loader_main(const uint64_t *stack)
{
	map_shared_memory();
	boot->vdso = loader_vdso(stack);
	map_log();
	build_enclave();
	loader_call(SYS_close_range, 0, ~0u, 0, 0, 0, 0);
	/* Nobody reads its memory but itself, and it leaves no core. */
	check(loader_call(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0, 0), SIM_ERROR_THREAD);
	loader_move(enclave->thread[0].stack_high, start_threads);
}
