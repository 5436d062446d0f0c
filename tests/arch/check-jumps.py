#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check-jumps.py TEE_PERF_CC CLANG TARGET SOURCE: a call that is a jump without hooks is one with hooks, behind the return
hook; where it is no jump, the return hook comes after the call. At each -O level that makes jumps."""
import re
import subprocess
import sys

driver, clang, target, source = sys.argv[1:5]
JUMP = re.compile(r"^\s+(?:b|br|tail|jr)\s+(?P<to>\S+)|^\s+(?:jmp|jmpq)\s+(?P<x86>\S+)")
CALL = re.compile(r"^\s+(?:bl|blr|call|callq|jalr)\s+(?P<to>\S+)")


def functions(command):
    """The instructions of each function by its name."""
    text = subprocess.run([*command, "--target=" + target, "-S", source, "-o", "-"], capture_output=True, text=True, check=True).stdout
    found, current = {}, None
    for line in text.splitlines():
        if match := re.match(r"^((?:ends|caller)_\w+):", line):
            current = found.setdefault(match[1], [])
        elif re.match(r"^\.Lfunc_end", line):
            current = None
        elif current is not None and re.match(r"^\s+[a-z]", line):
            current.append(line)
    return found


def last_transfer(code):
    """What the function does last that is not its own: ("jump" or "call", where, line)."""
    last = None
    for number, line in enumerate(code):
        if match := JUMP.match(line):
            to = match["to"] or match["x86"]
            if not to.startswith((".L", "ra", "1f")) and to != "x30":
                last = ("jump", to, number)
        elif match := CALL.match(line):
            if "tee_perf" not in line:
                last = ("call", match["to"], number)
    return last


faults, checked, jumps = [], 0, 0
for level in ("-O1", "-O2", "-Os"):
    plain = functions([clang, level])
    hooked = functions([driver, "--compiler=" + clang, "-ftee-perf-runtime=none", level])
    for name, code in plain.items():
        kind, with_hooks = last_transfer(code)[0], last_transfer(hooked[name])
        returns = [n for n, line in enumerate(hooked[name]) if re.search(r"\btee_perf_return(_fast)?\b", line)]
        checked += 1
        jumps += kind == "jump"
        if with_hooks[0] != kind:
            faults.append(f"{level} {name}: a {kind} without hooks, a {with_hooks[0]} with them")
        elif not returns or (max(returns) < with_hooks[2]) != (kind == "jump"):
            faults.append(f"{level} {name}: the return hook is on the wrong side of the {kind}")
print("\n".join(faults) or f"{target}: {checked} functions, {jumps} of them end in a jump")
sys.exit(1 if faults or jumps < 30 or jumps == checked else 0)
