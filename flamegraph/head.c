/* SPDX-License-Identifier: MIT */
/* Title and subtitle: always there, whatever the options. */
#include "flamegraph/svg.h"
#include "flamegraph/text.h"

#include <string.h>

#define TITLE_COLUMN_PX    11.5 /* a wide sans-serif font at 18 px */
#define SUBTITLE_COLUMN_PX 7.2  /* at 12 px */
#define LINES_MAX          6    /* of one paragraph */

/* Gives the end of the line that begins at text: a place between two words if there is one, else between two
 * characters. */
static const char *line_end(const char *text, unsigned columns)
{
	const char *at = text, *space = NULL;
	unsigned used = 0;
	while (*at != '\0' && *at != '\n') {
		const char *next = at;
		used += flame_columns(flame_decode(&next));
		if (used > columns && at > text)
			return space != NULL ? space : at;
		if (*at == ' ' && at > text)
			space = at;
		at = next;
	}
	return at;
}

/* One <text> per line, one <g> per paragraph (script/panel.js breaks the lines anew). out NULL: only counts the lines.
 */
static unsigned paragraphs(struct flame_out *out, const char *text, unsigned columns, unsigned line)
{
	while (*text != '\0') {
		unsigned first = line;
		if (out != NULL)
			flame_out_string(out, "<g class=\"sub\">");
		while (*text != '\0' && *text != '\n') {
			const char *end = line_end(text, columns);
			bool last = line - first == LINES_MAX - 1;
			if (out != NULL) {
				flame_out_string(out, "<text x=\"10\" y=\"");
				flame_out_number(out, FLAME_TITLE_BASELINE + FLAME_LINE_PITCH * (line + 1) + 2);
				flame_out_string(out, "\">");
				if (last)
					flame_out_cut(out, text, columns);
				else
					flame_out_text(out, text, (size_t)(end - text));
				flame_out_string(out, "</text>");
			}
			line++;
			text = last ? end + strcspn(end, "\n") : end + strspn(end, " ");
		}
		if (out != NULL)
			flame_out_string(out, "</g>\n");
		text += *text == '\n';
	}
	return line;
}

static size_t append(char *text, size_t size, size_t used, const char *more)
{
	size_t length = strlen(more);
	if (length > size - 1 - used)
		length = size - 1 - used;
	memcpy(text + used, more, length);
	text[used + length] = '\0';
	return used + length;
}

/* "; 1,234 frames narrower than 0.1 px hidden (0.12 %)" */
static size_t append_hidden(char *text, size_t size, size_t used, const struct flame_hidden *hidden, uint64_t total,
			    const char *one, const char *what)
{
	char number[32];
	if (hidden->count == 0)
		return used;
	flame_format_count(number, hidden->count);
	used = append(text, size, used, "; ");
	used = append(text, size, used, number);
	used = append(text, size, used, " ");
	used = append(text, size, used, one);
	used = append(text, size, used, hidden->count == 1 ? " " : "s ");
	used = append(text, size, used, what);
	used = append(text, size, used, " (");
	flame_format_percent(number, hidden->value, total);
	used = append(text, size, used, number);
	return append(text, size, used, ")");
}

static void summary(const struct flame_picture *picture, char *text, size_t size)
{
	const struct tee_perf_flame_options *options = picture->options;
	const struct flame_layout *layout = &picture->layout;
	char value[48], narrow[64], deep[64];
	size_t used = 0;
	if (options->reverse)
		used = append(text, size, used,
			      options->icicle ? "merged from the leaf, callers below; "
					      : "merged from the leaf, callers above; ");
	if (options->unit == TEE_PERF_FLAME_CALLS)
		used = append(text, size, used, "width means calls, not time; ");
	used = append(text, size, used, "total ");
	flame_format_value(value, picture->total, options->unit);
	used = append(text, size, used, value);
	snprintf(narrow, sizeof narrow, "narrower than %g px hidden", options->min_width_px);
	snprintf(deep, sizeof deep, "deeper than %u rows cut off", (unsigned)options->max_depth);
	used = append_hidden(text, size, used, &layout->narrow, picture->total, "frame", narrow);
	append_hidden(text, size, used, &layout->deep, picture->total, options->reverse ? "stack" : "frame", deep);
}

static unsigned head(struct flame_picture *picture, struct flame_out *out)
{
	const struct tee_perf_flame_options *options = picture->options;
	double inner = options->width_px - 2 * FLAME_MARGIN;
	unsigned columns = (unsigned)(inner / SUBTITLE_COLUMN_PX), lines = 0;
	char text[512];
	summary(picture, text, sizeof text);
	if (out != NULL) {
		flame_out_string(out, "<g id=\"head\"><text id=\"title\" x=\"10\" y=\"");
		flame_out_number(out, FLAME_TITLE_BASELINE);
		flame_out_string(out, "\">");
		flame_out_cut(out, options->title, (unsigned)(inner / TITLE_COLUMN_PX));
		flame_out_string(out, "</text>\n");
	}
	lines = paragraphs(out, options->subtitle, columns, lines);
	lines = paragraphs(out, text, columns, lines);
	if (out != NULL)
		flame_out_string(out, "</g>\n");
	return FLAME_TITLE_BASELINE + FLAME_LINE_PITCH * lines + 14;
}

unsigned flame_head_height(struct flame_picture *picture)
{
	return head(picture, NULL);
}

unsigned flame_write_head(struct flame_picture *picture)
{
	return head(picture, &picture->out);
}
