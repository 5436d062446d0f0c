# SPDX-License-Identifier: MIT
"""What is run: programs, their sizes, and which variants make sense for each size."""

from dataclasses import dataclass, field

PLAIN = ("plain", "empty-hook", "no-recorder", "gprof")
OURS = PLAIN + ("record", "record-profile")
PEERS = ("plain19", "uftrace", "xray")


@dataclass(frozen=True)
class Program:
    """sources: below bench/workloads, or {package}/... below an unpacked Debian source package."""

    sources: tuple
    helpers: tuple = ("bench.c",)
    cflags: tuple = ()
    libs: tuple = ("-pthread", "-lm")
    packages: tuple = ()  # name in {}: how to get it, see sources.py


@dataclass(frozen=True)
class Case:
    program: str
    args: tuple
    variants: tuple
    group: str  # what `bench/run NAME` selects
    threads: int = 1
    calls: str = "count"  # how the number of calls is known: the program prints it, or a counting hook


def kernel(name):
    return Program((name + ".c",))


KERNELS = ("matrix_multiply", "word_count", "linear_regression", "histogram", "string_match", "pca")
WITH_CALLS = ("word_count", "string_match")

PROGRAMS = {
    "leaf": Program(("leaf.c",)),
    "fib": Program(("fib.c",)),
    "sqlite": Program(
        ("{sqlite}/sqlite3.c", "{sqlite}/speedtest1.c"), ("timing.c",), ("-I{sqlite}",), packages=("sqlite",)
    ),
    "lua": Program(
        ("{lua}/src/*.c",), ("timing.c",), ("-DLUA_USE_POSIX", "-I{include}"), packages=("lua",)
    ),
    "zstd": Program(
        ("zstd_compress.c", "{zstd}/lib/common/*.c", "{zstd}/lib/compress/*.c", "{zstd}/lib/decompress/*.c"),
        cflags=("-I{zstd}/lib", "-DZSTD_DISABLE_ASM", "-DXXH_NAMESPACE=ZSTD_"),
        packages=("zstd",),
    ),
    **{name: kernel(name) for name in KERNELS},
}
# Not part of the program, though they match a pattern.
EXCLUDED = {"luac.c"}

CASES = {
    "leaf": Case(
        "leaf",
        ("-n", "100000000"),
        OURS + ("record-host", "record-100ns", "record-tsc", "record-overwrite"),
        "micro",
    ),
    "leaf-small": Case(
        "leaf", ("-n", "10000000"), PEERS + ("plain", "record", "uftrace-fi", "xray-overwrite"), "micro"
    ),
    "leaf-2": Case("leaf", ("-n", "100000000", "-t", "2"), OURS + ("record-host",), "micro", threads=2),
    "leaf-2-small": Case("leaf", ("-n", "10000000", "-t", "2"), PEERS + ("plain", "record"), "micro", threads=2),
    "fib": Case("fib", ("-n", "37"), OURS + ("record-100ns", "record-tsc", "record-overwrite"), "micro"),
    "fib-small": Case("fib", ("-n", "31"), PEERS + ("plain", "record"), "micro"),
    "sqlite": Case("sqlite", ("--size", "220"), OURS + ("perf",), "sqlite"),
    "sqlite-10": Case(
        "sqlite", ("--size", "10"), OURS + PEERS + ("record-tsc", "record-overwrite"), "sqlite"
    ),
    "lua": Case("lua", ("{workloads}/lua_bench.lua", "12"), OURS + ("perf",), "lua"),
    "lua-small": Case("lua", ("{workloads}/lua_bench.lua", "1"), PEERS + ("plain", "record"), "lua"),
    "zstd": Case("zstd", ("-n", "80000000"), OURS + ("perf",), "zstd"),
    "zstd-small": Case("zstd", ("-n", "6000000"), PEERS + ("plain", "record"), "zstd"),
    **{name: Case(name, (), PLAIN + ("record", "perf"), "kernels") for name in KERNELS},
    **{
        name + "-small": Case(
            name, ("-n", "8000000"), PEERS + ("plain", "record", "uftrace-nolib"), "kernels"
        )
        for name in WITH_CALLS
    },
    **{
        name + "-2": Case(
            name, ("-t", "2"), ("plain", "empty-hook", "record", "record-host"), "kernels", threads=2
        )
        for name in WITH_CALLS
    },
}
