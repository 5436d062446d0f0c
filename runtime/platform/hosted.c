/* SPDX-License-Identifier: MIT */
/* Hosted platform: plain Linux, a guest, Gramine and the like. The log is found through the environment variable
 * TEE_PERF_LOG=<path>:<nonce in hexadecimal, or nothing>, mapped, and its descriptor closed. Raw system calls only:
 * the program may define its own libc functions. */
#include "runtime/platform/hosted.h"

#include "arch.h"
#include "syscall.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#define PAGE        4096ul
#define UNHEARD_MAX 3      /* then threads no longer sleep on a futex */
#define SAME_STACK  4096ul /* less than any signal stack has left under its first frame */

static struct {
	struct tee_perf_hosted_log log;
	volatile uint64_t *alive; /* lies in memory that is wiped at fork: 0 in a child */
	pthread_key_t key;
	bool key_usable;
	uint64_t generation;
	long pid;         /* that is attached */
	unsigned unheard; /* waits in a row that were over and did not end by being woken */
} hosted;

static long sys(long number, long a, long b, long c, long d, long e, long f)
{
	return arch_syscall6(number, a, b, c, d, e, f);
}

static uint64_t now_ns(void)
{
	struct timespec now;
	sys(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void tee_perf_hosted_nap(long ns)
{
	struct timespec time = { .tv_nsec = ns };
	sys(SYS_nanosleep, (long)&time, 0, 0, 0, 0, 0);
}

/* ---- the five things */

bool tee_perf_platform_open_memory(uintptr_t begin, uint64_t size)
{
	/* Rings are mapped without access until used, so that mlockall does not fill them all. */
	return hosted.log.accessible ||
	       sys(SYS_mprotect, (long)begin, (long)size, PROT_READ | PROT_WRITE, 0, 0, 0) == 0;
}

/* Notes how a sleep on a futex ended. True: there was none, in the memory of a device, or where futexes have been given
 * up, as they reach no other process (Gramine). */
static bool did_not_sleep(long result, bool over)
{
	if (result == -EFAULT || result == -ENOSYS)
		return true;
	if (result == 0)
		hosted.unheard = 0;
	else if (result == -ETIMEDOUT && over)
		hosted.unheard++;
	return false;
}

/* Sleeps on the reader's position; the recorder wakes a slot whose `waiting` word it has reached. */
unsigned tee_perf_platform_wait(struct tee_perf_thread *thread, uint64_t seen, uint64_t wake_at, uint64_t *slept_ns)
{
	struct timespec timeout = { .tv_nsec = 10 * 1000 * 1000 };
	uint64_t before = now_ns();
	long slept_on = -ENOSYS;

	host_write(thread->waiting, wake_at);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_fetch_add(&thread->host->doorbell, 1, __ATOMIC_SEQ_CST);
	sys(SYS_futex, (long)&thread->host->doorbell, FUTEX_WAKE, 1, 0, 0, 0);
	if (hosted.unheard < UNHEARD_MAX)
		slept_on = sys(SYS_futex, (long)thread->reader, FUTEX_WAIT, (long)(uint32_t)seen, (long)&timeout, 0, 0);
	if (did_not_sleep(slept_on, host_read(thread->reader) >= wake_at))
		tee_perf_hosted_nap(1000 * 1000);
	host_write(thread->waiting, 0);
	uint64_t slept = now_ns() - before, waited = slept / 1000000;
	*slept_ns += slept;
	/* A stop of this process itself is no sign against the recorder. */
	return waited > 20 ? 20 : (unsigned)waited + 1;
}

void tee_perf_platform_watch_thread_end(void)
{
	if (hosted.key_usable)
		pthread_setspecific(hosted.key, (void *)(uintptr_t)1);
	tee_perf_hosted_stacks_attached(tee_perf_self);
}

bool tee_perf_platform_owner_stale(const struct tee_perf_thread *thread, uintptr_t owner, uintptr_t cfa)
{
	stack_t stack;

	if (owner > thread->stack_lo && owner <= thread->stack_hi)
		return false; /* we are on another stack than the hook that we interrupted */
	if (sys(SYS_sigaltstack, 0, (long)&stack, 0, 0, 0, 0) != 0)
		return false;
	bool enabled = (stack.ss_flags & SS_DISABLE) == 0, in_use = (stack.ss_flags & SS_ONSTACK) != 0;
	uintptr_t low = (uintptr_t)stack.ss_sp, high = low + stack.ss_size;
	bool owner_on_signal_stack = enabled && owner > low && owner <= high;

	/* If the hook was at work on the signal stack, and that is no longer in use, a handler left it by siglongjmp.
	 */
	if (owner_on_signal_stack && !in_use)
		return true;
	/* We are on the thread's stack: the hook is suspended (user-level threads switched by a signal). */
	if (cfa > thread->stack_lo && cfa <= thread->stack_hi)
		return false;
	/* On the signal stack, over a hook on the stack of a coroutine: which of the two lies higher says nothing. */
	if (in_use && !owner_on_signal_stack)
		return false;
	/* With SS_AUTODISARM a handler sees no signal stack. What lies close together is one stack all the same. */
	return owner <= cfa && (enabled || cfa - owner < SAME_STACK);
}

/* ---- thread: tid and stack */

struct maps_line {
	uintptr_t value[2];
	int field; /* 0, 1: the two addresses; 2: the rest of the line */
};

/* Feeds one character; true at the end of a line. */
static bool maps_feed(struct maps_line *line, char c)
{
	if (c == '\n')
		return true;
	if (line->field == 2)
		return false;
	if (c == '-' || c == ' ') {
		line->field++;
		return false;
	}
	line->value[line->field] = line->value[line->field] << 4 | (uintptr_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	return false;
}

/* The mapping that holds cfa, from /proc/self/maps, without malloc and with little stack. */
static void find_stack(struct tee_perf_thread *thread, uintptr_t cfa)
{
	char buffer[512];
	struct maps_line line = { { 0 } };
	long fd = sys(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0), got;

	thread->stack_lo = thread->stack_hi = 0;
	if (fd < 0)
		return;
	while (thread->stack_hi == 0 && (got = sys(SYS_read, fd, (long)buffer, sizeof buffer, 0, 0, 0)) > 0)
		for (long i = 0; i < got; i++) {
			if (!maps_feed(&line, buffer[i]))
				continue;
			if (cfa > line.value[0] && cfa <= line.value[1]) {
				thread->stack_lo = line.value[0];
				thread->stack_hi = line.value[1];
				break;
			}
			line = (struct maps_line){ { 0 } };
		}
	sys(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* The main thread's stack grows downwards from where it is now, up to its limit. */
static void extend_main_stack(struct tee_perf_thread *thread)
{
	struct rlimit limit;

	if (sys(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit, 0, 0) != 0 || limit.rlim_cur == RLIM_INFINITY)
		limit.rlim_cur = 64ul << 20;
	uintptr_t lowest = thread->stack_hi - limit.rlim_cur;
	if (limit.rlim_cur < thread->stack_hi && lowest < thread->stack_lo)
		thread->stack_lo = lowest;
}

void tee_perf_platform_thread(struct tee_perf_thread *thread, uintptr_t cfa)
{
	thread->tid = (uint32_t)sys(SYS_gettid, 0, 0, 0, 0, 0, 0);
	find_stack(thread, cfa);
	if (thread->stack_hi != 0 && thread->tid == (uint32_t)sys(SYS_getpid, 0, 0, 0, 0, 0, 0))
		extend_main_stack(thread);
}

/* ---- process */

/* Private memory that a forked child finds zeroed: the threads' states, and a word that says we live. */
static struct tee_perf_thread *map_threads(uint32_t count)
{
	size_t size = PAGE + (size_t)count * sizeof(struct tee_perf_thread);
	char *memory =
	    tee_perf_hosted_map(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == NULL)
		return NULL;
	/* Where that is not to be had, forked_child does it. */
	sys(SYS_madvise, (long)memory, (long)size, MADV_WIPEONFORK, 0, 0, 0);
	sys(SYS_madvise, (long)memory, (long)size, MADV_DONTDUMP, 0, 0, 0);
	hosted.alive = (uint64_t *)memory;
	return (struct tee_perf_thread *)(memory + PAGE);
}

static void introduce(struct tee_perf_log_process *process, uint64_t parent, uint64_t parent_generation)
{
	hosted.pid = sys(SYS_getpid, 0, 0, 0, 0, 0, 0);
	host_write(&process->pid, (uint64_t)hosted.pid);
	host_write(&process->parent, parent);
	host_write(&process->parent_generation, parent_generation);
	host_write(&process->slot_count, 0);
	host_write(&process->unserved, 0);
	host_write(&process->flags, ARCH_MACHINE | tee_perf_hosted_program_id());
	hosted.generation = host_read(&process->generation);
	host_write(&process->state, TEE_PERF_PROCESS_LIVE);
}

static bool attach(void)
{
	struct tee_perf_attachment attachment = { 0 };
	uint64_t parent = hosted.log.process_index_plus_1, parent_generation = hosted.generation;
	/* Rings are opened by sub-buffers, which a larger page would not allow. */
	if (getauxval(AT_PAGESZ) > TEE_PERF_SUBBUF_BYTES)
		return false;
	long fd = sys(SYS_openat, AT_FDCWD, (long)hosted.log.path, O_RDWR | O_CLOEXEC, 0, 0, 0);

	if (fd < 0)
		return false;
	bool mapped = tee_perf_hosted_map_log((int)fd, &hosted.log, &attachment);
	sys(SYS_close, fd, 0, 0, 0, 0, 0);
	if (mapped)
		attachment.threads = map_threads(attachment.slot_count);
	if (attachment.threads == NULL)
		return false;
	tee_perf_attach(&attachment);
	tee_perf_hosted_modules_attached();
	introduce(attachment.process, parent, parent_generation);
	*hosted.alive = 1;
	return true;
}

/* ---- fork */

/* In a child the parent's segment is not mapped and the threads' states are zero. */
bool tee_perf_platform_attach_child(void)
{
	if (*hosted.alive != 0)
		return true;
	static volatile bool busy; /* a handler that comes in meanwhile goes unrecorded */
	if (busy)
		return false;
	busy = true;
	tee_perf_thread_forget();
	sys(SYS_munmap, (long)hosted.log.header, TEE_PERF_HOSTED_HEADER_BYTES, 0, 0, 0, 0);
	bool attached = attach();
	if (!attached)
		tee_perf_state.host = NULL;
	busy = false;
	return attached;
}

/* Does in a forked child what the kernel was asked for and an emulation of it (qemu-user) only says it does. */
static void leave_parent(void)
{
	sys(SYS_munmap, (long)hosted.log.segment, (long)hosted.log.segment_bytes, 0, 0, 0, 0);
	for (uint32_t slot = 0; slot < tee_perf_state.slot_next && slot < tee_perf_state.slot_count; slot++) {
		volatile uint64_t *word = (volatile uint64_t *)&tee_perf_state.threads[slot];
		for (size_t i = 0; i < sizeof(struct tee_perf_thread) / sizeof *word; i++)
			word[i] = 0;
	}
	*hosted.alive = 0;
}

/* fork() in a signal handler that had interrupted a hook: that hook goes on in the child, with the address of
 * a record in the parent's ring at hand. Give it memory there that nobody reads. */
static void forked_child(void)
{
	struct tee_perf_thread *thread = tee_perf_self;

	if (hosted.alive == NULL)
		return;
	if (*hosted.alive != 0 && hosted.pid != sys(SYS_getpid, 0, 0, 0, 0, 0, 0))
		leave_parent();
	if (thread == &tee_perf_unattached || *hosted.alive != 0)
		return;
	uintptr_t slot = tee_perf_state.slots +
			 (uintptr_t)(thread - tee_perf_state.threads) * TEE_PERF_SLOT_BYTES(tee_perf_state.ring_bytes);
	size_t size = TEE_PERF_SLOT_BYTES(tee_perf_state.ring_bytes);
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;

	/* Its end may have been given back, and be in use (hosted_limits.c). */
	while (tee_perf_hosted_map((void *)slot, size, PROT_READ | PROT_WRITE, flags, -1, 0) == NULL && size > PAGE)
		size = size / 2 & ~(PAGE - 1);
	tee_perf_thread_forget();
}

/* The child begins deep in the stack: it looks at what is open, with what is loaded here, as no hook can load it. */
static void before_fork(void)
{
	stack_t stack;

	if (tee_perf_platform_prepare_walk != NULL && tee_perf_state.host != NULL &&
	    sys(SYS_sigaltstack, 0, (long)&stack, 0, 0, 0, 0) == 0 && (stack.ss_flags & SS_ONSTACK) == 0)
		tee_perf_platform_prepare_walk();
}

/* ---- start and end */

/* Runs in each round of destructors and gives the slot back in the last, so that other destructors' hooks
 * still find it. */
static void thread_end(void *round)
{
	uintptr_t n = (uintptr_t)round;

	if (n == 1)
		tee_perf_hosted_stacks_left();
	if (n < PTHREAD_DESTRUCTOR_ITERATIONS)
		pthread_setspecific(hosted.key, (void *)(n + 1));
	else {
		tee_perf_hosted_write_end();
		tee_perf_thread_detach();
	}
}

/* Splits "<path>:<nonce>". False: not ours. */
static bool parse_environment(const char *value)
{
	size_t length = 0;

	for (const char *c = value; *c != '\0'; c++)
		if (*c == ':')
			length = (size_t)(c - value);
	if (length == 0 || length >= sizeof hosted.log.path)
		return false;
	for (size_t i = 0; i < length; i++)
		hosted.log.path[i] = value[i];
	for (const char *c = value + length + 1; *c != '\0'; c++) {
		int digit = *c >= '0' && *c <= '9' ? *c - '0' : *c >= 'a' && *c <= 'f' ? *c - 'a' + 10 : -1;
		if (digit < 0)
			return false;
		hosted.log.nonce = hosted.log.nonce << 4 | (uint64_t)digit;
	}
	hosted.log.any_nonce = value[length + 1] == '\0';
	return true;
}

void tee_perf_hosted_start(void)
{
	static bool started;

	if (started)
		return;
	started = true;
	const char *value = secure_getenv("TEE_PERF_LOG");
	if (value == NULL || !parse_environment(value))
		return;
	/* glibc keeps the first 32 keys within the thread; beyond, setting one would call malloc in a hook. */
	hosted.key_usable = pthread_key_create(&hosted.key, thread_end) == 0 && hosted.key < 32;
	pthread_atfork(before_fork, NULL, forked_child);
	if (!attach())
		tee_perf_state.host = NULL;
	else if ((host_read(&tee_perf_state.host->control) & TEE_PERF_CONTROL_ON) == 0 &&
		 tee_perf_platform_prepare_walk != NULL)
		tee_perf_platform_prepare_walk();
}

__attribute__((constructor(101))) static void start(void)
{
	tee_perf_hosted_start();
}
