/* SPDX-License-Identifier: MIT */
/* A solid-state disk with one queue pair in memory that both sides see, as NVMe has them: 64-byte commands in, 16-byte
 * completions out, a doorbell each, a phase bit. The controller, which is hardware elsewhere, is a function here. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdint.h>

#define BLOCK_BYTES 4096u
#define BLOCK_WORDS (BLOCK_BYTES / 8)
#define BLOCKS      128u
#define QUEUE_DEPTH 32u

struct device_command {      /* the fields of a read command, in its places */
	uint64_t opcode_cid; /* cid << 16 | opcode */
	uint64_t reserved[2], prp1, prp2;
	uint64_t slba;
	uint64_t nlb, rest;
};

struct device_completion {
	uint64_t result;
	uint64_t status_cid; /* phase << 48 | cid << 32 | head of the submission queue */
};

#define OPCODE_READ 2u
#define PHASE_SHIFT 48

struct device {
	struct device_command submission[QUEUE_DEPTH];
	struct device_completion completion[QUEUE_DEPTH];
	uint64_t submission_doorbell, completion_doorbell;
	uint64_t block[BLOCKS][BLOCK_WORDS];
	uint64_t buffer[QUEUE_DEPTH][BLOCK_WORDS]; /* for data on its way */
};

/* Memory of the host is touched by aligned 8-byte accesses only. */
static inline uint64_t shared_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void shared_store(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* Does what the submission doorbell announces. */
void device_work(struct device *device);

#endif
