# SPDX-License-Identifier: MIT
"""Runs one variant of one case and says what it cost."""

import os
import re
import resource
import shutil
import struct
import subprocess
import time

from . import workloads
from .variants import VARIANTS

NUMBER = re.compile(r"^(elapsed_ns|cpu_ns|process_cpu_ns|calls|result \w+) (\S+)$", re.M)


class RunError(Exception):
    pass


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def timed(command, env=None, cwd=None, stdout_path=None):
    """Runs to the end. Wall and CPU seconds of the command and all that it waited for, peak bytes of the largest."""
    # What wait4 says of memory includes this interpreter's own before the exec; GNU time is small.
    peak_path = stdout_path + ".peak"
    small = ["/usr/bin/time", "-q", "-f", "%M", "-o", peak_path, *command]
    with open(stdout_path, "wb") as out, open(stdout_path + ".err", "wb") as err:
        begin = time.monotonic_ns()
        process = subprocess.Popen(small, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, cwd=cwd)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic_ns() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        with open(stdout_path + ".err", errors="replace") as err:
            text = err.read()[-600:]
        raise RunError(f"{' '.join(command)}: status {process.returncode}\n{text}")
    with open(peak_path) as peak:
        peak_kib = int(peak.read())
    return {
        "wall_ns": wall,
        "cpu_ns": round((usage.ru_utime + usage.ru_stime) * 1e9),
        "peak_bytes": peak_kib * 1024,
    }


def program_numbers(text):
    """What the program says of itself: elapsed_ns, cpu_ns, process_cpu_ns, calls, results."""
    return {key: value for key, value in NUMBER.findall(text)}


def run(builder, case_name, variant_name):
    """One run. elapsed_ns: the program's own; wall_ns: until all had ended; cpu in all and of the program."""
    case, variant = workloads.CASES[case_name], VARIANTS[variant_name]
    out = fresh(os.path.join(builder.work, "out"))
    program = builder.program(case.program, variant.build)
    command = [builder.expand(word, out=out) for word in variant.prefix] + [program]
    command += [builder.expand(word, out=out) for word in case.args]
    env = {**os.environ, "BENCH_TIMING": os.path.join(out, "timing"), "LC_ALL": "C"}
    env.update({key: builder.expand(value, out=out) for key, value in variant.env.items()})
    round_trip = cores_apart(builder) if variant.records else None
    measured = timed(command, env, cwd=out, stdout_path=os.path.join(out, "stdout"))
    with open(os.path.join(out, "stdout"), errors="replace") as stdout:
        text = stdout.read()
    if os.path.exists(env["BENCH_TIMING"]):
        with open(env["BENCH_TIMING"]) as timing:
            text += timing.read()
    numbers = program_numbers(text)
    if "elapsed_ns" not in numbers:
        raise RunError(f"{' '.join(command)}: did not say how long it took:\n{text[-1000:]}")
    result = {**measured, "elapsed_ns": int(numbers["elapsed_ns"])}
    result["program_cpu_ns"] = int(numbers["process_cpu_ns"])
    result["recorder_cpu_ns"] = max(0, result["cpu_ns"] - result["program_cpu_ns"]) if variant.prefix else 0
    result["answers"] = {key: value for key, value in numbers.items() if key.startswith("result")}
    if variant.records:
        result["round_trip_ns"] = round_trip
        result["data"] = data_file(builder, os.path.join(out, "tee-perf.data"))
    return result


def data_file(builder, path):
    """Size, events, and what was lost, read from the file by bench/data_sizes."""
    text = subprocess.run(
        [builder.names["data_sizes"], path], check=True, capture_output=True, text=True
    ).stdout
    return {key: int(value) for key, value in (line.split() for line in text.splitlines())}


def cores_apart(builder):
    """Nanoseconds, None on one core: records cross from one core to another, and a virtual machine's cores move."""
    text = subprocess.run([builder.names["round_trip"]], check=True, capture_output=True, text=True).stdout
    return int(text) if text else None


def count_events(builder, case_name):
    """Calls and all events of a case, counted by hooks that only count."""
    case = workloads.CASES[case_name]
    out = fresh(os.path.join(builder.work, "out"))
    command = [builder.program(case.program, "count")] + [builder.expand(word, out=out) for word in case.args]
    env = {**os.environ, "TEE_PERF_COUNT_DIR": fresh(out + "/counts")}
    timed(command, env, cwd=out, stdout_path=os.path.join(out, "stdout"))
    calls = others = 0
    for entry in os.scandir(out + "/counts"):
        with open(entry.path, "rb") as file:
            entries, other = struct.unpack("<QQ", file.read(16))
            calls += sum(struct.unpack(f"<{entries}Q", file.read(8 * entries)))
            others += other
    return {"calls": calls, "events": calls + others}


def quiet_limits():
    """A crash of a peer must not leave a core file of gigabytes."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
