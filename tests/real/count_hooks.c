/* SPDX-License-Identifier: MIT */
/* Counts every call by itself: the independent count that recordings are compared with. Linked in place of the runtime
 * (-ftee-perf-runtime=none) it only counts; preloaded (LD_PRELOAD) it counts and calls the runtime's hooks, so that
 * one run is both recorded and counted. Build it with -mgeneral-regs-only on x86-64. For each process and image it
 * leaves a file in the folder TEE_PERF_COUNT_DIR:
 *
 *   u64 entries, u64 other (returns and resyncs), u64 calls[entries], then the names, each with its NUL
 *
 * The counts lie in a shared mapping of that file, so that a process that ends by _exit or a signal, or that
 * is replaced by exec, leaves them as well. A child of fork counts in files of its own. */
#define _GNU_SOURCE
#include "runtime/abi.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void hook(const struct tee_perf_map_entry *entry, const void *cfa);
typedef void image_hook(const struct tee_perf_image *image);

enum { IMAGES_MAX = 64, HEADER_WORDS = 2, EARLY_MAX = 4096 };

struct image {
	const struct tee_perf_map_entry *begin, *end;
	_Atomic(_Atomic uint64_t *) words; /* the mapping; NULL: free place */
	size_t size;                       /* bytes of the mapping */
};

static struct {
	struct image images[IMAGES_MAX];
	_Atomic uint32_t count;
	char folder[4096]; /* a copy: programs overwrite their environment to change their title; "": count nothing */
	hook *call, *call_inlined, *returned, *resync; /* of the runtime; NULL: it is not there */
} state;

/* Calls of images that are not registered yet: the constructors of a shared object may call an inline function whose
 * copy in the executable comes first. */
static struct {
	_Atomic(const struct tee_perf_map_entry *) entry;
	_Atomic uint64_t calls;
} early[EARLY_MAX];

/* For count_fast.S: the runtime's hooks that are called in a convention of their own. */
__attribute__((visibility("hidden"))) void *tee_perf_next_fast[4];
__attribute__((visibility("hidden"))) void tee_perf_count(const struct tee_perf_map_entry *entry, int is_call);

/* In a page that fork wipes: 0 in a child that has no files of its own yet. */
static _Atomic uint32_t *own_files;

static void die(const char *what)
{
	char text[256];
	int length = snprintf(text, sizeof text, "count_hooks: %s: %s\n", what, strerror(errno));
	if (write(STDERR_FILENO, text, (size_t)length) < 0)
		abort();
	_exit(99);
}

static const char *name_of(const struct tee_perf_map_entry *entry)
{
	return (const char *)&entry->name + entry->name;
}

