/* SPDX-License-Identifier: MIT */
/* The document: a plain SVG in which every frame has its <title>, and a script that brings it to life. */
#include "flamegraph/svg.h"

#include "flamegraph/colour.h"
#include "flamegraph/text.h"
#include "util/duration.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_WIDTH_PX     1200
#define DEFAULT_MIN_WIDTH_PX 0.1
#define DEFAULT_DEPTH        512
#define COLUMN_HUNDREDTHS    663  /* DejaVu Sans Mono at 11 px; Menlo, Consolas, Liberation Mono are narrower */
#define TITLE_COLUMNS        2000 /* of a name in a <title> */

void flame_out_cut(struct flame_out *out, const char *text, unsigned columns)
{
	bool cut;
	size_t size = flame_fit(text, columns, &cut);
	flame_out_text(out, text, size);
	if (cut)
		flame_out_string(out, FLAME_ELLIPSIS);
}

void flame_format_value(char *out, uint64_t value, enum tee_perf_flame_unit unit)
{
	if (unit == TEE_PERF_FLAME_NS) {
		tee_perf_duration_text(out, (double)value);
		return;
	}
	flame_format_count(out, value);
	strcat(out, unit == TEE_PERF_FLAME_CALLS ? " call" : " sample");
	if (value != 1)
		strcat(out, "s");
}

static const char *label(const struct flame_picture *picture, uint32_t node)
{
	if (node == TEE_PERF_FLAME_ROOT)
		return "all";
	const char *name = flame_text(picture->flame, picture->flame->frames[picture->layout.nodes[node].frame].name);
	return *name != '\0' ? name : "[no name]";
}

/* The edge of a frame in hundredths of a pixel from the first frame's. Edges are rounded, not widths, so that the
 * frames of a row never overlap and none sticks out of its parent. */
static uint64_t edge(const struct flame_picture *picture, uint64_t value)
{
	uint64_t width = (uint64_t)((picture->options->width_px - 2 * FLAME_MARGIN) * 100);
	return (uint64_t)((unsigned __int128)value * width / picture->total);
}

/* "12.3 ms, 4.56 %, 1,234 calls, self 1.2 ms" and, on a line of its own, "module, file:line". */
static void write_details(struct flame_picture *picture, uint32_t node)
{
	const struct tee_perf_flame_options *options = picture->options;
	const struct flame_node *data = &picture->layout.nodes[node];
	const struct flame_frame *frame = &picture->flame->frames[data->frame];
	struct flame_out *out = &picture->out;
	uint64_t total = picture->layout.totals[node];
	char text[48];
	flame_format_value(text, total, options->unit);
	flame_out_string(out, text);
	flame_format_percent(text, total, picture->total);
	flame_out_string(out, ", ");
	flame_out_text(out, text, strlen(text)); /* it may be "<0.01 %" */
	if (options->unit != TEE_PERF_FLAME_CALLS && data->calls != 0) {
		flame_format_value(text, data->calls, TEE_PERF_FLAME_CALLS);
		flame_out_string(out, ", ");
		flame_out_string(out, text);
	}
	if (!options->reverse && node != TEE_PERF_FLAME_ROOT) {
		flame_format_value(text, flame_value(data, options->unit), options->unit);
		flame_out_string(out, ", self ");
		flame_out_string(out, text);
	}
	const char *module = flame_text(picture->flame, frame->module), *file = flame_text(picture->flame, frame->file);
	if (*module == '\0' && *file == '\0')
		return;
	flame_out_string(out, "\n");
	flame_out_text(out, module, strlen(module));
	if (*file == '\0')
		return;
	flame_out_string(out, *module != '\0' ? ", " : "");
	flame_out_text(out, file, strlen(file));
	if (frame->line != 0) {
		flame_out_string(out, ":");
		flame_out_number(out, frame->line);
	}
}

