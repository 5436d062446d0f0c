/* SPDX-License-Identifier: MIT */
/* The parts of the writer: what svg.c and head.c share. */
#ifndef TEE_PERF_FLAMEGRAPH_SVG_H
#define TEE_PERF_FLAMEGRAPH_SVG_H

#include "flamegraph/layout.h"
#include "flamegraph/out.h"

/* In pixels. script/view.js and script/panel.js lay out by the same figures. */
enum {
	FLAME_MARGIN = 10,
	FLAME_ROW_PITCH = 17,
	FLAME_TITLE_BASELINE = 27,
	FLAME_LINE_PITCH = 17,
	FLAME_TEXT_PADDING = 4,
};

#define FLAME_ELLIPSIS "\xe2\x80\xa6"

/* The picture that is being written. */
struct flame_picture {
	const struct tee_perf_flame *flame;
	const struct tee_perf_flame_options *options; /* defaults filled in */
	struct flame_layout layout;
	uint64_t total;
	uint16_t *colours; /* of each frame */
	struct flame_out out;
};

/* Text up to the most columns that fit, and an ellipsis where it was cut. */
void flame_out_cut(struct flame_out *out, const char *text, unsigned columns);

/* A value in the picture's unit: "12.3 ms", "1,234 calls", "1 sample". At most 48 bytes. */
void flame_format_value(char *out, uint64_t value, enum tee_perf_flame_unit unit);

/* head.c: title and subtitle. Gives the height that they take. */
unsigned flame_write_head(struct flame_picture *picture);
unsigned flame_head_height(struct flame_picture *picture);

extern const char flame_style[], flame_script[]; /* the files of script/ */

#endif
