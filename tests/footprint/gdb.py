# SPDX-License-Identifier: MIT
"""Read by gdb: breakpoints, steps, finish and backtraces in a program with hooks are what they are without."""

import traceback

import gdb


def names():
    """The functions on the stack, innermost first."""
    frame, found = gdb.newest_frame(), []
    while frame is not None and len(found) < 64:
        found.append(frame.name())
        frame = frame.older()
    return found


def expect(what, condition):
    if not condition:
        raise RuntimeError(f"{what}: {names()}, line {gdb.newest_frame().find_sal().line}")


def line():
    return gdb.newest_frame().find_sal().line


def stepping(marks):
    """A breakpoint, then source lines one after another, into a function and out of it."""
    gdb.execute("break outer", to_string=True)
    gdb.execute("run >debugged.out", to_string=True)
    # The hook belongs to the line of the opening brace, which comes before the first line of the body.
    expect("the breakpoint", names()[:2] == ["outer", "main"] and line() in (marks["first"] - 1, marks["first"]))
    if line() != marks["first"]:
        gdb.execute("step", to_string=True)
    expect("step past the hook", names()[0] == "outer" and line() == marks["first"])
    gdb.execute("next", to_string=True)
    expect("next", names()[0] == "outer" and line() == marks["second"])
    gdb.execute("step", to_string=True)
    expect("step into a function", names()[:3] == ["inner", "outer", "main"])
    if line() != marks["inner"]:
        gdb.execute("step", to_string=True)
    expect("step past its hook", names()[:3] == ["inner", "outer", "main"] and line() == marks["inner"])
    value = gdb.execute("print x", to_string=True)
    if "= 11" not in value:
        raise RuntimeError(f"a parameter's value: {value}")
    gdb.execute("finish", to_string=True)
    expect("finish", names()[:2] == ["outer", "main"])
    if int(gdb.history(0)) != 12:
        raise RuntimeError(f"the value that finish shows: {gdb.history(0)}")
    # To the end of outer: step leaves it for its caller, not for a hook.
    for _ in range(10):
        gdb.execute("step", to_string=True)
        if names()[0] == "main":
            break
        expect("steps to the end", names()[:2] == ["outer", "main"])
    expect("step out of the function", names()[0] == "main")


def inside_hooks():
    """Each instruction from a call of a function to its return: every backtrace leads to main."""
    gdb.execute("delete", to_string=True)
    gdb.execute("break main_end", to_string=True)
    hooks, steps = 0, 0
    gdb.execute("tbreak again", to_string=True)
    gdb.execute("continue", to_string=True)
    while names()[0] != "main" and steps < 4000:
        here = names()
        expect("a backtrace", here[-1] in ("main", "__libc_start_main", "_start", "__libc_start_main_impl", "__libc_start_call_main"))
        expect("a backtrace", "main" in here)
        hooks += any(name and name.startswith("tee_perf") for name in here)
        gdb.execute("stepi", to_string=True)
        steps += 1
    expect("steps to the end of again", names()[0] == "main")
    if hooks < 20:
        raise RuntimeError(f"only {hooks} of {steps} instructions were the hooks'")
    print(f"gdb: {steps} instructions, {hooks} in hooks")


def marks():
    found = {}
    with open(gdb.lookup_global_symbol("main").symtab.fullname()) as source:
        for number, text in enumerate(source, 1):
            if "/* gdb: " in text:
                found[text.split("/* gdb: ")[1].split(" ")[0]] = number
    return found


def main():
    gdb.execute("set pagination off")
    gdb.execute("set confirm off")
    gdb.execute("set debuginfod enabled off", to_string=True)
    stepping(marks())
    inside_hooks()
    gdb.execute("continue", to_string=True)
    print("gdb: all right")


try:
    main()
except Exception:  # gdb goes on after an error, and its status says nothing
    traceback.print_exc()
