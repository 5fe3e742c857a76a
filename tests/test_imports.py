"""Each room alone, in a process of its own: what it brings along, and what it must not.

import-linter reads the same rules from the source; this looks at what is really loaded.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import pettui
from pettui.cli.declarations import APP, all_commands
from pettui.tui import deferred_imports
from tests.conftest import unmeasured
from tests.peers.terminal import Terminal

PACKAGE = Path(pettui.__file__).parent
SCREENS = {"textual", "rich"}
NETWORK = {"httpx", "httpcore", "anyio"}
SERVICE = {"starlette", "sqlite3", "uvicorn", "psycopg", "psycopg_pool"}
ELSEWHERE = {"asyncssh", "click"}
HEAVY = {"pydantic", "asyncio"}
OF_ANIMALS = {
    "pettui.tui", "pettui.outbox", "pettui.client", "pettui.service", "pettui.configuration",
    "pettui.composition", "pettui.settings", "pettui.models", "pettui.keyboard", "pettui.rows",
    "pettui.appearance", "pettui.transfer", "pettui.remembered", "pydantic",
}  # fmt: skip

BEYOND = NETWORK | SERVICE | ELSEWHERE
OTHERS = SCREENS | BEYOND
ROOMS = {
    "pettui.cli": OTHERS | HEAVY | {"argparse", "typing", "re"},
    "pettui.cli.command_line": OTHERS | HEAVY,
    "pettui.configuration.reading": OTHERS | HEAVY,
    "pettui.client": OTHERS | {"pydantic"},
    "pettui.outbox.outbox": OTHERS | {"pydantic"},
    "pettui.terminal.tty_driver": BEYOND | OF_ANIMALS - {"pydantic"} | {"pettui.ssh"},
    "pettui.composition.local_app": BEYOND | {"pettui.ssh", "pettui.configuration", "pydantic"},
    "pettui.tui.app": BEYOND
    | {"pettui.service", "pettui.configuration", "pydantic", "pettui.outbox.stores.directory"}
    | {*deferred_imports.MODULES, "pettui.tui.transfer.export", "pettui.transfer.writing"}
    | {"pettui.tui.screens.requests"},
    "pettui.remembered.last_lists": OTHERS | {"pydantic"},
    "pettui.ssh.processes": SERVICE | NETWORK | OF_ANIMALS,
    "pettui.terminal.channel_driver": BEYOND | OF_ANIMALS | {"pettui.ssh"},
    "pettui.service.app": SCREENS | {"httpx", "uvicorn", "psycopg", "pettui.tui", "pettui.client"},
    "pettui.service.server": SCREENS | {"httpx", "psycopg", "pettui.tui", "pettui.client"},
}


NOT_OF_FIRST_ROWS = (
    NETWORK
    | {*deferred_imports.MODULES, "pettui.tui.transfer.export", "pettui.client.http"}
    | {"sqlite3", "starlette", "pydantic"}
)


@cache
def modules_after(statement: str) -> set[str]:
    """Run a statement in a fresh interpreter, and give the names of all loaded modules."""
    code = f"import sys\nsys.path = [p for p in sys.path if p]\n{statement}\nprint(*sys.modules)"
    finished = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=unmeasured(os.environ),  # coverage has much to import of its own
    )
    return set(finished.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(("room", "strangers"), ROOMS.items(), ids=ROOMS)
def test_importing_a_room_imports_only_what_it_may(room: str, strangers: set[str]) -> None:
    usual = modules_after("pass")
    loaded = modules_after(f"import {room}") - usual
    assert room in loaded
    assert not loaded & strangers


def test_the_first_rows_are_drawn_before_the_client_and_other_screens_are_loaded(
    tmp_path: Path,
) -> None:
    loaded = tmp_path / "loaded"
    until_rows = f"""
import os, sys
write = os.write
def write_until_rows(descriptor, data):
    if b"Mitzi" in bytes(data):
        open({str(loaded)!r}, "w").write(" ".join(sys.modules))
        os._exit(0)
    return write(descriptor, data)
