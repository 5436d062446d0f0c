/* SPDX-License-Identifier: MIT */
#include "device.h"

static uint64_t head, tail, phase = 1; /* of the submission queue; of the completion queue */

static __attribute__((noinline)) void device_transfer(uint64_t *to, const uint64_t *from)
{
	for (unsigned i = 0; i < BLOCK_WORDS; i++)
		shared_store(&to[i], shared_load(&from[i]));
}

void device_work(struct device *device)
{
	uint64_t announced = shared_load(&device->submission_doorbell);

	while (head != announced) {
		const struct device_command *command = &device->submission[head];
		uint64_t cid = shared_load(&command->opcode_cid) >> 16, block = shared_load(&command->slba) % BLOCKS;
		device_transfer(device->buffer[cid % QUEUE_DEPTH], device->block[block]);
		head = (head + 1) % QUEUE_DEPTH;
		shared_store(&device->completion[tail].result, 0);
		shared_store(&device->completion[tail].status_cid, phase << PHASE_SHIFT | cid << 32 | head);
		tail = (tail + 1) % QUEUE_DEPTH;
		phase ^= tail == 0;
	}
}
