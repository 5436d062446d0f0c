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

#define PAGE         4096ul
#define HEADER_BYTES (TEE_PERF_TABLE_OFFSET + TEE_PERF_PROCESS_MAX * sizeof(struct tee_perf_log_process))
#define UNHEARD_MAX  3      /* then threads no longer sleep on a futex */
#define SAME_STACK   4096ul /* less than any signal stack has left under its first frame */

static struct {
	char path[256];
	uint64_t nonce;
	bool any_nonce;           /* none was given: a device, whose log is whatever is there */
	volatile uint64_t *alive; /* lies in memory that is wiped at fork: 0 in a child */
	uintptr_t header, segment;
	size_t segment_bytes;
	uint64_t segment_stride; /* in the file */
	pthread_key_t key;
	bool key_usable;
	bool accessible; /* the segment is so from the start */
	uint64_t process_index_plus_1, generation;
	long pid;         /* that is attached */
	unsigned unheard; /* waits in a row that were over and did not end by being woken */
} hosted;

static long sys(long number, long a, long b, long c, long d, long e, long f)
{
	return arch_syscall6(number, a, b, c, d, e, f);
}

static void *map(void *at, size_t size, int protection, int flags, int fd, uint64_t offset)
{
	long result = sys(SYS_mmap, (long)at, (long)size, protection, flags, fd, (long)offset);
	return result < 0 && result > -4096 ? NULL : (void *)result;
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
	return hosted.accessible || sys(SYS_mprotect, (long)begin, (long)size, PROT_READ | PROT_WRITE, 0, 0, 0) == 0;
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

/* Claims an entry of the process table; -1: none is free. */
static long claim_process(struct tee_perf_log_header *header, uint64_t process_max)
{
	struct tee_perf_log_process *table = (void *)((uintptr_t)header + TEE_PERF_TABLE_OFFSET);

	for (uint64_t i = 0; i < process_max; i++) {
		uint64_t expected = TEE_PERF_PROCESS_FREE;
		if (__atomic_compare_exchange_n(&table[i].state, &expected, TEE_PERF_PROCESS_CLAIMED, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return (long)i;
	}
	__atomic_fetch_add(&header->refused_count, 1, __ATOMIC_RELAXED);
	return -1;
}

/* At a multiple of the sub-buffer size, without access for now. */
static void *map_aligned(int fd, uint64_t offset, size_t size)
{
	size_t room = size + TEE_PERF_SUBBUF_BYTES;
	void *within = tee_perf_hosted_map_within(hosted.path, hosted.header, fd, offset, size);

	hosted.accessible = within != NULL;
	if (within != NULL)
		return within;
	uintptr_t begin = (uintptr_t)map(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (begin == 0)
		return NULL;
	uintptr_t aligned = (begin + TEE_PERF_SUBBUF_BYTES - 1) & ~(uintptr_t)(TEE_PERF_SUBBUF_BYTES - 1);
	void *segment = map((void *)aligned, size, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, offset);
	if (segment == NULL) {
		sys(SYS_munmap, (long)begin, (long)room, 0, 0, 0, 0);
		segment = tee_perf_hosted_map_anywhere(fd, offset, size);
		hosted.accessible = segment != NULL;
		return segment;
	}
	if (aligned > begin)
		sys(SYS_munmap, (long)begin, (long)(aligned - begin), 0, 0, 0, 0);
	if (aligned + size < begin + room)
		sys(SYS_munmap, (long)(aligned + size), (long)(begin + room - aligned - size), 0, 0, 0, 0);
	return segment;
}

/* Maps as much of the segment as the limit of the address space sensibly allows. */
static void *map_segment(int fd, uint64_t offset, uint64_t slot_max, uint64_t ring_bytes, uint64_t module_bytes,
			 uint32_t *slots, size_t *size)
{
	struct rlimit limit = { .rlim_cur = RLIM_INFINITY };

	sys(SYS_prlimit64, 0, RLIMIT_AS, 0, (long)&limit, 0, 0);
	_Static_assert(RLIM_INFINITY == UINT64_MAX, "no limit");
	uint64_t count = tee_perf_slots_within(limit.rlim_cur, slot_max, ring_bytes, module_bytes);
	for (; count > 0; count /= 2) {
		*size = TEE_PERF_SLOTS_OFFSET(module_bytes) + count * TEE_PERF_SLOT_BYTES(ring_bytes);
		void *segment = map_aligned(fd, offset, *size);
		if (segment != NULL) {
			*slots = (uint32_t)count;
			return segment;
		}
	}
	return NULL;
}

/* 0: nobody says. */
static uint64_t size_of(int fd)
{
	struct stat file = { 0 };

	if (sys(SYS_fstat, fd, (long)&file, 0, 0, 0, 0) == 0)
		return (uint64_t)file.st_size;
	long end = sys(SYS_lseek, fd, 0, SEEK_END, 0, 0, 0);
	return end > 0 ? (uint64_t)end : 0;
}

/* Checks the header, claims an entry, maps its segment. False: nothing is attached. */
static bool map_log(int fd, struct tee_perf_attachment *attachment)
{
	struct tee_perf_log_header *header = map(NULL, HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (header == NULL)
		return false;
	hosted.header = (uintptr_t)header;
	uint64_t process_max = host_read(&header->process_max), slot_max = host_read(&header->slot_max);
	uint64_t module_bytes = host_read(&header->module_bytes);
	hosted.segment_stride = host_read(&header->segment_bytes);
	attachment->ring_bytes = host_read(&header->ring_bytes);
	attachment->module_bytes = module_bytes;
	if (host_read(&header->magic) != TEE_PERF_LOG_MAGIC || host_read(&header->version) != TEE_PERF_LOG_VERSION ||
	    (host_read(&header->nonce) != hosted.nonce && !hosted.any_nonce) ||
	    !tee_perf_sizes_sane(process_max, slot_max, attachment->ring_bytes, hosted.segment_stride, module_bytes))
		return false;
	/* Beyond the file's end an access would be our end. */
	if (size_of(fd) < TEE_PERF_SEGMENTS_OFFSET + process_max * hosted.segment_stride)
		return false;
	if (tee_perf_hosted_is_second((void *)((uintptr_t)header + TEE_PERF_TABLE_OFFSET), process_max))
		return false;
	long index = claim_process(header, process_max);
	if (index < 0)
		return false;
	attachment->process = (struct tee_perf_log_process *)((uintptr_t)header + TEE_PERF_TABLE_OFFSET) + index;
	void *segment =
	    map_segment(fd, TEE_PERF_SEGMENTS_OFFSET + (uint64_t)index * hosted.segment_stride, slot_max,
			attachment->ring_bytes, module_bytes, &attachment->slot_count, &hosted.segment_bytes);
	if (segment == NULL) {
		host_write(&attachment->process->state, TEE_PERF_PROCESS_FREE);
		return false;
	}
	hosted.segment = (uintptr_t)segment;
	hosted.process_index_plus_1 = (uint64_t)index + 1;
	attachment->host = header;
	attachment->segment = segment;
	sys(SYS_madvise, (long)segment, (long)hosted.segment_bytes, MADV_DONTDUMP, 0, 0, 0);
	sys(SYS_madvise, (long)segment, (long)hosted.segment_bytes, MADV_DONTFORK, 0, 0, 0);
	sys(SYS_madvise, (long)header, HEADER_BYTES, MADV_DONTDUMP, 0, 0, 0);
	return tee_perf_platform_open_memory((uintptr_t)segment, sizeof *attachment->segment);
}

/* Private memory that a forked child finds zeroed: the threads' states, and a word that says we live. */
static struct tee_perf_thread *map_threads(uint32_t count)
{
	size_t size = PAGE + (size_t)count * sizeof(struct tee_perf_thread);
	char *memory = map(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

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
	uint64_t parent = hosted.process_index_plus_1, parent_generation = hosted.generation;
	/* Rings are opened by sub-buffers, which a larger page would not allow. */
	if (getauxval(AT_PAGESZ) > TEE_PERF_SUBBUF_BYTES)
		return false;
	long fd = sys(SYS_openat, AT_FDCWD, (long)hosted.path, O_RDWR | O_CLOEXEC, 0, 0, 0);

	if (fd < 0)
		return false;
	bool mapped = map_log((int)fd, &attachment);
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
	sys(SYS_munmap, (long)hosted.header, HEADER_BYTES, 0, 0, 0, 0);
	bool attached = attach();
	if (!attached)
		tee_perf_state.host = NULL;
	busy = false;
	return attached;
}

/* Does in a forked child what the kernel was asked for and an emulation of it (qemu-user) only says it does. */
static void leave_parent(void)
{
	sys(SYS_munmap, (long)hosted.segment, (long)hosted.segment_bytes, 0, 0, 0, 0);
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
	while (map((void *)slot, size, PROT_READ | PROT_WRITE, flags, -1, 0) == NULL && size > PAGE)
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
	if (length == 0 || length >= sizeof hosted.path)
		return false;
	for (size_t i = 0; i < length; i++)
		hosted.path[i] = value[i];
	for (const char *c = value + length + 1; *c != '\0'; c++) {
		int digit = *c >= '0' && *c <= '9' ? *c - '0' : *c >= 'a' && *c <= 'f' ? *c - 'a' + 10 : -1;
		if (digit < 0)
			return false;
		hosted.nonce = hosted.nonce << 4 | (uint64_t)digit;
	}
	hosted.any_nonce = value[length + 1] == '\0';
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
