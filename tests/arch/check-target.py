#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check-target.py [--all] [--jobs N] BIN COUNTER TARGET LLVM...: programs for another architecture, compiled with each LLVM
and run by qemu-user. Each says itself what it did; a recording of it must say the same, exactly.

BIN has tee-perf and the drivers, COUNTER is count_calls. --all: every program at every -O level and link, with each LLVM;
without, as many as let each pair of LLVM, level and link occur."""
import argparse
import concurrent.futures
import csv
import itertools
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "..", "pass", "cases")
RECORD = os.path.join(HERE, "..", "record", "programs")
OWN = os.path.join(HERE, "programs")
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os"]
LINKS = [["-pie"], ["-fno-pic", "-no-pie"], ["-static"], ["-static-pie", "-fPIE"], ["-ftee-perf-runtime=static"],
         ["-fno-omit-frame-pointer"]]

# Recorded: (source, options, arguments of the program)
RECORDED = [
    (f"{OWN}/calls.c", [], []),
    (f"{OWN}/exceptions.cc", [], []),
    (f"{OWN}/signals.c", [], []),
    (f"{OWN}/signals.c", [], ["alternate"]),
    (f"{OWN}/forks.c", [], []),
    (f"{RECORD}/threads.c", ["-lpthread"], ["16", "4"]),
]
# Linked with hooks that keep a stack and spoil all registers that they may: (source, options, least LLVM)
HOOKED = [
    (f"{OWN}/cfa.c", [f"{OWN}/through.S"], 14),
    (f"{CASES}/values.c", ["-Wno-psabi", "-lm"], 14),
    (f"{CASES}/balance.c", ["-lm"], 14),
    (f"{CASES}/setjmp.c", [], 14),
    (f"{CASES}/exceptions.cc", [], 14),
    (f"{CASES}/coroutine.cc", ["-std=c++20"], 16),
    (f"{CASES}/tail_depth.c", ["-DMUSTTAIL"], 14),
]


class Failure(Exception):
    pass


class Starved(Exception):
    """The recorder got no processor for so long that the program went on without it, and said so."""


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}")
    if "the recorder was stopped for too long" in done.stderr:
        raise Starved(done.stderr)
    return done.stdout


class Target:
    def __init__(self, arguments):
        self.bin, self.counter, self.target, self.llvm = arguments.bin, arguments.counter, arguments.target, arguments.llvm[0]
        name = self.target.split("-")[0]
        self.emulator = [f"qemu-{name}", "-L", f"/usr/{self.target}"]

    def compile(self, llvm, source, output, options):
        driver = "tee-perf-c++" if source.endswith(".cc") else "tee-perf-cc"
        run([f"{self.bin}/{driver}", f"--compiler=clang-{llvm}", f"--target={self.target}", f"-I{HERE}/../pass",
             f"-I{HERE}/../..", source, "-o", output, *options])

    def has_static_pie(self):
        place = run(["clang-" + self.llvm, f"--target={self.target}", "--print-file-name=rcrt1.o"]).strip()
        return os.path.exists(place)

    def check_hooked(self, directory, llvm, source, options):
        hooks, program = f"{directory}/hooks.o", f"{directory}/program"
        run([f"clang-{llvm}", f"--target={self.target}", "-O1", "-fPIC", f"-I{HERE}/../..", "-c", f"{HERE}/../pass/count_hooks.c",
             "-o", hooks])
        self.compile(llvm, source, program, ["-ftee-perf-runtime=none", *options, hooks])
        output = run([*self.emulator, program])
        if "wrong:" in output or "open 0 wrong 0" not in output:
            raise Failure(output)

    def recorded_counts(self, data):
        calls = {}
        for line in run([self.counter, data]).splitlines():
            name, count, _ = line.split()
            calls[name] = calls.get(name, 0) + int(count)
        return calls

    def query(self, data, sql):
        return list(csv.reader(run([f"{self.bin}/tee-perf", "report", "-i", data, "--query", sql, "--format", "csv"]).splitlines()))[1:]

    def compare(self, data, output):
        calls, faults, checked = self.recorded_counts(data), [], 0
        reported = {name: int(count) for name, count in self.query(data, "select name, sum(calls) from functions group by name")}
        edges = {(caller, callee): int(count) for caller, callee, count in
                 self.query(data, "select caller_name, callee_name, sum(calls) from edges group by 1, 2")}
        for word, *names, count in map(str.split, output.splitlines()):
            count = int(count)
            found = {}
            if word == "expect":
                found = {"recorded": calls.get(names[0], 0), "reported": reported.get(names[0].split("(")[0], 0)}
            elif word == "edge":
                found = {"in its caller": edges.get(tuple(names), 0)}
            checked += len(found)
            faults += [f"{' '.join(names)}: {how} {number}, made {count}" for how, number in found.items() if number != count]
        if faults or not checked:
            raise Failure("\n".join(faults) or "nothing was checked")

    def check_recorded(self, directory, llvm, source, options, arguments):
        program, data = f"{directory}/program", f"{directory}/data"
        self.compile(llvm, source, program, options)
        # A small ring: qemu-user goes through all pages of a mapping more than once.
        record = [f"{self.bin}/tee-perf", "record", "-q", "--ring-size", "64K", "-o", data, *self.emulator, program, *arguments]
        for attempt in range(3):
            try:
                output = run(record)
                break
            except Starved as starved:
                if attempt == 2:
                    raise Failure(str(starved))
        self.compare(data, output)
        run([f"{self.bin}/tee-perf", "flamegraph", "-i", data, "-o", f"{directory}/out.svg"])
        with open(f"{directory}/out.svg") as file:
            if "</svg>" not in file.read():
                raise Failure("the flame graph has no end")


def every_row(llvms):
    for llvm, level, (source, options, least) in itertools.product(llvms, LEVELS, HOOKED):
        if int(llvm) >= least:
            for pointer in ([], ["-fno-omit-frame-pointer"], ["-fomit-frame-pointer"]):
                yield ("hooked", llvm, source, [level, *pointer, *options], None)
    for llvm, level, link, (source, options, arguments) in itertools.product(llvms, LEVELS, LINKS, RECORDED):
        yield ("recorded", llvm, source, [level, *link, *options], arguments)


def some_rows(llvms):
    """In the recorded ones each pair of LLVM, level and link occurs (with three LLVMs); the CFA is checked with each LLVM,
    the rest with one or the other."""
    for number, (source, options, least) in enumerate(HOOKED):
        usable = [llvm for llvm in llvms if int(llvm) >= least]
        for turn, llvm in enumerate(usable):
            if number == 0 or turn == number % len(usable):
                yield ("hooked", llvm, source, [LEVELS[(number + 2 * turn) % 5], *options], None)
    for number, (source, options, arguments) in enumerate(RECORDED):
        for turn, link in enumerate(LINKS[:5]):
            llvm = llvms[(number + 2 * turn + number // 3) % len(llvms)]
            yield ("recorded", llvm, source, [LEVELS[(number + turn) % 5], *link, *options], arguments)


def check(target, row):
    kind, llvm, source, options, arguments = row
    with tempfile.TemporaryDirectory() as directory:
        try:
            if kind == "hooked":
                target.check_hooked(directory, llvm, source, options)
            else:
                target.check_recorded(directory, llvm, source, options, arguments)
        except (Failure, subprocess.TimeoutExpired, OSError) as failure:
            return f"FAIL {kind} {os.path.basename(source)} LLVM {llvm} {' '.join(options)} {' '.join(arguments or [])}\n{failure}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    for name in ("bin", "counter", "target"):
        parser.add_argument(name)
    parser.add_argument("llvm", nargs="+")
    arguments = parser.parse_args()
    target = Target(arguments)
    if not shutil.which(target.emulator[0]):
        sys.exit(f"{target.emulator[0]} is missing: install qemu-user")
    rows = list((every_row if arguments.all else some_rows)(arguments.llvm))
    if not target.has_static_pie():
        skipped = [row for row in rows if "-static-pie" in row[3]]
        rows = [row for row in rows if row not in skipped]
        print(f"{arguments.target}: skipped {len(skipped)} rows with -static-pie: that libc has no rcrt1.o")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for failure in pool.map(lambda row: check(target, row), rows):
            if failure:
                failed += 1
                print(failure, flush=True)
    print(f"{arguments.target}: {len(rows)} rows, {failed} failed")
    sys.exit(1 if failed else 0)


main()
