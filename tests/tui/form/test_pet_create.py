"""The form: checked as it is typed, added by Enter, and nothing typed is lost."""

from __future__ import annotations

import socket
from itertools import pairwise
from unittest.mock import Mock, patch

import pytest

from pettui.client import PetClient
from pettui.models.pets import NewPet
from pettui.outbox.entries import OutboxError
from pettui.outbox.stores.memory import MemoryEntryStore
from tests.exhaustive import exhaustive
from tests.tui.driving import (
    KEY,
    QUICK_LIMITS,
    Case,
    Driver,
    case,
    on,
    open_app,
    sees,
    sees_no,
    table,
)
from tests.tui.form.steps import (
    REFUSED,
    answers,
    form_has,
    form_is_at,
    goes_on,
    holds,
    on_empty,
    on_slow,
    outbox_has,
    pastes,
    refuses,
    row_has,
    sent,
    spelt,
)
from tests.tui.scripted_service import UNAUTHORIZED, Response, ScriptedService, listing, pet

FULL = Mock(side_effect=OutboxError("no space left on device"))
REX = ("a", *"Rex", "tab", "3")
ON_LOAN = pet(3, "Rudi", -5, status="on loan")
SOLD = pet(2, "Mimi", 12, status="sold")


@pytest.fixture
def service() -> ScriptedService:
    """It has no animals."""
    return ScriptedService([])


def one_rex() -> ScriptedService:
    return ScriptedService([NewPet(name="Rex", category_id=3)])


def two_pets() -> ScriptedService:
    """Return a service with an animal of a status that the form knows, and one of another."""
    service = listing([SOLD, ON_LOAN])
    service.next("getPet", Response(body=SOLD), Response(body=ON_LOAN))
    return service


async def test_enter_adds_and_makes_room_for_the_next_of_the_same_kind(driver: Driver) -> None:
    await driver.press(*REX, "tab", "s", "enter", *"Mimi", "enter")
    await driver.until(lambda: len(driver.sent_names) == 2)
    kind = {"categoryId": 3, "status": "sold"}
    bodies = [asked.body for asked in driver.service.requests_for("createPet")]
    assert bodies == [{"name": "Rex", **kind}, {"name": "Mimi", **kind}]
    await driver.sees("✔ 2 Mimi", "✔ 1 Rex", "added this session: 2", "(•) ○ sold")
    assert driver.app.focused.id == "name"


