"""The form: checked as it is typed, added by Enter, and nothing typed is lost."""

from __future__ import annotations

import asyncio
import socket
from itertools import pairwise
from unittest.mock import Mock, patch

import pytest

from pettui.client import PetClient
from pettui.models.pets import NewPet
from pettui.outbox import Draft, MemoryEntryStore, OutboxError
from tests.exhaustive import exhaustive
from tests.tui.driving import KEY, QUICK_LIMITS, Driver, open_app, resized
from tests.tui.form.test_category_list import added
from tests.tui.scripted_service import UNAUTHORIZED, Response, ScriptedService, error, listing, pet

FULL = Mock(side_effect=OutboxError("no space left on device"))
REX = (*"Rex", "tab", "3")
ON_LOAN = pet(3, "Rudi", -5, status="on loan")
SOLD = pet(2, "Mimi", 12, status="sold")


@pytest.fixture
def service() -> ScriptedService:
    """It has no animals."""
    return ScriptedService([])


# Adding


async def test_enter_adds_and_makes_room_for_the_next_of_the_same_kind(driver: Driver) -> None:
    await driver.press("a", *REX, "tab", "s", "enter", *"Mimi", "enter")
    await driver.until(lambda: len(driver.sent_names) == 2)
    kind = {"categoryId": 3, "status": "sold"}
    bodies = [asked.body for asked in driver.service.requests_for("createPet")]
    assert bodies == [{"name": "Rex", **kind}, {"name": "Mimi", **kind}]
    await driver.sees("✔ 2 Mimi", "✔ 1 Rex", "added this session: 2")
    assert "(•) ○ sold" in driver.text
    assert driver.app.focused.id == "name"


async def test_the_status_is_chosen_by_arrows_and_first_letters(driver: Driver) -> None:
    await driver.press("a", "tab", "tab")
    for keys, shown in (
        (["right"], "(•) ● available"), (["right", "right"], "(•) ○ sold"),
        (["right"], "(•) – not set"), (["left"], "(•) ○ sold"), (["p"], "(•) ◐ pending"),
        (["n"], "(•) – not set"), (["a"], "(•) ● available"), (["s"], "(•) ○ sold"),
    ):  # fmt: skip
        await driver.press(*keys)
        assert shown in driver.text


@pytest.mark.parametrize(
    ("keys", "status"),
    [
        ("available", "available"), ("pending", "pending"), ("sold", "sold"), ("Sold", "sold"),
        ("not set", ""), ("unset", ""), ("none", ""),
        ("soldpending", "pending"), ("pa", "available"), ("pes", "pending"), ("pxe", "pending"),
        ("so→n", ""), ("pe→n", ""), ("pe n", ""),
    ],
)  # fmt: skip
async def test_letters_that_follow_each_other_are_a_word_of_a_status(
    driver: Driver, keys: str, status: str
) -> None:
    await driver.press("a", "tab", "tab", "left")
    names = {" ": "space", "→": "right"}
    await driver.press(*(names.get(key, key) for key in keys))
    assert driver.screen.form.draft.status == status


async def test_a_plain_paste_of_a_row_adds_its_status(driver: Driver) -> None:
    driver.send(b"aDue\t3\tpending\rSpot\t\tsold\tx\r")
    await driver.until(lambda: len(driver.sent_names) == 2)
    bodies = [asked.body for asked in driver.service.requests_for("createPet")]
    assert [(body["name"], body["status"]) for body in bodies] == [
        ("Due", "pending"), ("Spotx", "sold"),
    ]  # fmt: skip


@pytest.mark.parametrize("fields", [1, 2])
async def test_what_is_typed_after_a_question_about_the_name_begins_the_next_from_any_field(
    driver: Driver, fields: int
) -> None:
    await driver.press("a", "7", "tab", "6", *["tab"] * (fields - 1), "enter")
    await driver.sees("7 is a number, not a name; typing begins the next")
    assert driver.app.focused.id == "name"
    await driver.press(*"Slick")
    assert driver.screen.form.draft == Draft("Slick", "6")
    assert [draft.name for draft in driver.app.session.outbox.drafts.put_aside] == ["7"]


async def test_f2_adds_and_opens_the_animal(driver: Driver) -> None:
    await driver.press("a", *REX, "f2")
    await driver.sees("Id          1", "confirmed", "Rex")
    await driver.press("escape")
    await driver.sees("Add an animal")


