/* SPDX-License-Identifier: MIT */
#include "flamegraph/colour.h"

#include <math.h>
#include <string.h>

#define SHADES 8
#define HUES   72
enum { NO_MODULE = HUES, GREY };
_Static_assert((HUES + 2) * SHADES == FLAME_COLOUR_COUNT, "the header's count");

/* FNV-1a, 64 bits: simple enough to stay as it is for ever, which pictures that are compared need. */
static uint64_t hash(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (; *text != '\0'; text++)
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
	return hash ^ hash >> 29;
}

unsigned flame_colour(const char *name, const char *module)
{
	const char *slash = strrchr(module, '/');
	const char *base = slash != NULL ? slash + 1 : module;
	size_t length = strlen(name);
	unsigned hue = *base == '\0' ? NO_MODULE : (unsigned)(hash(base) % HUES);
	if (length >= 2 && name[0] == '[' && name[length - 1] == ']')
		hue = GREY;
	return hue * SHADES + (unsigned)(hash(name) % SHADES);
}

/* Linear light to the encoded value of sRGB (IEC 61966-2-1). */
static uint32_t encode(double linear)
{
	double value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
	return value <= 0 ? 0 : value >= 1 ? 255 : (uint32_t)(value * 255 + 0.5);
}

/* OKLCH to sRGB (B. Ottosson, "A perceptual color space for image processing", 2020). */
static uint32_t oklch(double lightness, double chroma, double hue_degrees)
{
	double a = chroma * cos(hue_degrees * M_PI / 180), b = chroma * sin(hue_degrees * M_PI / 180);
	double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
	double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
	double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
	l = l * l * l;
	m = m * m * m;
	s = s * s * s;
	uint32_t red = encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
	uint32_t green = encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
	uint32_t blue = encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
	return red << 16 | green << 8 | blue;
}

uint32_t flame_colour_rgb(unsigned colour, int dark)
{
	/* A step of lightness, of hue in degrees (wider where no module needs its own), of chroma. */
	static const struct shade {
		double lightness, hue, wide_hue, chroma;
	} shades[SHADES] = {
		{ 0.000, 0, 0, 1.00 },    { 0.028, 3, 9, 0.90 },   { -0.028, -3, -9, 1.00 }, { 0.045, -2, 18, 0.85 },
		{ -0.045, 3, -18, 1.05 }, { 0.015, -4, 25, 1.10 }, { -0.015, 4, -25, 0.90 }, { 0.035, 1, 5, 1.00 },
	};
	const struct shade *shade = &shades[colour % SHADES];
	unsigned hue = colour / SHADES;
	double lightness = (dark ? 0.46 : 0.81) + shade->lightness * (dark ? 0.8 : 1);
	double chroma = (dark ? 0.085 : 0.105) * shade->chroma;
	if (hue == GREY)
		return oklch(lightness, 0.006, 250);
	if (hue == NO_MODULE)
		return oklch(lightness, chroma * 1.1, 58 + shade->wide_hue);
	return oklch(lightness, chroma, hue * (360.0 / HUES) + shade->hue);
}
