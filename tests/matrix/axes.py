# SPDX-License-Identifier: MIT
"""The axes of the matrix, what cannot be, and the rows."""
import itertools
import os

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = os.path.join(HERE, "rows.tsv")

AXES = {
    "language": ["C", "C++"],
    "llvm": ["14", "16", "19"],
    "optimise": ["O0", "O1", "O2", "O3", "Os"],
    "lto": ["none", "full", "thin"],
    "linker": ["bfd", "gold", "lld"],
    "link": ["pie", "no-pie", "static", "static-pie", "shared"],
    "debug": ["g0", "g"],
    "hooks": ["fast", "plain", "inline"],
    "placement": ["after", "before"],
    "sections": ["kept", "gc", "icf"],
    "target": ["x86_64", "aarch64", "riscv64"],
}

# Each: the values that cannot be together ("|": any of these), and why.
IMPOSSIBLE = [
    ({"sections": "icf", "linker": "bfd"}, "GNU ld does not fold identical code"),
    ({"linker": "gold", "link": "static-pie"}, "gold does not know --no-dynamic-linker"),
    ({"target": "riscv64", "linker": "gold"}, "gold does not link for riscv64"),
    ({"target": "riscv64", "link": "static-pie"}, "Debian's libc6-dev-riscv64-cross has no rcrt1.o"),
    ({"target": "riscv64", "llvm": "14", "linker": "lld"}, "lld 14 cannot relax, which Debian's crt1.o demands"),
    ({"target": "riscv64", "llvm": "14", "lto": "full|thin"}, "LLVM 14 loses riscv64's floating-point ABI on the way"),
    ({"target": "riscv64", "llvm": "19", "lto": "full|thin", "linker": "bfd", "debug": "g"},
     "GNU ld 2.40 crashes on what LLVM 19 gives it there, without hooks, too"),
    ({"target": "aarch64|riscv64", "hooks": "fast|inline"}, "there is one shape of hooks only, that of plain calls"),
]

# Besides every pair: combinations of more axes of which every one that can be occurs.
WHOLE = [
    {"language": None, "llvm": None, "optimise": None, "lto": None, "target": "x86_64"},
    {"language": None, "llvm": None, "optimise": None, "placement": None},
    {"language": None, "llvm": None, "hooks": None, "placement": "after", "lto": "none", "target": "x86_64"},
    {"language": None, "target": None, "optimise": None},
    {"language": None, "target": None, "lto": None},
    {"lto": None, "linker": None, "link": None},
    {"language": None, "link": None, "placement": None},
]


def impossible(row):
    """Why this row (or part of one) cannot be; None: it can."""
    for condition, reason in IMPOSSIBLE:
        if all(axis in row and row[axis] in value.split("|") for axis, value in condition.items()):
            return reason
    return None


def complete(part):
    """The first whole row that has these values and can be; None: there is none."""
    if impossible(part):
        return None
    for axis, values in AXES.items():
        if axis not in part:
            for value in values:
                row = complete({**part, axis: value})
                if row:
                    return row
            return None
    return part


def combinations(axes):
    """Each way to give these axes (name: the one value, or None: all of its values) values, as a dictionary."""
    names = list(axes)
    for values in itertools.product(*([axes[n]] if axes[n] else AXES[n] for n in names)):
        yield dict(zip(names, values))


def demanded():
    """Every combination that must occur: all pairs, and WHOLE. Those that cannot be are left out."""
    groups = [dict.fromkeys(pair) for pair in itertools.combinations(AXES, 2)] + WHOLE
    return [part for group in groups for part in combinations(group) if complete(part)]


def covers(row, part):
    return all(row[axis] == value for axis, value in part.items())


def read_rows():
    with open(ROWS, encoding="utf-8") as lines:
        names = next(lines).rstrip("\n").split("\t")
        return [dict(zip(names, line.rstrip("\n").split("\t"))) for line in lines]


def known_failure(row, case):
    """The reason that stands in known-failures.tsv for this case of the row, or None."""
    with open(os.path.join(HERE, "known-failures.tsv"), encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#") or not line.strip():
                continue
            cases, conditions, reason = line.rstrip("\n").split("\t")
            if case in cases.split(",") and all(row[a] in v.split("|") for a, v in
                                                (c.split("=") for c in conditions.split())):
                return reason
    return None
