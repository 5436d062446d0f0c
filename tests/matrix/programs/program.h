/* SPDX-License-Identifier: MIT */
/* Parts of the programs. Each checks what it can by itself, prints what it computed, and announces its functions. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "announce.h"

#ifdef __cplusplus
extern "C" {
#endif

/* argv[1] names the case; the exit status is the program's. */
int program_main(int argc, char **argv);

struct program_case {
	const char *name;
	void (*run)(void);
};

/* C */
void calls_case(void);
void values_case(void);
void jumps_case(void);
void tails_case(void);
void threads_case(void);
void thread_exit_case(void);
void merged_case(void);
void timer_case(void);
void deep_must_case(void);
void deep_plain_case(void);
void exit_case(void);

/* C++ */
void exceptions_case(void);
void throwing_objects_case(void);
void objects_case(void);
void templates_case(void);
void locals_case(void);
void coroutines_case(void);
void terminate_case(void);
void uncaught_case(void);
void plain_catch_case(void);
void plain_sorts_case(void);
void cleanup_sorts_case(void);
void unwinding_case(void);
void forced_case(void);

#ifdef __cplusplus
}
#endif
#endif
