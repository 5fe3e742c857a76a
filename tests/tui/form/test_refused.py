"""A refused animal is corrected by F8 alone; one that may be there is never added unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual import events

from pettui.outbox.entries import Draft
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.exhaustive import first
from tests.tui.driving import (
    PRODUCTION,
    Case,
    Driver,
    case,
    fits,
    on,
    open_app,
    sees,
    sees_no,
    table,
)
from tests.tui.form.steps import (
    LOST,
    REFUSED,
    answers,
    form_has,
    form_is_at,
    goes_on,
    holds,
    hurries,
    on_empty,
    on_slow,
    outbox_has,
    pastes,
    refuses,
    resizes,
    row_has,
    sent,
)
from tests.tui.scripted_service import UNAUTHORIZED, ScriptedService, html

if TYPE_CHECKING:
    from pathlib import Path

    from tests.tui.driving import Step

NINE = "categoryId 9 does not exist"
REX = (*"Rex", "tab", "3", "enter")
REX_IN_NINE = ("a", *"Rex", "tab", "9", "enter")  # which is asked about


@pytest.fixture
def service() -> ScriptedService:
    """It has no animals."""
    return ScriptedService([])


def rex_is_refused(message: str = NINE) -> tuple[Step, ...]:
    """Return the steps that add Bim to category 3, and Rex to 9, which is refused."""
    said = sees("✖ 400 invalid_value", f"Rex: {message}", "F8 Correct")
    bim = ("a", *"Bim", "tab", "3", "enter", sees("✔ 1 Bim"))
    return (*bim, refuses(message), *"Rex", "tab", "9", "enter", sees("F10 adds"), "f10", said)


def are_refused(*names: str) -> tuple[Step, ...]:
    """Return the steps that add animals of category 3, each of which is refused."""
    keys = [key for name in names for key in (*name, "enter")]
    reasons = [refuses(f"{name} is wrong") for name in names]
    return (*reasons, "a", "tab", "3", "shift+tab", *keys, sees(f"{names[-1]} is wrong"))


async def adds_are_unauthorized(driver: Driver) -> None:
    """Let the service refuse the API key of all adds."""
    driver.service.always("createPet", UNAUTHORIZED)


async def sends_the_first_again(driver: Driver) -> None:
    """Send the first entry again, as another key would."""
    await driver.app.session.outbox.send_again(driver.entries[0].entry_id)


STAYS = outbox_has("Bim 3 added", "Rex 9 refused")
IS_CORRECTED = outbox_has("Bim 3 added", "Rex 3 added")
TWO_REFUSED, ONE_REFUSED = "✖ 400 invalid_value · and 2 more", "✖ 400 invalid_value · and 1 more"


@table(
    case("F8 goes to the refused field, and typing replaces it", on_empty(size=(40, 12)),
         *rex_is_refused(), form_has("", "9"), "f8", form_is_at("category"),
         row_has("✖ categoryId", "categoryId 9 does not"), fits, "3", STAYS,
         "enter", IS_CORRECTED, sees_no("400 invalid_value")),
    case("a refused name is selected by F8", on_empty(), *rex_is_refused("name: too short"),
         "f8", *"Rexy", "enter", sees("✔ 2 Rexy")),
    case("a refusal changes nothing that is typed", on_empty(), refuses(), holds,
         *REX_IN_NINE, sees("F10 adds"), "f10", *"No", goes_on, sees("Rex: no room"),
         form_has("No", "9"), *"ra", "enter", outbox_has("Rex 9 refused", "Nora 9 added")),
    case("nor what is pasted", on_empty(), *rex_is_refused(), pastes("Nora\nMimi"), STAYS,
         sees("2 animals")),
    case("a category that was refused is not offered", on_empty(), *rex_is_refused(),
         "f4", "tab", "right", form_has("", "3")),
    case("what is half typed when F8 corrects is put aside", on_empty(), *rex_is_refused(),
         *"Half", "f8", "3", "enter", IS_CORRECTED, form_has("", "3"), "f3", form_has("Half", "9")),
    *first(*(
        case(f"a refused animal stays until its correction is added: {what}", on_empty(),
             *rex_is_refused(), "f8", *keys, STAYS, "f9", sees("2 entries, 1 refused"))
        for what, keys in {
            "edited and closed": ("4", "escape", "escape", "a"),
            "a look": ("tab", "shift+tab"), "the outbox": ("f9", "escape"),
            "closed": ("escape", "escape", "a"), "cleared": ("f4",),
            "edited and put aside": ("4", "f3"), "edited and cleared": ("4", "f4"),
        }.items()
    )),
    *first(*(
        case(f"a copy that was not edited is dropped without a question: {keys}", on_empty(),
             *rex_is_refused(), "f8", form_has("Rex", "9"), *keys, form_has("", "9"),
             sees_no("half typed", "F4 brings it back"))
        for keys in (("escape", "escape", "a"), ("f4",), ("f3",), ("f9", "escape", "f4"))
    )),
    case("a copy that was edited is not copied again", on_empty(), *rex_is_refused(),
         "f8", *"44", "f8", form_has("Rex", "44"), "f3", *"Half", "f8", form_has("Rex", "44"),
         "f3", "f9", "enter", form_has("Rex", "44"), "f3", "f3", form_has("Half", "9")),
    case("while it is corrected F8 is not offered, and says why", on_empty(), *rex_is_refused(),
         "f8", form_has("Rex", "9"), sees_no("F8 Correct"), "4",
         "f8", sees("it is in the form already", "400 invalid_value"), form_has("Rex", "4"),
         "f3", sees("F8 Correct")),
    case("Enter of the outbox corrects it, too", on_empty(), *rex_is_refused(), "f9",
         sees("↵ Correct"), "enter", "3", "enter", IS_CORRECTED),
    case("and E", on_empty(), *rex_is_refused(), "f9", "E", "3", "enter", IS_CORRECTED),
    case("F5 sends it again as it is", on_empty(), *rex_is_refused(), "f5", sees("✔ 2 Rex"),
         sees_no("400 invalid_value"), form_has("", "9")),
    case("also while it is corrected", on_empty(), *rex_is_refused(), "f8", "f5",
         sees("✔ 2 Rex"), form_has("", "9")),
    case("Enter adds the copy as it is", on_empty(), *rex_is_refused(), "f8", "enter",
         sees("✔ 2 Rex"), outbox_has("Bim", "Rex 9 added")),
    case("Enter asks where the original was sent again meanwhile", on_empty(), *rex_is_refused(),
         "f8", "4", "f9", "s", outbox_has("Bim", "Rex 9 added"), "X", "escape", "enter",
         sees("F10 adds it anyway: Rex may have been added already"),
         "f10", outbox_has("Rex 4 added")),
    case("the banner names the newest of several, and F8 corrects one after the other", on_empty(),
         *are_refused("A", "B", "C"), sees(TWO_REFUSED, "C: C is wrong"),
         "f8", "c", "enter", sees(ONE_REFUSED, "B: B is wrong"), "escape", sees_no("✖ 400"),
         "escape", "a", sees_no("✖ 400"), refuses("D is wrong"), *"D", "enter",
         sees(TWO_REFUSED, "D: D is wrong")),
    case("the banner names an older one that is refused again", on_empty(),
         *are_refused("A", "B"), sees(ONE_REFUSED), "escape", refuses("A is wrong again"),
         "f9", "j", "s", "escape", sees(ONE_REFUSED, "A: A is wrong again")),
    case("a form that opens names what was refused meanwhile", on_empty(), refuses(), holds,
         *REX_IN_NINE, sees("F10 adds"), "f10", "escape", goes_on, outbox_has("Rex 9 refused"),
         "a", sees("Rex: no room", "F8 Correct"), form_has("", "9")),
    case("in an outage F8 reaches the refused one before those that wait", on_empty(),
         *rex_is_refused(), adds_are_unauthorized, *"Tim", "enter", sees("– not set  waiting"),
         sees_no("F8 takes it back"), "f8", form_has("Rex", "9"), "f4", "escape",
         sees("F8 Take back"), "f8", form_has("Tim", "9")),
    case("F8 takes back what is counted down before it corrects", on_slow(), refuses(), "a", *REX,
         hurries, sees("✖ 400 invalid_value"), *"Tim", "enter",
         sees("F8 takes it back", "F9 Edit", "F8 Take back"), "f8", form_has("Tim", "3")),
    case("a correction has the place of what was refused, and F8 takes back what was typed last",
         on_slow(), refuses(), "a", *REX, hurries, sees("F8 Correct"), *"Tim", "enter",
         "f9", "G", "enter", "y", "enter", outbox_has("Rexy 3 waiting", "Tim 3 waiting"),
         "f8", form_has("Rexy", "3"), outbox_has("Tim")),
    case("a category without a name is pointed out and not refused",
         on_empty(size=(40, 12), profile=PRODUCTION._replace(categories={3: "Dogs", 12: "Birds"})),
         "a", *"Rex", "tab", "1", sees_no("not a known category"),
         "up", sees("▲ not a known category"), "down", "backspace", "9",
         sees("▲ not a known category"), "backspace", "3", sees_no("not a known category"),
         "9", "enter", sees("F10 adds"), "f10", outbox_has("Rex 39 added"),
         sees("▲ not a known category")),  # it is kept
    case("the form's F5 sends nothing that may have been added", on_empty(),
         answers(REFUSED, LOST), "a", *REX, *"Nelly", sees("400 invalid_value", "F5 Send again"),
         "f9", "s", sees("unknown: may have been added"), "escape", sees_no("F5 Send again"),
         "f5", sent("Rex", "Rex"), outbox_has("Rex 3 unknown")),
    case("F5 says that there is nothing to send, and the help does not offer it", on_empty(), "a",
         "f5", sees("nothing waits to be sent"), "f1", sees("Add and next"), sees_no("F5")),
    case("the help says what F5 does", on_empty(), *rex_is_refused(), "f1",
         sees("F5", "Send again")),
    case("also with what waits", on_slow(), "a", *REX, "f1", sees("F5", "Try now")),
    case("F5 sends no refused animal that the banner no longer shows", on_empty(),
         *rex_is_refused(), "escape", sees_no("F8 Correct"), "f5", *"Tom", STAYS,
         sent("Bim", "Rex")),
)  # fmt: skip
async def test_refused(case: Case) -> None:
    await case.run()


async def test_what_another_window_removed_is_not_corrected_here(tmp_path: Path) -> None:
    store = DirectoryEntryStore(tmp_path)
    async with open_app(ScriptedService([]), store=store) as driver:
        await refuses()(driver)
        await driver.press("a", *REX)
        await driver.sees("F8 Correct")
        assert store.remove(driver.entries[-1])
        await driver.sees_no("F8 Correct")
        await driver.press("f8")
        assert driver.screen.form.draft == Draft("", "3")


async def test_a_refused_animal_is_named_in_its_own_window_alone(tmp_path: Path) -> None:
    store, other = DirectoryEntryStore(tmp_path), DirectoryEntryStore(tmp_path)
    async with (
        open_app(ScriptedService([]), store=store) as driver,
        open_app(ScriptedService([]), store=other) as window,
    ):
        await window.press("a")
        await refuses()(driver)
        await driver.press("a", *REX, *"Nelly")
        await driver.sees("– not set  refused", "F8 Correct")
        await window.sees("– not set  refused in another window")
        assert "✖ 400 invalid_value" not in window.text


# Unknown


WARNING = "A0 may have been added already: adding it again would make two"
QUESTION = "F10 adds it anyway: A0 may have been added already"
A0_IS_LOST = (
    answers(html(500, b"<p>Oops</p>")), "a", *"A0", "tab", "3", "enter",
    hurries, outbox_has("A0 3 unknown"), sees("F9 Decide"), "escape", "escape", "o", sees("Outbox"),
)  # fmt: skip


@table(
    case("Enter shows it whole with its keys, and adds nothing", on_empty(), *A0_IS_LOST, "enter",
         sees("It was sent, and no response says", "l shows the listed animals that it"),
         sees("s sends it again", "E copies it into the form", "x forgets it"),
         sees("500 from the service", "<p>Oops</p>", "3 Dogs · – not set"),
         *["enter"] * 4, outbox_has("A0 3 unknown"), sent("A0")),
    case("its keys work where it is shown", on_empty(), *A0_IS_LOST, "enter", "l",
         sees("Unknown", "No animal of this name and category is listed."),
         "escape", "enter", "x", sees("Forget A0?"), "escape", "enter", "s",
         sees("Send A0 again?"), "y", outbox_has("A0 3 added")),
    case("what became of it meanwhile is said", on_empty(), *A0_IS_LOST, "enter",
         sends_the_first_again, outbox_has("A0 3 added"), "E",
         sees("A0 is added: this key is for refused or unknown animals")),
    case("a copy is added after a question, and leaves it to be decided", on_empty(), *A0_IS_LOST,
         resizes(40, 12), "E", form_has("A0", "3"), sees("A0 may have been added"),
         "enter", sees("F10 adds it anyway"), fits, sent("A0"), "f10",
         outbox_has("A0 3 unknown", "A0 3 added"), form_has("", "3")),
    case("a copy that is closed leaves it", on_empty(), *A0_IS_LOST, "E", "escape",
         sees("Outbox", "1 entry, 1 unknown"), "l", sees("No animal of this name and category")),
    case("it is named in the banner until it is dismissed", on_empty(), answers(LOST),
         "a", *"A0", "tab", "3", "enter", sees("A0: 500 from the service", "F9 Decide"),
         sees_no("Send again"), "f9", sees("1 entry, 1 unknown"), "escape", "escape",
         sees_no("500 unknown"), "escape", "a", sees_no("500 unknown")),
    case("a key typed ahead neither answers nor is lost", on_empty(), *A0_IS_LOST,
         "E", "enter", "f10", *"Nora", form_has("Nora", "3"), sent("A0"),
         "enter", *"Bella", "enter", outbox_has("A0 3 unknown", "Nora 3 added", "Bella 3 added"),
         form_has("", "3"), sees_no(QUESTION)),
    case("a question is withdrawn by moving or editing", on_empty(), *A0_IS_LOST, "E", "enter",
         sees(QUESTION), "left", "x", form_has("Ax0", "3"), sees(WARNING), sees_no(QUESTION),
         "enter", sees(QUESTION), "f10", outbox_has("A0 3 unknown", "Ax0 3 added")),
    case("the same animal typed again is asked about", on_empty(), *A0_IS_LOST,
         "escape", "a", *"A0", "tab", "4", "enter", sent("A0", "A0"), *"A0", "tab", "3", "enter",
         sees(QUESTION), sent("A0", "A0"), "f10",
         outbox_has("A0 3 unknown", "A0 4 added", "A0 3 added")),
    case("pasted lines are asked about once for all", on_empty(), *A0_IS_LOST,
         "escape", "a", "tab", "3", "up", pastes("A0\nA0\nNora"), sees("3 animals"),
         "enter", "f10", "enter", sees("F10 adds all: 2 may be doubles"), sent("A0"),
         "f10", sent("A0", "A0", "A0", "Nora")),
    case("a form that was emptied is for another animal", on_empty(), *A0_IS_LOST, "E",
         sees(WARNING), "backspace", "backspace", "tab", "backspace", sees_no(WARNING),
         "shift+tab", *REX, outbox_has("A0 3 unknown", "Rex 3 added")),
)  # fmt: skip
async def test_unknown(case: Case) -> None:
    await case.run()


async def test_an_esc_from_before_the_banner_closes_the_form_as_it_was_meant(
    driver: Driver,
) -> None:
    await answers(LOST)(driver)
    await driver.press("a", *"A0", "tab", "3")
    escape = events.Key("escape", None)
    await driver.press("enter")
    await driver.sees("F9 Decide")
    driver.post(escape)
    await driver.settled()
    await driver.sees("1 All", "1 unknown")
    await driver.press("a")
    await driver.sees("A0: 500 from the service", "F9 Decide")


async def test_an_esc_for_a_banner_does_not_close_the_one_that_came_in_its_place(
    driver: Driver,
) -> None:
    for name in ("A0", "A1"):
        await answers(LOST)(driver)
        escape = events.Key("escape", None)
        await driver.press(*([] if name == "A1" else "a"), *name, "tab", "3", "enter")
        await driver.sees(f"{name}: 500 from the service")
    await driver.press(*"Rex")
    driver.post(escape)
    await driver.settled()
    await driver.sees("A1: 500 from the service")
    await driver.press("escape")
    await driver.sees_no("A1: 500 from the service")
    assert driver.form_text() == "Rex"


async def test_it_is_said_and_asked_after_a_restart(tmp_path: Path) -> None:
    start = on(lambda: ScriptedService([]), store=DirectoryEntryStore(tmp_path))
    await Case(start, (*A0_IS_LOST, "E", "tab", "4", sees(WARNING))).run()
    start = on(lambda: ScriptedService([]), store=DirectoryEntryStore(tmp_path))
    steps = ("a", "f3", sees(WARNING), "enter", sees(QUESTION), "f10")
    await Case(start, (*steps, outbox_has("A0 3 unknown", "A0 4 added"))).run()
