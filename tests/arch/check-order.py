#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check-order.py OBJDUMP RUNTIME: the memory order of the trusted side, in the disassembly of a libtee-perf-rt.so.2 for
aarch64 or riscv64. What the recorder relies on (docs/LOG-FORMAT.md, "Order"):

    publish            one store, with release: what it finishes is written
    reader_position    one load of host memory, with acquire: what was zeroed is seen as zero
    tee_perf_call ...  word 1 of a record is stored before word 0, both with release

Then each of these is broken in a copy of the library, and the check must fail there and name the place."""
import os
import re
import struct
import subprocess
import sys
import tempfile

HOOKS = ["tee_perf_call", "tee_perf_call_inlined", "tee_perf_return", "tee_perf_resync"]
NOP = 0x00000013  # riscv64; the fences are instructions of their own there


class Instruction:
    def __init__(self, address, text):
        self.address = address
        self.name, _, operands = text.partition("\t")
        self.operands = [part.strip(" []()") for part in re.split(r"\s*[,(]\s*\(?", operands.split("<")[0].split("//")[0])]


def disassemble(objdump, library):
    """(architecture, {function: instructions})."""
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", library], capture_output=True, text=True, check=True).stdout
    architecture = "aarch64" if "aarch64" in text.split("Disassembly")[0] else "riscv64"
    functions, current = {}, None
    for line in text.splitlines():
        if match := re.match(r"^[0-9a-f]+ <([\w.]+)>:$", line):
            # gcc makes clones of functions under names like publish.isra.0
            current = functions.setdefault(match[1].split(".")[0], [])
        elif current is not None and (match := re.match(r"^\s*([0-9a-f]+):\s+(\S.*)$", line)):
            current.append(Instruction(int(match[1], 16), match[2].strip()))
    return architecture, functions


def number(text):
    return int(text.lstrip("#"), 0)


# Each yields (instruction, base register, offset, ordered, instruction that orders it).
def stores_aarch64(code):
    sums = {}  # register: (base, offset), as the last addition says
    for one in code:
        if one.name in ("str", "stur") and one.operands[1] != "sp":
            yield one, one.operands[1], number(one.operands[2]) if len(one.operands) > 2 else 0, False, one
        elif one.name == "stlr":
            base, offset = sums.get(one.operands[1], (one.operands[1], 0))
            yield one, base, offset, True, one
        if one.name == "add" and len(one.operands) == 3 and one.operands[2].startswith("#"):
            sums[one.operands[0]] = (one.operands[1], number(one.operands[2]))
        elif one.operands and not one.name.startswith(("st", "b", "cmp", "cb", "tb", "tst")):
            sums.pop(one.operands[0], None)


def fences(one, before, after):
    """A fence of riscv64 between accesses of these kinds and those; without operands it is one between all."""
    sets = one.operands if one is not None and one.operands != [""] else ["iorw", "iorw"]
    return one is not None and one.name == "fence" and set(before) <= set(sets[0]) and set(after) <= set(sets[1])


def stores_riscv64(code):
    sums = {}
    for before, one in zip([None, *code], code):
        ordered = fences(before, "rw", "w")
        if one.name == "sd" and one.operands[2] != "sp":
            yield one, one.operands[2], number(one.operands[1]), ordered, before if ordered else one
        elif one.name.startswith("amoswap.d"):
            base, offset = sums.get(one.operands[2], (one.operands[2], 0))
            yield one, base, offset, ordered, before if ordered else one
        if one.name == "addi" and one.operands[0] != one.operands[1]:
            sums[one.operands[0]] = (one.operands[1], number(one.operands[2]))
        elif one.operands and not one.name.startswith(("s", "b", "amo", "fence")) or one.name.startswith(("sll", "srl", "sub")):
            sums.pop(one.operands[0], None)


def loads_aarch64(code):
    for one in code:
        if one.name in ("ldr", "ldar", "ldapr"):
            yield one, one.name != "ldr", one


def loads_riscv64(code):
    for one, after in zip(code, [*code[1:], None]):
        if one.name == "ld":
            ordered = fences(after, "r", "rw")
            yield one, ordered, after if ordered else one


STORES = {"aarch64": stores_aarch64, "riscv64": stores_riscv64}
LOADS = {"aarch64": loads_aarch64, "riscv64": loads_riscv64}


def record_stores(architecture, code):
    """The stores of word 1 and word 0: eight bytes apart at one base, released, or whatever else is there in their
    place. The cursor and the owner lie in trusted memory, at another base."""
    stores = list(STORES[architecture](code))
    bases = {base for _, base, _, ordered, _ in stores if ordered}
    return [store for store in stores if store[1] in bases]


def check(architecture, functions):
    faults = []
    for name in ["publish", "reader_position", *HOOKS]:
        if not functions.get(name):
            faults.append(f"{name}: there is no such function")
    if faults:
        return faults
    stores = list(STORES[architecture](functions["publish"]))
    if len(stores) != 1 or not stores[0][3]:
        faults.append("publish: its store is no release")
    loads = list(LOADS[architecture](functions["reader_position"]))
    if not loads or not loads[-1][1]:
        faults.append("reader_position: its load is no acquire")
    for name in HOOKS:
        stores = record_stores(architecture, functions[name])
        if [store[2] for store in stores] != [8, 0]:
            faults.append(f"{name}: word 1 and word 0 are not stored in this order: offsets {[s[2] for s in stores]}")
        elif not all(store[3] for store in stores):
            faults.append(f"{name}: a word of the record is stored without release")
    # The slow path stores its records in the same way, among much else.
    offsets = [(base, offset) for _, base, offset, ordered, _ in STORES[architecture](functions["tee_perf_put"]) if ordered]
    if offsets[-2:] and not any(first == (second[0], 8) and second[1] == 0 for first, second in zip(offsets, offsets[1:])):
        faults.append("tee_perf_put: no record is stored word 1 first")
    return faults


class Copy:
    """A copy of the library whose instructions can be changed."""

    def __init__(self, library, directory):
        self.path = os.path.join(directory, "altered.so")
        with open(library, "rb") as file:
            self.bytes = bytearray(file.read())
        table, size, count = struct.unpack_from("<Q", self.bytes, 32)[0], *struct.unpack_from("<HH", self.bytes, 54)
        self.segments = [struct.unpack_from("<IIQQQQ", self.bytes, table + i * size) for i in range(count)]

    def offset(self, address):
        for kind, _, offset, begin, _, length in self.segments:
            if kind == 1 and begin <= address < begin + length:
                return offset + address - begin
        raise ValueError(hex(address))

    def get(self, one):
        return struct.unpack_from("<I", self.bytes, self.offset(one.address))[0]

    def put(self, one, word):
        struct.pack_into("<I", self.bytes, self.offset(one.address), word)

    def write(self):
        with open(self.path, "wb") as file:
            file.write(self.bytes)
        return self.path


def weaken(copy, one):
    """Takes the order from one instruction: stlr and ldar become str and ldr, a fence becomes a nop."""
    word = copy.get(one)
    plain = {"stlr": 0xF9000000, "ldar": 0xF9400000}.get(one.name)
    copy.put(one, NOP if plain is None else plain | word & 0x3FF)


def exchange(copy, first, second):
    """Exchanges two instructions, 2 or 4 bytes long each, the same."""
    a, b = copy.offset(first.address), copy.offset(second.address)
    size = 2 if copy.bytes[a] & 3 != 3 and first.name == "sd" else 4
    assert size == (2 if copy.bytes[b] & 3 != 3 and second.name == "sd" else 4)
    copy.bytes[a : a + size], copy.bytes[b : b + size] = copy.bytes[b : b + size], copy.bytes[a : a + size]


def alterations(architecture, functions):
    """(what is broken, function that must be named, change)."""
    (published,) = STORES[architecture](functions["publish"])
    position = list(LOADS[architecture](functions["reader_position"]))[-1]
    yield "publish without release", "publish", lambda copy: weaken(copy, published[4])
    yield "position without acquire", "reader_position", lambda copy: weaken(copy, position[2])
    for name in HOOKS:
        first, second = record_stores(architecture, functions[name])
        yield f"{name}: word 0 without release", name, lambda copy, one=second[4]: weaken(copy, one)
        yield f"{name}: word 1 without release", name, lambda copy, one=first[4]: weaken(copy, one)
        yield f"{name}: word 0 first", name, lambda copy, a=first[0], b=second[0]: exchange(copy, a, b)


def main():
    objdump, library = sys.argv[1:3]
    architecture, functions = disassemble(objdump, library)
    faults = check(architecture, functions)
    if faults:
        sys.exit("\n".join(f"{library}: {fault}" for fault in faults))
    tried = 0
    with tempfile.TemporaryDirectory() as directory:
        for what, name, change in alterations(architecture, functions):
            copy = Copy(library, directory)
            change(copy)
            found = check(*disassemble(objdump, copy.write()))
            if not any(fault.startswith(name + ":") for fault in found):
                sys.exit(f"{architecture}: not noticed: {what}: {found}")
            tried += 1
    print(f"{architecture}: order as it must be in {2 + len(HOOKS)} places; {tried} alterations noticed")


main()
