/* SPDX-License-Identifier: MIT */
/* Recordings as text, for tests. One statement per line or ';', '#' to the end of a line is a comment:
 *
 *   process NUMBER PID PARENT COMMAND...        parent - : none
 *   thread PROCESS NUMBER TID NAME...
 *   module PROCESS NUMBER PATH                  addresses follow each other; "module P N PATH at HEX" chooses
 *   fn NAME FILE LINE [KIND]                    a map entry of the module above, all before the next statement
 *   unload PROCESS NUMBER TIME
 *   clockgap FROM TO      tsc TICKS NS
 *   start JSON            end JSON
 *   profile                                     what follows goes into a profile (--keep profile)
 *   badblock                                    (files) a block of events that cannot be decoded
 *   @ PROCESS THREAD                            the records below are of this thread
 *   TIME call|inl|ret|res NAME CFA              numbers: decimal, or 0x...
 *   TIME gap WAITED
 *   TIME lost|hole COUNT
 *   TIME off|on|done|exited                     done: the thread has ended; exited: its process
 *   TIME mark NAME
 *   TIME clock host|tsc
 *   TIME stack|sigstack LO HI                   or in two parts: TIME lo LO; TIME hi HI
 *   TIME forget LO
 *   TIME frame NAME CFA                         of a walked stack, the innermost first
 *   TIME walked 0|1|2                           0: cut, 1: whole, 2: invalid
 *
 * NAME is looked up in the process's modules from the last one on, or in module M as NAME@M; a name that no module has
 * stands for an unknown entry. */
#ifndef TEE_PERF_TESTS_SCENARIO_H
#define TEE_PERF_TESTS_SCENARIO_H

#include "analyzer/model.h"

/* Where the recording goes. All functions are set. Nonzero stops. */
struct scenario_sink {
	void *argument;
	int (*process)(void *argument, const struct tee_perf_process_info *info);
	int (*thread)(void *argument, const struct tee_perf_thread_info *info);
	int (*module)(void *argument, const struct tee_perf_module_info *info);
	int (*gap)(void *argument, uint64_t from_ns, uint64_t to_ns);
	int (*tsc)(void *argument, uint64_t ticks, uint64_t ns);
	int (*json)(void *argument, bool is_end, const char *text);
	int (*profile)(void *argument);
	int (*bad_block)(void *argument, uint32_t process, uint32_t thread);
	int (*records)(void *argument, uint32_t process, uint32_t thread, const struct tee_perf_record *records,
		       size_t count);
};

/* Plays the text. 0; or -1, after a message on stderr that quotes the statement. */
int scenario_play(const char *text, const struct scenario_sink *sink);

/* A sink that feeds a model, not finished. Statements that only a file can hold stop it. */
struct scenario_sink scenario_model_sink(struct tee_perf_model *model);

/* Writes the recording as a data file. 0 or -1. */
int scenario_write(const char *text, const char *path, struct tee_perf_error *err);

#endif
