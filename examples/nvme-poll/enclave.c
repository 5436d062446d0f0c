/* SPDX-License-Identifier: MIT */
/* The trusted part: a driver that polls, written as user-space NVMe drivers are. It serves several processes, so it
 * asks who it is wherever a request changes hands, and it asks for the time when a request comes and when it is done.
 * Both are cheap calls elsewhere; here each leaves the enclave. */
#include "tee_perf_sim_trusted.h"

#include "calls.h"
#include "device.h"

#define NOINLINE    __attribute__((noinline))
#define TIME_EVERY  100 /* uses of one time stamp, when cached */
#define TRACE_COUNT 1024

struct request {
	uint64_t pid, lba, submit_ns, cid;
	int busy;
};

struct trace {
	uint64_t ns, pid, point, cid;
};

enum { TRACE_SUBMIT = 1, TRACE_COMPLETE = 2 };

static struct {
	struct device *device;
	uint64_t owner; /* process that the queue pair belongs to */
	uint64_t submission_tail, completion_head, phase;
	unsigned outstanding;
	struct request request[QUEUE_DEPTH];
	struct trace trace[TRACE_COUNT];
	uint64_t traced;
	uint64_t guard[BLOCKS]; /* of each block, kept inside */
} qpair;

static struct {
	int on;
	uint64_t pid, ns;
	unsigned uses;
} cache;

static struct run *job;
static uint64_t random_state;

/* ---- what leaves the enclave */

static NOINLINE uint64_t ocall_getpid(void)
{
	int64_t pid = 0;

	tee_perf_sim_ocall(OCALL_GETPID, NULL, 0, &pid);
	return (uint64_t)pid;
}

static NOINLINE uint64_t ocall_get_time(void)
{
	int64_t ns = 0;

	tee_perf_sim_ocall(OCALL_GET_TIME, NULL, 0, &ns);
	return (uint64_t)ns;
}

static inline uint64_t process_id(void)
{
	if (!cache.on)
		return ocall_getpid();
	if (cache.pid == 0)
		cache.pid = ocall_getpid();
	return cache.pid;
}

static inline uint64_t time_stamp(void)
{
	if (!cache.on)
		return ocall_get_time();
	if (cache.uses++ % TIME_EVERY == 0)
		cache.ns = ocall_get_time();
	return cache.ns;
}

/* ---- the driver */

static NOINLINE void trace_record(uint64_t point, uint64_t cid, uint64_t ns)
{
	qpair.trace[qpair.traced++ % TRACE_COUNT] =
	    (struct trace){ .ns = ns, .pid = process_id(), .point = point, .cid = cid };
}

static NOINLINE struct request *allocate_request(uint64_t lba)
{
	for (uint64_t cid = 0; cid < QUEUE_DEPTH; cid++) {
		struct request *request = &qpair.request[cid];
		if (request->busy)
			continue;
		*request = (struct request){ .pid = process_id(), .lba = lba, .cid = cid, .busy = 1 };
		return request;
	}
	return NULL;
}

static NOINLINE void free_request(struct request *request)
{
	if (request->pid == process_id()) /* else it goes back to the pool of its own process */
		request->busy = 0;
}

static NOINLINE void submit_tracker(struct request *request)
{
	struct device_command *command = &qpair.device->submission[qpair.submission_tail];

	if (qpair.owner != process_id()) /* the doorbell is mapped by its owner only */
		return;
	shared_store(&command->opcode_cid, request->cid << 16 | OPCODE_READ);
	shared_store(&command->prp1, (uintptr_t)qpair.device->buffer[request->cid]);
	shared_store(&command->slba, request->lba);
	shared_store(&command->nlb, 0);
	trace_record(TRACE_SUBMIT, request->cid, request->submit_ns);
	qpair.submission_tail = (qpair.submission_tail + 1) % QUEUE_DEPTH;
	shared_store(&qpair.device->submission_doorbell, qpair.submission_tail);
}

