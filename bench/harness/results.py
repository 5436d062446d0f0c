# SPDX-License-Identifier: MIT
"""From runs to figures: medians, cost per event, ratios. Every figure is None when what it needs was not run."""

import math
from statistics import median

from . import workloads
from .variants import VARIANTS

MEDIANS = ("elapsed_ns", "wall_ns", "cpu_ns", "program_cpu_ns", "recorder_cpu_ns", "peak_bytes")

ENOUGH_EVENTS = 100_000  # below, a difference of two times says nothing of one event


class Results:
    def __init__(self):
        self.runs = {}  # case -> variant -> list of runs
        self.events = {}  # case -> {"calls", "events"}
        self.extra = {}  # name of a special benchmark -> its figures

    def add(self, case, variant, run):
        self.runs.setdefault(case, {}).setdefault(variant, []).append(run)

    def median(self, case, variant, key="elapsed_ns"):
        runs = self.runs.get(case, {}).get(variant)
        return median(run[key] for run in runs) if runs else None

    def spread(self, case, variant):
        """(max - min) / median of the program's own time, in per cent."""
        times = [run["elapsed_ns"] for run in self.runs[case][variant]]
        return 100 * (max(times) - min(times)) / median(times)

    def data(self, case, variant, key):
        runs = self.runs.get(case, {}).get(variant)
        return median(run["data"][key] for run in runs) if runs and "data" in runs[0] else None

    def round_trips(self, case, variant):
        """How far apart two cores were before each run: "540", or "540 - 820"."""
        times = [run.get("round_trip_ns") for run in self.runs[case][variant]]
        if not times or None in times:
            return ""
        return str(min(times)) if min(times) * 1.1 > max(times) else f"{min(times)} - {max(times)}"

    def ns_per_event(self, case, variant, key="elapsed_ns"):
        """Added to the baseline's time, over the events of one thread; CPU time: over the events of all."""
        baseline = self.median(case, VARIANTS[variant].baseline, key)
        value = self.median(case, variant, key)
        events = self.events.get(case, {}).get("events")
        if None in (baseline, value) or not events or events < ENOUGH_EVENTS:
            return None
        threads = workloads.CASES[case].threads if key in ("elapsed_ns", "wall_ns") else 1
        return (value - baseline) * threads / events

    def ratio(self, case, variant, key="elapsed_ns"):
        baseline, value = self.median(case, VARIANTS[variant].baseline, key), self.median(case, variant, key)
        return value / baseline if baseline and value else None

    def geometric_mean(self, cases, variant):
        ratios = [self.ratio(case, variant) for case in cases]
        if not ratios or None in ratios:
            return None
        return math.exp(sum(map(math.log, ratios)) / len(ratios))

    def lost(self):
        """All that any recording in a mode that must not lose lost, by case and variant."""
        return {
            f"{case} {variant}": sum(run["data"]["lost"] for run in runs)
            for case, variants in self.runs.items()
            for variant, runs in variants.items()
            if variant != "record-overwrite" and any(run.get("data", {}).get("lost") for run in runs)
        }

    def to_json(self):
        cases = {}
        for case, variants in self.runs.items():
            rows = {
                variant: {
                    **{key: self.median(case, variant, key) for key in MEDIANS},
                    "ratio": self.ratio(case, variant),
                    "ratio_end": self.ratio(case, variant, "wall_ns"),
                    "ns_per_event": self.ns_per_event(case, variant),
                    "runs": runs,
                }
                for variant, runs in variants.items()
            }
            cases[case] = {"events": self.events.get(case), "variants": rows}
        return {"cases": cases, "extra": self.extra}
