/* SPDX-License-Identifier: MIT */
/* A directory for a test, and a small data file with everything in it, for the tests of reader and writer. */
#ifndef TEE_PERF_TESTS_FORMAT_PIECES_H
#define TEE_PERF_TESTS_FORMAT_PIECES_H

#include "format/data_file.h"

#include <check.h>

extern char test_directory[], path[64], old_path[80];

/* Fixtures: make and remove the directory. */
void enter(void);
void leave(void);

struct piece {
	enum tee_perf_section_type type;
	size_t size;
	bool noise; /* does not compress */
	int level;
};
#define PIECES 6
extern const struct piece pieces[];

/* The payload of piece i. */
void fill_piece(size_t i, uint8_t *payload);
/* Writes all pieces to path. */
void write_pieces(void);
/* Reads sections until something else comes; each must be the piece of its place. *count is their number. */
int read_pieces(struct tee_perf_reader *reader, size_t *count, struct tee_perf_error *err);
/* The same, but without piece number `missing`. */
int read_pieces_but(struct tee_perf_reader *reader, size_t missing, size_t *count, struct tee_perf_error *err);

/* The file at path as bytes; the caller frees them. */
uint8_t *read_file(size_t *size);
void write_file(const void *bytes, size_t size);

/* Runs the tests under the fixtures; returns main's status. */
int run_tests(const char *name, const TTest *const *tests, size_t count);

#endif
