"""Commands of one's own in a real terminal: one that takes it over, and where there are none."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

import pytest

from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite_files import open_database
from tests.peers.ssh_server import write_key

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.peers.conftest import Start
    from tests.peers.ssh_server import SshServer

    Serve = Callable[..., SshServer]

EDITOR = (  # it reads a line, says which group it is in, and leaves the terminal as it likes it
    "import os, signal, sys, tty\\n"
    "signal.signal(signal.SIGINT, signal.SIG_DFL)\\n"  # Python's own may come just before a read
    "while os.tcgetpgrp(0) != os.getpgrp(): os.sched_yield()\\n"
    "print('editing', sys.argv[1], os.tcgetpgrp(0) == os.getpgrp())\\n"
    "print('set', [name for name in os.environ if name.startswith(('PYDANTIC', 'TEXTUAL'))])\\n"
    "print('typed', input())\\n"
    "tty.setraw(0)\\n"
)


@pytest.fixture
def configured(tmp_path: Path) -> str:
    """The name of a configuration file with commands."""
    path = tmp_path / "own.toml"
    path.write_text(
        "[commands.b]\n"
        'title = "Edit"\n'
        f'run = ["{sys.executable}", "-c", "{EDITOR}", "{{id}}"]\n'
        "terminal = true\n"
    )
    path.chmod(0o600)
    return str(path)


def test_a_program_has_the_terminal_and_the_app_comes_back(start: Start, configured: str) -> None:
    terminal = start(PETTUI_CONFIG=configured)
    terminal.wait_for(" shown")
    terminal.press("b")
    terminal.wait_until(lambda: b"editing 60 True" in terminal.written, "it has the terminal")
    terminal.press("\x1a")  # ctrl+z, after which it goes on
    terminal.press("line\r")
    terminal.wait_for("Edit is done for 1 animal", "Mitzi")
    assert b"typed line" in terminal.written
    assert b"set []" in terminal.written  # what pettui sets for its own libraries is not its
    terminal.quit()


def test_a_program_that_is_interrupted_ends_alone(start: Start, configured: str) -> None:
    terminal = start(PETTUI_CONFIG=configured)
    terminal.wait_for(" shown")
    terminal.press("b")
    terminal.wait_until(lambda: b"editing 60" in terminal.written, "it has the terminal")
    terminal.press("\x03")
    terminal.wait_for("✖ Edit", "exit code", "Mitzi")
    terminal.quit()


def test_an_interrupt_that_comes_before_a_program_has_the_terminal_is_its_own(
    start: Start, tmp_path: Path
) -> None:
    path = tmp_path / "early.toml"
    early = (
        "import os, signal; signal.signal(signal.SIGINT, signal.SIG_DFL); "
        "os.kill(os.getppid(), signal.SIGINT); signal.pause()"
    )
    path.write_text(
        f'[commands.b]\ntitle = "Early"\nrun = ["{sys.executable}", "-c", "{early}"]\n'
        "terminal = true\n"
    )
    path.chmod(0o600)
    terminal = start(PETTUI_CONFIG=str(path))
    terminal.wait_for(" shown")
    terminal.press("b")
    terminal.wait_for("✖ Early", "exit code", "Mitzi")
    terminal.quit()


def test_it_ends_with_the_app(start: Start, configured: str) -> None:
    terminal = start(PETTUI_CONFIG=configured)
    terminal.wait_for(" shown")
    terminal.press("b")
    terminal.wait_until(lambda: b"editing 60" in terminal.written, "it has the terminal")
    terminal.kill(signal.SIGTERM)
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()


def test_there_is_none_over_ssh(serve_ssh: Serve, configured: str, home: Path) -> None:
    key = write_key(home / "key")
    keys = home / "authorized_keys"
    keys.write_bytes(key.export_public_key())
    keys.chmod(0o600)
    open_database(home / ".local/share/pettui/store.sqlite3", sample_pets()).close()
    words = ("--profile=embedded", "--workers=1", f"--authorized-keys={keys}")
    terminal = serve_ssh(*words, PETTUI_CONFIG=configured).terminal("-i", str(home / "key"))
    terminal.wait_for("Mitzi", " shown")
    terminal.press("b")
    terminal.wait_for("b does nothing here")
    assert "b Edit" not in terminal.text
    terminal.quit()