@table(
    case("the status is chosen by arrows and first letters", on_empty(), "a", "tab", "tab",
         "right", sees("(•) ● available"), "right", "right", sees("(•) ○ sold"),
         "right", sees("(•) – not set"), "left", sees("(•) ○ sold"), "p", sees("(•) ◐ pending"),
         "n", sees("(•) – not set"), "a", sees("(•) ● available"), "s", sees("(•) ○ sold")),
    case("a question about the name goes there from the category", on_empty(),
         "a", "7", "tab", "6", "enter", sees("7 is a number, not a name; typing begins the next"),
         form_is_at("name"), *"Slick", form_has("Slick", "6"), "f3", "f3", "f3", form_has("7", "6")),
    case("F2 adds and opens the animal", on_empty(), *REX, "f2",
         sees("Id          1", "confirmed", "Rex"), "escape", sees("Add an animal")),
    case("F2 takes no key from the animal that is typed meanwhile", on_empty(), holds,
         *REX, "f2", *"Mi", goes_on, sees("✔ 1 Rex"), *"mi", "enter", sent("Rex", "Mimi")),
    case("up brings the names of this session until one is edited", on_empty(), *REX, "enter",
         *"Mimi", "enter", *"Rex", "enter", *"Tim", "enter", "up", form_has("Tim", "3"),
         "up", form_has("Rex", "3"), "up", form_has("Mimi", "3"), "up", form_has("Mimi", "3"),
         "down", form_has("Rex", "3"), "down", "down", form_has("", "3"),
         "up", "2", "up", form_has("Tim2", "3"), form_is_at("status")),
    case("a pasted name with a line end adds nothing by itself", on_empty(), "a", "tab", "3", "up",
         pastes("Rex\r\n"), form_has("Rex", "3"), outbox_has()),
    case("up in an empty name stays there, and shift+tab leaves it", on_empty(), "a", "up",
         form_is_at("name"), "shift+tab", form_is_at("status"),
         "tab", "down", form_is_at("category")),
    case("a category that is none is said, and not sent", on_empty(size=(80, 24)),
         "a", *"Rex", "tab", *"1.5", sees("✖ a whole number"),
         "shift+tab", "enter", form_is_at("category"), sees("Rex"), sent()),
    case("what is missing is said only once Enter was pressed", on_empty(),
         "a", "space", sees_no("required"),  # a name of blanks is none
         "enter", sees("✖ a name is required", "✖ category? ↵ adds then"),
         *"Rex", sees_no("a name is required"), "enter", form_is_at("category")),
    case("Enter goes to the category that is missing each time, and then adds", on_empty(),
         "a", *"Rex", "enter", form_is_at("category"), sees("category? ↵ adds then"),
         "enter", "3", "enter", "f4", *"Mimi", "enter", sees("category? ↵ adds then"),
         "3", "enter", outbox_has("Rex 3", "Mimi 3")),
    case("a name of digits is asked about, and the next scan is the next animal", on_empty(),
         *REX, "enter", *"4006381333931", "enter", "f10",
         sees("F10 adds it anyway: 4006381333931 is a number"), outbox_has("Rex"),
         "f10", outbox_has("Rex", "4006381333931"), *"12", "enter", *"34", form_has("34", "3"),
         "f3", "f3", "f3", form_has("12", "3")),
    case("a duplicate is pointed out and not refused", on(one_rex),
         "a", *"Rex", "tab", "4", sees_no("already"),
         "backspace", "3", sees("1 already has this name and category"), "enter", sent("Rex"),
         *"Rex ", sees("2 already has this name and category")),
    case("a twin that waits is pointed out with its state", on_slow(), *REX, "enter", *"Rex",
         sees("Rex 3 Dogs is waiting already"), "tab", "4", sees_no("already")),
    case("and one that is being sent", on_empty(), holds, *REX, "enter", *"Rex",
         sees("Rex 3 Dogs is being sent already")),
    case("but not one that was refused", on_empty(), refuses(), *REX, "enter",
         sees("Rex: no room"), *"Rex", sees_no("already")),
    case("blanks at the ends of a name are not sent", on_empty(),
         "a", *spelt(" The  dog "), "tab", "3", "enter", sent("The  dog")),
    case("a refused animal waits while the next one is typed", on_empty(), refuses(), holds,
         *REX, "enter", *"Mimi", goes_on, sees("400 invalid_value", "Rex: no room", "F5 Send again"),
         form_has("Mimi", "3"), "f5", sees("✔ 1 Rex"), "enter", sent("Rex", "Rex", "Mimi")),
    case("a needed key is shown once the refusal is dismissed", on_empty(), holds,
         answers(REFUSED, UNAUTHORIZED), *REX, "enter", *"Mimi", "enter", *"Tiny", goes_on,
         sees("Rex: no room", "401 unauthorized: Missing or invalid API key"),
         "escape", sees("✖ 401 unauthorized", "F7 Change API key"),
         "escape", sees_no("✖ 401"), form_has("Tiny", "3")),
    case("F8 is named beside the newest alone", on_slow(), *REX, "enter", *"Tim", "enter",
         row_has("◌ Tim", "not set  waiting · 60 min · F8 takes it back"),
         "f8", "f4", row_has("◌ Rex", "· F8 takes it back")),
    case("recent is scrolled by pages while a name is typed", on_slow(), "a", "tab", "3", "up",
         pastes("\n".join(f"Animal {number}" for number in range(40))), "enter", *"Re",
         sees("Animal 39"), *["pagedown"] * 20, sees("Animal 0 "),
         "pageup", "pagedown", "x", "enter", sees("◌ Rex")),
    case("category and status of an animal stand there as after an add", on(two_pets),
         "enter", "a", form_has("", "12", "sold"), row_has("Category", "kept"),
         row_has("Status", "kept"), "tab", "3", form_has("", "3", "sold")),
    case("a status that the form does not know is not set", on(two_pets),
         "enter", "j", sees("on loan"), "a", form_has("", "-5")),
    case("what was half typed waits for F3", on(two_pets, delay=3600),
         "a", *"Bel", "tab", "7", "escape", "enter", "a", form_has("", "12", "sold"),
         sees("Bel, half typed 12:01"), *"Tim", "enter", sees("12 is not a known category"),
         "f10", form_has("", "12", "sold"), "f3", form_has("Bel", "7")),
    case("a form that is open below an animal goes on", on_empty(), *REX, "tab", "p", "f2",
         sees("confirmed"), "a", *"Tim", form_has("Tim", "3", "pending"), "escape", sees("1 All")),
    case("q goes back", on(two_pets), "enter", sees("confirmed"), "q", sees("1 All"),
         "o", sees("Outbox"), "q", sees("1 All"), "R", sees("Receipt"), "q", sees("1 All")),
    case("the key for the full text goes with the text that was cut", on_empty(size=(80, 24)),
         "a", *"Rex", "tab", "z", "enter", sees("✖ a whole number, or 1 Cats", "F6 Full text"),
         "backspace", sees("✖ category? ↵ adds then"), sees_no("F6 Full text")),
    case("what may be typed stands in the empty fields", on_empty(size=(40, 12)), "a",
         row_has("Name", "a name, or paste several"), row_has("Category", "number or"),
         *"Rex", "tab", "d", sees_no("a name, or", "number or")),
)  # fmt: skip
async def test_the_form(case: Case) -> None:
    await case.run()


