"""The table of docs/architecture.md: what stands where it says, and follows as it says.

Each addition is made in the source of one module, in a process of its own, as a person would write it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from tests.conftest import unmeasured
from tests.documentation import ROOT
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    line
    for line in (ROOT / "docs" / "architecture.md")
    .read_text()
    .partition("## Where to change what")[2]
    .partition("\n## ")[0]
    .splitlines()
    if line.startswith("| ") and line != "| | |"
]
WITH_SOURCE = dedent(
    """
    import asyncio, importlib.util, sys

    def with_source(name, *replacements):
        "Import a module as if this stood in its source."
        spec = importlib.util.find_spec(name)
        source = spec.loader.get_source(name)
        for old, new in zip(replacements[::2], replacements[1::2], strict=True):
            assert source.count(old) == 1, f"{name} has {source.count(old)} times {old!r}"
            source = source.replace(old, new)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        parent, _, last = name.rpartition(".")
        setattr(importlib.import_module(parent), last, module)
        exec(compile(source, spec.origin, "exec"), module.__dict__)

    def drive(steps, **options):
        from tests.tui.driving import open_app
        async def run():
            async with open_app(**options) as driver:
                await steps(driver)
        asyncio.run(run())
    """
)


@pytest.mark.parametrize("row", ROWS, ids=[row.split("|")[1].strip()[:50] for row in ROWS])
def test_each_name_of_a_row_stands_in_a_file_of_that_row(row: str) -> None:
    quoted = re.findall(r"`([^`]+)`", row)
    package = ROOT / "pettui"
    paths = [package / each for each in quoted if re.fullmatch(r"\w+(/\w+)*(\.py)?", each)]
    files = {each for path in paths for each in (path, *path.rglob("*.py")) if each.is_file()}
    files = files or {*package.rglob("*.py")}  # such as each screen's
    source = "\n".join(file.read_text() for file in sorted(files))
    names = [
        name
        for each in quoted
        if re.fullmatch(r"(?!F\d)\w+(\.(?!py$)\w+)?", each)
        for name in each.split(".")
    ]
    missing = [name for name in names if not re.search(rf"\b{name}\b", source)]
    assert not missing, f"no file of this row has {missing}"


ADDITIONS = {
    "a column": """
        with_source(
            "pettui.rows.columns",
            "COLUMNS: Final = (ID, NAME, CATEGORY, STATUS)",
            'COLOUR: Final = Column(name="colour", titles=("Colour",), field="colour",'
            ' value=lambda pet: pet.others.get("colour"),'
            ' texts=lambda colour, _: (colour or "",),'
            ' sort_key=lambda colour, _: (0, colour, "") if colour else None, usual=8)\\n'
            "COLUMNS: Final = (ID, NAME, CATEGORY, STATUS, COLOUR)",
        )
        from pettui.cli.declarations import SORTED_BY
        from pettui.models.pets import Pet
        from pettui.rows.find_terms import terms_of
        assert SORTED_BY[-1] == "colour"
        (term,) = terms_of("colour:red")
        assert term.column.name == "colour"

        async def steps(driver):
            await driver.sees("Colour")
            await driver.press(*"sssss")
            await driver.sees("by colour")
            await driver.press("z")
            await driver.sees("Sort by")

        drive(steps)
    """,
    "a term of a find": """
        with_source(
            "pettui.rows.find_terms",
            '">": operator.lt,',
            '"=": operator.eq, ">": operator.lt,',
        )

        async def steps(driver):
            await driver.press("/", *"id=57")
            await driver.sees("1 of 20 loaded")

        drive(steps)
    """,
    "a status, which the service of this version refuses in the interface's words": """
        with_source(
            "pettui.models.statuses",
            '    SOLD = "sold"\\n',
            '    SOLD = "sold"\\n    RESERVED = "reserved"\\n',
            "PetStatus.SOLD: ColouredLook(",
            "PetStatus.RESERVED: ColouredLook(word='reserved', glyph='R', ascii_glyph='R',"
            " style='sold', dark=('#9db2d0', 110, 'ansi_cyan'),"
            " light=('#41546f', 60, 'ansi_black'), light_sign=('#41546f', 60, 'ansi_black'),"
            " ansi_sign='ansi_magenta'),"
            "PetStatus.SOLD: ColouredLook(",
        )
        import httpx
        from pettui.client import NewPet, PetClient, PetClientError, PetStatus
        from pettui.service.app import create_app
        from pettui.service.stores.sqlite import SqliteStore

        async def run():
            store = SqliteStore.open("pets.db")
            transport = httpx.ASGITransport(create_app(store, ["a-key-of-the-tests"]))
            async with PetClient("http://h/v1", "a-key-of-the-tests", transport=transport) as client:
                reserved = NewPet(name="Rex", category_id=3, status=PetStatus.RESERVED)
                for call in (client.create_pet(reserved), client.list_pets(status="reserved")):
                    try:
                        await call
                    except PetClientError as error:
                        assert error.status == 400, error
                        assert "status must be available, pending or sold" in str(error), error
                    else:
                        raise AssertionError("the databases have no such status")
                await client.create_pet(NewPet(name="Rex", category_id=3, status="sold"))
            await store.close()

        asyncio.run(run())

        async def steps(driver):
            await driver.press("a", *"Rex", "tab", "3", "tab", "r")
            await driver.sees("reserved ▸")

        drive(steps)
    """,
    "a setting": """
        with_source(
            "pettui.settings.settings",
            "    samples: bool = _setting(",
            '    chirps: int = _setting(int, 3, "chirps at the end", most=9)\\n'
            "    samples: bool = _setting(",
        )
        import os
        from pettui.configuration.errors import ConfigurationError
        from pettui.configuration.reading import read_settings
        with open("config.toml", "w") as file:
            file.write("chirps = 7\\n")
        settings = read_settings({"config": "config.toml", "demo": True}, dict(os.environ))
        assert settings.chirps == 7
        with open("config.toml", "w") as file:
            file.write("chirps = 10\\n")
        try:
            read_settings({"config": "config.toml", "demo": True}, dict(os.environ))
        except ConfigurationError as error:
            assert "chirps 10: must be a whole number from 0 to 9" in str(error), error
        else:
            raise AssertionError("10 is too many")
    """,
    "a command": """
        import types
        with_source(
            "pettui.cli.declarations",
            '    Command(\\n        "get",\\n',
            '    Command("count", "Count animals.", "count:count_pets", {**_STORE}),\\n'
            '    Command(\\n        "get",\\n',
        )
        counting = types.ModuleType("pettui.cli.commands.count")
        counting.count_pets = lambda arguments, environment: 42
        sys.modules[counting.__name__] = counting
        from pettui.cli import main
        from pettui.cli.command_line import help_of
        from pettui.cli.declarations import all_commands
        assert main(["count", "--demo"]) == 42
        assert "count" in [each.name for each in all_commands()]
    """,
    "an action": """
        with_source(
            "pettui.keyboard.actions",
            '    TAKE_BACK,\\n    *_FIND_AND_SORT,\\n',
            '    TAKE_BACK,\\n    *_FIND_AND_SORT,\\n    Action("chirp", "C", "Chirp"),\\n',
        )
        from pettui.tui.list.pet_list import PetListScreen
        PetListScreen.action_chirp = lambda self: self.show_remark("chirp!")

        async def steps(driver):
            await driver.press("C")
            await driver.sees("chirp!")
            await driver.press(":", *"chirp")
            await driver.sees("Chirp")

        drive(steps)
    """,
    "a staged fault": """
        with_source(
            "pettui.models.staged_faults",
            '    SLOW = "answers',
            '    TEAPOT = "the service is a teapot (418)", "teapot 418"\\n    SLOW = "answers',
        )
        from pettui.models.staged_faults import StagedFaults
        from pettui.tui.session.session import Demo

        async def steps(driver):
            await driver.press(":", *"teapot")
            await driver.sees("the service is a teapot (418)")
            await driver.press("enter")
            await driver.sees("staged: teapot 418")

        drive(steps, demo=Demo(StagedFaults()))
    """,
}


@pytest.mark.parametrize("addition", ADDITIONS.values(), ids=ADDITIONS)
def test_what_is_declared_in_one_place_is_there_everywhere(addition: str, tmp_path: Path) -> None:
    script = f"{WITH_SOURCE}\n{dedent(addition)}"
    command = [sys.executable, "-W", "ignore::ResourceWarning", "-c", script]
    ended = subprocess.run(
        command,
        cwd=tmp_path,
        env=unmeasured({"PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3_000:]
