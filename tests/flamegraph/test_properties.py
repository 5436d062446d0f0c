# SPDX-License-Identifier: MIT
"""Random stacks with hostile names against a model in Python: what must hold for every picture."""
import random
import re
import sys
import unicodedata

from svgfile import Picture, run_tool

TOOL = sys.argv[1]
NAMES = [b"main", b"read", b"a<b>", b"x & y", b'"quoted"', b"it's", b"&amp", b"]]>", b"<!--", b"f(int, char)", b" lead",
         b"two  blanks", b"name 12", b"[unresolved]", b"\x01\x1b[31m\x7f", b"tab\there", b"\xff\xfe", b"\xe2\x82",
         b"cut\xf0\x9f\x98", "\u65e5\u672c\u8a9e".encode(), "e\u0301te\u0301".encode(), "\U0001f600".encode(),
         "\u202egnp.exe".encode(), b"\xed\xa0\x80", b"\xef\xbf\xbf", b"\xc0\xaf", b"\xf5\x80\x80\x80", b"",
         b"_ZN" + b"4longIS" * 60, b"<&" * 300, "\u00e9".encode() * 200, b"-", b"operator\"\" _x"]


def presentable(name):
    """What flame_decode promises, by other means."""
    def one(character):
        code = ord(character)
        if code < 0x20:
            return chr(0x2400 + code)
        if code == 0x7f:
            return "\u2421"
        if 0x80 <= code <= 0x9f or code & 0xfffe == 0xfffe or 0xfdd0 <= code <= 0xfdef:
            return "\ufffd"
        if unicodedata.bidirectional(character) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI") \
                or code in (0x200e, 0x200f, 0x2028, 0x2029):
            return "\ufffd"
        return character
    return "".join(map(one, name.decode("utf-8", errors="replace")))


def title_name(name):
    return presentable(name) or "[no name]"


def random_stacks(rng):
    names = rng.sample(NAMES, rng.randint(2, 12))
    stacks = {}
    for _ in range(rng.randint(1, 120)):
        stack = tuple(rng.choice(names) for _ in range(rng.randint(1, 9)))
        text = b";".join(stack)
        if text.strip(b" \t") and not text.startswith(b"#") and not text.endswith((b" ", b"\t")):
            stacks[stack] = stacks.get(stack, 0) + rng.choice([0, 1, rng.randint(1, 50), rng.randint(1, 10**7)])
    return stacks


def model(stacks, reverse):
    """Totals by path, and for each path the number of stacks that go on from it."""
    totals = {(): 0}
    for stack, value in stacks.items():
        if reverse and value == 0:
            continue
        way = stack[::-1] if reverse else stack
        for end in range(len(way) + 1):
            totals[way[:end]] = totals.get(way[:end], 0) + value
    return totals


def expected_frames(totals, width, minimum, depth, reverse):
    """What is drawn, and what is hidden: (paths, narrow count, narrow value, deep paths). In a reversed tree hidden
    frames are counted down to the depth limit only."""
    whole = totals[()]
    drawn, narrow, narrow_value, deep = set(), 0, 0, set()
    for path, total in totals.items():
        tops = [path[:end] for end in range(len(path) + 1)]
        thin = next((p for p in tops if totals[p] * width < minimum * whole or totals[p] == 0), None)
        over = len(path) > depth
        if thin is not None and len(thin) <= depth + 1:
            narrow += not reverse or len(path) <= max(depth, len(thin))
            narrow_value += total if thin == path else 0
        elif over:
            deep.add(path)
        else:
            drawn.add(path)
    return drawn, narrow, narrow_value, deep


def percent(part, whole):
    if part == whole:
        return "100 %"
    hundredths = (part * 10000 * 2 + whole) // (2 * whole)
    if hundredths == 0:
        return "0 %" if part == 0 else "<0.01 %"
    return f"{hundredths // 100}.{hundredths % 100:02d} %"


def check_geometry(picture):
    for y1, y2 in zip(picture.ys, picture.ys[1:]):
        assert abs(y1 - y2) == 17
    assert all(0 < y < picture.height - 16 for y in picture.ys)
    for row in picture.rows:
        end = 1000
        for frame in row:
            assert frame.x >= end and frame.x + frame.width <= picture.width * 100 - 1000
            end = frame.x + frame.width
    for frame in picture.frames():
        if frame.parent is not None:
            assert frame.x >= frame.parent.x
            assert frame.x + frame.width <= frame.parent.x + frame.parent.width
        assert sum(child.width for child in frame.children) <= frame.width
        assert sum(child.total for child in frame.children) <= frame.total


def columns(text):
    """At least what a terminal would need."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def check_labels(picture):
    for frame in picture.frames():
        if frame.text is None:
            assert frame.width < 100 * (8 + 3 * 6.63) + 1
            assert " w" not in frame.css
            continue
        assert " w" in frame.css
        assert columns(frame.text) * 6.6 <= frame.width / 100 - 8, (frame.text, frame.width)
        if frame.text != frame.name:
            assert frame.text.endswith("\u2026") and len(frame.text) >= 2
            kept = frame.text[:-1]
            assert frame.name.startswith(kept) and not unicodedata.combining(frame.name[len(kept)])
        grey = frame.name[0] == "[" and frame.name[-1] == "]"
        assert (584 <= int(frame.css.split()[0][1:]) < 592) == (grey or frame.parent is None)


def check_order(picture, stacks):
    """Siblings stand in the order of the names' bytes."""
    order = {}
    for name in {name for stack in stacks for name in stack}:
        order.setdefault(title_name(name), []).append(name)
    for frame in picture.frames():
        known = [order[child.name][0] for child in frame.children if len(order[child.name]) == 1]
        assert known == sorted(known)


