# SPDX-License-Identifier: MIT
"""Benchmarks that are no workload in variants: compiling, reporting, drawing, the parts of the drain."""

import os
import re
from statistics import median

from . import measure
from .build import run


def timed(builder, command, name):
    return measure.timed(command, stdout_path=os.path.join(builder.work, name + ".out"))


def compile_sqlite(builder, runs, results):
    """clang -O2 -c against tee-perf-cc -O2 -c of the amalgamation."""
    builder.program("sqlite", "plain")  # fetches the source
    source = builder.expand("{sqlite}/sqlite3.c")
    compilers = {"clang": ["clang-14"], "tee": [builder.expand("{bin}/tee-perf-cc"), "--compiler=clang-14"]}
    objects = {name: os.path.join(builder.work, f"sqlite3.{name}.o") for name in compilers}
    seconds = {name: [] for name in compilers}
    for _ in range(runs):
        for name, compiler in compilers.items():
            done = timed(builder, [*compiler, "-O2", "-c", source, "-o", objects[name]], "compile")
            seconds[name].append(done["wall_ns"] / 1e9)
    text = {name: text_bytes(path) for name, path in objects.items()}
    results.extra["compile"] = {
        "clang_seconds": median(seconds["clang"]),
        "tee_seconds": median(seconds["tee"]),
        "time_ratio": median(seconds["tee"]) / median(seconds["clang"]),
        "clang_text_bytes": text["clang"],
        "tee_text_bytes": text["tee"],
        "text_ratio": text["tee"] / text["clang"],
    }


def text_bytes(path):
    """Of the sections of machine code, not what `size` adds to them (constants, unwind tables)."""
    table = run(["readelf", "-SW", path])
    rows = re.findall(r"\] (\.text\S*) +PROGBITS +\S+ \S+ (\S+)", table)
    return sum(int(size, 16) for _, size in rows)


def report(builder, runs, results):
    """tee-perf report on a file of at least 10^8 events of SQLite."""
    data = os.path.join(builder.work, "report.data")
    program = builder.program("sqlite", "tee")
    tee_perf = builder.expand("{bin}/tee-perf")
    for size in range(20, 100, 10):
        timed(builder, [tee_perf, "record", "-q", "-o", data, "--", program, "--size", str(size)], "report")
        info = measure.data_file(builder, data)
        if info["records"] >= 100_000_000:
            break
    done = [timed(builder, [tee_perf, "report", "-i", data], "report") for _ in range(runs)]
    seconds = median(one["wall_ns"] for one in done) / 1e9
    results.extra["report"] = {
        "events": info["records"],
        "file_bytes": info["file_bytes"],
        "seconds": seconds,
        "mevents": info["records"] / seconds / 1e6,
        "peak_mib": median(one["peak_bytes"] for one in done) / 2**20,
    }
    os.remove(data)


def own_figures(builder, runs, name, program, arguments=()):
    """Runs one of the C benchmarks of the build tree, which prints "KEY VALUE" lines; the medians, and its cost."""
    path = os.path.join(os.path.dirname(builder.names["bin"]), program)
    figures, seconds, peak = {}, [], []
    for _ in range(runs):
        done = timed(builder, [path, *arguments], name)
        with open(os.path.join(builder.work, name + ".out")) as out:
            for key, value in re.findall(r"^(\w+) ([0-9.]+)$", out.read(), re.M):
                figures.setdefault(key, []).append(float(value))
        seconds.append(done["wall_ns"] / 1e9)
        peak.append(done["peak_bytes"] / 1e6)
    return {**{key: median(values) for key, values in figures.items()}, "seconds": median(seconds), "peak_mb": median(peak)}


def drain(builder, runs, results):
    results.extra["drain"] = {
        **own_figures(builder, runs, "codec", "bin/codec_bench"),
        **own_figures(builder, runs, "model", "bin/model_bench"),
    }


def flamegraph(builder, runs, results):
    results.extra["flamegraph"] = own_figures(builder, runs, "flame", "bin/flame_bench")


SPECIAL = {"compile": compile_sqlite, "report": report, "drain": drain, "flamegraph": flamegraph}
