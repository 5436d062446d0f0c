/* SPDX-License-Identifier: MIT */
/* How the matrix's programs tell their call tree by themselves: each function announces its begin and its end to
 * announce.c, which clang itself compiles, and which writes the events to the file that MATRIX_TREE names. See
 * ../README.md for how the events are read.
 *
 * A function says ENTER first; its end is announced by a cleanup, in whichever way it ends. A function with tail calls
 * cannot have that: it says ENTER_TAIL, TAIL before such a call, and LEAVE before any other return. */
#ifndef ANNOUNCE_H
#define ANNOUNCE_H

#ifdef __cplusplus
#define ANNOUNCE_C extern "C"
#else
#define ANNOUNCE_C
#endif

#define KEPT   __attribute__((noinline))
#define UNSEEN __attribute__((no_instrument_function))

/* The canonical frame address of the function in whose body this ends up. */
#if defined __x86_64__
#define ANNOUNCE_CFA ((char *)__builtin_frame_address(0) + 16)
#elif defined __aarch64__
#define ANNOUNCE_CFA __builtin_sponentry()
#else
#define ANNOUNCE_CFA __builtin_frame_address(0)
#endif

/* Returns the number that the other functions take. name must stay valid. */
ANNOUNCE_C unsigned announce_enter(const char *name, const void *cfa);
ANNOUNCE_C void announce_leave(const unsigned *node);
/* The function is about to end by a tail call. */
ANNOUNCE_C void announce_tail(unsigned node);
/* Control came back to the function by longjmp: what it had called has ended. */
ANNOUNCE_C void announce_landed(unsigned node);
/* The thread ends here: functions that are left from now on do not return. */
ANNOUNCE_C void announce_thread_ends(void);
/* What runs from now on runs at the thread's end, below no other function. */
ANNOUNCE_C void announce_thread_ended(void);
/* For functions that signals call, or that are called too often: how many calls there must be, and who is the only one
 * to call it (NULL: anyone). */
ANNOUNCE_C void announce_count(const char *name, unsigned long calls, const char *caller);
/* Writes the file, at exit by itself. */
ANNOUNCE_C void announce_dump(void);

#define ENTER_AS(name)                                                                                                 \
	unsigned announce_node __attribute__((cleanup(announce_leave), unused)) = announce_enter(name, ANNOUNCE_CFA)
#define ENTER ENTER_AS(__func__)

#define ENTER_TAIL const unsigned announce_node = announce_enter(__func__, ANNOUNCE_CFA)
#define TAIL       announce_tail(announce_node)
#define LEAVE      announce_leave(&(const unsigned){ announce_node })

/* For a function that cannot announce itself: its caller does, around the call. */
#define AROUND(name, call)                                                                                             \
	do {                                                                                                           \
		unsigned announce_around = announce_enter(name, 0);                                                    \
		call;                                                                                                  \
		announce_leave(&announce_around);                                                                      \
	} while (0)

#define LANDED announce_landed(announce_node)

#endif
