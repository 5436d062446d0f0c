# SPDX-License-Identifier: MIT
"""How a workload can be built and run: one row per variant."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Build:
    """A way to compile. Helper sources (bench.c, timing.c) get the flags of `helpers`: never instrumented."""

    cc: str
    cflags: tuple = ()
    ldflags: tuple = ()
    extra: tuple = ()  # sources linked in addition, compiled without instrumentation
    objects_of: str = ""  # a build whose objects are linked again in another way
    cxx: str = ""  # compiler of C++ sources, and linker when there are any
    cxxflags: tuple = ()
    version_of: tuple = ()  # files whose change makes a new build necessary


BUILDS = {
    "plain": Build("clang-14", cxx="clang++-14"),
    "plain19": Build("clang-19", cxx="clang++-19"),
    "tee": Build(
        "{bin}/tee-perf-cc",
        ("--compiler=clang-14",),  # that of the other builds
        ("--compiler=clang-14",),
        cxx="clang++-14",
        version_of=("{bin}/tee-perf-cc", "{lib}"),
    ),
    # The same objects with other hooks: empty ones, linked in as the runtime's fast path is, and counting ones.
    "empty": Build(
        "{bin}/tee-perf-cc",
        ldflags=("--compiler=clang-14", "-ftee-perf-runtime=none"),
        extra=("empty_hooks.c", "empty_fast.S"),
        cxx="clang-14",
        cxxflags=("-I{root}",),
        objects_of="tee",
    ),
    "count": Build(
        "{bin}/tee-perf-cc",
        ldflags=("--compiler=clang-14", "-ftee-perf-runtime=none"),
        extra=("../../tests/real/count_hooks.c", "../../tests/real/count_fast.S"),
        cxx="clang-14",
        cxxflags=("-mgeneral-regs-only", "-I{root}"),
        objects_of="tee",
    ),
    "pg": Build("clang-14", ("-pg",), ("-pg",), cxx="clang++-14"),
    "after-inlining": Build("clang-14", ("-finstrument-functions-after-inlining",), cxx="clang++-14"),
    "xray": Build(
        "clang-19",
        ("-fxray-instrument", "-fxray-instruction-threshold=1"),
        ("-fxray-instrument",),
        ("xray_fdr.cc",),
        cxx="clang++-19",
    ),
}


@dataclass(frozen=True)
class Variant:
    """prefix and env may hold {out} (a fresh folder for output), {bin}."""

    build: str
    prefix: tuple = ()
    env: dict = field(default_factory=dict)
    baseline: str = "plain"
    records: bool = False  # leaves {out}/tee-perf.data


RECORD = ("{bin}/tee-perf", "record", "-q", "-o", "{out}/tee-perf.data")
# 400 MiB of buffers hold every event of the small sizes; the threshold would drop short calls.
XRAY = "func_duration_threshold_us=0:grace_period_ms=0:buffer_size=1048576:buffer_max=%d"


def record(*options):
    return Variant("tee", RECORD + options + ("--",), records=True)


VARIANTS = {
    "plain": Variant("plain"),
    "plain19": Variant("plain19"),
    "empty-hook": Variant("empty"),
    "no-recorder": Variant("tee"),
    "record": record(),
    "record-host": record("--clock", "host"),
    "record-100ns": record("--clock", "host", "--clock-period", "100"),
    "record-tsc": record("--clock", "tsc"),
    "record-profile": record("--keep", "profile"),
    "record-overwrite": record("--full", "overwrite"),
    "gprof": Variant("pg", env={"GMON_OUT_PREFIX": "{out}/gmon"}),
    "perf": Variant("plain", ("perf", "record", "-q", "-F", "999", "-g", "-o", "{out}/perf.data", "--")),
    "uftrace": Variant("pg", ("uftrace", "record", "--no-pager", "-d", "{out}/uftrace")),
    "uftrace-nolib": Variant("pg", ("uftrace", "record", "--no-pager", "--no-libcall", "-d", "{out}/uftrace")),
    "uftrace-fi": Variant("after-inlining", ("uftrace", "record", "--no-pager", "-d", "{out}/uftrace")),
    "xray": Variant(
        "xray",
        env={"BENCH_XRAY": XRAY % 1000, "XRAY_OPTIONS": "patch_premain=false xray_logfile_base={out}/xray."},
        baseline="plain19",
    ),
    "xray-overwrite": Variant(
        "xray",
        env={"BENCH_XRAY": XRAY % 4, "XRAY_OPTIONS": "patch_premain=false xray_logfile_base={out}/xray."},
        baseline="plain19",
    ),
}
