/* SPDX-License-Identifier: MIT */
/* What all commands that read a recording have in common. */
#ifndef TEE_PERF_CLI_INPUT_H
#define TEE_PERF_CLI_INPUT_H

#include "analyzer/recording.h"
#include "cli/rows.h"

/* Opens the recording and says its warnings on stderr. NULL: err is filled. */
struct tee_perf_recording *tee_perf_input_open(const char *path, struct tee_perf_error *err);

/* The exit status when all else went well: 0, or that of bad input when a part of the file could not be read. */
int tee_perf_input_status(const struct tee_perf_recording *recording);

/* Prints the head of a report: lines of text, or a JSON object. 0 or -1. */
int tee_perf_input_print_head(const struct tee_perf_recording *recording, enum tee_perf_format format, FILE *out,
			      struct tee_perf_error *err);

/* The program that a process runs, "" unknown. */
const char *tee_perf_input_command(const struct tee_perf_recording *recording, uint32_t process);
/* pid of a process, tid and name of a thread; 0 and "" unknown. */
uint32_t tee_perf_input_pid(const struct tee_perf_recording *recording, uint32_t process);
uint32_t tee_perf_input_tid(const struct tee_perf_recording *recording, uint32_t process, uint32_t thread,
			    const char **name);

#endif
