# SPDX-License-Identifier: MIT
"""Runs flame_tool and reads its SVGs: strictly as XML, into a tree of frames."""
import re
import subprocess
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def run_tool(tool, data, *options, expect=0, limits=""):
    """The SVG, or with expect != 0 the message."""
    command = [tool, *options]
    if limits:
        command = ["sh", "-c", f'{limits}; exec "$@"', "sh", *command]
    done = subprocess.run(command, input=data, capture_output=True, timeout=120, check=False)
    if done.returncode != expect:
        raise AssertionError(f"status {done.returncode} instead of {expect}: {done.stderr.decode(errors='replace')}")
    return done.stderr.decode(errors="replace") if expect else done.stdout


class Frame:
    def __init__(self, element, row):
        self.row = row
        lines = element.find(SVG + "title").text.split("\n")
        self.name, self.details = lines[0], lines[1:]
        rect = element.find(SVG + "rect")
        self.x, self.width = hundredths(rect.get("x")), hundredths(rect.get("width"))
        text = element.find(SVG + "text")
        self.text = text.text if text is not None else None
        self.css = element.get("class")
        self.parent = None
        self.children = []
        self.start = self.total = None

    def path(self):
        names = []
        frame = self
        while frame.parent is not None:
            names.append(frame.name)
            frame = frame.parent
        return tuple(reversed(names))


def hundredths(text):
    """Coordinates have at most two decimals."""
    if not re.fullmatch(r"\d+(\.\d\d?)?", text):
        raise AssertionError(f"coordinate {text}")
    whole, _, fraction = text.partition(".")
    return int(whole) * 100 + int(fraction.ljust(2, "0"))


class Picture:
    def __init__(self, data):
        self.root = ElementTree.fromstring(data)  # raises where it is not well-formed
        self.width, self.height = int(self.root.get("width")), int(self.root.get("height"))
        self.title = self.root.find(SVG + "title").text
        head = next(group for group in self.root.iter(SVG + "g") if group.get("id") == "head")
        self.heading = head.find(SVG + "text").text
        self.subtitle = [" ".join(line.text for line in group) for group in head.findall(SVG + "g")]
        self.rows = []
        frames = [group for group in self.root.iter(SVG + "g") if group.get("id") == "frames"]
        self.ys = []
        for group in frames[0] if frames else []:
            self.ys.append(int(re.fullmatch(r"translate\(0 (\d+)\)", group.get("transform")).group(1)))
            self.read_row(group)

    def read_row(self, group):
        row = [Frame(element, len(self.rows)) for element in group]
        values = [int(value) for value in group.get("data-v").split(" ")]
        at = 0
        for i, frame in enumerate(row):
            frame.start = at + values[2 * i]
            frame.total = values[2 * i + 1]
            at = frame.start + frame.total
            if self.rows:
                frame.parent = next(p for p in self.rows[-1] if p.start <= frame.start < p.start + p.total)
                frame.parent.children.append(frame)
        self.rows.append(row)

    def frames(self):
        return [frame for row in self.rows for frame in row]
