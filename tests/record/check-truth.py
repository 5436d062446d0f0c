#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check-truth.py TEE_PERF TEE_PERF_CC SOURCE [CASE...]: the shares that a report shows are those that the program
measured itself, within one point, or stated as unresolved; call counts are exact; main lasts as long as it does."""
import json
import os
import subprocess
import sys
import tempfile

tee_perf, compiler, source = sys.argv[1:4]
CALLS = {"burns_10": 250, "burns_20": 250, "burns_30": 250, "burns_40": 250, "burns_1_us": 1000, "main": 1}

# name: (record options, program arguments, on one core only, busy processes)
CASES = {
    "host": (["--clock", "host"], ["compute"], False, 0),
    "tsc": (["--clock", "tsc"], ["compute"], False, 0),
    "auto": ([], ["compute"], False, 0),
    "block": ([], ["block"], False, 0),
    "profile": (["--keep", "profile"], ["block"], False, 0),
    "one-core-host": (["--clock", "host"], ["block"], True, 0),
    "one-core-auto": ([], ["block"], True, 0),
    "busy-host": (["--clock", "host"], ["block"], False, os.cpu_count()),
    "busy-auto": ([], ["block"], False, os.cpu_count()),
}


def query(sql):
    shown = subprocess.run([tee_perf, "report", "--query", sql, "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(shown.stdout)


def run(case):
    options, arguments, one_core, busy = CASES[case]
    command = ["taskset", "-c", "0"] if one_core else []
    command += [tee_perf, "record", "-q", *options, "./truth", *arguments]
    others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(busy)]
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    finally:
        for other in others:
            other.kill()
            other.wait()
    faults = []
    rows = {row["name"]: row for row in query("select name, calls, self_ns, total_ns from functions")}
    clock = query("select * from clock")[0]
    wall = next(float(line.split()[2]) for line in output.splitlines() if line.startswith("wall"))
    main = rows["main"]["total_ns"]
    waited = clock["waited_ns"] or 0
    # With every core taken twice, the clock that main's end reads may be some milliseconds old.
    if abs(main + waited - wall) > (0.04 if busy else 0.01) * wall:
        faults.append(f"main lasts {main / 1e6:.1f} ms and waits {waited / 1e6:.1f} ms, of {wall / 1e6:.1f} ms")
    unresolved = 100 * rows.get("[unresolved]", {"self_ns": 0})["self_ns"] / main
    for line in output.splitlines():
        word, name, truth = line.split()
        if word != "share" or (name == "blocks" and arguments == ["compute"]):
            continue
        truth = float(truth)
        reported = 100 * rows[name]["self_ns"] / main
        if not truth - unresolved - 1 <= reported <= truth + 1:
            faults.append(f"{name} is {truth:.2f} %, reported {reported:.2f} %, unresolved {unresolved:.2f} %")
    for name, calls in CALLS.items():
        if rows[name]["calls"] != calls:
            faults.append(f"{name} was called {calls} times, reported {rows[name]['calls']}")
    print(f"{case}: unresolved {unresolved:.2f} %", "ok" if not faults else "")
    for fault in faults:
        print("  failed:", fault)
    return not faults


os.chdir(tempfile.mkdtemp())
subprocess.run([compiler, "-O2", source, "-o", "truth"], check=True)
results = [run(case) for case in sys.argv[4:] or CASES]
sys.exit(not all(results))