async def test_f2_takes_no_key_from_the_animal_that_is_typed_meanwhile(driver: Driver) -> None:
    gate = driver.service.hold("createPet")
    await driver.press("a", *REX, "f2", *"Mi")
    gate.set()
    await driver.sees("✔ 1 Rex")
    await driver.press(*"mi", "enter")
    await driver.until(lambda: len(driver.sent_names) == 2)
    assert driver.sent_names[1] == "Mimi"


async def test_up_brings_the_names_of_this_session_until_one_is_edited(driver: Driver) -> None:
    await driver.press("a", *REX, "enter", *"Mimi", "enter", *"Rex", "enter", *"Tim", "enter")
    for key, name in (
        ("up", "Tim"),
        ("up", "Rex"),
        ("up", "Mimi"),
        ("up", "Mimi"),
        ("down", "Rex"),
    ):
        await driver.press(key)
        assert driver.form_text() == name
    await driver.press("down", "down")
    assert driver.form_text() == ""
    await driver.press("up", "2", "up")
    assert driver.form_text() == "Tim2"
    assert driver.app.focused.id == "status"


async def test_a_cursor_that_moves_in_a_name_that_up_brought_edits_nothing(driver: Driver) -> None:
    await driver.press("a", *REX, "enter", *"Mimi", "enter", "up", "left", "home", "up")
    assert driver.form_text() == "Rex"
    await driver.press("down", "down")
    assert driver.form_text() == ""


async def test_a_pasted_name_with_a_line_end_adds_nothing_by_itself(driver: Driver) -> None:
    await driver.press("a", "tab", "3", "up")
    driver.paste("Rex\r\n")
    await driver.settled()
    assert (driver.form_text(), driver.entries) == ("Rex", ())


async def test_up_in_an_empty_name_stays_there_and_shift_tab_leaves_it(driver: Driver) -> None:
    await driver.press("a", "up")
    assert driver.app.focused.id == "name"
    await driver.press("shift+tab")
    assert driver.app.focused.id == "status"
    await driver.press("tab", "down")
    assert driver.app.focused.id == "category"


# Checked as it is typed


async def test_a_category_that_is_none_is_said_under_its_field_and_not_sent() -> None:
    async with open_app(ScriptedService([]), size=(80, 24)) as driver:
        await driver.press("a", *"Rex", "tab", *"1.5")
        place = next(i for i, line in enumerate(driver.lines) if "Category" in line)
        assert "a whole number" in driver.lines[place + 1]
        await driver.press("shift+tab", "enter")
        assert driver.app.focused.id == "category"
        assert "Rex" in driver.text
        assert driver.sent_names == []


async def test_what_is_missing_is_said_only_once_enter_was_pressed(driver: Driver) -> None:
    await driver.press("a", "space")  # a name of blanks is none
    assert "required" not in driver.text
    await driver.press("enter")
    assert "✖ a name is required" in driver.text
    assert "✖ category? ↵ adds then" in driver.text
    await driver.press(*"Rex")
    assert "a name is required" not in driver.text
    await driver.press("enter")
    assert driver.app.focused.id == "category"


async def test_enter_goes_to_the_category_that_is_missing_says_so_each_time_and_then_adds(
    driver: Driver,
) -> None:
    await driver.press("a")
    for name in ("Rex", "Mimi"):
        await driver.press(*name, "enter")
        assert driver.app.focused.id == "category"
        assert "category? ↵ adds then" in driver.text
        await driver.press("enter", "3", "enter", "f4")
    assert [entry.name for entry in driver.entries] == ["Rex", "Mimi"]


async def test_a_name_of_digits_is_asked_about_and_the_next_scan_is_the_next_animal(
    driver: Driver,
) -> None:
    await driver.press("a", *"Rex", "tab", "3", "enter", *"4006381333931", "enter", "f10")
    assert "F10 adds it anyway: 4006381333931 is a number" in driver.line_with("F10 adds")
    assert [entry.name for entry in driver.entries] == ["Rex"]
    await driver.press("f10")
    assert [entry.name for entry in driver.entries] == ["Rex", "4006381333931"]
    await driver.press(*"12", "enter", *"34")
    assert driver.form_text() == "34"
    assert len(driver.entries) == 2
    await driver.press("f3", "f3", "f3")
    assert driver.form_text() == "12"


async def test_a_duplicate_is_pointed_out_and_not_refused() -> None:
    async with open_app(ScriptedService([NewPet(name="Rex", category_id=3)])) as driver:
        await driver.press("a", *"Rex", "tab", *"4")
        assert "already" not in driver.text
        await driver.press("backspace", "3")
        assert "1 already has this name and category" in driver.text
        await driver.press("enter")
        await driver.until(lambda: len(driver.sent_names) == 1)
        await driver.press(*"Rex ")
        await driver.sees("2 already has this name and category")


