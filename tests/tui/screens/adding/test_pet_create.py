"""The form: checked as it is typed, added by Enter, and nothing typed is lost."""

from __future__ import annotations

import asyncio
import socket
from itertools import pairwise

import pytest

from pettui.client import PetClient
from pettui.models import NewPet
from pettui.outbox import Draft, MemoryEntryStore, OutboxError
from tests.tui.driving import KEY, QUICK_LIMITS, Driver, open_app
from tests.tui.scripted_service import UNAUTHORIZED, Response, ScriptedService, error, pet

REX = (*"Rex", "tab", "3")


def sent(driver: Driver) -> list[tuple[str, int, str | None]]:
    """Return what arrived at the service, in order."""
    bodies = [asked.body for asked in driver.service.requests_for("createPet")]
    return [(body["name"], body["categoryId"], body.get("status")) for body in bodies]


async def count(driver: Driver, adds: int) -> None:
    """Wait until so many adds arrived."""
    await driver.until(lambda: len(driver.service.requests_for("createPet")) == adds)


def empty() -> ScriptedService:
    """Return the real service, with no animals."""
    return ScriptedService([])


# Adding


async def test_enter_adds_and_makes_room_for_the_next_of_the_same_kind() -> None:
    """The name is cleared, category and status stay, the cursor is in Name."""
    async with open_app(empty()) as driver:
        await driver.press("a", *REX, "tab", "s", "enter", *"Mimi", "enter")
        await count(driver, 2)
        assert sent(driver) == [("Rex", 3, "sold"), ("Mimi", 3, "sold")]
        await driver.sees("✔ 2 Mimi", "✔ 1 Rex", "added this session: 2")
        assert "(•) ○ sold" in driver.text
        assert driver.app.focused.id == "name"


async def test_enter_adds_from_any_field() -> None:
    """Name, category and status."""
    async with open_app(empty()) as driver:
        await driver.press("a", "tab", "3", "shift+tab", "A", "enter")
        await driver.press("B", "tab", "enter", "C", "tab", "tab", "enter")
        await count(driver, 3)
        assert [name for name, _, _ in sent(driver)] == ["A", "B", "C"]


async def test_a_status_that_is_not_set_is_not_sent() -> None:
    """What the service makes of it is shown in the list."""
    async with open_app(empty()) as driver:
        await driver.press("a", *REX, "enter")
        await count(driver, 1)
        assert sent(driver) == [("Rex", 3, None)]
        await driver.sees("✔ 1 Rex")
        await driver.press("escape")
        await driver.sees("Rex", "– not set", "added this session: 1")


async def test_the_status_is_chosen_by_arrows_and_first_letters() -> None:
    """Round and round."""
    async with open_app(empty()) as driver:
        await driver.press("a", "tab", "tab")
        for keys, shown in (
            (["right"], "(•) ● available"), (["right", "right"], "(•) ○ sold"),
            (["right"], "(•) – not set"), (["left"], "(•) ○ sold"), (["p"], "(•) ◐ pending"),
            (["n"], "(•) – not set"), (["a"], "(•) ● available"), (["s"], "(•) ○ sold"),
        ):  # fmt: skip
            await driver.press(*keys)
            assert shown in driver.text


async def test_type_ahead_over_a_slow_service_loses_no_key_and_keeps_the_order() -> None:
    """Many animals in one go, while no answer comes."""
    names = [f"Animal{number}" for number in range(10)]
    async with open_app(empty()) as driver:
        gate = driver.service.hold("createPet")
        await driver.press("a", *REX, "enter")
        driver.type(*[key for name in names for key in (*name, "enter")])
        await driver.until(lambda: len(driver.app.session.outbox.entries) == 11)
        assert len(driver.service.requests_for("createPet")) == 1
        gate.set()
        await count(driver, 11)
        assert [name for name, _, _ in sent(driver)] == ["Rex", *names]


async def test_the_list_shows_an_animal_that_was_just_added() -> None:
    """Whenever its answer comes."""
    async with open_app(empty()) as driver:
        gate = driver.service.hold("createPet")
        await driver.press("a", *REX, "enter", "escape")
        await driver.sees("1 on the way")
        gate.set()
        await driver.sees("1  Rex", "added this session: 1")


