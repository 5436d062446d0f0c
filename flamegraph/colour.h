/* SPDX-License-Identifier: MIT */
/* Colours that depend on nothing but names: the hue on the module's, the shade on the function's. */
#ifndef TEE_PERF_FLAMEGRAPH_COLOUR_H
#define TEE_PERF_FLAMEGRAPH_COLOUR_H

#include <stdint.h>

#define FLAME_COLOUR_COUNT 592 /* 72 hues and one for frames without module, grey: 8 shades each */

/* 0 to FLAME_COLOUR_COUNT - 1. Of the module's path only the last part counts: the same program built elsewhere looks
 * the same. Frames whose name stands in [brackets] are no functions: grey. */
unsigned flame_colour(const char *name, const char *module);

/* The colour as 0xrrggbb, for a light or a dark page. All of a page are equally light, whatever the hue, so that one
 * colour of text can be read on each. */
uint32_t flame_colour_rgb(unsigned colour, int dark);

#endif
