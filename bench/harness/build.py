# SPDX-License-Identifier: MIT
"""Fetches sources and compiles programs in their variants, once per change of what they are made from."""

import glob
import hashlib
import os
import subprocess
import sys

from . import workloads
from .variants import BUILDS

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(BENCH)
WORKLOADS = os.path.join(BENCH, "workloads")

PACKAGES = {
    "sqlite": ("scripts/make-amalgamation",),
    "lua": ("scripts/fetch-source", "lua5.4"),
    "zstd": ("scripts/fetch-source", "libzstd"),
}


class BuildError(Exception):
    pass


def run(command, **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    if done.returncode:
        raise BuildError(f"{' '.join(command)}\nfailed with status {done.returncode}:\n{done.stderr[-4000:]}")
    return done.stdout


class Builder:
    """Where things are: build (the project's build tree) and work (what bench/ makes)."""

    def __init__(self, build, work):
        self.work = work
        self.names = {
            "build": build,
            "bin": os.path.join(build, "bin"),
            "lib": os.path.join(build, "lib", "tee-perf"),
            "workloads": WORKLOADS,
            "include": os.path.join(work, "include"),
            "root": ROOT,
        }
        os.makedirs(self.names["include"], exist_ok=True)
        # Debian's Lua includes a header that its packaging makes.
        with open(os.path.join(self.names["include"], "lua5.4-deb-multiarch.h"), "w") as header:
            header.write('#define DEB_HOST_MULTIARCH "bench"\n')

    def expand(self, text, **more):
        return text.format(**self.names, **more)

    def _fetch(self, packages):
        for name in packages:
            if name not in self.names:
                self.names[name] = run(PACKAGES[name], cwd=ROOT).strip().splitlines()[-1]

    def _paths(self, patterns):
        for pattern in patterns:
            expanded = self.expand(pattern)
            if not os.path.isabs(expanded):
                expanded = os.path.join(WORKLOADS, expanded)
            found = sorted(glob.glob(expanded))
            if not found:
                raise BuildError(f"no source matches {expanded}")
            yield from (path for path in found if os.path.basename(path) not in workloads.EXCLUDED)

    def _commands(self, program_name, build, folder):
        """One compile command per source, and the link."""
        program = workloads.PROGRAMS[program_name]
        flags = ["-O2", "-w", *map(self.expand, program.cflags)]
        objects = []
        if build.objects_of:
            count = len(list(self._paths(program.sources))) + len(list(self._paths(program.helpers)))
            objects = [os.path.join(self._folder(program_name, build.objects_of), f"{i}.o") for i in range(count)]
            sources = []
        else:
            sources = [(path, build.cflags, build.cc) for path in self._paths(program.sources)]
            plain = "clang-19" if "19" in build.cc else "clang-14"
            sources += [(path, (), plain) for path in self._paths(program.helpers)]
        sources += [(path, build.cxxflags, build.cxx) for path in self._paths(build.extra)]
        for path, extra, compiler in sources:
            objects.append(os.path.join(folder, f"{len(objects)}.o"))
            yield [self.expand(word) for word in (compiler, *flags, *extra)] + ["-c", path, "-o", objects[-1]]
        linker = build.cxx if build.cxx.startswith("clang++") and build.extra else build.cc
        yield [self.expand(linker), *objects, *build.ldflags, *program.libs, "-o", os.path.join(folder, "program")]

    def _stamp(self, commands, build, folder):
        """Changes when a command or the time of a file that takes part changes."""
        digest = hashlib.sha256(repr(commands).encode())
        inputs = [word for command in commands for word in command if word.endswith((".c", ".cc", ".S", ".o"))]
        files = [path for path in inputs if not path.startswith(folder + "/")]
        for path in map(self.expand, build.version_of):
            files += sorted(glob.glob(path + "/*")) if os.path.isdir(path) else [path]
        for path in files + [os.path.join(WORKLOADS, "bench.h")]:
            digest.update(f"{path} {os.stat(path).st_mtime_ns}".encode())
        return digest.hexdigest()

    def _folder(self, name, build_name):
        return os.path.join(self.work, "programs", f"{name}.{build_name}")

    def program(self, name, build_name):
        """The path of the program, compiled if it is not there yet."""
        program, build = workloads.PROGRAMS[name], BUILDS[build_name]
        self._fetch(program.packages)
        if build.objects_of:
            self.program(name, build.objects_of)
        folder = self._folder(name, build_name)
        os.makedirs(folder, exist_ok=True)
        commands = list(self._commands(name, build, folder))
        stamp, stamp_path = self._stamp(commands, build, folder), os.path.join(folder, "stamp")
        if os.path.exists(stamp_path) and open(stamp_path).read() == stamp:
            return os.path.join(folder, "program")
        print(f"building {name} ({build_name})", file=sys.stderr)
        for command in commands:
            run(command)
        with open(stamp_path, "w") as out:
            out.write(stamp)
        return os.path.join(folder, "program")

    def helpers(self):
        """The readers of data files, and what tells of the machine."""
        libraries = [os.path.join(self.names["build"], name, f"libtee_perf_{name}.a") for name in ("format", "util")]
        for name in ("data_sizes", "raw_records", "round_trip"):
            self.names[name] = os.path.join(self.work, name)
            run(
                ["clang-14", "-O2", f"-I{ROOT}", os.path.join(BENCH, name + ".c"), *libraries]
                + ["-ljansson", "-lzstd", "-lz", "-pthread", "-o", self.names[name]]
            )
        run(["ninja", "-C", self.names["build"], "codec_bench", "model_bench", "flame_bench"])
