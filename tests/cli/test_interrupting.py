"""Ctrl+C before anything is drawn."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may ignore it

class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupted())
from pettui.cli import main
sys.exit(main(["key", "list"]))
"""


@pytest.mark.parametrize("module", ["pettui.cli.command_line", "pettui.cli.key"])
def test_an_interrupted_import_leaves_no_traceback(module: str) -> None:
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM, module],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (finished.returncode, finished.stdout, finished.stderr) == (130, "", "")
