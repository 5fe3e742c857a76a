"""The outbox's own screen: every entry, and what can be done about it."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from unittest.mock import Mock, patch

import pytest

from pettui.outbox.entries import Entry, EntryState, OutboxError, Refusal
from pettui.outbox.stores.contents import entry_text
from pettui.outbox.stores.directory import DirectoryEntryStore
from pettui.outbox.stores.memory import MemoryEntryStore
from tests.exhaustive import first
from tests.outbox.scripted import an_entry, left_behind
from tests.tui.driving import (
    Case,
    Driver,
    case,
    fits,
    on,
    open_app,
    responds,
    sees,
    sees_no,
    table,
)
from tests.tui.form.steps import form_has, on_empty, on_slow, outbox_has, resizes, sent
from tests.tui.outbox.test_leaving import Kept, always, quits
from tests.tui.scripted_service import Response, ScriptedService, error, html, pet

if TYPE_CHECKING:
    from pathlib import Path

    from tests.tui.driving import Step

REFUSED = error(400, "invalid_value", "name is taken")


@pytest.fixture
def service() -> ScriptedService:
    """It has no animals."""
    return ScriptedService([])


async def all_answered(driver: Driver) -> None:
    states = {EntryState.WAITING, EntryState.SENDING}
    await driver.until(lambda: not states & {entry.state for entry in driver.entries})
    await driver.settled()  # or an Esc would not be for the banner


async def added(driver: Driver, *answers: Response) -> None:
    """Type an animal for each answer, from the list, and wait until all were answered."""
    driver.service.next("createPet", *answers)
    keys = [key for number in range(len(answers)) for key in (*f"A{number}", "enter")]
    await driver.press("a", "tab", "3", "shift+tab", *keys, *"draft")
    await all_answered(driver)
    await driver.press("f4", "escape", "escape", "o")


def row(driver: Driver, name: str) -> str:
    """Return the row of an entry with single spaces: ``A0 3 Dogs – not set 12:01 added, id 7``."""
    found = next((line for line in driver.lines if re.search(rf" {name} ", line)), "")
    return " ".join(found.split())


async def sees_row(driver: Driver, name: str, state: str) -> None:
    """Wait until an entry stands there in a state."""
    await driver.until(lambda: re.search(state, row(driver, name)))


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


@pytest.mark.parametrize(
    ("keys", "problem", "state"),
    [
        (("s",), "send it again", "refused"),
        (("x", "y"), "forget it", "refused"),
        (("enter",), "edit it", "waiting"),
    ],
)
async def test_what_the_disk_prevents_is_said(
    keys: tuple[str, ...], problem: str, state: str
) -> None:
    store, delay = MemoryEntryStore(), 3600.0 if state == "waiting" else 0.0
    async with open_app(ScriptedService([]), store=store, delay=delay) as driver:
        driver.service.next("createPet", REFUSED)
        await driver.press("a", *"A0", "tab", "3", "enter")
        await driver.until(lambda: driver.entries[0].state.value == state)
        await driver.press("f9")
        full = Mock(side_effect=OutboxError("no space left on device"))
        with patch.multiple(store, change=full, remove=full, take_back=full):
            for key in keys:  # which no key typed ahead answers
                await driver.press(key)
            await driver.sees(f"✖ Can't {problem}", "no space left on device")
            await sees_row(driver, "A0", state)


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


def outbox_after(*responses: Response) -> Step:
    """Return a step that types an animal for each response, A0 first, and opens the outbox."""
    return lambda driver: added(driver, *responses)


def shows(*rows: str) -> Step:
    """Return a step that waits until the rows have these names, from the top."""
    return lambda driver: driver.until(lambda: names(driver) == [*rows])


def row_is(name: str, text: str) -> Step:
    """Return a step that waits until a text stands in the row of an entry."""
    return lambda driver: sees_row(driver, name, text)


def cursor_is_on(name: str) -> Step:
    """Return a step that waits until the cursor is on an entry."""
    return lambda driver: driver.until(lambda: f" {name} " in driver.line_with("▌"))


def id_is_lost() -> MemoryEntryStore:
    """Return a store in the state in which a kill between the two writes of an outcome leaves it."""
    store = MemoryEntryStore()
    store.add(Entry("00000000000000000001-a", "Rex", 3, None, EntryState.ADDED, 0.0))
    return store


ENDS = (("deprecation", "true"), ("sunset", "Fri, 01 Jan 2027 00:00:00 GMT"))
LOST = html(500)
FIRST, SECOND = (Response(201, pet(number, f"A{number - 1}")) for number in (1, 2))
REX_AND_NORA = ("a", *"Rex", "tab", "3", "enter", *"Nora", "enter", "escape")
NOT_ITS_ID = "its id was not kept: find it in the list"


@table(
    case("every entry stands there in its state, the newest first, with its keys", on_empty(),
         outbox_after(FIRST, REFUSED, LOST), shows("A2", "A1", "A0"),
         row_is("A2", "unknown: may have been added: 500 from the service"),
         row_is("A1", "refused: 400 invalid_value: name is taken"),
         row_is("A0", "✔ A0 3 Dogs – not set .* added, id 1"),
         sees("↵ Show", "l Look for it", "E Edit a copy"), "j", sees("↵ Correct"),
         sees_no("Look for it"), "j", sees("↵ Open"), sees_no("Edit"),
         resizes(80, 24), row_is("A1", "refused: 400 ")),
    case("notices of what was asked here stand here", on_empty(),
         outbox_after(error(400, "invalid_value", "no room", headers=ENDS), html(500)),
         sees("▲ createPet ends 1 January 2027 · F6"),  # the form showed it whole
         responds("listPets", error(410, "gone", "Not here", headers=ENDS)), "l",
         sees("✖ 410 gone", "listPets is deprecated. It goes away on 1 January 2027")),
    case("it says that there is nothing", on_empty(), "o", sees("The outbox is empty", "0 entries"),
         sees_no("Send again"), *"lsxjG", "enter", "escape", sees("No animals yet. a adds one.")),
    case("all that were added are forgotten by one key", on_empty(),
         outbox_after(FIRST, REFUSED, SECOND), "X", sees("2 forgotten, which were added"),
         outbox_has("A1"), "X", sees("no entry here was added")),
    case("what came in place of an answer is shown for an entry", on_empty(),
         outbox_after(FIRST, html(403, b"<html>\n<p>Log in first</p>"), html(500, b"<p>Oops</p>")),
         "f6", sees("500 unknown", "500 from the service, no Error body", "<p>Oops</p>"),
         "escape", "j", "f6", sees("403 refused", "<p>Log in first</p>"), "f6", "j",
         sees_no("Full text"), "f6", sees("Outbox")),
    *(
        case(f"what is lost is forgotten once asked: {why}", on_empty(), outbox_after(response),
             "x", sees("Forget A0?", why), "escape", sees_no("Forget A0?"), outbox_has("A0"),
             "x", sees("Forget A0?"), "y", sees("The outbox is empty"), outbox_has())
        for response, why in (
            (REFUSED, "what you typed will be lost"), (LOST, "It may have been added. Once"),
        )
    ),
    case("a key typed ahead of a question does not answer it", on_empty(), outbox_after(LOST),
         "x", "y", "j", sees("Forget A0?"), outbox_has("A0"), "escape", sees_no("Forget A0?"),
         "s", "y", sees("Send A0 again?"), sent("A0")),
    case("a waiting entry is taken back by Enter, or forgotten once it was asked", on_slow(),
         *REX_AND_NORA, "o", sees("↵ Take back"), "l",
         sees("Nora is waiting: this key is for unknown animals"), "x",
         sees("Forget Nora?", "It was not sent yet, and what you typed will be lost."),
         "y", outbox_has("Rex"), "enter", form_has("Rex", "3"), outbox_has(), sent()),
    case("F8 takes back the newest waiting entry into the form", on_slow(), "f8",
         sees("✖ Can't take it back", "nothing has been added here yet"), "escape",
         sees_no("F8"), *REX_AND_NORA, sees("F8 Take back"), "o", "f8", "!",
         form_has("Nora!", "3"), outbox_has("Rex"), "f8", form_has("Rex", "3")),
    case("on the list, too", on_slow(), *REX_AND_NORA, "f8", "!", form_has("Nora!", "3"),
         outbox_has("Rex")),
    case("an unknown entry, which may be there twice then, is sent again once it was asked",
         on_empty(), outbox_after(REFUSED, LOST), "s", sees("Send A1 again?", "there would be two"),
         "n", sees_no("Send A1 again?"), "s", sees("Send A1 again?"), "y",
         row_is("A1", "added, id 1"), "j", "s", row_is("A0", "added, id 2")),
    case("Enter opens an added entry, and the next ones that were added", on_empty(),
         outbox_after(FIRST, SECOND), "j", "enter", sees("Id          1", "A0"), "k", sees("A1"),
         "escape", row_is("A0", "added, id 1")),
    case("one whose id was not kept is not opened as another animal",
         lambda: open_app(ScriptedService([]), store=id_is_lost()), "o", "enter",
         sees(NOT_ITS_ID), "f8", sees_no("None")),
    *first(*(
        case(f"n and N go round refused and unknown ones {size}", on_empty(size=size),
             outbox_after(REFUSED, FIRST, LOST, SECOND), "n", "n", cursor_is_on("A0"),
             sees_no("continued"), "n", cursor_is_on("A2"), sees("continued from the top"),
             "N", cursor_is_on("A0"), sees("continued from the end"))
        for size in ((120, 30), (40, 12))
    )),
    case("n says that no other entry waits for a decision", on_empty(),
         outbox_after(REFUSED, FIRST), "n", "n", cursor_is_on("A0"),
         sees("no other entry is refused or unknown"), "x", sees("Forget A0?"), "y",
         outbox_has("A1"), "N", sees("no entry is refused or unknown"), cursor_is_on("A1")),
    case("entries are sorted by one column after the other", on_empty(), three_are_added,
         shows("Luna", "Zoë", "Rex"), "S", sees("sorted by name", "Name ▲"),
         shows("Luna", "Rex", "Zoë"), cursor_is_on("Luna"), "S", sees("sorted by category"),
         shows("Luna", "Zoë", "Rex"), "S", sees("sorted by state", "State ▲"),
         shows("Rex", "Luna", "Zoë"), "S", sees("the newest first"), shows("Luna", "Zoë", "Rex")),
    case("words are found in all columns of entries", on_empty(), three_are_added,
         "/", *"zoe", shows("Zoë"), sees("1 of 3 entries"), "escape",
         "/", *"dogs", shows("Rex"), sees("1 of 3 entries"), "escape",
         "/", *"pend", shows("Luna"), sees("1 of 3 entries"), "escape",
         "/", *"taken", shows("Rex"), sees("1 of 3 entries")),
    case("Enter keeps the find, and Esc undoes one thing at a time", on_empty(size=(40, 12)),
         three_are_added, "/", *"added", "enter", fits, shows("Luna", "Zoë"),
         sees("2 of 3 entries · /added"), "j", "/", *" zoe", "escape", shows("Luna", "Zoë"),
         "escape", shows("Luna", "Zoë", "Rex"), "escape", sees("1 All")),
    case("the next refused one is looked for among those found", on_empty(), three_are_added,
         "/", *"luna", "enter", "n", sees("no entry among those found is refused or unknown")),
    case("what is found alone is forgotten", on_empty(), "/", *"luna", "enter", "escape",
         three_are_added, "/", "up", "enter", "X", sees("1 forgotten, which was added"),
         "escape", shows("Zoë", "Rex")),
    case("a opens the form, and Esc comes back", on_empty(), "o", "a", *"Rex", "tab", "3", "enter",
         "escape", sees("Outbox", "Rex")),
)  # fmt: skip
async def test_entries(case: Case) -> None:
    await case.run()


# What a store adds once is sent again until it is answered


REX = ("a", *"Rex", "tab", "3", "enter")
FAILS, ADDS = (always("createPet", each) for each in (html(502), Response(201, pet(7))))
AGAIN = "Rex is being sent again, until it is answered"
TWICE = "may have been added already: adding it again would make two"
# Rex has no answer, and the cursor is on it in the outbox.
UNANSWERED = (FAILS, *REX, sees("sending again"), "escape", "escape", "o", row_is("Rex", "sending"))


def promising() -> ScriptedService:
    """Return a service that has no animals, and promises to add once."""
    return ScriptedService([], promises=True)


@table(
    case("the outbox says when it is sent again, and why", on(promising), *UNANSWERED,
         row_is("Rex", "sending again"), sees("502 from the service, no Error body"), ADDS, "f5",
         row_is("Rex", "added, id 7")),
    case("what may be out is neither edited nor forgotten nor sent by hand", on(promising),
         *UNANSWERED, "E", sees(AGAIN), "escape", "o", "x", sees(AGAIN), "escape", "o", "s",
         sees(AGAIN), "escape", "o", "l", sees(AGAIN), "f8", sees(f"too late: {AGAIN}"),
         outbox_has("Rex 3 sending")),
    case("somebody who gives up is asked, and it is unknown", on(promising), *UNANSWERED, "U",
         sees("Give up on Rex?", "It may have been added, or still be."), "escape",
         outbox_has("Rex 3 sending"), "U", sees("Give up on Rex?"), "y", row_is("Rex", "unknown"),
         sees("given up: 502 from the service")),
    case("the key to give up is for nothing else", on(promising), ADDS, *REX,
         outbox_has("Rex 3 added"), "escape", "escape", "o", "U",
         sees("Rex is added: this key is for sending animals")),
    case("quitting says that it is sent again", on(promising, store=Kept()), *UNANSWERED, "escape",
         "q", sees("1 animal not answered yet", "It will be sent again at the next start"),
         quits("q")),
    case("the requests have the key and the store", on(promising), *UNANSWERED, ADDS, "f5",
         row_is("Rex", "added, id 7"), "f3", "enter", sees("Idempotency-Key", "Pettui-Store")),
    *first(*(
        case(f"what may be out is not added again without a question: {name}", on(promising),
             *UNANSWERED, "escape", "a", *name, "tab", "3", sees(TWICE), "enter",
             sees("F10 adds it anyway"), outbox_has("Rex"))
        for name in ("rex ", "Rex", "REX")
    )),
    case("the list does not call unsent what was sent", on(promising), *UNANSWERED, "escape",
         sees("1 unanswered"), sees_no("unsent")),
)  # fmt: skip
async def test_sent_again(case: Case) -> None:
    await case.run()


async def test_what_is_for_an_api_key_of_the_users_own_says_so(tmp_path: Path) -> None:
    directory = tmp_path / "outbox"
    entry = an_entry(own_key="00000000000000000001-00000000:0123")
    left_behind(directory, None, state="waiting.own-key").write_bytes(entry_text(entry))
    service = promising()
    async with open_app(service, store=DirectoryEntryStore(directory)) as driver:
        await driver.press("o")
        await driver.sees("waiting, for its API key", "1 animal waits for the API key that it was")
        assert json.dumps(driver.lines).count("0123") == 0
        assert service.requests_for("createPet") == []
