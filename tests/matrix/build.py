# SPDX-License-Identifier: MIT
"""Builds a row's program, with hooks and without."""
import os
import shutil
import subprocess

import axes

PROGRAMS = os.path.join(axes.HERE, "programs")
TRIPLES = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu", "riscv64": "riscv64-linux-gnu"}

LINK = {  # how objects are compiled, how they are linked
    "pie": (["-fPIE"], ["-pie"]),
    "no-pie": (["-fno-pie"], ["-no-pie"]),
    "static": (["-fno-pie"], ["-static"]),
    "static-pie": (["-fPIE"], ["-static-pie"]),
    "shared": (["-fPIC"], ["-shared"]),
}

SOURCES = {
    "C": ["c_main.c", "c_calls.c", "c_values.c", "c_jumps.c", "c_tails.c", "c_deep.c", "c_threads.c", "c_merged.c",
          "c_merged_too.c", "c_timer.c"],
    "C++": ["cpp_main.cpp", "cpp_exceptions.cpp", "cpp_objects.cpp", "cpp_templates.cpp", "cpp_templates_too.cpp",
            "cpp_coroutines.cpp", "cpp_locals.cpp", "cpp_unwinding.cpp"],
}
ACROSS = "cpp_across.cpp"  # a shared object of its own, where objects can be shared
PLAIN = "cpp_plain.cpp"  # never instrumented
HEADERS = ["program.h", "announce.h", "cpp_templates.h", "cpp_program.h"]
CASES = {
    "C": ["tree", "threads", "thread-exit", "timer", "exit", "deep-must", "deep-plain"],
    "C++": ["tree", "threads", "terminate", "uncaught", "plain-catch", "plain-catch-calls", "cleanup-calls",
            "forced"],
}
STATUS = {"exit": 2, "terminate": 3, "uncaught": 128 + 6}  # 0 else


class Failed(Exception):
    pass


def run(command, env=None):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, timeout=600,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failed(" ".join(command) + "\n" + done.stdout.decode(errors="replace")[-3000:])


def missing(row, tools):
    """What this machine lacks for the row; None: nothing."""
    prefix = "" if row["target"] == "x86_64" else TRIPLES[row["target"]] + "-"
    linker = f"ld.lld-{row['llvm']}" if row["linker"] == "lld" else f"{prefix}ld.{row['linker']}"
    emulation = [f"{prefix}g++", f"qemu-{row['target']}"] if prefix else []
    for tool in [f"clang-{row['llvm']}", linker] + emulation:
        if not shutil.which(tool):
            return f"{tool} is not installed"
    if row["lto"] != "none" and row["linker"] != "lld":
        if not os.path.exists(f"/usr/lib/llvm-{row['llvm']}/lib/LLVMgold.so"):
            return f"LLVMgold.so of LLVM {row['llvm']} is not installed (llvm-{row['llvm']}-linker-tools)"
    runtimes = os.path.join(tools, "../lib/tee-perf", TRIPLES[row["target"]])
    if prefix and not os.path.exists(os.path.join(runtimes, "libtee-perf-rt.so")):
        return f"tee-perf was built without its runtime for {TRIPLES[row['target']]}"
    return None


def emulator(row):
    if row["target"] == "x86_64":
        return []
    return [f"qemu-{row['target']}", "-L", f"/usr/{TRIPLES[row['target']]}"]


