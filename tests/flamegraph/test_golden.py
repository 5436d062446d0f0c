# SPDX-License-Identifier: MIT
"""Each goldens/NAME.in (a line of options for flame_tool, then its input) gives exactly goldens/NAME.svg, but for the
script and the style that all pictures share. `test_golden.py TOOL --update` writes the expectations anew."""
import glob
import os
import re
import shlex
import sys

from svgfile import Picture, run_tool

HERE = os.path.dirname(os.path.abspath(__file__))


def normalised(svg):
    svg = re.sub(r"(<script><!\[CDATA\[).*?(\]\]></script>)", r"\1\2", svg, flags=re.S)
    return re.sub(r"\nsvg\{background.*?</style>", "\n</style>", svg, flags=re.S)


def main():
    failed = 0
    inputs = sorted(glob.glob(os.path.join(HERE, "goldens", "*.in")))
    assert inputs
    for path in inputs:
        with open(path, "rb") as file:
            options, data = file.read().split(b"\n", 1)
        svg = run_tool(sys.argv[1], data, *shlex.split(options.decode())[1:])
        Picture(svg)
        text = normalised(svg.decode())
        expected = path[:-3] + ".svg"
        if "--update" in sys.argv:
            with open(expected, "w", encoding="utf-8") as file:
                file.write(text)
            continue
        with open(expected, encoding="utf-8") as file:
            want = file.read()
        if text != want:
            failed += 1
            lines = zip(text.split("\n"), want.split("\n"))
            got, wanted = next(((a, b) for a, b in lines if a != b), ("a different length", ""))
            print(f"{os.path.basename(expected)}:\n  wanted {wanted}\n  got    {got}")
    sys.exit(failed != 0)


main()
