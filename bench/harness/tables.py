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


HEAD = ["variant", "program s", "end s", "recorder CPU s", "ratio", "ratio end", "ns/event", "peak MB", "spread %"]
DATA_HEAD = ["recording", "M events kept", "lost", "M events/s", "bytes/event", "MB/s", "waited s", "resolution us", "gaps s", "round trip ns"]


def case_row(results, case, variant):
    seconds = [results.median(case, variant, key) for key in ("elapsed_ns", "wall_ns", "recorder_cpu_ns")]
    ratios = [results.ratio(case, variant), results.ratio(case, variant, "wall_ns")]
    peak = results.median(case, variant, "peak_bytes") / 1e6
    return (
        [variant, *(number(value / 1e9, 3) for value in seconds), *map(number, ratios)]
        + [number(results.ns_per_event(case, variant)), number(peak, 0), number(results.spread(case, variant), 0)]
    )


def data_row(results, case, variant):
    """What a recording holds, and how fast it was made: rates over the time until the recorder had ended."""

    def data(key):
        return results.data(case, variant, key)

    events, size, wall = data("events"), data("file_bytes"), results.median(case, variant, "wall_ns") / 1e9
    return (
        [variant, number(events / 1e6, 1), number(data("lost"), 0), number(events / wall / 1e6, 0)]
        + [number(size / events, 3) if events else "", number(size / wall / 1e6, 1), number(data("waited_ns") / 1e9, 3)]
        + [number(data("resolution_ns") / 1e3), number(data("unresolved_gap_ns") / 1e9, 3)]
        + [results.round_trips(case, variant)]
    )


def print_case(results, case):
    events = results.events.get(case, {}).get("events")
    variants = results.runs[case]
    print_table(f"{case}: {events:,} events" if events else case, HEAD, [case_row(results, case, v) for v in variants])
    recordings = [data_row(results, case, v) for v in variants if results.data(case, v, "events") is not None]
    if recordings:
        print_table("", DATA_HEAD, recordings)


def print_extra(results):
    for name, figures in results.extra.items():
        rows = [[key, number(value, 3) if isinstance(value, (int, float)) else value] for key, value in figures.items()]
        print_table(name, ["figure", "value"], rows)


TARGET_HEAD = ["what", "measured", "target", "unit", "verdict"]


def target_rows(results):
    for target, value, met in judged(results):
        limit = f"{'at least' if target.at_least else 'at most'} {target.limit:g}"
        verdict = {True: "met", False: "NOT met", None: "not measured"}[met]
        yield [target.what, number(value), limit, target.unit, verdict]


def markdown_table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|---" * len(head) + "|"
    yield from ("| " + " | ".join(str(cell) for cell in row) + " |" for row in rows)


def markdown(results, heading):
    """The figures for docs/: what was to reach, then each case's programs, in medians."""
    lines = [heading, "", *markdown_table(TARGET_HEAD, target_rows(results))]
    for case in results.runs:
        events = results.events.get(case, {}).get("events")
        lines += ["", f"## {case}" + (f": {events:,} events" if events else ""), ""]
        rows = [
            [variant, number(results.median(case, variant) / 1e9, 3), number(results.ratio(case, variant))]
            + [number(results.ratio(case, variant, "wall_ns")), number(results.ns_per_event(case, variant))]
            for variant in results.runs[case]
        ]
        lines += markdown_table(["variant", "program, s", "ratio", "ratio until the end", "ns per event"], rows)
    return "\n".join(lines) + "\n"


def print_targets(results):
    print_table("targets", TARGET_HEAD, list(target_rows(results)))
    lost = results.lost()
    print(f"\nlost records: {lost if lost else 'none'}")
