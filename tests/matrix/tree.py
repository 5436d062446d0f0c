# SPDX-License-Identifier: MIT
"""The call tree that a program announced, the one that was recorded, and how they differ."""
import csv
import difflib
import io
import os
import re
import subprocess


class Node:
    def __init__(self, name, number=0, cfa=0):
        self.name = name
        self.number = number
        self.cfa = cfa
        self.children = []
        self.how = "unfinished"
        self.inlined = False  # it ran within the frame of the function that called it
        self.loop = False  # a tail call of itself, of which the optimiser may have made a loop
        self.tail = False


class Announced:
    """Reads the events of one thread. Where a tail call became a jump, the callee has its caller's CFA."""

    def __init__(self, root):
        self.root = root
        self.stack = [self.root]

    def enter(self, number, cfa, name):
        node = Node(name, number, cfa)
        top = self.stack[-1]
        if cfa and top.cfa == cfa:
            if top.tail:
                node.loop = top.name == name
                self.end("returned")
            else:
                node.inlined = True
        self.stack[-1].children.append(node)
        self.stack.append(node)

    def end(self, how):
        self.stack.pop().how = how

    def leave(self, number, how):
        while self.stack[-1].number != number:
            if not self.stack[-1].tail:
                raise ValueError(f"the program leaves another function than {self.stack[-1].name}")
            self.end(how)
        self.end(how)
        while self.stack[-1].tail:  # it called in tail position, by no jump: nothing is left for it to do
            self.end(how)

    def landed(self, number):
        while self.stack[-1].number != number or self.stack[-1] is self.root:
            self.end("unfinished")


def read_announced(path):
    """{tid: root}, {function: (calls, caller)}"""
    roots, counts, thread, complete = {}, {}, None, False
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            kind, *words = line.rstrip("\n").split("\t")
            if kind == "thread":
                # The number of a thread that has ended may be given again.
                thread = Announced(roots.setdefault(int(words[0]), Node("root")))
            elif kind == "count":
                counts[words[0]] = int(words[1]), words[2]
            elif kind == "e":
                thread.enter(int(words[0]), int(words[1], 16), words[2])
            elif kind == "l":
                thread.leave(int(words[0]), "unfinished" if int(words[1]) else "returned")
            elif kind == "t":
                thread.stack[-1].tail = True
            elif kind == "j":
                thread.landed(int(words[0]))
            elif kind == "x":
                del thread.stack[1:]
            elif kind == "end":
                complete = True
    if not complete:
        raise ValueError("the program did not announce its end")
    return roots, counts


def plain_name(name, linkage_name):
    """As the programs announce it: no parameters, no result, lambdas by that word."""
    suffix = re.search(r"\.(resume|destroy|cleanup)\b", linkage_name)
    if re.search(r"\$_\d+|'lambda|\{lambda", name):
        return "lambda"
    name = re.sub(r"\.(specialized|llvm)[.\d]*|\[abi:[^\]]*\]| \[clone [^\]]*\]| \(\.[^)]*\)", "", name)
    name = re.sub(r"\.(resume|destroy|cleanup).*", "", name)
    name = name.replace("(anonymous namespace)", "anonymous")
    depth, begin, end = 0, 0, len(name)
    for i, c in enumerate(name):
        if c == "<" and "operator" not in name[max(0, i - 9):i]:
            depth += 1
        elif c == ">" and depth:
            depth -= 1
        elif c == " " and not depth:
            begin = i + 1
        elif c == "(" and not depth and not name[:i].endswith("operator"):
            end = i
            break
    return name[begin:end] + (suffix.group(0) if suffix else "")


def query(tee_perf, data, sql):
    text = subprocess.run([tee_perf, "report", "-i", data, "--format", "csv", "--query", sql], check=True,
                          stdout=subprocess.PIPE, timeout=300).stdout.decode()
    return list(csv.DictReader(io.StringIO(text)))


