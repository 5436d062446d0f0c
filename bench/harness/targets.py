# SPDX-License-Identifier: MIT
"""What the tool must reach, each with the way its value is computed from the results."""

from dataclasses import dataclass
from typing import Callable

from .workloads import KERNELS, WITH_CALLS


@dataclass(frozen=True)
class Target:
    what: str
    unit: str
    limit: float
    value: Callable  # of Results; None: not measured
    at_least: bool = False  # otherwise: at most


def minus(a, b):
    return None if None in (a, b) else a - b


def over(a, b):
    return None if a is None or not b else a / b


def cpu_of_two_threads(r):
    return over(r.ns_per_event("leaf-2", "record", "cpu_ns"), r.ns_per_event("leaf", "record", "cpu_ns"))


def drained_per_cpu_second(r):
    """A lower bound: the recorder also spins while it waits for the program."""
    events, cpu = r.data("leaf-2", "record-host", "events"), r.median("leaf-2", "record-host", "recorder_cpu_ns")
    return None if not cpu else events * 1e3 / cpu


def extra(name, key):
    return lambda r: r.extra.get(name, {}).get(key)


def bytes_per_event(key):
    return lambda r: over(r.data("sqlite", "record", key), r.data("sqlite", "record", "records"))


TARGETS = [
    Target("leaf, default options", "ns/event", 4.0, lambda r: r.ns_per_event("leaf", "record")),
    Target("leaf, host clock every 100 ns", "ns/event", 6.5, lambda r: r.ns_per_event("leaf", "record-100ns")),
    Target("leaf, TSC", "ns/event", 12, lambda r: r.ns_per_event("leaf", "record-tsc")),
    Target(
        "leaf, times less than uftrace",
        "x",
        25,
        lambda r: over(r.ns_per_event("leaf-small", "uftrace"), r.ns_per_event("leaf", "record")),
        True,
    ),
    Target(
        "leaf, against gprof",
        "x",
        1.0,
        lambda r: over(r.ns_per_event("leaf", "record"), r.ns_per_event("leaf", "gprof")),
    ),
    Target("leaf, ring that overwrites", "ns/event", 3.0, lambda r: r.ns_per_event("leaf", "record-overwrite")),
    Target("two threads, wall", "ns/event", 8.0, lambda r: r.ns_per_event("leaf-2", "record")),
    Target("two threads, CPU of program and recorder, against one thread", "x", 1.25, cpu_of_two_threads),
    Target(
        "leaf, no recorder, more than an empty hook",
        "ns/event",
        0.8,
        lambda r: minus(r.ns_per_event("leaf", "no-recorder"), r.ns_per_event("leaf", "empty-hook")),
    ),
    Target("SQLite, program, --keep calls", "x", 1.7, lambda r: r.ratio("sqlite", "record")),
    Target("SQLite, program, --keep profile", "x", 1.7, lambda r: r.ratio("sqlite", "record-profile")),
    Target(
        "SQLite, program, against gprof",
        "x",
        1.0,
        lambda r: over(r.median("sqlite", "record"), r.median("sqlite", "gprof")),
    ),
    Target("SQLite, end, --keep profile", "x", 1.7, lambda r: r.ratio("sqlite", "record-profile", "wall_ns")),
    Target("SQLite, end, --keep calls", "x", 2.2, lambda r: r.ratio("sqlite", "record", "wall_ns")),
    Target("SQLite, no recorder", "x", 1.15, lambda r: r.ratio("sqlite", "no-recorder")),
    *(Target(f"{name}, default options", "x", 1.15, lambda r, n=name: r.ratio(n, "record")) for name in WITH_CALLS),
    *(
        Target(f"{name}, a worker on every core, --clock auto", "x", 1.2, lambda r, n=name: r.ratio(n + "-2", "record"))
        for name in WITH_CALLS
    ),
    *(
        Target(
            f"{name}, a worker on every core, --clock host", "x", 1.6, lambda r, n=name: r.ratio(n + "-2", "record-host")
        )
        for name in WITH_CALLS
    ),
    Target("six kernels, geometric mean", "x", 1.08, lambda r: r.geometric_mean(KERNELS, "record")),
    Target(
        "six kernels, against perf record -F 999 -g",
        "x",
        1.0,
        lambda r: over(r.geometric_mean(KERNELS, "record"), r.geometric_mean(KERNELS, "perf")),
    ),
    Target("drain, encoding", "M events/s", 200, extra("drain", "encode_mevents"), True),
    Target("drain, end to end, publishing included (leaf, two threads)", "M events/s", 200, drained_per_cpu_second, True),
    Target("drain, profile", "M events/s", 200, extra("drain", "model_mevents"), True),
    Target("SQLite, data before zstd", "bytes/event", 3.5, bytes_per_event("events_raw_bytes")),
    Target("SQLite, data after zstd", "bytes/event", 2.0, bytes_per_event("file_bytes")),
    Target("report on 10^8 events", "M events/s", 60, extra("report", "mevents"), True),
    Target("report, peak memory", "MiB", 64, extra("report", "peak_mib")),
    Target("--net, functions of 2, 5 and 20 ns, worst share", "points off", 3.0, extra("net", "points_off")),
    Target("flame graph of 100,000 stacks", "s", 1.0, extra("flamegraph", "seconds")),
    Target("flame graph, peak memory", "MB", 100, extra("flamegraph", "peak_mb")),
    Target("SQLite's amalgamation, time to compile", "x", 1.3, extra("compile", "time_ratio")),
    Target("a build of 200 files, CPU time", "x", 1.25, extra("200 files", "cpu_ratio")),
    Target("SQLite's amalgamation, text", "x", 1.10, extra("compile", "text_ratio")),
]


def judged(results):
    """Rows (target, value or None, met or None)."""
    for target in TARGETS:
        value = target.value(results)
        if value is None:
            yield target, None, None
        else:
            yield target, value, value >= target.limit if target.at_least else value <= target.limit