class Build:
    """In folder, the program of a row: without hooks if hooks is false."""

    def __init__(self, row, tools, folder, hooks):
        self.row, self.folder, self.hooks = row, folder, hooks
        self.env = dict(os.environ, TEE_PERF_CC=f"clang-{row['llvm']}", LC_ALL="C")
        self.clang = {"c": [f"clang-{row['llvm']}"], "cpp": [f"clang++-{row['llvm']}"]}
        self.tee_perf = {"c": [os.path.join(tools, "tee-perf-cc")], "cpp": [os.path.join(tools, "tee-perf-c++")]}
        self.common = ["-pthread", f"-I{PROGRAMS}", "-Wall", "-Wextra"]
        if row["target"] != "x86_64":
            self.common.append(f"--target={TRIPLES[row['target']]}")
        self.program = os.path.join(folder, "program")
        self.shared = row["link"] == "shared"

    def driver(self, kind, hooks):
        if not hooks or not self.hooks:
            return self.clang[kind] + self.common
        extra = [f"-ftee-perf-hooks={self.row['hooks']}"] if self.row["target"] == "x86_64" else []
        if self.row["placement"] == "before":
            extra.append("-ftee-perf-before-inlining")
        return self.tee_perf[kind] + extra + self.common

    def options(self, position, hooks):
        row = self.row
        result = [f"-{row['optimise']}", f"-{row['debug']}"] + position
        if row["lto"] != "none" and hooks:
            result.append(f"-flto={row['lto']}")
        if row["sections"] != "kept":
            result += ["-ffunction-sections", "-fdata-sections"]
        return result

    def link_options(self):
        linker = self.row["linker"]
        result = [f"-fuse-ld={linker}" + (f"-{self.row['llvm']}" if linker == "lld" else "")]
        if self.row["lto"] != "none":
            result += [f"-flto={self.row['lto']}", f"-{self.row['optimise']}"]
        if self.row["sections"] != "kept":
            result.append("-Wl,--gc-sections")
        if self.row["sections"] == "icf":
            result.append("-Wl,--icf=all")
        return result

    def compile(self, source, hooks=True, position=None, extra=()):
        """The object file. A file that never has hooks takes no part in link-time optimisation either."""
        kind = "cpp" if source.endswith(".cpp") else "c"
        out = os.path.join(self.folder, source + ".o")
        language = ["-std=gnu11"] if kind == "c" else ["-std=c++20"]
        options = self.options(position or LINK[self.row["link"]][0], hooks) + list(extra)
        run(self.driver(kind, hooks) + language + options + ["-c", os.path.join(PROGRAMS, source), "-o", out], self.env)
        return out

    def announcer(self):
        out = os.path.join(self.folder, "announce.o")
        run(self.clang["c"] + self.common + ["-O1", "-fPIC", "-c", os.path.join(PROGRAMS, "announce.c"), "-o", out],
            self.env)
        return out

    def link(self, objects, out, how, hooks=True, extra=()):
        kind = "cpp" if self.row["language"] == "C++" else "c"
        run(self.driver(kind, hooks) + how + self.link_options() + objects + list(extra) + ["-o", out], self.env)

    def make(self):
        os.makedirs(self.folder, exist_ok=True)
        cplusplus = self.row["language"] == "C++"
        is_static = self.row["link"] in ("static", "static-pie")
        objects = [self.compile(source) for source in SOURCES[self.row["language"]]] + [self.announcer()]
        libraries = []
        if cplusplus:
            objects.append(self.compile(PLAIN, hooks=False))
            if is_static:
                objects.append(self.compile(ACROSS))
            else:
                libraries = [self.across()]
        how = LINK[self.row["link"]][1]
        path = ["-Wl,-rpath,$ORIGIN"]
        if not self.shared:
            self.link([self.compile("main.c")] + objects, self.program, how, extra=libraries + path * bool(libraries))
            return
        library = os.path.join(self.folder, "libprogram.so")
        self.link(objects, library, how, extra=libraries + path)
        main = self.compile("main.c", hooks=False, position=["-fPIE"], extra=["-DPLAIN_MAIN"])
        self.link([main], self.program, ["-pie"], hooks=False, extra=[library] + path)

    def across(self):
        """It calls functions of the program, which the program must export."""
        library = os.path.join(self.folder, "libacross.so")
        self.link([self.compile(ACROSS, position=["-fPIC"])], library, ["-shared"])
        return library