async def test_blanks_at_the_ends_of_a_name_are_not_sent(driver: Driver) -> None:
    await driver.press("a", "space", *"The  dog", "space", "tab", "3", "enter")
    await driver.until(lambda: driver.sent_names == ["The  dog"])


async def test_a_letter_that_leaves_the_duplicate_draws_nothing_around_the_form_anew() -> None:
    async with open_app(ScriptedService([NewPet(name="Rex", category_id=3)])) as driver:
        await driver.press("a", *"Rex", "tab", "3", "home", "0")
        await driver.sees("1 already has this name and category")
        with patch.object(driver.screen, "draw") as draw:
            await driver.press("0")
            assert "003" in driver.line_with("Category")
        assert draw.call_count == 0
        await driver.sees("1 already has this name and category")


# What the service refuses


@pytest.mark.parametrize(
    ("message", "fields"),
    [("name: too long", ["Name"]), ("status must be available", ["Status"]), ("Not today", [])],
)
async def test_a_400_is_shown_at_the_field_it_names(
    driver: Driver, message: str, fields: list[str]
) -> None:
    driver.service.next("createPet", error(400, "invalid_value", message))
    await driver.press("a", *REX, "tab", "p", "enter")
    await driver.sees(f"✖ 400 invalid_value Rex: {message}", "F8 Correct")
    await driver.press("f8")
    above = [line for line, below in pairwise(driver.lines) if message in below and "│" in below]
    assert [line.split()[1] for line in above] == [*fields, "Recent"]


async def test_a_refused_animal_waits_while_the_next_one_is_typed(driver: Driver) -> None:
    gate = asyncio.Event()
    driver.service.next("createPet", error(400, "invalid_value", "no room", gate=gate))
    await driver.press("a", *REX, "enter", *"Mimi")
    gate.set()
    await driver.sees("400 invalid_value", "Rex: no room", "F5 Send again")
    assert "Mimi" in driver.text
    await driver.press("f5")
    await driver.sees("✔ 1 Rex")
    await driver.press("enter")
    await driver.until(lambda: len(driver.sent_names) == 3)
    assert driver.sent_names == ["Rex", "Rex", "Mimi"]


async def test_a_refusal_is_shown_after_another_screen_was_on_top(driver: Driver) -> None:
    gate = asyncio.Event()
    driver.service.next("createPet", error(400, "invalid_value", "no room", gate=gate))
    await driver.press("a", *REX, "enter", "f1")
    gate.set()
    outbox = driver.app.session.outbox
    await driver.until(lambda: not outbox.entries or outbox.entries[0].error)
    await driver.press("escape")
    await driver.sees("400 invalid_value", "no room")


async def test_what_cannot_be_kept_is_not_taken_and_stays_in_the_form() -> None:
    store = MemoryEntryStore()
    with patch.multiple(store, add=FULL, keep_draft=FULL):
        async with open_app(ScriptedService([]), store=store) as driver:
            await driver.press("a", *REX, "enter")
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
                await driver.press("a", *REX, "enter")
                await driver.sees("– not set  waiting", "waiting, F5 tries now: ")
                await driver.press("escape", "escape")
                await driver.sees(f"1 unsent: {said}")


async def test_a_needed_key_is_shown_once_the_refusal_is_dismissed(driver: Driver) -> None:
    gate = asyncio.Event()
    refusal = error(400, "invalid_value", "no room", gate=gate)
    driver.service.next("createPet", refusal, UNAUTHORIZED)
    await driver.press("a", *REX, "enter", *"Mimi", "enter", *"Tiny")
    gate.set()
    await driver.sees("Rex: no room", "401 unauthorized: Missing or invalid API key")
    await driver.press("escape")
    await driver.sees("✖ 401 unauthorized", "F7 Change API key")
    await driver.press("escape")
    assert "✖ 401" not in driver.text
    assert driver.form_text() == "Tiny"


# Taking back


async def test_an_entry_of_the_outbox_is_edited_in_the_form(driver: Driver) -> None:
    gate = asyncio.Event()
    driver.service.next("createPet", error(400, "invalid_value", "no room", gate=gate))
    await driver.press("a", *REX, "tab", "s", "enter", *"Mimi")
    gate.set()
    await driver.sees("Rex: no room", "F8 Correct")
    await driver.press("f4", "f9", "enter")
    await driver.sees("Add an animal")
    assert driver.form_text() == "Rex"
    assert "(•) ○ sold" in driver.text