static int create_file(const char *folder)
{
	char path[sizeof state.folder + 32];
	for (unsigned number = 0; number < 1000000; number++) {
		snprintf(path, sizeof path, "%s/%ld.%u", folder, (long)getpid(), number);
		int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* Maps a new file for the image, at `at` when that is not NULL. */
static void map_file(struct image *image, void *at)
{
	size_t entries = (size_t)(image->end - image->begin), names = 0;
	int fd = create_file(state.folder);
	for (const struct tee_perf_map_entry *e = image->begin; e < image->end; e++)
		names += strlen(name_of(e)) + 1;
	image->size = (HEADER_WORDS + entries) * sizeof(uint64_t) + names;
	if (fd < 0 || ftruncate(fd, (off_t)image->size))
		die("cannot create a file in TEE_PERF_COUNT_DIR");
	_Atomic uint64_t *words =
	    mmap(at, image->size, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), fd, 0);
	if (words == MAP_FAILED)
		die("cannot map a file of counts");
	close(fd);
	words[0] = entries;
	char *name = (char *)(words + HEADER_WORDS + entries);
	for (const struct tee_perf_map_entry *e = image->begin; e < image->end; e++)
		name = stpcpy(name, name_of(e)) + 1;
	image->words = words;
}

static void adopt_after_fork(void)
{
	int saved = errno;
	atomic_store(own_files, 1);
	for (uint32_t i = 0; i < state.count; i++)
		if (state.images[i].words)
			map_file(&state.images[i], (void *)state.images[i].words);
	errno = saved;
}

/* The C library may change vector registers, which hold values of the instrumented function where its hook is called
 * in the convention of count_fast.S. */
static void adopt_keeping_vectors(void)
{
#ifdef __x86_64__
	__attribute__((aligned(64))) char area[16384] = { 0 };
	__asm__ volatile("xsave64 (%0)" : : "r"(area), "a"(-1), "d"(-1) : "memory");
	adopt_after_fork();
	__asm__ volatile("xrstor64 (%0)" : : "r"(area), "a"(-1), "d"(-1) : "memory");
#else
	adopt_after_fork();
#endif
}

static void count_early(const struct tee_perf_map_entry *entry)
{
	for (uint32_t i = 0; i < EARLY_MAX; i++) {
		const struct tee_perf_map_entry *there = NULL;
		if (atomic_compare_exchange_strong(&early[i].entry, &there, entry) || there == entry) {
			atomic_fetch_add(&early[i].calls, 1);
			return;
		}
	}
	errno = 0;
	die("hooks were called for too many entries of no registered image");
}

static void take_early(struct image *image)
{
	for (uint32_t i = 0; i < EARLY_MAX; i++) {
		const struct tee_perf_map_entry *entry = early[i].entry;
		if (entry >= image->begin && entry < image->end)
			image->words[HEADER_WORDS + (entry - image->begin)] += atomic_exchange(&early[i].calls, 0);
	}
}

/* What nobody has registered in the end is missing in the counts, and with that differs from the report. */
void tee_perf_count(const struct tee_perf_map_entry *entry, int is_call)
{
	if (own_files && !state.folder[0])
		return;
	if (!own_files) {
		if (is_call)
			count_early(entry);
		return;
	}
	if (!atomic_load_explicit(own_files, memory_order_relaxed))
		adopt_keeping_vectors();
	for (uint32_t i = 0; i < state.count; i++) {
		struct image *image = &state.images[i];
		if (!image->words || entry < image->begin || entry >= image->end)
			continue;
		size_t word = is_call ? HEADER_WORDS + (size_t)(entry - image->begin) : 1;
		atomic_fetch_add_explicit(&image->words[word], 1, memory_order_relaxed);
		return;
	}
	if (is_call)
		count_early(entry);
}

static void start(void)
{
	static const char *const fast[] = { TEE_PERF_HOOKS_FAST };
	own_files = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (own_files == MAP_FAILED || madvise((void *)own_files, 4096, MADV_WIPEONFORK))
		die("cannot map a page");
	atomic_store(own_files, 1);
	const char *folder = getenv("TEE_PERF_COUNT_DIR");
	if (folder)
		snprintf(state.folder, sizeof state.folder, "%s", folder);
	state.call = (hook *)dlsym(RTLD_NEXT, "tee_perf_call");
	state.call_inlined = (hook *)dlsym(RTLD_NEXT, "tee_perf_call_inlined");
	state.returned = (hook *)dlsym(RTLD_NEXT, "tee_perf_return");
	state.resync = (hook *)dlsym(RTLD_NEXT, "tee_perf_resync");
	for (size_t i = 0; i < sizeof fast / sizeof *fast; i++)
		tee_perf_next_fast[i] = dlsym(RTLD_NEXT, fast[i]);
}

/* An image that takes the addresses of an earlier one (dlclose, dlopen) takes its place. */
static void retire_overlapping(const struct tee_perf_image *image)
{
	for (uint32_t i = 0; i < state.count; i++)
		if (state.images[i].begin < image->map_end && image->map_begin < state.images[i].end)
			state.images[i].end = state.images[i].begin;
}

static void add_image(const struct tee_perf_image *image)
{
	if (image->abi_version != TEE_PERF_ABI_VERSION)
		die("built for another version of the hooks");
	if (!state.folder[0] || image->map_begin == image->map_end)
		return;
	uint32_t place = atomic_fetch_add(&state.count, 1);
	if (place >= IMAGES_MAX)
		die("too many images");
	retire_overlapping(image);
	state.images[place].begin = image->map_begin;
	state.images[place].end = image->map_end;
	map_file(&state.images[place], NULL);
	take_early(&state.images[place]);
}

void tee_perf_image_register(const struct tee_perf_image *image)
{
	image_hook *next = (image_hook *)dlsym(RTLD_NEXT, "tee_perf_image_register");
	if (!own_files)
		start();
	add_image(image);
	if (next)
		next(image);
}

/* At exit functions still run after their image's destructor, so its counts stay. */
void tee_perf_image_unregister(const struct tee_perf_image *image)
{
	image_hook *next = (image_hook *)dlsym(RTLD_NEXT, "tee_perf_image_unregister");
	if (next)
		next(image);
}

void tee_perf_call(const struct tee_perf_map_entry *entry, const void *cfa)
{
	tee_perf_count(entry, 1);
	if (state.call)
		state.call(entry, cfa);
}

void tee_perf_call_inlined(const struct tee_perf_map_entry *entry, const void *cfa)
{
	tee_perf_count(entry, 1);
	if (state.call_inlined)
		state.call_inlined(entry, cfa);
}

void tee_perf_return(const struct tee_perf_map_entry *entry, const void *cfa)
{
	tee_perf_count(entry, 0);
	if (state.returned)
		state.returned(entry, cfa);
}

void tee_perf_resync(const struct tee_perf_map_entry *entry, const void *cfa)
{
	tee_perf_count(entry, 0);
	if (state.resync)
		state.resync(entry, cfa);
}

/* ---- an image's own copy of the hooks (runtime/arch/x86_64/hook.S) finds the thread busy, always, and comes here with
 * the lower half of the entry's address. It keeps no vector register for us. */
struct busy_thread {
	uintptr_t owner;
};
static struct busy_thread always_busy = { 1 };
__thread struct busy_thread *tee_perf_self = &always_busy;
uint64_t tee_perf_state = 1;

static const struct tee_perf_map_entry *entry_of(uint32_t low)
{
	for (uint32_t i = 0; i < state.count; i++) {
		const struct image *image = &state.images[i];
		uint32_t offset = low - (uint32_t)(uintptr_t)image->begin;
		if (image->words && offset < (uintptr_t)image->end - (uintptr_t)image->begin)
			return image->begin + offset / sizeof *image->begin;
	}
	return NULL;
}

void tee_perf_busy(uint64_t kind, uint64_t low, uintptr_t cfa)
{
	static hook *const hooks[] = { NULL, tee_perf_call, tee_perf_call_inlined, tee_perf_return, tee_perf_resync };
	char vectors[512] __attribute__((aligned(16)));
	const struct tee_perf_map_entry *entry = entry_of((uint32_t)low);

	__asm__ volatile("fxsave64 %0" : "=m"(vectors));
	if (entry)
		hooks[kind](entry, (const void *)cfa);
	else if (state.folder[0])
		die("a hook was called for an entry of no registered image");
	__asm__ volatile("fxrstor64 %0" : : "m"(vectors));
}

void tee_perf_slow(uint64_t kind, uint64_t low, uintptr_t cfa)
{
	tee_perf_busy(kind, low, cfa);
}
