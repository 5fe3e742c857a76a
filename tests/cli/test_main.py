"""What holds of every command: a quiet end while it starts, and files for their owner alone."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import finished

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.cli.conftest import Run

INTERRUPTED_IMPORT = """
import os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)

class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupted())
from pettui.cli import main
sys.exit(main(["key", "list"]))
"""


@pytest.mark.parametrize("module", ["pettui.cli.command_line", "pettui.cli.commands.key"])
def test_an_interrupted_import_leaves_no_traceback(
    environment: Mapping[str, str], module: str
) -> None:
    ended = finished([sys.executable, "-c", INTERRUPTED_IMPORT, module], environment)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


def test_what_is_made_can_be_used_by_its_owner_whatever_the_umask_is(
    run_here: Run, home: Path
) -> None:
    old = os.umask(0o777)
    try:
        assert run_here("list").returncode == 0
        assert run_here("key", "add", "till").returncode == 0
        assert run_here("backup", "copy.tar").returncode == 0
    finally:
        os.umask(old)
    modes = {path.is_dir(): stat.S_IMODE(path.stat().st_mode) for path in home.rglob("*")}
    assert modes == {True: 0o700, False: 0o600}