async def test_a_choice_of_the_status_can_be_clicked(driver: Driver) -> None:
    await driver.press("a")
    place = driver.line_with("( ) ◐ pending").index("◐") - 14
    await driver.pilot.click("StatusPicker", offset=(place, 0))
    await driver.until(lambda: "(•) ◐ pending" in driver.text)


async def test_a_choice_that_stands_alone_is_clicked_on_by_its_arrows() -> None:
    async with open_app(ScriptedService([]), size=(40, 16)) as driver:
        await driver.press("a")
        await driver.until(lambda: "▏◂ – not set ▸" in driver.text)
        await driver.pilot.pause()  # until all is laid out: a click has a place
        await driver.pilot.click("StatusPicker", offset=(15, 0))
        await driver.until(lambda: "◂ ● available ▸" in driver.text)
        await driver.pilot.pause()
        await driver.pilot.click("StatusPicker", offset=(1, 0))
        await driver.until(lambda: "◂ – not set ▸" in driver.text)


async def test_an_entry_is_counted_down_until_it_goes_out() -> None:
    def seconds() -> int:
        return driver.number(r"◌ Tiny  3 Dogs  – not set  waiting · (\d) s · F8")

    async with open_app(ScriptedService([]), delay=8) as driver:
        await driver.press("a", *"Tiny", "tab", "3", "enter")
        await driver.until(seconds)
        first = seconds()
        assert first <= 8
        await driver.until(lambda: 0 < seconds() < first)
        await driver.sees("✔ 1 Tiny")
        assert "takes it back" not in driver.text


async def test_f8_is_named_beside_the_newest_alone() -> None:
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press("a", *"Tiny", "tab", "3", "enter", *"Rex", "enter")
        assert "not set  waiting · 60 min · F8 takes it back" in driver.line_with("◌ Rex ")
        assert "F8" not in driver.line_with("◌ Tiny ")
        await driver.press("f8", "f4")
        assert "· F8 takes it back" in driver.line_with("◌ Tiny ")


async def test_recent_is_scrolled_by_pages_while_a_name_is_typed() -> None:
    async with open_app(ScriptedService([]), delay=3600, size=(120, 30)) as driver:
        await driver.press("a", "tab", "3", "up")
        driver.paste("\n".join(f"Animal {number}" for number in range(40)))
        await driver.press("enter", *"Re")
        assert "Animal 39" in driver.text
        await driver.press(*["pagedown"] * 20)
        await driver.sees("Animal 0 ")
        await driver.press("pageup", "pagedown", "x", "enter")
        await driver.sees("◌ Rex")
        assert [entry.name for entry in driver.entries[-1:]] == ["Rex"]


def two_pets() -> ScriptedService:
    """Return a service with an animal of a status that the form knows, and one of another."""
    service = listing([SOLD, ON_LOAN])
    service.next("getPet", Response(body=SOLD))
    return service


async def test_category_and_status_stand_there_as_after_an_add() -> None:
    async with open_app(two_pets()) as driver:
        await driver.press("enter", "a")
        assert driver.screen.form.draft == Draft("", "12", "sold")
        assert driver.text.count("kept") == 2
        await driver.press("tab", "3")
        assert driver.screen.form.draft == Draft("", "3", "sold")


async def test_a_status_that_the_form_does_not_know_is_not_set() -> None:
    async with open_app(two_pets()) as driver:
        driver.service.always("getPet", Response(body=ON_LOAN))
        await driver.press("j", "enter", "a")
        assert driver.screen.form.draft == Draft("", "-5", "")


async def test_what_was_half_typed_waits_for_f3() -> None:
    async with open_app(two_pets(), delay=3600) as driver:
        await driver.press("a", *"Bel", "tab", "7", "escape", "enter", "a")
        assert driver.screen.form.draft == Draft("", "12", "sold")
        assert "Bel, half typed 12:01" in driver.text
        await driver.press(*"Tim", "enter")
        await driver.press("f10")  # 12 has no name
        assert driver.screen.form.draft == Draft("", "12", "sold")
        await driver.press("f3")
        assert driver.screen.form.draft == Draft("Bel", "7")