async def test_f2_adds_and_opens_the_animal() -> None:
    """As soon as it has an id."""
    async with open_app(empty()) as driver:
        await driver.press("a", *REX, "f2")
        await driver.sees("Id        1", "confirmed", "Rex")
        await driver.press("escape")
        await driver.sees("Add an animal")


async def test_f2_takes_no_key_from_the_animal_that_is_typed_meanwhile() -> None:
    """The form stays while something stands in it."""
    async with open_app(empty()) as driver:
        gate = driver.service.hold("createPet")
        await driver.press("a", *REX, "f2", *"Mi")
        gate.set()
        await driver.sees("✔ 1 Rex")
        await driver.press(*"mi", "enter")
        await count(driver, 2)
        assert sent(driver)[1][0] == "Mimi"


async def test_keys_typed_right_before_the_end_are_in_the_draft() -> None:
    """Ctrl+q in the same go, with help over the form or without."""
    for last in (["ctrl+q"], ["f1", "ctrl+q"]):
        store = MemoryEntryStore()
        async with open_app(empty(), store=store) as driver:
            driver.type("a", *"Rex", "tab", *"12", *last)
            await driver.until(lambda driver=driver: not driver.app.is_running)
        assert store.take_over_draft() == Draft("Rex", "12")


# Checked as it is typed


async def test_a_category_that_is_none_is_said_under_its_field_and_not_sent() -> None:
    """While it is typed; Enter goes to the field, and what was typed stays."""
    async with open_app(empty(), size=(80, 24)) as driver:
        await driver.press("a", *"Rex", "tab", *"1.5")
        place = next(i for i, line in enumerate(driver.lines) if "Category" in line)
        assert "a whole number" in driver.lines[place + 1]
        await driver.press("shift+tab", "enter")
        assert driver.app.focused.id == "category"
        assert "Rex" in driver.text
        assert driver.service.requests_for("createPet") == []


async def test_what_is_missing_is_said_only_once_enter_was_pressed() -> None:
    """First at the name, then at the category."""
    async with open_app(empty()) as driver:
        await driver.press("a")
        assert "required" not in driver.text
        await driver.press("enter")
        assert "✖ a name is required" in driver.text
        assert "✖ a category is required" in driver.text
        await driver.press(*"Rex")
        assert "a name is required" not in driver.text
        await driver.press("enter")
        assert driver.app.focused.id == "category"


async def test_a_name_of_blanks_is_none() -> None:
    """This form's rule."""
    async with open_app(empty()) as driver:
        await driver.press("a", "tab", "3", "shift+tab", "space", "enter")
        assert "a name is required" in driver.text
        assert driver.service.requests_for("createPet") == []


async def test_a_duplicate_is_pointed_out_and_not_refused() -> None:
    """A loaded animal already has this name and category."""
    async with open_app(ScriptedService([NewPet(name="Rex", category_id=3)])) as driver:
        await driver.press("a", *"Rex", "tab", *"4")
        assert "already" not in driver.text
        await driver.press("backspace", "3")
        assert "1 already has this name and category" in driver.text
        await driver.press("enter")
        await count(driver, 1)
        await driver.press(*"Rex")
        await driver.sees("2 already has this name and category")


async def test_a_paste_is_kept_exactly_and_drawn_harmlessly() -> None:
    """Escapes, markup and bidi overrides are in the value, and not on the screen."""
    name = "[red]R\x1b[31me\u202ex\x9b"
    async with open_app(empty()) as driver:
        await driver.press("a", "tab", "3", "shift+tab")
        driver.paste(name)
        await driver.press("enter")
        await count(driver, 1)
        assert sent(driver)[0][0] == name
        assert not set(driver.text) & set("\x1b\u202e\x9b")


async def test_what_is_wrong_with_a_category_stands_there_whole_in_a_small_terminal() -> None:
    """Its useful part first, and nothing of it cut."""
    async with open_app(empty(), size=(40, 12)) as driver:
        await driver.press("a")
        for keys, said in (
            ("x", "✖ a whole number, or "),
            ("9" * 19, "✖ this number is too large"),
            ("", "✖ a category is required"),
        ):
            await driver.press("f4", "tab", *keys, "enter")
            assert said in driver.text


