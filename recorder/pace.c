/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "recorder/pace.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS       (10u * 1000 * 1000)
#define OWN_PERCENT   80 /* of the time that a thread with a core of its own has at least */
#define FIRST_NAPS_NS (200u * 1000 * 1000)
#define MAX_NAPS_NS   (1600u * 1000 * 1000)

/* struct sched_attr of sched_setattr(2), which glibc and the kernel's headers declare each in their way. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static uint64_t own_cpu_ns(void)
{
	struct timespec spent;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
	return (uint64_t)spent.tv_sec * 1000000000u + (uint64_t)spent.tv_nsec;
}

void tee_perf_pace_restart(struct tee_perf_pace *pace)
{
	*pace = (struct tee_perf_pace){ .never = pace->never };
}

static void begin(struct tee_perf_pace *pace, uint64_t now_ns, bool crowded)
{
	pace->crowded = crowded;
	pace->since_ns = now_ns;
	pace->since_cpu = own_cpu_ns();
}

/* Each time in a row that there is no core doubles the time of naps, so that looking for one costs little. */
static uint64_t longer(uint64_t naps_ns)
{
	if (naps_ns == 0)
		return FIRST_NAPS_NS;
	return naps_ns < MAX_NAPS_NS ? 2 * naps_ns : MAX_NAPS_NS;
}

bool tee_perf_pace_look(struct tee_perf_pace *pace, uint64_t now_ns)
{
	uint64_t passed = now_ns - pace->since_ns;

	if (pace->never)
		return false;
	if (pace->since_ns == 0) {
		begin(pace, now_ns, false);
	} else if (pace->crowded && passed >= pace->naps_ns) {
		begin(pace, now_ns, false);
	} else if (!pace->crowded && passed >= LOOK_NS) {
		bool crowded = (own_cpu_ns() - pace->since_cpu) * 100 < passed * OWN_PERCENT;
		pace->naps_ns = crowded ? longer(pace->naps_ns) : 0;
		begin(pace, now_ns, crowded);
	}
	return pace->crowded;
}

/* A time slice as short as a nap lets a woken thread run before one that has a long slice (Linux 6.12). Older kernels
 * ignore it. Timers to the nanosecond, not to the default 50 us. */
void tee_perf_pace_prepare(struct tee_perf_pace *pace)
{
	struct attributes attr;

	prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
	pace->never = clock_getres(CLOCK_THREAD_CPUTIME_ID, NULL) != 0; /* nobody tells what time we had */
	if (syscall(SYS_sched_getattr, 0, &attr, sizeof attr, 0) != 0)
		return;
	pace->never |= attr.policy != SCHED_OTHER && attr.policy != SCHED_BATCH && attr.policy != SCHED_IDLE;
	if (pace->never)
		return;
	attr.runtime = TEE_PERF_NAP_NS;
	syscall(SYS_sched_setattr, 0, &attr, 0);
}
