"""The embedded store: made, with samples by the app alone, emptied of them, and said to be new."""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from pettui.composition.store import open_embedded, opened_client, own_samples
from pettui.service.stores.samples import SAMPLE_COUNT
from pettui.settings.settings import Profile, Settings, StoreKind
from tests.composition.test_kept import SHOP
from tests.peers.terminal import PROGRAM, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tests.cli.conftest import Run


def animals_of_pettui(database: Path) -> int:
    """Open the store as commands do, and count its animals."""

    async def count() -> int:
        profile = SHOP._replace(kind=StoreKind.EMBEDDED, database=database)
        async with opened_client(Settings(profile)) as client:
            return len((await client.list_pets(100)).pets)

    return asyncio.run(count())


def make_with_samples(database: Path) -> Profile:
    """Make a store as plain pettui does."""
    profile = SHOP._replace(kind=StoreKind.EMBEDDED, database=database)

    async def make() -> None:
        await open_embedded(profile, with_samples=True).aclose()

    asyncio.run(make())
    return profile


def test_a_store_that_plain_pettui_makes_has_samples_at_every_start(tmp_path: Path) -> None:
    database = tmp_path / "new" / "store.sqlite3"
    for _ in range(2):
        make_with_samples(database)
        assert animals_of_pettui(database) == SAMPLE_COUNT


def test_a_store_that_anything_else_makes_is_empty_and_stays_so(tmp_path: Path) -> None:
    database = tmp_path / "new" / "store.sqlite3"
    assert animals_of_pettui(database) == 0
    samples = own_samples(make_with_samples(database))
    assert samples is not None
    assert (animals_of_pettui(database), samples.count()) == (0, 0)


@pytest.mark.parametrize("how", ["--no-samples", "samples = false"])
def test_the_app_makes_an_empty_store_if_it_is_told_to(
    environment: Mapping[str, str], configure: Callable[[str], Path], how: str
) -> None:
    words = ["--no-samples"] if how.startswith("-") else ["--config", str(configure(how))]
    with closing(Terminal([PROGRAM, *words], environment)) as terminal:
        terminal.wait_for("EMBEDDED", "No animals yet")
        terminal.quit()


@pytest.fixture
def on_samples(environment: Mapping[str, str], home: Path) -> Iterator[Terminal]:
    """The app on the store that it made with samples, in a directory with a file of two animals."""
    (home / "mine.csv").write_text("name,category\nRexona,3\nBellissima,3\n")
    program = ["bash", "-c", f"cd {home} && exec {PROGRAM}"]
    with closing(Terminal(program, environment, size=(30, 100))) as terminal:
        terminal.wait_for("EMBEDDED", "as of")
        yield terminal


def test_an_import_into_samples_waits_for_a_key_which_empties_the_store_after_a_question(
    on_samples: Terminal, run_here: Run
) -> None:
    on_samples.press("i", *"mine.csv", "\r")
    on_samples.wait_for("the store has nothing but 60 samples", "b empties it first", "B adds to")
    on_samples.press("\r")
    on_samples.wait_for("60 samples, so nothing is sent: b empties it first")
    on_samples.press("b")
    on_samples.wait_for("Empty the store?")
    on_samples.press("y")
    on_samples.wait_for("among the 0 animals that the service lists")
    on_samples.press("\r")
    on_samples.wait_for("2 lines added")
    on_samples.press("\x1b")
    on_samples.wait_until(lambda: "Señor Orejas" not in on_samples.text, "no sample in the list")
    on_samples.wait_for("Rexona", "Bellissima")
    listed = run_here("list", "--fields", "id,name").stdout.split()
    assert sorted(listed[2:]) == ["61", "62", "Bellissima", "Rexona"]
    on_samples.press(":", *"begin empty")
    on_samples.wait_for("begin empty", "no command")
    on_samples.press("\x1b")
    on_samples.quit()


def test_the_palette_begins_empty_after_a_question_unless_there_is_an_animal_meanwhile(
    on_samples: Terminal, run_here: Run
) -> None:
    on_samples.press(":", *"begin empty")
    on_samples.wait_for("Begin empty")
    on_samples.press("\r")
    on_samples.wait_for("Empty the store?", "60 samples")
    on_samples.press("n")
    on_samples.wait_until(lambda: "Empty the store?" not in on_samples.text, "the question gone")
    on_samples.press(":", *"begin empty", "\r")
    on_samples.wait_for("Empty the store?")
    assert run_here("add", "Rexona", "3").returncode == 0
    on_samples.press("y")
    on_samples.wait_for("Not emptied", "other animals are in the store by now")
    assert run_here("list").stdout.count("\n") == 1 + SAMPLE_COUNT + 1
    on_samples.press("\x1b")
    on_samples.quit()


def test_a_command_says_that_it_makes_a_new_store(run_here: Run, home: Path) -> None:
    database = home / ".local/share/pettui/store.sqlite3"
    assert run_here("list").stderr == f"notice: the store {database} is new\n"
    assert run_here("list").stderr == ""


def test_the_app_says_before_it_draws_that_it_makes_a_new_store(
    environment: Mapping[str, str],
) -> None:
    with closing(Terminal([PROGRAM], environment, size=(30, 200))) as terminal:
        terminal.wait_for("EMBEDDED", "Señor Orejas")
        before = terminal.written.partition(b"\x1b[?1049h")[0]
        assert b"/.local/share/pettui/store.sqlite3 is new" in before
        terminal.press("q")
        assert terminal.wait_for_end() == 0