os.write = write_until_rows
from pettui.cli import main
main(["--demo"])
"""
    environment = unmeasured(os.environ) | {"TERM": "xterm-256color", "HOME": str(tmp_path)}
    Terminal([sys.executable, "-c", until_rows], environment).wait_for_end()
    assert not {*loaded.read_text().split()} & NOT_OF_FIRST_ROWS


def test_showing_the_version_imports_nothing_else() -> None:
    loaded = modules_after("from pettui.cli import main\nmain(['--version'])")
    ours = loaded - modules_after("pass")
    assert ours <= {"__future__", "gc", "pettui", "pettui.build", "pettui.cli"}


NOT_OF_ONE_SHOT = {
    "textual", "asyncssh", "uvicorn", "psycopg", "click", "pettui.tui", "pettui.terminal",
    "pettui.outbox", "pettui.ssh.options",
}  # fmt: skip
COMMAND_LINES = {
    "--help": (0, OTHERS | HEAVY),
    "list --demo": (0, NOT_OF_ONE_SHOT | {"rich"}),
    "list --demo --find tom --sort name --all": (0, NOT_OF_ONE_SHOT),
    "add Tom 3 --demo": (0, NOT_OF_ONE_SHOT | {"rich"}),
    "export {}/pets.csv --demo": (0, NOT_OF_ONE_SHOT | {"rich"}),
    "import {}/new.csv --demo": (0, NOT_OF_ONE_SHOT - {"pettui.outbox"} | {"rich.console"}),
    "ssh --status": (3, OTHERS | {"asyncio"}),
}


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_a_command_imports_no_screen_and_no_outbox(line: str, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("name,category\nNewman,3\n")
    code, strangers = COMMAND_LINES[line]
    statement = (
        f"import os\nos.environ['XDG_STATE_HOME'] = {str(tmp_path)!r}\n"
        "from pettui.cli import main\n"
        f"try:\n    code = main({line.format(tmp_path).split()})\n"
        f"except SystemExit as end:\n    code = end.code\nassert code == {code}\nprint()"
    )
    assert not modules_after(statement) & strangers


def test_a_command_imports_no_other_command() -> None:
    loaded = modules_after("from pettui.cli import main\nassert main(['list', '--demo']) == 0")
    modules = {command.function.partition(":")[0] for command in (APP, *all_commands())} - {""}
    assert loaded & {f"pettui.cli.commands.{module}" for module in modules} == {
        "pettui.cli.commands.list"
    }


def test_a_kept_list_is_read_without_pydantic() -> None:
    statement = (
        "from pettui.text.json import WrittenDecimal\n"
        "from pettui.models.pets import Pet\n"
        "from pettui.remembered.last_lists import LastList, LastLists, decoded, encoded\n"
        "rex = Pet(id=1, name='Rex', category_id=3, status='lost', others={'weight': WrittenDecimal('1.5')})\n"
        "kept = LastLists({None: LastList((rex,), 0.0)})\n"
        "assert decoded(encoded(kept, 'a'), 'a').lists[None].pets == (rex,)"
    )
    assert "pydantic" not in modules_after(statement)


def test_what_must_not_be_loaded_has_the_names_that_it_has_today() -> None:
    """A name from before a move would never be loaded, and would forbid nothing."""
    of_commands = set().union(*(strangers for _, strangers in COMMAND_LINES.values()))
    named = set().union(*ROOMS.values()) | of_commands | NOT_OF_FIRST_ROWS
    ours = {name for name in named if name.startswith("pettui.")}
    paths = {name: PACKAGE.parent.joinpath(*name.split(".")) for name in ours}
    missing = {
        name for name, path in paths.items()
        if not (path.is_dir() or path.with_suffix(".py").is_file())
    }  # fmt: skip
    assert ours
    assert missing == set()


# What other rooms import stands in these, as import-linter checks. Every other room has no such
# thing: its modules are the ways in, and importing one of them brings no neighbour along. That of
# ``ssh`` is for the authors of other apps, and imports what they use.
FACES = {"cli", "client", "service/stores"}
WITHOUT_FACE = sorted(
    room
    for path in PACKAGE.rglob("*/__init__.py")
    if (room := path.parent.relative_to(PACKAGE).as_posix()) not in FACES
)


@pytest.mark.parametrize("room", WITHOUT_FACE)
def test_a_room_has_a_face_that_is_the_way_in_or_none_at_all(room: str) -> None:
    text = (PACKAGE / room / "__init__.py").read_text(encoding="utf-8")
    assert not re.search(r"^(from|import) pettui", text, re.MULTILINE)  # but for type checkers
