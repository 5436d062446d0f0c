/* SPDX-License-Identifier: MIT */
#ifndef TEE_PERF_RUNTIME_HOSTED_H
#define TEE_PERF_RUNTIME_HOSTED_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "runtime/platform.h"

/* Reads the environment and attaches, once. Images may register before our constructor ran. */
void tee_perf_hosted_start(void) TEE_PERF_HIDDEN;

/* Writes all images that are registered into the module area of the segment just attached. */
void tee_perf_hosted_modules_attached(void) TEE_PERF_HIDDEN;

#endif