@pytest.mark.parametrize(
    ("keys", "status"),
    [
        ("available", "available"), ("pending", "pending"), ("sold", "sold"), ("Sold", "sold"),
        ("not set", ""), ("unset", ""), ("none", ""),
        ("soldpending", "pending"), ("pa", "available"), ("pes", "sold"), ("pxe", "pending"),
        ("so→n", ""), ("pe→n", ""), ("pe n", ""),
    ],
)  # fmt: skip
async def test_letters_that_follow_each_other_are_a_word_of_a_status(
    driver: Driver, keys: str, status: str
) -> None:
    await driver.press("a", "tab", "tab", "left", *spelt(keys))
    assert driver.screen.form.draft.status == status


@pytest.mark.parametrize(
    ("message", "fields"),
    [("name: too long", ["Name"]), ("status must be available", ["Status"]), ("Not today", [])],
)
async def test_a_400_is_shown_at_the_field_it_names(
    driver: Driver, message: str, fields: list[str]
) -> None:
    await refuses(message)(driver)
    await driver.press(*REX, "tab", "p", "enter")
    await driver.sees(f"✖ 400 invalid_value Rex: {message}", "F8 Correct")
    await driver.press("f8")
    above = [line for line, below in pairwise(driver.lines) if message in below and "│" in below]
    assert [line.split()[1] for line in above] == [*fields, "Recent"]


async def test_what_cannot_be_kept_is_not_taken_and_stays_in_the_form() -> None:
    store = MemoryEntryStore()
    with patch.multiple(store, add=FULL, keep_draft=FULL):
        async with open_app(ScriptedService([]), store=store) as driver:
            await driver.press(*REX, "enter")
            await driver.sees("✖ Not added", "no space left on device", "Rex")
            assert driver.sent_names == []


async def test_the_list_says_what_the_animals_that_were_typed_wait_for() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        nobody = PetClient(address, KEY, limits=QUICK_LIMITS)
        for client, said in ((None, "API key needed"), (nobody, "no service")):
            async with open_app(ScriptedService([]), client=client, size=(80, 24)) as driver:
                driver.service.always("createPet", UNAUTHORIZED)
                await driver.press(*REX, "enter")
                await driver.sees("– not set  waiting", "waiting, F5 tries now: ")
                await driver.press("escape", "escape")
                await driver.sees(f"1 unsent: {said}")


async def test_a_choice_of_the_status_can_be_clicked(driver: Driver) -> None:
    await driver.press("a")
    place = driver.line_with("( ) ◐ pending").index("◐") - 14
    await driver.pilot.click("StatusPicker", offset=(place, 0))
    await driver.until(lambda: "(•) ◐ pending" in driver.text)


async def test_a_choice_that_stands_alone_is_clicked_on_by_its_arrows() -> None:
    async with open_app(ScriptedService([]), size=(40, 16)) as driver:
        await driver.press("a")
        await driver.sees("▏◂ – not set ▸")
        for place, shown in ((15, "◂ ● available ▸"), (1, "◂ – not set ▸")):
            await driver.pilot.pause()  # until all is laid out: a click has a place
            await driver.pilot.click("StatusPicker", offset=(place, 0))
            await driver.sees(shown)


async def test_an_entry_is_counted_down_until_it_goes_out() -> None:
    def seconds() -> int:
        return driver.number(r"◌ Tiny  3 Dogs  – not set  waiting · (\d) s · F8")

    async with open_app(ScriptedService([]), delay=8) as driver:
        await driver.press("a", *"Tiny", "tab", "3", "enter")
        await driver.until(seconds)
        first = seconds()
        assert first <= 8
        await driver.until(lambda: 0 < seconds() < first)
        driver.app.session.outbox.hurry()
        await driver.sees("✔ 1 Tiny")
        assert "takes it back" not in driver.text


async def test_f6_shows_a_refusal_that_is_cut_once(service: ScriptedService) -> None:
    async with open_app(service, size=(100, 50)) as driver:
        await refuses("categoryId 99 does not exist, and here is why " * 20)(driver)
        await driver.press("a", *"Rex", "tab", *"99", "enter")
        await driver.press("f10")
        await driver.sees("F6 Full text")
        await driver.press("f6")
        box = driver.screen.box.region
        inside = [line[box.x : box.right] for line in driver.lines[box.y : box.bottom]]
        assert sum("Rex" in line for line in inside) == 1
        assert sum("400 invalid_value" in line for line in inside) == 1


@pytest.mark.parametrize("size", [(20, 6), *exhaustive((30, 8))], ids=str)
async def test_on_the_smallest_screen_what_is_typed_and_the_help_key_are_seen(
    size: tuple[int, int],
) -> None:
    async with open_app(size=size) as driver:
        await driver.press("a", *"Rex", "tab", *"dog")
        assert "Name ▏Rex" in driver.line_with("Name")
        assert "dog" in driver.line_with("Cat")
        await driver.press("tab", "a")
        assert "●" in driver.line_with("Stat")
        assert driver.lines[0].endswith("F1 ")
        await driver.press("f1")
        await driver.sees("Keys")
        await driver.press("escape", "f4")
        await pastes("Rex\nBim\n")(driver)
        await driver.press(*"1234")
        assert "Cat ▌1234" in driver.line_with("Cat")
