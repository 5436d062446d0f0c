/* SPDX-License-Identifier: MIT */
/* The loader: a program without a C library that maps the host's memory and the trusted part, makes the enclave's
 * threads, gives up every system call, and jumps in. It stands for the hardware and the operating system's driver. */
#ifndef TEE_PERF_SIMULATOR_LOADER_H
#define TEE_PERF_SIMULATOR_LOADER_H

#include "simulator/channel.h"

#include <stdbool.h>
#include <stddef.h>

enum { LOADER_BOOT_FD = 3, LOADER_IMAGE_FD = 4, LOADER_LOG_FD = 5 };

/* The kernel's result: a value, or -errno. */
long loader_call(long number, long a, long b, long c, long d, long e, long f);
/* Maps; ends the process with error where it cannot. */
void *loader_map(uint64_t at, uint64_t size, int protection, int flags, int fd, uint64_t offset, enum sim_error error);
/* Tells the host and ends the process. */
void loader_fail(enum sim_error error, uint64_t detail) __attribute__((noreturn));
void loader_copy(void *to, const void *from, size_t bytes);

/* What of the trusted part is needed besides its memory. */
struct loader_image {
	const void *file;
	uint64_t file_bytes;
	uint64_t span; /* bytes from the lowest to the highest address */
	uint64_t bias; /* of addresses in the file */
	uint64_t entry;
	uint64_t tls;                       /* address of the initial content, which is relocated like all else */
	uint64_t tls_file_bytes, tls_bytes; /* rounded to its alignment */
	uint64_t constructors, constructor_count;
};

/* Looks at the file and says how much memory it takes. */
void loader_image_open(struct loader_image *image);
/* Copies it to base, which is mapped for image->span bytes, relocates, and protects. */
void loader_image_load(struct loader_image *image, uint64_t base);

/* space.c: what stays mapped, and the end of all the rest: the kernel's pages for reading the time without a system
 * call (vDSO), the first stack with its environment, the trusted part's file. */
void loader_keep(uint64_t begin, uint64_t size);
void loader_unmap_others(void);
/* stack: as the kernel hands it to a program. Where the vDSO lies; 0: there is none. */
uint64_t loader_vdso(const uint64_t *stack);

/* start.S */
/* Goes on in run, on another stack. */
void loader_move(uint64_t stack, void (*run)(void)) __attribute__((noreturn));
long loader_clone(unsigned long flags, void *stack, void (*run)(void *), void *argument);
void loader_jump(const struct sim_enclave *enclave, struct sim_thread *thread, uint64_t stack, uint64_t entry)
    __attribute__((noreturn));
void loader_exit_handler(void);
void loader_restorer(void);

#endif
