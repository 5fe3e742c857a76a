"""The outbox's own screen: every entry, and what can be done about it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from unittest.mock import Mock, patch

import pytest

from pettui.outbox import (
    DirectoryEntryStore,
    Entry,
    EntryState,
    MemoryEntryStore,
    OutboxError,
    Refusal,
)
from tests.exhaustive import exhaustive
from tests.outbox.scripted import an_entry
from tests.tui.conftest import underlined
from tests.tui.driving import Driver, check_screen, open_app, resized
from tests.tui.scripted_service import Response, ScriptedService, error, html, pet

if TYPE_CHECKING:
    from pathlib import Path


REFUSED = error(400, "invalid_value", "name is taken")


@pytest.fixture
def service() -> ScriptedService:
    """It has no animals."""
    return ScriptedService([])


async def all_answered(driver: Driver) -> None:
    states = {EntryState.WAITING, EntryState.SENDING}
    await driver.until(lambda: not states & {entry.state for entry in driver.entries})


async def added(driver: Driver, *answers: Response) -> None:
    """Type an animal for each answer, from the list, and wait until all were answered."""
    driver.service.next("createPet", *answers)
    keys = [key for number in range(len(answers)) for key in (*f"A{number}", "enter")]
    await driver.press("a", "tab", "3", "shift+tab", *keys, *"draft")
    await all_answered(driver)
    await driver.press("f4", "escape", "escape", "o")


def unknown_entries(*names: str) -> MemoryEntryStore:
    """Return a store with an entry for each name, which waits for a decision."""
    store = MemoryEntryStore()
    for number, name in enumerate(names):
        store.add(an_entry(name, EntryState.UNKNOWN, number))
    return store


def row(driver: Driver, name: str) -> str:
    """Return the row of an entry with single spaces: ``A0 3 Dogs – not set 12:01 added, id 7``."""
    found = next((line for line in driver.lines if re.search(rf" {name} ", line)), "")
    return " ".join(found.split())


async def sees_row(driver: Driver, name: str, state: str) -> None:
    """Wait until an entry stands there in a state."""
    await driver.until(lambda: re.search(rf"{re.escape(state)}", row(driver, name)))


async def test_it_says_that_there_is_nothing(driver: Driver) -> None:
    await driver.press("o")
    await driver.sees("The outbox is empty", "0 entries")
    assert "Send again" not in driver.text
    await driver.press("enter", "l", "s", "x", "j", "G", "escape")
    await driver.sees("No animals yet. a adds one.")


async def test_an_outbox_is_not_called_empty_while_animals_wait_elsewhere(
    service: ScriptedService,
) -> None:
    left = ["3 animals of yours wait in another place; whoever runs the server can move them"]
    async with open_app(service, find_elsewhere=lambda: "".join(left)) as driver:
        await driver.press("o")
        await driver.sees("Not all that you typed is here.", "3 animals of yours wait in another")
        assert "The outbox is empty" not in driver.text
        left.clear()  # they were moved
        await driver.sees("The outbox is empty")
        await driver.sees_no("another place")


async def test_an_outbox_that_cannot_be_read_is_not_called_empty(
    service: ScriptedService, tmp_path: Path
) -> None:
    (tmp_path / "outbox").write_text("no directory")
    async with open_app(service, store=DirectoryEntryStore(tmp_path / "outbox")) as driver:
        await driver.press("o")
        await driver.sees("The outbox is not read yet.", "cannot read the outbox")
        (tmp_path / "outbox").unlink()
        await driver.sees("The outbox is empty.")


async def test_every_entry_stands_there_in_its_state_the_newest_first(driver: Driver) -> None:
    await added(driver, Response(201, pet(7, "A0")), REFUSED, html(500))
    text = driver.text
    assert text.index(" A2 ") < text.index(" A1 ") < text.index(" A0 ")
    assert "unknown: may have been added: 500 from the service" in row(driver, "A2")
    assert "refused: 400 invalid_value: name is taken" in row(driver, "A1")
    assert row(driver, "A0").startswith("✔ A0 3 Dogs – not set ")
    assert row(driver, "A0").endswith("added, id 7")
    await resized(driver, (80, 24))
    assert row(driver, "A0").startswith("✔ A0 3 Dogs – not set ")
    assert "refused: 400 " in row(driver, "A1")
    await resized(driver, (120, 30))
    assert "↵ Show" in driver.lines[-1]
    assert "l Look for it" in driver.lines[-1]
    assert "E Edit a copy" in driver.lines[-1]
    await driver.press("j")
    assert "Look for it" not in driver.lines[-1]
    assert "↵ Correct" in driver.lines[-1]
    await driver.press("j")
    assert "Edit" not in driver.lines[-1]
    assert "↵ Open" in driver.lines[-1]


async def test_the_entries_are_sorted_by_one_column_after_the_other(driver: Driver) -> None:
    driver.service.next("createPet", Response(201, pet(7, "Émile")), REFUSED, html(500))
    keys = (*"Émile", "enter", *"zoe", "tab", "1", "enter", *"Anna", "enter")
    await driver.press("a", "tab", "7", "shift+tab", *keys)
    await all_answered(driver)
    await driver.press("escape", "escape", "o")
    assert names(driver) == ["Anna", "zoe", "Émile"]
    for column, sorted_names in (
        ("Name", ["Anna", "Émile", "zoe"]),
        ("Category", ["Anna", "zoe", "Émile"]),
        ("State", ["zoe", "Anna", "Émile"]),
    ):
        await driver.press("S")
        await driver.sees(f"sorted by {column.lower()}", f"{column} ▲")
        assert names(driver) == sorted_names
        assert "Anna" in driver.line_with("▌")
    await driver.press("S")
    await driver.sees("the newest first")
    assert names(driver) == ["Anna", "zoe", "Émile"]


async def test_all_that_were_added_are_forgotten_by_one_key(driver: Driver) -> None:
    await added(driver, Response(201, pet(7, "A0")), REFUSED, Response(201, pet(8, "A2")))
    await driver.press("X")
    await driver.sees("2 forgotten, which were added")
    assert [entry.name for entry in driver.entries] == ["A1"]
    await driver.press("X")
    await driver.sees("no entry here was added")


async def test_what_came_in_place_of_an_answer_is_shown_for_an_entry(driver: Driver) -> None:
    pages = html(403, b"<html>\n<p>Log in first</p>"), html(500, b"<html>\n<p>Oops</p>")
    await added(driver, Response(201, pet(7, "A0")), *pages)
    await driver.press("f6")
    await driver.sees("500 unknown", "500 from the service, no Error body", "<p>Oops</p>")
    await driver.press("escape", "j", "f6")
    await driver.sees("403 refused", "<p>Log in first</p>")
    await driver.press("f6", "j")
    assert "Full text" not in driver.text
    await driver.press("f6")
    assert "Outbox" in driver.lines[0]


async def test_notices_of_what_was_asked_here_stand_here(driver: Driver) -> None:
    headers = (("deprecation", "true"), ("sunset", "Fri, 01 Jan 2027 00:00:00 GMT"))
    await added(driver, error(400, "invalid_value", "no room", headers=headers), html(500))
    await driver.sees("▲ createPet ends 1 January 2027 · F6")  # the form showed it whole
    driver.service.next("listPets", error(410, "gone", "Not here", headers=headers))
    await driver.press("l")
    await driver.sees("✖ 410 gone", "listPets is deprecated. It goes away on 1 January 2027")


@pytest.mark.parametrize(
    ("answer", "why"),
    [(REFUSED, "what you typed will be lost"), (html(500), "It may have been added. Once")],
    ids=["refused", "unknown"],
)
async def test_what_is_lost_is_forgotten_once_asked(
    driver: Driver, answer: Response, why: str
) -> None:
    await added(driver, answer)
    await driver.press("x")
    await driver.sees("Forget A0?", why)
    await driver.press("escape")
    await driver.sees_no("Forget A0?")
    assert len(driver.entries) == 1
    await driver.press("x")
    await driver.press("y")
    await driver.sees("The outbox is empty")
    assert driver.entries == ()


async def test_a_key_typed_ahead_of_a_question_does_not_answer_it(driver: Driver) -> None:
    await added(driver, html(500))
    await driver.press("x", "y", "j")
    await driver.sees("Forget A0?")
    assert len(driver.entries) == 1
    await driver.press("escape")
    await driver.press("s", "y")
    await driver.sees("Send A0 again?")
    assert len(driver.sent_names) == 1


async def test_a_waiting_entry_is_taken_back_by_enter_or_forgotten_once_it_was_asked() -> None:
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", *"Nora", "enter", "escape", "o")
        assert "↵ Take back" in driver.lines[-1]
        await driver.press("l")
        assert "Nora is waiting: this key is for unknown animals" in driver.bottom
        await driver.press("x")
        await driver.sees("Forget Nora?", "It was not sent yet, and what you typed will be lost.")
        await driver.press("y")
        await driver.until(lambda: [entry.name for entry in driver.entries] == ["Rex"])
        await driver.press("enter")
        assert driver.form_text() == "Rex"
        assert driver.entries == ()
        assert driver.sent_names == []


@pytest.mark.parametrize("way", [("o",), ()], ids=["outbox", "list"])
async def test_f8_takes_back_the_newest_waiting_entry_into_the_form(way: tuple[str, ...]) -> None:
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press("f8")
        await driver.sees("✖ Can't take it back", "nothing has been added here yet")
        await driver.press("escape")
        assert "F8" not in driver.lines[-1]
        await driver.press("a", *"Rex", "tab", "3", "enter", *"Nora", "enter", "escape")
        await driver.until(lambda: "F8 Take back" in driver.lines[-1])
        await driver.press(*way, "f8", "!")
        assert driver.form_text() == "Nora!"
        assert [entry.name for entry in driver.entries] == ["Rex"]
        await driver.press("f8")
        assert driver.form_text() == "Rex"


async def test_what_another_window_has_to_decide_is_said_to_be_its(tmp_path: Path) -> None:
    mine, other = DirectoryEntryStore(tmp_path), DirectoryEntryStore(tmp_path)
    async with (
        open_app(ScriptedService([]), store=mine, size=(40, 12)) as driver,
        open_app(ScriptedService([]), store=other) as window,
    ):
        window.service.next("createPet", REFUSED, html(500))
        await window.press("a", "tab", "3", "shift+tab", *"Rex", "enter", *"Nora", "enter", "!")
        await driver.press("o")
        await sees_row(driver, "Rex", "refused in ")
        await sees_row(driver, "Nora", "unknown in ")
        await driver.press("n")
        assert "no one here: another window has 1 refused, 1 unknown" in driver.bottom
        await driver.press("escape", "a")
        await driver.until(lambda: re.search(r"Nora .* unknown in anothe", driver.text))
        assert "added in another window" not in driver.text


async def test_pages_and_halves_of_them_are_scrolled_as_on_the_list() -> None:
    store = unknown_entries(*(f"N{number:02}" for number in range(60)))
    async with open_app(ScriptedService([]), size=(80, 24), store=store) as driver:
        await driver.press("o")
        table = driver.screen.entry_table
        rows = table.size.height - table.HEADER_ROWS
        await driver.press("ctrl+d")
        assert table.cursor == rows // 2
        await driver.press("ctrl+u", "ctrl+f")
        assert table.cursor == rows
        await driver.press("ctrl+b", "pagedown")
        assert table.cursor == rows


async def test_an_entry_stays_where_it_is_while_others_are_sorted_around_it() -> None:
    store = unknown_entries(*"ABCDEFGHIJKLMNOP")
    async with open_app(ScriptedService([]), size=(80, 12), store=store) as driver:
        await driver.press("o", "G", *"kkkkkk")
        place = driver.lines.index(driver.line_with(" G "))
        await driver.press("S")
        await driver.sees("sorted by name")
        assert driver.lines.index(driver.line_with(" G ")) == place
        assert driver.screen.entry_table.highlighted.name == "G"


async def test_an_unknown_entry_is_sent_again_once_it_was_asked(driver: Driver) -> None:
    """It may make a second animal, and none can be deleted; a refused one makes none."""
    await added(driver, REFUSED, html(500))
    await driver.press("s")
    await driver.sees("Send A1 again?", "there would be two")
    await driver.press("n")
    await driver.sees_no("Send A1 again?")
    await driver.press("s")
    await driver.press("y")
    await sees_row(driver, "A1", "added, id 1")
    await driver.press("j", "s")
    await sees_row(driver, "A0", "added, id 2")


async def test_enter_opens_an_added_entry_and_the_next_ones_that_were_added(driver: Driver) -> None:
    await added(driver, Response(201, pet(1, "A0")), Response(201, pet(2, "A1")))
    await driver.press("j", "enter")
    await driver.sees("Id", "A0", "1")
    await driver.press("k")
    await driver.sees("A1")
    await driver.press("escape")
    await sees_row(driver, "A0", "added, id 1")


async def test_an_added_entry_whose_id_was_not_kept_is_not_opened_as_another_animal() -> None:
    """A kill between the two writes of an outcome leaves it so."""
    store = MemoryEntryStore()
    store.add(Entry("00000000000000000001-a", "Rex", 3, None, EntryState.ADDED, 0.0))
    async with open_app(ScriptedService([]), store=store) as driver:
        await driver.press("o", "enter")
        await driver.sees("its id was not kept: find it in the list")
        await driver.press("f8")
        assert "None" not in "".join(driver.lines)


async def test_those_of_this_session_stand_above_those_of_earlier_ones() -> None:
    store = MemoryEntryStore()
    for day, name in ((18, "Ox"), (19, "Ann")):
        at = datetime(2026, 11, day, 8, 30, tzinfo=UTC).timestamp()
        key = f"{int(at * 1e9):020d}-00000000"
        store.add(Entry(key, name, 7, "sold", EntryState.ADDED, at, pet_id=day))
    ahead = f"{int(datetime(2030, 1, 1, tzinfo=UTC).timestamp() * 1e9):020d}-00000000"
    store.add(Entry(ahead, "Ahead", 7, None, EntryState.REFUSED, 0.0, refusal=Refusal("no")))
    async with open_app(ScriptedService([]), store=store) as driver:
        await added(driver, Response(201, pet(7, "A0")), REFUSED)
        shown = [" ".join(line.replace("▌", " ").split()[:2]) for line in driver.lines[3:9]]
        assert shown == ["✖ A1", "✔ A0", "earlier, or", "✖ Ahead", "✔ Ann", "✔ Ox"]
        assert "7 Small pets ○ sold 19 Nov added, id 19" in row(driver, "Ann")
        await driver.press("j", "j")
        assert "▌" in driver.line_with("Ahead")


@pytest.mark.parametrize("size", [(40, 12), *exhaustive((80, 24), (120, 30))])
async def test_n_and_capital_n_go_round_refused_and_unknown_ones(size: tuple[int, int]) -> None:
    async with open_app(ScriptedService([]), size=size) as driver:
        await added(
            driver, REFUSED, Response(201, pet(7, "A1")), html(500), Response(201, pet(8, "A3"))
        )
        await driver.press("n", "n")
        assert "▌" in row(driver, "A0")
        assert "continued" not in driver.text
        await driver.press("n")
        assert "▌" in row(driver, "A2")
        assert "continued from the top" in driver.lines[-1 if size[1] < 16 else -2]
        await driver.press("N")
        assert "▌" in row(driver, "A0")
        assert "continued from the end" in driver.text


async def test_n_says_that_no_other_entry_waits_for_a_decision(driver: Driver) -> None:
    await added(driver, REFUSED, Response(201, pet(7, "A1")))
    await driver.press("n", "n")
    assert "▌" in row(driver, "A0")
    assert "no other entry is refused or unknown" in driver.bottom
    await driver.press("x")
    await driver.press("y")
    await driver.until(lambda: not row(driver, "A0"))
    await driver.press("N")
    assert "no entry is refused or unknown" in driver.bottom
    assert "▌" in row(driver, "A1")


async def test_a_disk_error_leaves_the_screen_when_it_is_over() -> None:
    store = MemoryEntryStore()
    async with open_app(ScriptedService([]), store=store, delay=3600) as driver:
        await driver.press("a", *"A0", "tab", "3", "enter", "f9")
        with patch.object(store, "load", side_effect=OutboxError("cannot read the outbox")):
            await driver.sees("cannot read the outbox")
        await driver.sees_no("cannot read the outbox")


async def test_an_entry_in_another_windows_hand_is_shown_and_left_alone(tmp_path: Path) -> None:
    mine, other = DirectoryEntryStore(tmp_path), DirectoryEntryStore(tmp_path)
    async with open_app(ScriptedService([]), store=mine) as driver:
        async with open_app(ScriptedService([]), store=other, delay=3600) as window:
            await window.press("a", *"Rex", "tab", "3", "enter")
            await driver.press("o")
            await sees_row(driver, "Rex", "waiting in another window")
            assert "Edit" not in driver.text
            for key in ("enter", "s", "x", "l", "E"):
                await driver.press(key)
                assert "Rex belongs to another window: decide there" in driver.bottom
            assert [entry.owned_elsewhere for entry in driver.entries] == [True]
        await sees_row(driver, "Rex", "added, id 1")
        assert len(driver.sent_names) == 1
        assert window.service.requests_for("createPet") == []


async def test_what_the_disk_prevents_is_said() -> None:
    store = MemoryEntryStore()
    async with open_app(ScriptedService([]), store=store) as driver:
        await added(driver, REFUSED)
        full = Mock(side_effect=OutboxError("no space left on device"))
        with patch.multiple(store, change=full, remove=full):
            for key, said in (("s", "send it again"), ("x", "forget it")):
                await driver.press(key)
                if key == "x":
                    await driver.press("y")
                await driver.sees(f"✖ Can't {said}", "no space left on device")
                await sees_row(driver, "A0", "refused")
                await driver.press("escape")


async def test_a_waiting_entry_that_the_disk_does_not_give_back_stays() -> None:
    store = MemoryEntryStore()
    full = Mock(side_effect=OutboxError("no space left on device"))
    async with open_app(ScriptedService([]), store=store, delay=3600) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", "escape", "o")
        with patch.object(store, "take_back", full):
            await driver.press("enter")
            await driver.sees("✖ Can't edit it", "no space left on device")
            await sees_row(driver, "Rex", "waiting")


@pytest.mark.parametrize(("way", "act"), [((), "take_back"), (("o",), "edit")])
async def test_only_the_disk_is_blamed_for_what_it_did_not_give_back(
    way: tuple[str, ...], act: str
) -> None:
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", "escape", *way)
        with (
            patch.object(driver.app, "action_open_form", side_effect=OutboxError("of the form")),
            pytest.raises(OutboxError, match="of the form"),
        ):
            await getattr(driver.screen, f"action_{act}")()
        assert driver.screen.error_banner.failure is None


async def test_no_key_marks_entries_that_are_found_below_a_box_either() -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("o", "/", "f12")
        assert "What happened" in driver.text
        assert "F2 Mark" not in driver.text


async def three_are_added(driver: Driver) -> None:
    """Add Rex, which is refused, a bird and a cat; then open the outbox."""
    driver.service.next("createPet", REFUSED)
    await driver.press("a", *"Rex", "tab", "3", "enter", *"Zoë", "tab", "2", "enter")
    await driver.press(*"Luna", "tab", "1", "tab", "p", "enter")
    await all_answered(driver)
    await driver.press("f4", "f4", "escape", "escape", "o")
    await driver.sees("Outbox")


def names(driver: Driver) -> list[str]:
    """Return the names in the rows."""
    found = (re.match(r" [ ▌] [^\w\s] (\w+) ", line) for line in driver.lines)
    return [match[1] for match in found if match]


@pytest.mark.parametrize(
    ("typed", "found"),
    [("zoe", ["Zoë"]), ("dogs", ["Rex"]), ("pend", ["Luna"]), ("taken", ["Rex"])],
)
async def test_words_are_found_in_entries(driver: Driver, typed: str, found: list[str]) -> None:
    await three_are_added(driver)
    await driver.press("/", *typed)
    assert names(driver) == found
    assert "1 of 3 entries" in driver.line_with("/ ")


async def test_enter_keeps_the_find_and_esc_undoes_one_thing_at_a_time() -> None:
    async with open_app(ScriptedService([]), size=(40, 12)) as driver:
        await three_are_added(driver)
        await driver.press("/", *"added", "enter")
        check_screen(driver, "found")
        assert names(driver) == ["Luna", "Zoë"]
        assert "2 of 3 entries · /added" in driver.bottom
        await driver.press("j", "/", *" zoe", "escape")
        assert names(driver) == ["Luna", "Zoë"]
        await driver.press("escape")
        assert names(driver) == ["Luna", "Zoë", "Rex"]
        await driver.press("escape")
        await driver.sees("1 All")


async def test_after_a_find_without_a_match_the_cursor_is_where_it_was(driver: Driver) -> None:
    await three_are_added(driver)
    await driver.press("j", "j", "/", *"lun x", "enter", "escape")
    assert driver.screen.entry_table.highlighted.name == "Rex"


async def test_what_matched_is_underlined_also_in_the_row_of_the_cursor(driver: Driver) -> None:
    await three_are_added(driver)
    await driver.press("/", *"luna")
    assert underlined(driver.screen.entry_table) == ["Luna"]
    await driver.press("enter")
    assert underlined(driver.screen.entry_table) == ["Luna"]


async def test_the_next_refused_one_is_looked_for_among_those_found(driver: Driver) -> None:
    await three_are_added(driver)
    await driver.press("/", *"luna", "enter", "n")
    await driver.sees("no entry among those found is refused or unknown")


async def test_what_is_found_alone_is_forgotten(driver: Driver) -> None:
    await driver.press("/", *"luna", "enter", "escape")
    await three_are_added(driver)
    await driver.press("/", "up", "enter", "X")
    await driver.sees("1 forgotten, which was added")
    await driver.press("escape")
    assert names(driver) == ["Zoë", "Rex"]


async def test_a_opens_the_form_and_esc_comes_back() -> None:
    async with open_app() as driver:
        await driver.press("o", "a", *"Rex", "tab", "3", "enter", "escape")
        await driver.sees("Outbox", "Rex")
