"""Successors: a process that was replaced, and that does not end by itself, is killed."""

from __future__ import annotations

import subprocess
import sys

# In a process of its own: it waits for signals of any process.
WAIT = """
import signal, subprocess, sys
from pettui.ssh import process_signals, successors
signal.pthread_sigmask(signal.SIG_BLOCK, process_signals.WATCHED)
with subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"]) as predecessor:
    successors.END_MAXIMUM = 0.0
    registered = successors.Successors()
    registered.expect_end(predecessor.pid)
    print(registered.next_signal(60.0)[:2] == (signal.SIGCHLD, predecessor.pid))
    print(registered.is_end_of_predecessor(predecessor.pid))
    print(registered.is_end_of_predecessor(predecessor.pid))
print(predecessor.returncode)
"""


def test_a_process_that_was_replaced_and_does_not_end_is_killed() -> None:
    finished = subprocess.run(
        [sys.executable, "-c", WAIT], capture_output=True, text=True, timeout=60, check=True
    )
    assert finished.stdout.split() == ["True", "True", "False", "-9"]