# What the service refuses


@pytest.mark.parametrize(
    ("message", "field"),
    [("name: too long", "Name"), ("status must be available", "Status"), ("Not today", None)],
)
async def test_a_400_that_names_a_field_is_shown_there_and_others_in_the_banner(
    message: str, field: str | None
) -> None:
    """Word for word, also for a status that was just chosen."""
    async with open_app(empty()) as driver:
        driver.service.next("createPet", error(400, "invalid_value", message))
        await driver.press("a", *REX, "tab", "p", "enter")
        await driver.sees(f"✖ 400 invalid_value {message}", "tab Correct")
        said_at = [
            label
            for label in ("Name", "Category", "Status")
            for line, below in pairwise(driver.lines)
            if f"│ {label} " in line and message in below
        ]
        assert said_at == ([field] if field else [])


async def test_a_refused_animal_waits_while_the_next_one_is_typed() -> None:
    """A banner shows it; F5 sends it again, and the one being typed is untouched."""
    async with open_app(empty()) as driver:
        gate = asyncio.Event()
        refusal = error(400, "invalid_value", "no room", gate=gate)
        driver.service.next("createPet", refusal)
        await driver.press("a", *REX, "enter", *"Mimi")
        gate.set()
        await driver.sees("400 invalid_value", "Rex: no room", "F5 Send again")
        assert "Mimi" in driver.text
        await driver.press("f5")
        await driver.sees("✔ 1 Rex")
        await driver.press("enter")
        await count(driver, 3)
        assert [name for name, _, _ in sent(driver)] == ["Rex", "Rex", "Mimi"]


async def test_a_refusal_is_shown_after_another_screen_was_on_top_of_the_form() -> None:
    """Help, say."""
    async with open_app(empty()) as driver:
        gate = asyncio.Event()
        driver.service.next("createPet", error(400, "invalid_value", "no room", gate=gate))
        await driver.press("a", *REX, "enter", "f1")
        gate.set()
        outbox = driver.app.session.outbox
        await driver.until(lambda: not outbox.entries or outbox.entries[0].error)
        await driver.press("escape")
        await driver.sees("400 invalid_value", "no room")


async def test_what_cannot_be_kept_is_not_taken_and_stays_in_the_form() -> None:
    """A full disk is said before the entry is taken."""

    class FullDisk(MemoryEntryStore):
        def add(self, *_: object, **__: object) -> None:
            raise OutboxError("cannot write to /state: no space left on device")

        keep_draft = add

    async with open_app(empty(), store=FullDisk()) as driver:
        await driver.press("a", *REX, "enter")
        await driver.sees("✖ Not added", "no space left on device", "Rex")
        assert driver.service.requests_for("createPet") == []


async def test_a_401_offers_another_key_and_then_sends_what_waits() -> None:
    """In the form itself; what is typed stays."""
    async with open_app(empty()) as driver:
        driver.service.next("createPet", UNAUTHORIZED)
        await driver.press("a", *REX, "enter", *"Mi")
        await driver.sees("401", "F7 Change API key", "waiting")
        await driver.press("f7", *"key-of-the-tests", "enter")
        await driver.sees("✔ 1 Rex")
        await driver.press(*"mi", "enter")
        await driver.sees("✔ 2 Mimi")


