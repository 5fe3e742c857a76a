"""Keys count from the first frame to the last, in their order, whatever else is under way."""

from __future__ import annotations

import asyncio
from itertools import product
from typing import TYPE_CHECKING

import pytest
from textual.events import Key

from pettui.terminal.keys import LayoutKey
from pettui.tui.list import pet_list
from pettui.tui.session import key_order
from pettui.tui.session.key_order import KEYS_MAXIMUM, KeyDone, KeyQueue
from tests.exhaustive import exhaustive, exhaustive_rows
from tests.tui.driving import Case, Driver, case, open_app, sees, table, typed
from tests.tui.form.steps import sent
from tests.tui.scripted_service import UNAUTHORIZED, ScriptedService, listing, pet

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from tests.tui.driving import Start


def waiting(service: ScriptedService | None = None) -> AbstractAsyncContextManager[Driver]:
    """Open the app on a service whose first response is held back."""
    service = service or ScriptedService()
    service.hold("listPets")
    return open_app(service, loaded=False)


def on_held(service: Callable[[], ScriptedService] = ScriptedService) -> Start:
    """Return a start: the first response is held back until ``goes_on``."""
    return lambda: waiting(service())


async def goes_on(driver: Driver) -> None:
    """Let the first response come."""
    driver.service.hold("listPets").set()


@table(
    case("an animal is added by keys typed before the first answer", on_held(),
         typed("a", *"Rex", "tab", "3", "enter"), sent("Rex"), sees("Rex", "Add an animal")),
    case("keys that act on animals wait for the first response", on_held(),
         typed("j", "down", "enter"), goes_on, sees("Blackjack", "3 of 20")),
    case("keys go on after a first response that is an error",
         on_held(lambda: listing(UNAUTHORIZED)), typed("j", "a", *"Rex"), goes_on,
         sees("Add an animal", "Rex")),
)  # fmt: skip
async def test_before_the_first_response(case: Case) -> None:
    await case.run()


async def test_keys_wait_for_the_first_response_once_and_never_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pet_list, "LONGEST_WAIT", 0.001)
    async with waiting() as driver:
        screen = driver.screen
        assert not screen.first_rows.is_set()
        await screen.wait_for_rows()
        assert screen.first_rows.is_set()


async def test_keys_typed_before_the_end_reach_the_outbox_and_the_draft() -> None:
    async with open_app(delay=60) as driver:
        driver.type("a", *"Rex", "tab", "4", "enter", *"Bi")
        driver.app.end()
        await driver.until(lambda: not driver.app.is_running)
        assert [(entry.name, entry.category_id) for entry in driver.entries] == [("Rex", 4)]
        assert driver.app.session.outbox.drafts.draft.name == "Bi"


