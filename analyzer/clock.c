/* SPDX-License-Identifier: MIT */
/* Ticks of the time-stamp counter in nanoseconds: linear between calibration points, and on beyond the last. */
#include "analyzer/model_internal.h"

typedef unsigned __int128 wide;

static uint64_t scale_between(const struct tee_perf_tsc_point *a, const struct tee_perf_tsc_point *b)
{
	wide scale = ((wide)(b->ns - a->ns) << TEE_PERF_TSC_SHIFT) / (b->ticks - a->ticks);
	return scale > UINT64_MAX ? UINT64_MAX : (uint64_t)scale;
}

int tee_perf_model_tsc(struct tee_perf_model *model, uint64_t ticks, uint64_t ns, struct tee_perf_error *err)
{
	struct tee_perf_tsc_point *last = model->tsc_count > 0 ? &model->tsc[model->tsc_count - 1] : NULL;
	if (last != NULL && (ticks <= last->ticks || ns <= last->ns))
		return 0; /* a point that does not advance says nothing */
	if (tee_perf_grow(&model->tsc, model->tsc_count, &model->tsc_capacity, sizeof *model->tsc) != 0)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the clock's calibration points");
	struct tee_perf_tsc_point *point = &model->tsc[model->tsc_count++];
	*point = (struct tee_perf_tsc_point){ ticks, ns, UINT64_C(1) << TEE_PERF_TSC_SHIFT };
	if (model->tsc_count > 1)
		point[-1].scale = point->scale = scale_between(point - 1, point);
	return 0;
}

static uint64_t on_line(const struct tee_perf_tsc_point *point, uint64_t ticks)
{
	if (ticks < point->ticks) {
		wide back = (wide)(point->ticks - ticks) * point->scale >> TEE_PERF_TSC_SHIFT;
		return back > point->ns ? 0 : point->ns - (uint64_t)back;
	}
	wide ns = ((wide)(ticks - point->ticks) * point->scale >> TEE_PERF_TSC_SHIFT) + point->ns;
	return ns > TEE_PERF_TIME_MASK ? TEE_PERF_TIME_MASK : (uint64_t)ns;
}

/* The last point at or before the ticks (the first one, if all are later). */
static uint32_t find_point(const struct tee_perf_model *model, uint64_t ticks)
{
	uint32_t begin = 0, end = model->tsc_count;
	while (end - begin > 1) {
		uint32_t middle = begin + (end - begin) / 2;
		if (model->tsc[middle].ticks <= ticks)
			begin = middle;
		else
			end = middle;
	}
	return begin;
}

uint64_t tee_perf_model_to_ns(struct tee_perf_model *model, enum tee_perf_clock clock, uint64_t time, uint32_t *cursor)
{
	if (clock == TEE_PERF_CLOCK_HOST)
		return time;
	if (model->tsc_count < 2) {
		model->tsc_unknown = true;
		return time;
	}
	uint32_t place = *cursor;
	bool here = place < model->tsc_count && model->tsc[place].ticks <= time &&
		    (place + 1 == model->tsc_count || time < model->tsc[place + 1].ticks);
	if (!here) {
		*cursor = place = find_point(model, time);
		model->tsc_beyond |= place + 1 == model->tsc_count;
	}
	return on_line(&model->tsc[place], time);
}

int tee_perf_model_tsc_live(struct tee_perf_model *model, struct tee_perf_time_pair before,
			    struct tee_perf_time_pair now, struct tee_perf_error *err)
{
	if (model->tsc_count < 2)
		return tee_perf_model_tsc(model, now.a, now.b, err);
	const struct tee_perf_tsc_point *last = &model->tsc[model->tsc_count - 1];
	if (now.a <= last->ticks || now.a <= before.a || now.b <= before.b)
		return 0;
	/* The line goes on from where it is, so that no time that was told already is later than the next, and so that
	 * it is right again after as many ticks as since the last point; at half or twice the rate at most. */
	uint64_t rate = scale_between(&(struct tee_perf_tsc_point){ before.a, before.b, 0 },
				      &(struct tee_perf_tsc_point){ now.a, now.b, 0 });
	uint64_t here = on_line(last, now.a), ticks = now.a - last->ticks;
	uint64_t there = now.b + (uint64_t)((wide)ticks * rate >> TEE_PERF_TSC_SHIFT), scale = 0;
	if (there > here)
		scale = scale_between(&(struct tee_perf_tsc_point){ 0, here, 0 },
				      &(struct tee_perf_tsc_point){ ticks, there, 0 });
	if (scale < rate / 2)
		scale = rate / 2;
	if (scale / 2 > rate)
		scale = 2 * rate;
	if (tee_perf_grow(&model->tsc, model->tsc_count, &model->tsc_capacity, sizeof *model->tsc) != 0)
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for the clock's calibration points");
	model->tsc[model->tsc_count++] = (struct tee_perf_tsc_point){ now.a, here, scale };
	return 0;
}