async def test_the_list_says_what_the_animals_that_were_typed_wait_for() -> None:
    """A key, or the service."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = PetClient(
            f"http://127.0.0.1:{taken.getsockname()[1]}/v1", KEY, limits=QUICK_LIMITS
        )
        for client, said in (
            (None, "API key needed"),
            (nobody, "no service"),
        ):
            async with open_app(empty(), client=client, size=(80, 24)) as driver:
                driver.service.always("createPet", UNAUTHORIZED)
                await driver.press("a", *REX, "enter")
                await driver.sees("– not set  waiting", "waiting, F5 tries now: ")
                await driver.press("escape", "escape")
                await driver.sees(f"1 unsent: {said}")


async def test_a_needed_key_is_shown_once_the_refusal_before_it_is_dismissed() -> None:
    """One banner at a time; Esc then shows the next."""
    async with open_app(empty()) as driver:
        gate = asyncio.Event()
        driver.service.next(
            "createPet", error(400, "invalid_value", "no room", gate=gate), UNAUTHORIZED
        )
        await driver.press("a", *REX, "enter", *"Mimi", "enter", *"Tiny")
        gate.set()
        await driver.sees("Rex: no room", "401 unauthorized: Missing or invalid API key")
        await driver.press("escape")
        await driver.sees("✖ 401 unauthorized", "F7 Change API key")
        await driver.press("escape")
        assert "✖ 401" not in driver.text
        assert driver.form_text() == "Tiny"


async def test_a_notice_on_the_answer_of_an_add_stands_in_the_form() -> None:
    """Any operation's notice stands on its screen."""
    headers = (("deprecation", "@1764892800"), ("sunset", "Fri, 01 Jan 2027 00:00:00 GMT"))
    async with open_app(empty()) as driver:
        driver.service.next("createPet", Response(201, pet(7), headers))
        await driver.press("a", *REX, "enter")
        await driver.sees("✔ 7 Rex", "createPet is deprecated. It goes away on 1 January 2027")


# Taking back


async def test_f8_takes_the_last_entry_back_before_it_goes_out() -> None:
    """Into the form, with all its values."""
    async with open_app(empty(), delay=3600) as driver:
        await driver.press("a", *REX, "tab", "s", "enter")
        await driver.sees("○ sold waiting", "F8 Take back")
        await driver.press("tab", "backspace", "8", "f8")
        assert "(•) ○ sold" in driver.text
        assert driver.app.session.outbox.entries == ()
        assert "F8" not in driver.lines[-1]
        assert driver.service.requests_for("createPet") == []


async def test_quitting_leaves_what_waits_for_the_next_start() -> None:
    """And then it goes out."""
    store = MemoryEntryStore()
    async with open_app(empty(), store=store, delay=3600) as driver:
        await driver.press("a", *REX, "enter", "escape", "q", "q")
        await driver.until(lambda: not driver.app.is_running)
        assert driver.app.failure is None
    assert [entry.name for entry in store.load().entries] == ["Rex"]
    async with open_app(empty(), store=store, delay=0) as driver:
        await count(driver, 1)


async def test_an_entry_of_the_outbox_is_edited_in_the_form() -> None:
    """F9, Enter: its values stand in the form, and its banner is closed."""
    async with open_app(empty()) as driver:
        gate = asyncio.Event()
        driver.service.next("createPet", error(400, "invalid_value", "no room", gate=gate))
        await driver.press("a", *REX, "tab", "s", "enter", *"Mimi")
        gate.set()
        await driver.sees("Rex: no room", "F9 Edit")
        await driver.press("f4", "f9", "enter")
        await driver.sees("Add an animal")
        assert driver.form_text() == "Rex"
        assert "(•) ○ sold" in driver.text
        assert "no room" not in driver.text


async def test_a_choice_of_the_status_can_be_clicked() -> None:
    """Each where it stands."""
    async with open_app(empty()) as driver:
        await driver.press("a")
        place = driver.line_with("( ) ◐ pending").index("◐") - 14
        await driver.pilot.click("StatusPicker", offset=(place, 0))
        await driver.until(lambda: "(•) ◐ pending" in driver.text)


async def test_a_choice_that_stands_alone_is_clicked_on_by_its_arrows() -> None:
    """In a small terminal."""
    async with open_app(empty(), size=(40, 16)) as driver:
        await driver.press("a")
        await driver.until(lambda: "▏◂ – not set ▸" in driver.text)
        await driver.pilot.pause()  # until all is laid out: a click has a place
        await driver.pilot.click("StatusPicker", offset=(15, 0))
        await driver.until(lambda: "◂ ● available ▸" in driver.text)
        await driver.pilot.pause()
        await driver.pilot.click("StatusPicker", offset=(1, 0))
        await driver.until(lambda: "◂ – not set ▸" in driver.text)
