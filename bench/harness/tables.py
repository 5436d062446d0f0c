# SPDX-License-Identifier: MIT
"""Plain text tables."""

from .targets import judged


def number(value, digits=2):
    return "" if value is None else f"{value:,.{digits}f}"


def print_table(title, head, rows):
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    print(f"\n{title}")
    for row in [head, ["-" * width for width in widths], *rows]:
        cells = [cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))]
        print("  " + "  ".join(cells).rstrip())


def print_case(results, case):
    events = results.events.get(case, {}).get("events")
    rows = []
    for variant in results.runs[case]:
        seconds = [results.median(case, variant, key) for key in ("elapsed_ns", "wall_ns", "recorder_cpu_ns")]
        size, records = results.data(case, variant, "file_bytes"), results.data(case, variant, "events")
        rows.append(
            [variant, *(number(value / 1e9, 3) for value in seconds)]
            + [number(results.ratio(case, variant)), number(results.ratio(case, variant, "wall_ns"))]
            + [number(results.ns_per_event(case, variant))]
            + [number(records / 1e6, 1) if records else "", number(size / records, 3) if records else ""]
            + [number(results.data(case, variant, "lost"), 0), number(results.median(case, variant, "peak_bytes") / 1e6, 0)]
            + [number(results.spread(case, variant), 0)]
        )
    title = f"{case}: {events:,} events" if events else case
    head = ["variant", "program s", "end s", "recorder CPU s", "ratio", "ratio end", "ns/event"]
    print_table(title, head + ["M events kept", "bytes/event", "lost", "peak MB", "spread %"], rows)


def print_extra(results):
    for name, figures in results.extra.items():
        rows = [[key, number(value, 3) if isinstance(value, (int, float)) else value] for key, value in figures.items()]
        print_table(name, ["figure", "value"], rows)


def print_targets(results):
    rows = []
    for target, value, met in judged(results):
        limit = f"{'>=' if target.at_least else '<='} {target.limit:g}"
        verdict = {True: "met", False: "NOT met", None: "not measured"}[met]
        rows.append([target.what, number(value), limit, target.unit, verdict])
    print_table("targets", ["what", "measured", "target", "unit", "verdict"], rows)
    lost = results.lost()
    print(f"\nlost records: {lost if lost else 'none'}")