static void write_frame(struct flame_picture *picture, const struct flame_placed *placed)
{
	struct flame_out *out = &picture->out;
	const char *name = label(picture, placed->node);
	uint64_t left = edge(picture, placed->start);
	uint64_t width = edge(picture, placed->start + picture->layout.totals[placed->node]) - left;
	unsigned columns = 0;
	bool cut;
	if (width > 2 * 100 * FLAME_TEXT_PADDING)
		columns = (unsigned)((width - 2 * 100 * FLAME_TEXT_PADDING) / COLUMN_HUNDREDTHS);
	size_t fits = flame_fit(name, columns, &cut);
	bool labelled = !cut || columns >= 3;

	flame_out_string(out, "<g class=\"c");
	flame_out_number(out, picture->colours[picture->layout.nodes[placed->node].frame]);
	flame_out_string(out, labelled ? " w\"><title>" : "\"><title>");
	flame_out_cut(out, name, TITLE_COLUMNS);
	flame_out_string(out, "\n");
	write_details(picture, placed->node);
	flame_out_string(out, "</title><rect x=\"");
	flame_out_hundredths(out, left + 100 * FLAME_MARGIN);
	flame_out_string(out, "\" width=\"");
	flame_out_hundredths(out, width);
	flame_out_string(out, "\" height=\"16\"/>");
	if (labelled) {
		flame_out_string(out, "<text x=\"");
		flame_out_hundredths(out, left + 100 * (FLAME_MARGIN + FLAME_TEXT_PADDING));
		flame_out_string(out, "\" y=\"12\">");
		flame_out_text(out, name, fits);
		flame_out_string(out, cut ? FLAME_ELLIPSIS "</text>" : "</text>");
	}
	flame_out_string(out, "</g>\n");
}

/* A row's data-v: for each frame the gap before it and its total, in values. What zooming and searching need to be
 * exact stands here, not in the rounded coordinates. */
static void write_row(struct flame_picture *picture, size_t row, unsigned y)
{
	const struct flame_layout *layout = &picture->layout;
	struct flame_out *out = &picture->out;
	uint64_t end = 0;
	flame_out_string(out, "<g transform=\"translate(0 ");
	flame_out_number(out, y);
	flame_out_string(out, ")\" data-v=\"");
	for (size_t i = layout->rows[row]; i < layout->rows[row + 1]; i++) {
		const struct flame_placed *placed = &layout->placed[i];
		if (i > layout->rows[row])
			flame_out_string(out, " ");
		flame_out_number(out, placed->start - end);
		flame_out_string(out, " ");
		flame_out_number(out, layout->totals[placed->node]);
		end = placed->start + layout->totals[placed->node];
	}
	flame_out_string(out, "\">\n");
	for (size_t i = layout->rows[row]; i < layout->rows[row + 1]; i++)
		write_frame(picture, &layout->placed[i]);
	flame_out_string(out, "</g>\n");
}

static void write_colour(struct flame_out *out, unsigned colour, int dark)
{
	char rule[40];
	snprintf(rule, sizeof rule, ".c%u{fill:#%06x}\n", colour, (unsigned)flame_colour_rgb(colour, dark));
	flame_out_string(out, rule);
}

static void write_style(struct flame_picture *picture)
{
	struct flame_out *out = &picture->out;
	bool used[FLAME_COLOUR_COUNT] = { false };
	for (size_t i = 0; i < picture->layout.placed_count; i++)
		used[picture->colours[picture->layout.nodes[picture->layout.placed[i].node].frame]] = true;
	flame_out_string(out, "<style>\n");
	for (int dark = 0; dark <= 1; dark++) {
		if (dark)
			flame_out_string(out, "@media (prefers-color-scheme:dark){\n");
		for (unsigned i = 0; i < FLAME_COLOUR_COUNT; i++)
			if (used[i])
				write_colour(out, i, dark);
	}
	flame_out_string(out, "}\n");
	flame_out_string(out, flame_style);
	flame_out_string(out, "</style>\n");
}

static void write_frames(struct flame_picture *picture, unsigned top)
{
	static const char *const units[] = { "ns", "calls", "samples" };
	const struct tee_perf_flame_options *options = picture->options;
	struct flame_out *out = &picture->out;
	size_t rows = picture->layout.row_count;
	flame_out_string(out, "<g id=\"frames\" xml:space=\"preserve\" data-unit=\"");
	flame_out_string(out, units[options->unit]);
	flame_out_string(out, options->icicle ? "\" data-icicle=\"1\">\n" : "\">\n");
	for (size_t row = 0; row < rows; row++)
		write_row(picture, row, top + FLAME_ROW_PITCH * (unsigned)(options->icicle ? row : rows - 1 - row));
	flame_out_string(out, "</g>\n");
}