async def test_a_key_that_never_finishes_does_not_keep_the_app_from_ending(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(key_order, "LAST_KEYS", 0.01)
    async with open_app() as driver:
        await driver.app.key_queue.turn()
        driver.app.end()
        driver.app.end()
        await driver.until(lambda: not driver.app.is_running)


def a_key(name: str) -> Key:
    return Key(name, name)


def queue_of(keys: str) -> KeyQueue:
    queue = KeyQueue()
    for key in keys:
        queue.enqueue(a_key(key))
    return queue


def test_the_queue_is_bounded() -> None:
    assert len(queue_of("a" * (KEYS_MAXIMUM + 10))) == KEYS_MAXIMUM


async def test_a_turn_that_nobody_waits_for_any_more_does_not_stop_the_next_entry_id() -> None:
    queue = queue_of("a")
    task = asyncio.create_task(queue.turn())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    queue.enqueue(a_key("b"))
    assert getattr(queue.done(1), "key", None) == "b"


async def test_keys_typed_before_a_click_take_effect_before_it() -> None:
    """Else the click would close the line that they are for, and they would be commands."""
    async with open_app(listing([pet(7, "Rex"), pet(8, "Mimi")])) as driver:
        await driver.press("/")
        driver.send(b"im\x1b[<0;20;4M\x1b[<0;20;4m")
        await driver.sees("1 of 2 loaded")
        assert "Rex" not in driver.text


async def test_a_click_whose_turn_comes_once_the_app_is_closing_is_dropped() -> None:
    async with open_app() as driver:
        queue = driver.app.key_queue
        queue.enqueue(a_key("q"))
        driver.send(b"\x1b[<0;20;6M")
        await driver.until(lambda: len(queue) == 1)
    assert not driver.app.screen_stack
    await driver.app.on_key_done(KeyDone(queue.number))
    assert len(queue) == 0


ESC, F1, F6, F7, F9 = b"\x1b", b"\x1bOP", b"\x1b[17~", b"\x1b[18~", b"\x1b[20~"
CTRL_C = b"\x03"
PLACES = {  # the packets that lead there from the list
    "list": (), "detail": (b"\r",), "form": (b"aRex",), "outbox": (b"o",), "help": (F1,),
    "palette": (b":",), "key prompt": (F7,), "quit box": (b"aRex\t3\r", ESC, b"q"),
}  # fmt: skip
# Keys that open, close, move, ask and stop.
SOME = [
    ("list", b"\r", ESC), ("list", b"a", b"x"), ("list", b":", b"\r"), ("list", b"r", ESC),
    ("list", ESC, b"2"), ("form", ESC, b"a"), ("key prompt", ESC, b":"), ("quit box", ESC, b"a"),
]  # fmt: skip
FURTHER = [
    *(
        ("list", first, second)
        for first, second in (
            (b"\r", b"y"), (b"o", ESC), (F1, b"q"), (b"j", b"\r"), (b"2", b"\r"), (b"\r", b"j"),
            (b"\r", F1), (b"\r", b":"), (b"a", ESC), (b"a", F9), (b"a", F1), (b"a", CTRL_C),
            (b"o", F1), (b":", ESC), (b":", CTRL_C), (F1, ESC), (F1, F1), (ESC, b"j"), (b"G", b"k"),
            (b"r", b"\r"), (b"2", b"1"), (b"+", b"-"), (CTRL_C, b"j"), (CTRL_C, CTRL_C),
            (F6, b"j"), (F7, b"j"), (b"y", b"Y"), (b"m", b"G"),
        )
    ),
    *product(PLACES, (ESC,), (b"2", b":", b"a")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "first", "second"),
    [*SOME, *exhaustive_rows(*(row for row in FURTHER if row not in SOME))],
)
async def test_two_keys_in_one_packet_end_where_they_end_one_by_one(
    place: str, first: bytes, second: bytes
) -> None:
    screens = []
    for packets in ([first + second], [first, second]):
        async with open_app(ScriptedService(), size=(80, 24), delay=3600) as driver:
            for packet in (*PLACES[place], *packets):
                driver.send(packet)
                await driver.settled()
                await driver.until(lambda driver=driver: is_still(driver))
            await driver.settled()
            assert driver.app.failure is None
            screens.append((type(driver.screen).__name__, without_times(driver.text)))
    assert screens[0] == screens[1]


def is_still(driver: Driver) -> bool:
    """Whether no request is out on any screen."""
    requests = (getattr(screen, "request", None) for screen in driver.app.screen_stack)
    return all(request is None or not request.is_running for request in requests)


def without_times(text: str) -> str:
    """Return the screen without times, which differ in each run."""
    return " ".join(word for word in text.split() if not word.isdigit() and word != "ms")


BACK, FORWARD, DELETE = b"\x1bb", b"\x1bf", b"\x1bd"  # Alt+B, Alt+F and Alt+D


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ([b"Rex the dog", BACK, BACK, b"+"], "Rex +the dog"),
        ([b"Rex the dog", b"\x01", FORWARD, FORWARD, b"+"], "Rex the+ dog"),
        ([b"Rex the dog", b"\x01", FORWARD, DELETE], "Rex dog"),
        (["Zoe\u0308 \u0928\u092e\u0938\u094d\u0924\u0947".encode(), BACK, b"+"], "Zoe\u0308 +\u0928\u092e\u0938\u094d\u0924\u0947"),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("together", [True, *exhaustive(False)])
async def test_alt_letters_move_by_words_and_delete_one(
    keys: list[bytes], text: str, together: bool
) -> None:
    async with open_app(ScriptedService([])) as driver:
        for packet in [b"".join([b"a", *keys])] if together else [b"a", *keys]:
            driver.send(packet)
            await driver.settled()
        assert driver.form_text() == text


async def test_what_alt_letters_are_is_decided_when_their_turn_has_come() -> None:
    """In one packet: a field is only opened by a key before, and the status is none."""
    async with open_app(ScriptedService([])) as driver:
        driver.send(b"aRex the" + BACK + b"\t\t" + DELETE + b"a\x1bOR")
        await driver.settled()
        assert driver.form_text() == "Rex the"
        assert type(driver.screen).__name__ == "PetCreateScreen"
        assert len(driver.app.screen_stack) == 2


async def test_every_other_letter_is_esc_and_then_that_key() -> None:
    async with open_app(ScriptedService([])) as driver:
        driver.send(b"aRex\x1bo")
        await driver.settled()
        assert type(driver.screen).__name__ == "OutboxScreen"


@pytest.mark.parametrize("key", [":", "?"])
async def test_signs_of_keys_are_text_in_a_field_and_keys_in_the_status(key: str) -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("a", key)
        assert driver.form_text() == key
        await driver.press("f1")
        assert f" {key} " not in driver.text.replace(f"▏{key} ", "")
        await driver.press("escape", "tab", "tab", key)
        assert type(driver.screen).__name__ in ("CommandScreen", "HelpScreen")


async def test_a_letter_of_another_script_acts_by_its_latin_key_outside_of_fields() -> None:
    async with open_app() as driver:
        driver.post(LayoutKey("о", "о", "j"))
        await driver.until(lambda: driver.screen.table.cursor == 1)
        driver.post(LayoutKey("ф", "ф", "a"))
        driver.post(LayoutKey("о", "о", "j"))
        await driver.sees("Add an animal")
        await driver.settled()
        assert driver.form_text() == "о"


async def test_a_letter_of_another_script_that_is_bound_is_itself() -> None:
    async with open_app(keys={"add": "о"}) as driver:
        driver.post(LayoutKey("о", "о", "j"))
        await driver.sees("Add an animal")