@pytest.mark.parametrize("between", [(), ("f9",)], ids=["F2", "outbox"])
async def test_a_form_that_is_open_below_goes_on(driver: Driver, between: tuple[str, ...]) -> None:
    await driver.press("a", *"Rex", "tab", "3", "tab", "p", *(["enter"] if between else ["f2"]))
    await driver.until(lambda: driver.entries[0].pet_id)
    await driver.press(*between, *(["enter"] if between else []))
    await driver.sees("confirmed")
    await driver.press("a", *"Tim")
    assert driver.screen.form.draft == Draft("Tim", "3", "pending")
    assert len(driver.app.screen_stack) == 2
    await driver.press("escape")
    await driver.sees("1 All")


async def test_a_full_disk_leaves_no_draft_in_the_form_that_opens() -> None:
    """It is in memory then, and the app says so before it quits."""
    store = MemoryEntryStore()
    with patch.object(store, "keep_draft", FULL):
        async with open_app(two_pets(), store=store) as driver:
            await driver.press("a", *"Rex")
            await driver.sees("Draft not saved")
            await driver.press("escape", "escape", "a")
            assert driver.form_text() == ""
            await driver.press("f3")
            assert driver.form_text() == "Rex"
            await driver.press("escape", "escape", "q")
            await driver.sees("A draft could not be saved", "Quitting loses it: Rex")


@pytest.mark.parametrize(
    ("keys", "title"),
    [(("enter",), "confirmed"), (("o",), "Outbox"), (("R",), "Receipt")],
    ids=["detail", "outbox", "receipt"],
)
async def test_q_goes_back_where_esc_does(keys: tuple[str, ...], title: str) -> None:
    async with open_app(two_pets()) as driver:
        await driver.press(*keys)
        await driver.sees(title)
        await driver.press("q")
        await driver.sees("1 All", "q Quit")


async def test_f6_shows_a_refusal_that_is_cut_once(service: ScriptedService) -> None:
    reason = "categoryId 99 does not exist, and here is why " * 20
    async with open_app(service, size=(100, 50)) as driver:
        service.next("createPet", error(400, "invalid_value", reason))
        await driver.press("a", *"Rex", "tab", *"99", "enter")
        await driver.press("f10")
        await driver.sees("F6 Full text")
        await driver.press("f6")
        box = driver.screen.box.region
        inside = [line[box.x : box.right] for line in driver.lines[box.y : box.bottom]]
        assert sum("Rex" in line for line in inside) == 1
        assert sum("400 invalid_value" in line for line in inside) == 1


async def test_on_the_smallest_screen_what_is_typed_and_the_help_key_are_seen() -> None:
    async with open_app(size=(20, 6)) as driver:
        await driver.press("a", *"Rex", "tab", *"dog")
        assert "Name ▏Rex" in driver.line_with("Name")
        assert "dog" in driver.line_with("Cat")
        await driver.press("tab", "a")
        assert "●" in driver.line_with("Stat")
        assert driver.lines[0].endswith("F1 ")
        await driver.press("f1")
        await driver.sees("Keys")
        await driver.press("escape", "f4")
        driver.paste("Rex\nBim\n")
        await driver.settled()
        await driver.press(*"1234")
        assert "Cat ▌1234" in driver.line_with("Cat")


async def test_the_key_for_the_full_text_goes_with_the_text_that_was_cut() -> None:
    async with open_app(size=(80, 24)) as driver:
        await driver.press("a", *"Rex", "tab", "z", "enter")
        await driver.sees("✖ a whole number, or 1 Cats", "F6 Full text")
        await driver.press("backspace")
        await driver.sees("✖ category? ↵ adds then")
        await driver.sees_no("F6 Full text")


async def test_a_smaller_terminal_shows_the_key_for_the_text_that_it_cuts() -> None:
    async with open_app(size=(120, 30)) as driver:
        await driver.press("a", *"Rex", "enter")
        await driver.sees("✖ category? ↵ adds then")
        await resized(driver, (20, 6))
        await driver.sees("✖ category…", "F6 Full text")


@pytest.mark.parametrize("size", [(40, 12), *exhaustive((120, 30), (80, 24))], ids=str)
async def test_what_may_be_typed_stands_in_the_empty_fields(size: tuple[int, int]) -> None:
    async with open_app(ScriptedService([]), size=size) as driver:
        await driver.press("a")
        assert "a name, or paste several" in driver.line_with("Name")
        assert "number or" in driver.line_with("Category")
        await driver.press(*"Rex", "tab", "d")
        assert "a name, or" not in driver.text
        assert "number or" not in driver.text


async def test_a_draft_that_came_back_is_continued(driver: Driver) -> None:
    await driver.press("a", "tab", "1", "escape", "a", "f3", *"B", "tab", "2", "enter")
    await driver.press("f10")
    assert added(driver) == [("B", 12)]