static void write_document(struct flame_picture *picture)
{
	const struct tee_perf_flame_options *options = picture->options;
	struct flame_out *out = &picture->out;
	unsigned top = flame_head_height(picture);
	unsigned rows = picture->total != 0 ? (unsigned)picture->layout.row_count : 2;
	unsigned height = top + rows * FLAME_ROW_PITCH + FLAME_MARGIN, width = (unsigned)options->width_px;
	char start[256];
	snprintf(start, sizeof start,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
		 "height=\"%u\" viewBox=\"0 0 %u %u\">\n<title>",
		 width, height, width, height);
	flame_out_string(out, start);
	flame_out_cut(out, options->title, TITLE_COLUMNS);
	flame_out_string(out, "</title>\n");
	write_style(picture);
	flame_out_string(out, "<rect id=\"page\" width=\"100%\" height=\"100%\"/>\n");
	flame_write_head(picture);
	if (picture->total != 0) {
		write_frames(picture, top);
		flame_out_string(out, "<script><![CDATA[\n");
		flame_out_string(out, flame_script);
		flame_out_string(out, "]]></script>\n");
	} else {
		flame_out_string(out, "<text id=\"empty\" x=\"10\" y=\"");
		flame_out_number(out, top + 14);
		flame_out_string(out, "\">Nothing to show: ");
		flame_out_string(out, picture->flame->node_count > 1 ? "no frame has a width" : "no frames");
		flame_out_string(out, "</text>\n");
	}
	flame_out_string(out, "</svg>\n");
	flame_out_flush(out);
}

static int choose_colours(struct flame_picture *picture)
{
	const struct tee_perf_flame *flame = picture->flame;
	picture->colours = malloc(flame->frame_count * sizeof *picture->colours);
	if (picture->colours == NULL)
		return -1;
	for (size_t i = 0; i < flame->frame_count; i++)
		picture->colours[i] = (uint16_t)flame_colour(flame_text(flame, flame->frames[i].name),
							     flame_text(flame, flame->frames[i].module));
	picture->colours[0] = (uint16_t)flame_colour("[all]", "");
	return 0;
}

static int fill_defaults(struct tee_perf_flame_options *options, struct tee_perf_error *err)
{
	if (options->title == NULL)
		options->title = "Flame graph";
	if (options->subtitle == NULL)
		options->subtitle = "";
	if (options->width_px == 0)
		options->width_px = DEFAULT_WIDTH_PX;
	if (options->min_width_px == 0)
		options->min_width_px = DEFAULT_MIN_WIDTH_PX;
	if (options->max_depth == 0)
		options->max_depth = DEFAULT_DEPTH;
	if (!(options->width_px >= 200 && options->width_px <= 100000))
		return tee_perf_fail(err, TEE_PERF_USAGE, "a flame graph can be 200 to 100000 px wide, not %g",
				     options->width_px);
	if (!(options->min_width_px > 0 && options->min_width_px <= options->width_px))
		return tee_perf_fail(err, TEE_PERF_USAGE,
				     "the minimum width of a frame must be above 0 and at most the picture's width, "
				     "not %g px",
				     options->min_width_px);
	if (options->max_depth > 10000)
		return tee_perf_fail(err, TEE_PERF_USAGE, "a flame graph can have at most 10000 rows, not %u",
				     (unsigned)options->max_depth);
	options->width_px = floor(options->width_px);
	return 0;
}

static int write_picture(struct flame_picture *picture, struct tee_perf_error *err)
{
	const struct tee_perf_flame_options *options = picture->options;
	if (flame_layout(&picture->layout, picture->flame, options, options->width_px - 2 * FLAME_MARGIN,
			 options->max_depth, err) != 0)
		return -1;
	picture->total = picture->layout.totals[TEE_PERF_FLAME_ROOT];
	if (choose_colours(picture) != 0)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory while writing the flame graph");
	write_document(picture);
	if (picture->out.error == 0 && fflush(picture->out.file) != 0)
		picture->out.error = errno;
	errno = picture->out.error;
	return errno == 0 ? 0 : tee_perf_fail_errno(err, "cannot write the flame graph");
}

int tee_perf_flame_write(const struct tee_perf_flame *flame, const struct tee_perf_flame_options *options, FILE *out,
			 struct tee_perf_error *err)
{
	struct tee_perf_flame_options filled = *options;
	if (fill_defaults(&filled, err) != 0)
		return -1;
	if (flame->out_of_memory)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory after %zu frames of the flame graph",
				     flame->node_count);
	if (flame->overflow)
		return tee_perf_fail(err, TEE_PERF_RESOURCE,
				     "the values of the flame graph add up to more than 2^64 - 1");
	struct flame_picture *picture = calloc(1, sizeof *picture);
	if (picture == NULL)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory while writing the flame graph");
	picture->flame = flame;
	picture->options = &filled;
	picture->out.file = out;
	int status = write_picture(picture, err);
	flame_layout_free(&picture->layout);
	free(picture->colours);
	free(picture);
	return status;
}