def check_summary(picture, expected, totals, minimum, depth, reverse, stacks):
    drawn, narrow, narrow_value, deep = expected
    whole = totals[()]
    text = picture.subtitle[-1]
    found = re.search(r"; ([\d,]+) frames? narrower than (\S+) px hidden \((.*?)\)", text)
    assert (found is None) == (narrow == 0), text
    if found:
        assert found.group(1) == f"{narrow:,}", (text, narrow)
        assert float(found.group(2)) == minimum
        assert found.group(3) == percent(narrow_value, whole), (text, narrow_value, whole)
    found = re.search(r"; ([\d,]+) (frame|stack)s? deeper than (\d+) rows cut off \((.*?)\)", text)
    assert (found is None) == (not deep), text
    if found:
        tops = {path for path in deep if len(path) == depth + 1}
        count = len(deep)
        if reverse:
            count = sum(1 for stack, value in stacks.items() if value and stack[::-1][:depth + 1] in tops)
        assert found.group(1) == f"{count:,}", (text, count)
        assert found.group(2) == ("stack" if reverse else "frame")
        assert int(found.group(3)) == depth
        assert found.group(4) == percent(sum(totals[path] for path in tops), whole)


def check_one(seed):
    rng = random.Random(seed)
    stacks = random_stacks(rng)
    reverse, icicle = rng.random() < 0.4, rng.random() < 0.3
    width, minimum, depth = rng.choice([300, 800, 1200]), rng.choice([0.00001, 0.1, 2, 20]), rng.choice([3, 5, 512])
    options = ["-w", str(width), "-m", str(minimum), "-d", str(depth), "-u", rng.choice(["ns", "samples"])]
    options += ["-r"] * reverse + ["-i"] * icicle
    lines = [b";".join(stack) + b" %d" % value for stack, value in stacks.items()]
    rng.shuffle(lines)
    data = rng.choice([b"\n", b"\r\n"]).join(lines)
    svg = run_tool(TOOL, data, *options)
    assert run_tool(TOOL, b"# comment\n\n" + data + b"\n", *options) == svg, "the order of lines, or a comment, matters"
    assert not re.search(rb"href|url\(|@import|src=|<!DOCTYPE|<image", svg), "not self-contained"
    picture = Picture(svg)
    totals = model(stacks, reverse)
    if totals[()] == 0:
        assert not picture.rows and b"Nothing to show" in svg
        return
    check_geometry(picture)
    check_labels(picture)
    check_order(picture, stacks)
    assert picture.ys == sorted(picture.ys, reverse=not icicle)
    expected = expected_frames(totals, width - 20, minimum, depth, reverse)
    drawn = sorted((tuple(map(title_name, path)), totals[path]) for path in expected[0])
    assert sorted((frame.path(), frame.total) for frame in picture.frames()) == drawn
    for frame in picture.frames():
        assert f", {percent(frame.total, totals[()])}" in frame.details[0]
    check_summary(picture, expected, totals, minimum, depth, reverse, stacks)


def check_merge_of_lines():
    """The same stacks in many small lines are the same picture."""
    whole = run_tool(TOOL, b"a;b 6\na 2\n")
    assert run_tool(TOOL, b"a;b 1\n" * 6 + b"a 1\na 1\n") == whole


def check_depth(depth, limit_kb):
    """No recursion in the code, a bounded height, and a message."""
    stack = b";".join(b"f%d" % (i % 7) for i in range(depth)) + b" 1000000\n"
    for options, cut in ([], f"{depth - 512:,} frames deeper than 512 rows cut off (100 %)"), \
                        (["-r"], "1 stack deeper than 512 rows cut off (100 %)"):
        picture = Picture(run_tool(TOOL, stack, *options, limits=f"ulimit -s {limit_kb}"))
        assert len(picture.rows) == 513 and picture.height < 9000, (len(picture.rows), picture.height)
        assert cut in picture.subtitle[-1], picture.subtitle


def check_recursion(depth):
    """A value on every frame of a deep recursion, merged from the leaf: every walk is long."""
    data = b"".join(b"f;" * i + b"f 1000\n" for i in range(depth))
    picture = Picture(run_tool(TOOL, data, "-r"))
    assert len(picture.rows) == 513
    assert f"{depth - 512:,} stacks deeper than 512 rows cut off" in picture.subtitle[-1], picture.subtitle


def main():
    for seed in range(int(sys.argv[2])):
        try:
            check_one(seed)
        except Exception:
            print(f"seed {seed}", file=sys.stderr)
            raise
    check_merge_of_lines()
    check_depth(5000, 256)
    check_depth(1000000, 256)
    check_recursion(2000)


main()
