#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check-terminal.py TEE_PERF PROGRAM: Ctrl-C and Ctrl-Z on a terminal work as without the tool. PROGRAM counts for
itself (steady.c). Whatever the recorder does, no program is left when this ends (check-terminal-leaves)."""
import atexit
import ctypes
import os
import pty
import signal
import subprocess
import sys
import tempfile
import time

tee_perf, program = sys.argv[1:3]
failed = 0


PR_SET_CHILD_SUBREAPER = 36
LIMIT_SECONDS = 240


def children():
    """Also those whose parent has died: they are ours then."""
    found = []
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/children") as listed:
            found += [int(pid) for pid in listed.read().split()]
    return found


def end_all():
    """A program whose recorder has died runs on: it has to be ended, by its pid. Each round makes orphans."""
    while pids := children():
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def too_late(*_):
    print(f"failed: not done after {LIMIT_SECONDS} s")
    sys.exit(1)


def check(what, holds):
    global failed
    if not holds:
        failed += 1
        print("failed:", what)


def job(arguments, report):
    """A shell's part: a foreground job in a process group of its own; tells each change of it, continues it when it
    has stopped."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execv(arguments[0], arguments)
    while True:
        _, status = os.waitpid(pid, os.WUNTRACED)
        os.write(report, f"{status}\n".encode())
        if not os.WIFSTOPPED(status):
            os._exit(0)
        time.sleep(0.5)
        os.killpg(pid, signal.SIGCONT)


def start(arguments):
    """Runs a command as the foreground job of a terminal of its own; gives our end of the terminal, and a stream of
    its wait statuses."""
    statuses, report = os.pipe()
    pid, terminal = pty.fork()
    if pid == 0:
        job(arguments, report)
    os.close(report)
    return terminal, os.fdopen(statuses)


def read_all(terminal):
    text = b""
    try:
        while chunk := os.read(terminal, 4096):
            text += chunk
    except OSError:
        pass
    return text.decode()


def wait_for_begun(terminal):
    text = b""
    while b"begun" not in text:
        text += os.read(terminal, 4096)


def report_holds(name):
    shown = subprocess.run([tee_perf, "report"], capture_output=True, text=True)
    return shown.returncode == 0 and name in shown.stdout


ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
atexit.register(end_all)
signal.signal(signal.SIGALRM, too_late)
signal.alarm(LIMIT_SECONDS)
scratch = tempfile.TemporaryDirectory()
os.chdir(scratch.name)

terminal, statuses = start([tee_perf, "record", program, "100000"])
wait_for_begun(terminal)
os.write(terminal, b"\x03")
status = int(statuses.readline())
check("Ctrl-C ends the program, and the recorder says 130", os.WIFEXITED(status) and os.WEXITSTATUS(status) == 130)
if failed:
    sys.exit(1)  # the program may have the terminal for a long time to come
check("the summary is there", "wrote tee-perf.data" in read_all(terminal))
check("a report after Ctrl-C", report_holds("leaf"))

terminal, statuses = start([tee_perf, "record", program, "100", "7"])
wait_for_begun(terminal)
os.write(terminal, b"\x1a")
status = int(statuses.readline())
check("Ctrl-Z stops the recorder", os.WIFSTOPPED(status))
while os.WIFSTOPPED(status):
    status = int(statuses.readline())
check("it goes on and ends as the program does", os.WIFEXITED(status) and os.WEXITSTATUS(status) == 7)
check("the program's output is there", "expect leaf 100000000" in read_all(terminal))
check("a report after Ctrl-Z", report_holds("leaf"))

# The status line: never among what the program writes, but where nobody else does.
terminal, statuses = start(["/bin/sh", "-c", f"'{tee_perf}' record '{program}' 300 7 >out 2>err"])
shown = read_all(terminal)
check("a status line on a terminal that the program does not write to", "events" in shown and "M/s" in shown)
check("it is taken away at the end", shown.endswith("\r\x1b[K"))
check("not in the program's output", "M/s" not in open("out").read() + open("err").read())
statuses.close()
terminal, statuses = start([tee_perf, "record", program, "100", "7"])
check("no status line on the program's terminal", "M/s" not in read_all(terminal))
statuses.close()

# A signal sent to the recorder alone reaches the program.
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    recorder = subprocess.Popen([tee_perf, "record", "-q", program, "100000"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    recorder.stdout.readline()
    recorder.send_signal(number)
    check(f"{number.name} is passed on", recorder.wait(20) == 128 + number)

print("terminal:", "failed" if failed else "passed")
sys.exit(failed != 0)
