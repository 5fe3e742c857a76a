"""Runs apps in terminals, each in a process that is forked from this one, which has imported Textual.

Each line of standard input is a target; the terminal's file descriptor goes back over the socket
whose number is the first argument.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import pty
import runpy
import signal
import socket
import struct
import sys
import termios
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

import textual.widgets

NAMES = {"argparse": argparse, "import_module": import_module, "Path": Path}  # of arguments


def run(target: dict[str, Any]) -> None:
    """Run an app with Textual's own driver, as its author does."""
    if "path" in target:
        folder = Path(target["path"]).parent
        os.chdir(folder)
        sys.path.insert(0, str(folder))
        sys.argv = [target["path"]]
        runpy.run_path(target["path"], run_name="__main__")
    else:
        module, _, name = target["class"].partition(":")
        app = getattr(import_module(module), name)
        eval(f"app({target['arguments']})", NAMES | {"app": app}).run()


def open_terminal(target: dict[str, Any], rows: int, columns: int) -> int:
    """Return the terminal of an app that runs from now on."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    if os.fork():
        os.close(its)
        return ours
    os.close(ours)
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # it may ask how its own programs ended
    fcntl.ioctl(its, termios.TIOCSCTTY, 0)
    for descriptor in (0, 1, 2):
        os.dup2(its, descriptor)
    try:
        run(target)
    finally:
        if sys.exc_info()[1] is not None:
            traceback.print_exc()
        sys.stdout.flush()
        os._exit(0)  # the loop of the process that it was forked from does not go on here


def main() -> None:
    """Open a terminal for each line, until there is none."""
    for name in textual.widgets.__all__:
        getattr(textual.widgets, name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how an app ended
    with socket.socket(fileno=int(sys.argv[1])) as answers:
        while line := sys.stdin.readline():
            descriptor = open_terminal(**json.loads(line))
            socket.send_fds(answers, [b"."], [descriptor])
            os.close(descriptor)


if __name__ == "__main__":
    main()
