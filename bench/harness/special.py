# SPDX-License-Identifier: MIT
"""Benchmarks that are no workload in variants: compiling, reporting, drawing, the parts of the drain."""

import json
import os
import re
from statistics import median

from . import measure
from .build import run
from .builds import build_200_files


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


def record_sqlite(builder, data, least):
    """Records SQLite at the smallest size that makes at least so many events; what the file holds."""
    program, tee_perf = builder.program("sqlite", "tee"), builder.expand("{bin}/tee-perf")
    for size in range(10, 100, 5):
        timed(builder, [tee_perf, "record", "-q", "-o", data, "--", program, "--size", str(size)], "recorded")
        info = measure.data_file(builder, data)
        if info["records"] >= least:
            return info
    raise measure.RunError("SQLite makes fewer events than it should")


def report(builder, runs, results):
    """tee-perf report on a file of at least 10^8 events of SQLite."""
    data = os.path.join(builder.work, "report.data")
    info = record_sqlite(builder, data, 100_000_000)
    tee_perf = builder.expand("{bin}/tee-perf")
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


def output(builder, command, name):
    """Runs it; its standard output and its cost."""
    done = timed(builder, command, name)
    with open(os.path.join(builder.work, name + ".out")) as out:
        return out.read(), done


def drain(builder, runs, results):
    """The two things that the drain does to records, each alone, on SQLite's: encoding them, and filling the model."""
    data, raw = os.path.join(builder.work, "drain.data"), os.path.join(builder.work, "sqlite.raw")
    record_sqlite(builder, data, 20_000_000)
    run([builder.names["raw_records"], data, raw, "20000000"])
    figures = {"encode_mevents": [], "decode_mevents": [], "model_mevents": []}
    for _ in range(runs):
        text, _ = output(builder, [builder.expand("{bin}/codec_bench"), raw], "codec")
        encoded, decoded = re.search(r"^sqlite\.raw +host +\d+ +(\d+) +(\d+)", text, re.M).groups()
        text, _ = output(builder, [builder.expand("{bin}/model_bench"), "-r", raw], "model")
        figures["encode_mevents"].append(float(encoded))
        figures["decode_mevents"].append(float(decoded))
        figures["model_mevents"].append(float(re.search(r"([\d.]+) M records/s", text).group(1)))
    results.extra["drain"] = {key: median(values) for key, values in figures.items()}
    os.remove(data)
    os.remove(raw)


def flamegraph(builder, runs, results):
    """100,000 unique stacks, built and written by bench/flame_bench.c."""
    seconds, peak = [], []
    for _ in range(runs):
        _, done = output(builder, [builder.expand("{bin}/flame_bench")], "flame")
        seconds.append(done["wall_ns"] / 1e9)
        peak.append(done["peak_bytes"] / 1e6)
    results.extra["flamegraph"] = {"seconds": median(seconds), "peak_mb": median(peak)}


def points_off(builder, program, data):
    """By how many points the worst share of report --net differs from what the program's functions take without hooks."""
    tee_perf = builder.expand("{bin}/tee-perf")
    told, _ = output(builder, [tee_perf, "record", "-q", "--clock", "host", "-o", data, "--", program], "net")
    truth = {name: float(share) for name, share in re.findall(r"^share (\S+) (\S+)", told, re.M)}
    rows = json.loads(run([tee_perf, "report", "-i", data, "--net", "--format", "json"]))["functions"]
    net = {row["name"]: row["self_ns"] for row in rows if row["name"] in truth}
    return max(abs(100 * net[name] / sum(net.values()) - share) for name, share in truth.items())


def net_shares(builder, runs, results):
    """Three functions of 2, 5 and 20 ns called back to back."""
    program = os.path.join(builder.work, "tiny")
    source = builder.expand("{root}/tests/record/programs/tiny.c")
    run([builder.expand("{bin}/tee-perf-cc"), "-O2", source, "-o", program])
    data = os.path.join(builder.work, "net.data")
    apart, points = [], []
    for _ in range(runs):
        apart.append(measure.cores_apart(builder))
        points.append(points_off(builder, program, data))
    results.extra["net"] = {"points_off": median(points), "points_off_worst": max(points)}
    if None not in apart:
        results.extra["net"].update(round_trip_ns=median(apart), round_trip_ns_worst=max(apart))
    os.remove(data)


SPECIAL = {"compile": compile_sqlite, "builds": build_200_files, "report": report, "drain": drain, "flamegraph": flamegraph, "net": net_shares}
