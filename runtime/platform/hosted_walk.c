/* SPDX-License-Identifier: MIT */
/* Functions that are open when recording begins or resumes in the middle: their frames go into the ring ahead of the
 * first record. Not in a static program, which cannot load the library that walks. */
#include "runtime/platform/hosted.h"
#include "runtime/walk.h"

#include "walk.h"

#include <dlfcn.h>
#include <errno.h>

#define STACK_NEEDED (64ul << 10)

static tee_perf_walk_function *walk;

/* Beside the runtime. */
static bool library_path(char path[512])
{
	static const char name[] = TEE_PERF_WALK_LIBRARY;
	size_t end = 0, i = 0;
	Dl_info info;

	if (dladdr((void *)library_path, &info) == 0 || info.dli_fname == NULL)
		return false;
	for (; info.dli_fname[i] != '\0' && i + sizeof name < 512; i++) {
		path[i] = info.dli_fname[i];
		if (path[i] == '/')
			end = i + 1;
	}
	if (info.dli_fname[i] != '\0' || end == 0)
		return false;
	for (i = 0; i < sizeof name; i++)
		path[end + i] = name[i];
	return true;
}

/* It allocates: never in a hook, nor in a handler that interrupted one. */
void tee_perf_platform_prepare_walk(void)
{
	char path[512];
	int error = errno;

	if (walk != NULL || tee_perf_state.host == NULL || !arch_walk_usable() ||
	    (tee_perf_self != &tee_perf_unattached && tee_perf_self->owner != 0) || !library_path(path))
		return;
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	void *function = library != NULL ? dlsym(library, TEE_PERF_WALK_FUNCTION) : NULL;
	if (function != NULL)
		walk = (tee_perf_walk_function *)function;
	errno = error;
}

struct visit {
	struct tee_perf_thread *thread;
	uintptr_t from; /* no frame below */
};

static void visit(void *data, uintptr_t pc, uintptr_t cfa)
{
	const struct visit *visit = data;

	if (cfa < visit->from || cfa > visit->thread->stack_hi)
		return;
	tee_perf_put(visit->thread, TEE_PERF_META, (uint64_t)pc << 8 | TEE_PERF_META_WALK_PC);
	tee_perf_put(visit->thread, TEE_PERF_META, (uint64_t)cfa << 8 | TEE_PERF_META_WALK_CFA);
}

/* Only on the thread's own stack, and where there is enough of it. */
void tee_perf_platform_walk(struct tee_perf_thread *thread, uintptr_t from)
{
	struct arch_walk_registers registers;
	struct visit data = { thread, from };

	if (walk == NULL || from <= thread->stack_lo || from > thread->stack_hi ||
	    from - thread->stack_lo < STACK_NEEDED)
		return;
	arch_walk_save(&registers);
	enum tee_perf_walked walked = walk(visit, &data);
	arch_walk_restore(&registers);
	tee_perf_put(thread, TEE_PERF_META, (uint64_t)walked << 8 | TEE_PERF_META_WALK_END);
}