class Recorded:
    def __init__(self, tee_perf, data, sources):
        self.tee_perf, self.data, self.sources = tee_perf, data, sources
        self.functions = {}
        for row in query(tee_perf, data, "SELECT id, name, linkage_name, file, calls, kind FROM functions"):
            row["plain"] = plain_name(row["name"], row["linkage_name"])
            row["ours"] = os.path.basename(row["file"]) in sources
            self.functions[row["id"]] = row

    def problems(self):
        result = []
        names = {}
        for row in self.functions.values():
            if row["kind"] == "function" and int(row["calls"]) and row["ours"]:
                names.setdefault((row["linkage_name"], row["file"]), []).append(row)
        for (name, _), rows in names.items():
            if len(rows) > 1:
                result.append(f"{name} stands in {len(rows)} rows of functions")
        for row in query(self.tee_perf, self.data, "SELECT thread, lost, guessed_stacks FROM threads"):
            if int(row["lost"]) or int(row["guessed_stacks"]):
                result.append(f"thread {row['thread']}: {row['lost']} lost, {row['guessed_stacks']} guessed stacks")
        return result

    def count_problems(self, announced):
        made, callers, result = {}, {}, []
        for row in self.functions.values():
            if row["plain"].startswith("count_"):
                made[row["plain"]] = made.get(row["plain"], 0) + int(row["calls"])
        for row in query(self.tee_perf, self.data, "SELECT callee_name, caller_name FROM edges"):
            callers.setdefault(row["callee_name"], set()).add(row["caller_name"])
        for name in sorted(set(announced) | set(made)):
            calls, caller = announced.get(name, (0, ""))
            if calls != made.get(name):
                result.append(f"{name}: announced {calls}, recorded {made.get(name)}")
            if caller and calls and callers.get(name) != {caller}:
                result.append(f"{name}: called by {caller}, recorded {callers.get(name)}")
        return result

    def is_shown(self, call):
        """What the programs announce: their own functions, but for those that are only counted."""
        function = self.functions[call["function"]]
        if not function["ours"] or function["plain"].startswith("count_"):
            return False
        # The whole object's constructor and destructor may be functions that only call those of the class itself.
        if len(call["children"]) == 1 and re.search(r"[CD][01]E", function["linkage_name"]):
            inner = self.functions[call["children"][0]["function"]]
            return inner["plain"] != function["plain"] or not re.search(r"[CD][12]E", inner["linkage_name"])
        return True

    def lines(self, call, depth, out):
        if self.is_shown(call):
            # What is open at the end ends with its thread, where that says so.
            how = call["ended"] if call["ended"] in ("returned", "lost") else "unfinished"
            out.append((depth, self.functions[call["function"]]["plain"], how, call["unconfirmed"] != "0"))
            depth += 1
        for child in call["children"]:
            self.lines(child, depth, out)

    def trees(self):
        """{tid: lines}"""
        calls, roots, result = {}, {}, {}
        tids = {(r["process"], r["thread"]): int(r["tid"]) for r in
                query(self.tee_perf, self.data, "SELECT process, thread, tid FROM threads")}
        rows = query(self.tee_perf, self.data,
                     "SELECT id, parent, process, thread, function, ended, unconfirmed FROM calls")
        for row in sorted(rows, key=lambda r: int(r["id"])):
            row["children"] = []
            calls[row["id"]] = row
        for row in calls.values():
            if row["parent"]:
                calls[row["parent"]]["children"].append(row)
            else:
                roots.setdefault(tids[row["process"], row["thread"]], []).append(row)
        for tid, rows in roots.items():
            for row in rows:
                self.lines(row, 0, result.setdefault(tid, []))
        return {tid: lines for tid, lines in result.items() if lines}


def expected_lines(root, recorded, inlining):
    """The announced tree as lines. inlining says what becomes of functions that were inlined: they are "gone" from the
    recording, or "kept", or "either", as the linker likes; then they are expected where they were recorded."""
    out = []

    def walk(node, depth):
        for child in node.children:
            shown = True
            if child.inlined or child.loop:
                here = len(out) < len(recorded) and recorded[len(out)][:2] == (depth, child.name)
                shown = here if child.loop else {"gone": False, "kept": True, "either": here}[inlining]
            if shown:
                out.append((depth, child.name, child.how, False))
            walk(child, depth + (shown or child.loop))  # a loop's rounds belong to the call that it began with

    walk(root, 0)
    return out


def text_of(line):
    depth, name, how, unconfirmed = line
    return "  " * depth + name + ("" if how == "returned" else f" [{how}]") + (" [unconfirmed]" if unconfirmed else "")


def differences(tree_file, tee_perf, data, sources, inlining, counts_only=False):
    """Lines that say how the recording differs from what the program announced; none: it does not."""
    announced, counts = read_announced(tree_file)
    recorded = Recorded(tee_perf, data, sources)
    result = recorded.problems() + recorded.count_problems(counts)
    if counts_only:
        return result
    trees = recorded.trees()
    number = 0
    for tid in sorted(set(announced) | set(trees)):
        have = trees.get(tid, [])
        want = expected_lines(announced[tid], have, inlining) if tid in announced else []
        if have != want:
            diff = list(difflib.unified_diff([text_of(l) for l in want], [text_of(l) for l in have],
                                             f"announced by thread {number}", "recorded", n=4, lineterm=""))
            result += diff[:40] + ([f"({len(diff) - 40} lines more)"] if len(diff) > 40 else [])
        number += 1
    return result
