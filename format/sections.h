/* SPDX-License-Identifier: MIT */
/* Payloads of the sections of tee-perf.data: to bytes and back. All integers are little-endian.
 * Strings that a decoder returns point into the payload and are NUL-terminated there. */
#ifndef TEE_PERF_FORMAT_SECTIONS_H
#define TEE_PERF_FORMAT_SECTIONS_H

#include "util/error.h"

#include <stddef.h>
#include <stdint.h>

/* Growing byte buffer; the caller frees data with free(). */
struct tee_perf_bytes {
	uint8_t *data;
	size_t size, capacity;
};

struct tee_perf_process_info {
	uint32_t process; /* number within the recording, from 0 */
	uint32_t parent;  /* process number, or UINT32_MAX */
	uint32_t pid;
	uint64_t start_ns; /* nanoseconds since the recording's start */
	const char *command;
};

struct tee_perf_thread_info {     /* may be repeated: the last one counts (a thread gets its name late) */
	uint32_t process, thread; /* numbers */
	uint32_t tid;
	const char *name; /* "" unknown */
};

/* One map entry as it lies in the image, 16 bytes: struct tee_perf_map_entry (runtime/abi.h).
 * Entry i has the address map_begin + 16 * i; its names are found relative to their field. */
struct tee_perf_module_info {
	uint32_t process, module;    /* numbers */
	uint64_t map_begin;          /* load address of the first map entry */
	uint64_t strings_begin;      /* load address of the strings */
	uint64_t load_bias;          /* load address minus link-time address */
	uint64_t load_ns, unload_ns; /* unload_ns UINT64_MAX: still loaded */
	const char *path;
	const char *build_id; /* hexadecimal, "" unknown */
	const void *map;
	size_t map_size; /* bytes, a multiple of 16 */
	const char *strings;
	size_t strings_size; /* bytes; the last one is NUL */
};

/* Code of a process that gcc instrumented, or that it may name (runtime/cyg.c): records name a function by its address.
 */
struct tee_perf_text_info {
	uint32_t process, text; /* numbers; one that is told again replaces the one before */
	uint64_t begin, size;   /* of the code */
	uint64_t load_bias;     /* load address minus link-time address */
	uint64_t load_ns;
	uint32_t has_hooks; /* nonzero: its own functions are recorded; 0: they are only named */
	const char *path;
	const char *build_id; /* hexadecimal, "" unknown */
};

#define TEE_PERF_FUNCTION_BYTES 24

struct tee_perf_function_info {
	uint64_t address; /* link-time */
	uint32_t size;    /* bytes of code, at least 1 */
	uint32_t line;    /* 0: unknown */
	const char *name; /* linkage name */
	const char *file; /* "" unknown */
};

/* The functions of a file, for all texts of that path and build-id. */
struct tee_perf_functions_info {
	const char *path;
	const char *build_id;
	const uint8_t *functions; /* count of them, by address, none within another: tee_perf_functions_at */
	size_t count;
	const char *strings;
	size_t strings_size; /* bytes; the last one is NUL */
};

struct tee_perf_events_info {
	uint32_t process, thread;
	uint64_t record_count; /* records in this block */
	uint32_t reset;        /* nonzero: a fresh decoder starts here */
	const uint8_t *encoded;
	size_t encoded_size;
};

struct tee_perf_time_pair {
	uint64_t a, b;
};

/* Each encode appends to out and returns 0, or -1 out of memory. */
int tee_perf_process_encode(struct tee_perf_bytes *out, const struct tee_perf_process_info *info);
int tee_perf_thread_encode(struct tee_perf_bytes *out, const struct tee_perf_thread_info *info);
int tee_perf_module_encode(struct tee_perf_bytes *out, const struct tee_perf_module_info *info);
/* What stands in front of the encoded records. */
#define TEE_PERF_EVENTS_HEADER 24 /* bytes */
void tee_perf_events_header(uint8_t place[TEE_PERF_EVENTS_HEADER], const struct tee_perf_events_info *info);
int tee_perf_events_encode(struct tee_perf_bytes *out, const struct tee_perf_events_info *info);
int tee_perf_pairs_encode(struct tee_perf_bytes *out, const struct tee_perf_time_pair *pairs, size_t count);

int tee_perf_text_encode(struct tee_perf_bytes *out, const struct tee_perf_text_info *info);
/* functions: count of them, by address, none within another. */
int tee_perf_functions_encode(struct tee_perf_bytes *out, const char *path, const char *build_id,
			      const struct tee_perf_function_info *functions, size_t count);

/* Each decode checks every bound and fails with class INPUT. */
int tee_perf_process_decode(const void *payload, size_t size, struct tee_perf_process_info *info,
			    struct tee_perf_error *err);
int tee_perf_thread_decode(const void *payload, size_t size, struct tee_perf_thread_info *info,
			   struct tee_perf_error *err);
int tee_perf_module_decode(const void *payload, size_t size, struct tee_perf_module_info *info,
			   struct tee_perf_error *err);
int tee_perf_text_decode(const void *payload, size_t size, struct tee_perf_text_info *info, struct tee_perf_error *err);
int tee_perf_functions_decode(const void *payload, size_t size, struct tee_perf_functions_info *info,
			      struct tee_perf_error *err);
/* Number `number` of them, which is less than the count. Its strings point into the payload. */
struct tee_perf_function_info tee_perf_functions_at(const struct tee_perf_functions_info *info, size_t number);
int tee_perf_events_decode(const void *payload, size_t size, struct tee_perf_events_info *info,
			   struct tee_perf_error *err);
/* *pairs is malloc'ed; the caller frees it. */
int tee_perf_pairs_decode(const void *payload, size_t size, struct tee_perf_time_pair **pairs, size_t *count,
			  struct tee_perf_error *err);

#endif