static NOINLINE int submit_request(struct request *request)
{
	if (request->pid != process_id()) /* inherited through fork: not ours to submit */
		return -1;
	request->submit_ns = time_stamp();
	submit_tracker(request);
	qpair.outstanding++;
	return 0;
}

static NOINLINE uint64_t guard_of(const uint64_t *block)
{
	uint64_t guard = 0xcbf29ce484222325;

	for (unsigned i = 0; i < BLOCK_WORDS; i++)
		guard = (guard ^ block[i]) * 0x100000001b3;
	return guard;
}

/* What lies in the host's memory can change at any time: only the copy is looked at. */
static NOINLINE const uint64_t *copy_inside(const uint64_t *buffer)
{
	static uint64_t block[BLOCK_WORDS];

	for (unsigned i = 0; i < BLOCK_WORDS; i++)
		block[i] = shared_load(&buffer[i]);
	return block;
}

static NOINLINE void read_done(const struct request *request)
{
	job->latency_ns += time_stamp() - request->submit_ns;
	job->bytes += BLOCK_BYTES;
	job->errors += guard_of(copy_inside(qpair.device->buffer[request->cid])) != qpair.guard[request->lba];
}

static NOINLINE void complete_tracker(uint64_t cid)
{
	struct request *request = &qpair.request[cid % QUEUE_DEPTH];

	if (request->pid != process_id()) /* another process's: it waits for that one */
		return;
	trace_record(TRACE_COMPLETE, cid, request->submit_ns);
	read_done(request);
	free_request(request);
	qpair.outstanding--;
}

static NOINLINE unsigned process_completions(void)
{
	unsigned done = 0;

	device_work(qpair.device);
	for (;;) {
		uint64_t status = shared_load(&qpair.device->completion[qpair.completion_head].status_cid);
		if (status >> PHASE_SHIFT != qpair.phase)
			return done;
		complete_tracker(status >> 32 & 0xffff);
		qpair.completion_head = (qpair.completion_head + 1) % QUEUE_DEPTH;
		qpair.phase ^= qpair.completion_head == 0;
		shared_store(&qpair.device->completion_doorbell, qpair.completion_head);
		done++;
	}
}

/* ---- the loop */

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static NOINLINE int read_block(void)
{
	struct request *request = allocate_request(next_random() % BLOCKS);

	return request == NULL ? -1 : submit_request(request);
}

static int64_t ecall_run(void *data, size_t bytes)
{
	job = data;
	if (bytes != sizeof *job || qpair.device == NULL)
		return -1;
	cache.on = job->cached == 1;
	qpair.owner = process_id();
	for (uint64_t submitted = 0, done = 0; done < job->ios; done += process_completions()) {
		/* One place in the ring stays free, or full would look like empty. */
		for (; submitted < job->ios && qpair.outstanding < QUEUE_DEPTH - 1; submitted++) {
			if (read_block() != 0)
				return -2;
		}
	}
	return (int64_t)job->errors;
}

static int64_t ecall_format(void *data, size_t bytes)
{
	size_t size;
	struct device *device = tee_perf_sim_shared_memory(&size);
	static uint64_t content[BLOCK_WORDS];

	(void)data;
	if (bytes != 0 || size < sizeof *device || !tee_perf_sim_is_outside(device, sizeof *device))
		return -1;
	random_state = 88172645463325252u;
	for (unsigned block = 0; block < BLOCKS; block++) {
		for (unsigned i = 0; i < BLOCK_WORDS; i++)
			content[i] = next_random();
		qpair.guard[block] = guard_of(content);
		for (unsigned i = 0; i < BLOCK_WORDS; i++)
			shared_store(&device->block[block][i], content[i]);
	}
	qpair.device = device;
	qpair.phase = 1;
	return 0;
}

TEE_PERF_SIM_ECALLS(ecall_format, ecall_run);
