/* SPDX-License-Identifier: MIT */
#ifndef PART_H
#define PART_H

#ifdef __cplusplus
extern "C" {
#endif

/* part.c, in a shared object. */
int part_step(int x);
int part_run(int rounds);

/* guard.cc: every other number is refused by an exception, which is caught two calls up. */
int guard_refuse(int x);
int guard_check(int x);
int guard_all(int count);

/* archive.c, in an archive. */
int archive_add(int a, int b);

#ifdef __cplusplus
}
#endif

#endif
