"""Pastes of several animals: shown, counted and added, and none is lost."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING
from unittest.mock import patch

from pettui.models.pets import NewPet, PetStatus
from pettui.outbox.stores.memory import MemoryEntryStore
from pettui.terminal.tokenizer import PASTE_MAXIMUM
from tests.exhaustive import first
from tests.tui.driving import Case, case, fits, on, open_app, sees, sees_no, table
from tests.tui.form.steps import (
    form_has,
    form_is_at,
    on_slow,
    outbox_has,
    pastes,
    row_has,
    sends,
    spelt,
)
from tests.tui.scripted_service import ScriptedService

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pettui.outbox.entries import Entry
    from tests.tui.driving import Driver, Step

IN_DOGS = ("a", "tab", "3", "up")
IN_FISH = ("a", "tab", "4", "tab", "s", "up", "up")
SIXTY = [NewPet(name=f"Rex {number}", category_id=3) for number in range(60)]
SOLD = NewPet(name="Rex", category_id=3, status=PetStatus.SOLD)


def has_kinds(*kinds: tuple[str, int, str | None]) -> Step:
    """Return a step that waits until these are all entries, the oldest first."""
    return lambda driver: driver.until(
        lambda: [(each.name, each.category_id, each.status) for each in driver.entries] == [*kinds]
    )


def left_out(*lines: str) -> Step:
    """Return a step that waits until these lines are on the disk as drafts."""

    def is_so(driver: Driver) -> bool:
        drafts = driver.app.session.outbox.drafts.all
        return [each.lines for each in drafts if each.lines] == [*lines]

    return lambda driver: driver.until(lambda: is_so(driver))


@table(
    case("they are shown and counted, and Enter adds each", on_slow(size=(40, 12)),
         "a", "tab", "3", "tab", "s", "up", "up", pastes("Rex\r\nMimi\r\n\r\nTiny 🐹\r\n"),
         sees("3 animals in category 3 Dogs", "Rex", "Mimi", "Tiny"), outbox_has(), fits, "enter",
         has_kinds(("Rex", 3, "sold"), ("Mimi", 3, "sold"), ("Tiny 🐹", 3, "sold")),
         sees("3 added to the outbox"), form_has("", "3", "sold"), fits),
    case("Esc leaves the form as it was", on_slow(), "a", *"Re", "tab", "3", "up",
         pastes("Rex\nMimi"), "escape", form_has("Re", "3"), form_is_at("name"), outbox_has(),
         "x", "enter", outbox_has("Rex 3")),
    case("what is half typed stays when they are added", on_slow(), "a", *"Re", "tab", "3", "up",
         pastes("Bim\nBam"), "enter", outbox_has("Bim", "Bam"), form_has("Re", "3")),
    case("keys in one packet with the paste mean what they mean slowly", on_slow(), *IN_DOGS,
         sends(b"\x1b[200~Rex\rMimi\r\x1b[201~\rTiny\r"), outbox_has("Rex", "Mimi", "Tiny")),
    case("nothing is added while a line is wrong, and x leaves it out", on_slow(), "a",
         pastes("Rex\t3\nMimi\tunicorns\n\t3\nTiny\t7\tsold"),
         sees("2 lines have errors", 'line 2 category "unicorns" is not a number'),
         sees("line 3  name is missing"), "enter", outbox_has(),
         sees("nothing added: a line has an error"), "x", sees_no("Leave out"),
         sees("2 animals in 2 categories"), "enter", has_kinds(("Rex", 3, None), ("Tiny", 7, "sold"))),
    case("without a category one can be typed there for all lines", on_slow(), "a",
         pastes("Rex\t\tsold\nMimi\nTiny\t7"), sees("line 1 and 1 more category is missing"),
         sees("type the category of those without one"), "enter",
         sees("nothing added: a category is required"), *"dog", sees("3 animals in 2 categories"),
         "enter", has_kinds(("Rex", 3, "sold"), ("Mimi", 3, None), ("Tiny", 7, None))),
    *(
        case(f"a letter in that field is none of the lines' keys, which tab goes to {size}",
             on_slow(size=size), "a", pastes("Rex\n\t3\nMimi\t99999999999999999999"),
             *"xyz", "enter", sees("nothing added: a whole number"), "ctrl+u", "3", "enter",
             outbox_has(), "tab", "x", "backspace", "7", sees("1 animal in category 7 Small pets"),
             sees_no("✖"), fits, "enter", outbox_has("Rex 7"))
        for size in ((120, 30), (40, 12))
    ),
    case("twins of listed, waiting and pasted ones are asked about, and F10 adds all",
         on(lambda: ScriptedService([NewPet(name="Rex", category_id=3)]), delay=3600),
         "a", *"Tim", "tab", "3", "enter", pastes("Rex\nMimi\nTim\nMimi"),
         sees("1 is already listed", "1 is already in the outbox", "1 stands here twice"),
         row_has("Rex  ", "▲"), "enter", "f10", "enter", outbox_has("Tim"),  # F10 is too early
         sees("F10 adds all: 3 are twins"), "f10", outbox_has("Tim", "Rex", "Mimi", "Tim", "Mimi")),
    case("F10 adds nothing that was not asked about", on_slow(),
         sends(b"a\x1b[200~Rex\t3\nRex\t3\x1b[201~\x1b[21~"), outbox_has(),
         "d", "enter", outbox_has("Rex")),
    case("where not all is loaded the box says among how many twins were found",
         on(lambda: ScriptedService(SIXTY), delay=3600), "L", *"30", "enter", sees("30 shown"),
         "a", pastes("Rex 0\t3\nRex 59\t3"),
         sees("1 is already listed, of the 30 that are loaded")),
    *first(*(
        case(f"d leaves twins out, x bad lines, and F3 opens what was left out {size}",
             on_slow(size=size), "a", pastes("Rex\t3\tsold\nMimi\tunicorns\nRex\t3\tsold"),
             "d", "x", "enter", has_kinds(("Rex", 3, "sold")),
             left_out("Rex\t3\tsold\nMimi\tunicorns\t\n"), sees("2 lines"), fits,
             "f3", sees("Several animals", "1 is already in the outbox"),
             "escape", *"Tim", "tab", "4", "enter", "f3", sees("Several animals"), "x", "enter",
             sees("F10 adds all: 1 is a twin"), "f10", outbox_has("Rex", "Tim", "Rex"),
             left_out("Mimi\tunicorns\t\n"), form_has("", "4"))
        for size in ((40, 12), (120, 30))
    )),
    case("lines that were left out are read as before, whatever the first one is", on_slow(), "a",
         pastes("Rex\t3\nCoco\tunicorns\nRex\t3"), "x", "d", "enter", "f3",
         sees("Several animals", 'line 1  category "unicorns" is not', "Rex  3 Dogs"),
         "x", "enter", sees("F10 adds all"), "f10", outbox_has("Rex", "Rex"),
         left_out("Coco\tunicorns\t\n"), "f3", sees('line 1  category "unicorns" is not')),
    case("F3 goes past the lines to the next draft, and F4 clears them", on_slow(),
         "a", *"Half", "escape", *IN_DOGS, pastes("Rex\nRex"), "d", "enter", "f4", "f3",
         sees("Several animals"), "escape", "f3", form_has("Half"), "f3", "f3",
         sees("Several animals"), "escape", "f4", "f3", form_has("Half")),
    case("numbers as names and unknown categories are asked about", on_slow(), "a",
         pastes("12\t3\nRex\t99\n13\t3"), "enter",
         sees("F10 adds all: 2 names are numbers, 99 is not a known category"),
         "f10", *"Bim", "tab", *"99", "enter", outbox_has("12", "Rex", "13", "Bim")),
    case("where they cannot be kept none is added, and they stay",
         lambda: open_app(ScriptedService([]), store=MemoryEntryStore(entries=2)), *IN_DOGS,
         pastes("Rex\nMimi\nTiny"), "enter", outbox_has(),
         sees("nothing was added: the demo's outbox is full", "Tiny")),
    case("a row that is pasted as keys adds its status", on_slow(),
         sends(b"aDue\t3\tpending\rSpot\t\tsold\tx\r"),
         has_kinds(("Due", 3, "pending"), ("Spotx", 3, "sold"))),
    case("a paste of lines into another field is one line of it", on_slow(), "a", "tab",
         pastes("\n3\n"), form_has("", "3"), "tab", pastes("one line"), form_has("", "3")),
    case("columns that are neither named nor animals are not read by position", on_slow(), "a",
         pastes("Hundename\tGeburtsjahr\nBello\t2011\nWaldi\t2012"),
         sees("Pasted columns", "Hundename", "Which column is what?"), "escape",
         form_has(), outbox_has()),
    case("a paste that is too long leaves the field, and is said", on_slow(), "a", *"Re",
         sends(b"\x1b[200~" + b"x" * (PASTE_MAXIMUM + 1) + b"\x1b[201~x"),
         sees("100.1 kB is too long: at most 100 kB at once"), form_has("Rex"), "escape",
         sees_no("100.1 kB is too long"), form_has("Rex")),
    *first(*(
        case(f"a number before a name opens the box with as many: {typed}", on_slow(), *IN_FISH,
             *spelt(typed), "enter", sees("12 animals in category 4 Fish"), outbox_has(), "enter",
             has_kinds(*[("Guppy", 4, "sold")] * 12), form_has("", "4", "sold"))
        for typed in (" 12X  Guppy ", "12x Guppy", "12 × Guppy")
    )),
    case("Esc and F10 add one animal of that name", on_slow(), "a", *spelt("2x Guppy"), "enter",
         sees("category? ↵ adds then"), "4", "enter", "escape",
         sees("F10 adds one animal named 2x Guppy"), "enter", sees("2 animals"),
         "escape", "f10", outbox_has("2x Guppy 4")),
    case("what is typed behind that question edits the name", on_slow(), *IN_FISH,
         *spelt("2x Gupp"), "enter", "escape", "y", form_has("2x Guppy", "4", "sold")),
    *first(*(
        case(f"other numbers are part of a name: {name}", on_slow(), *IN_FISH, *spelt(name),
             "enter", outbox_has(name))
        for name in ("1x Guppy", "100x Guppy", "4x4", "2x", "12 Guppys")
    )),
)  # fmt: skip
async def test_pastes(case: Case) -> None:
    await case.run()


async def test_while_a_disk_takes_its_time_the_box_says_so_and_keys_wait() -> None:
    may_keep, store = Event(), MemoryEntryStore()
    add_all = store.add_all

    def keep_slowly(entries: Sequence[Entry]) -> Iterator[None]:
        assert may_keep.wait(60)
        yield from add_all(entries)

    async with open_app(ScriptedService([]), delay=3600, store=store) as driver:
        await driver.press(*IN_DOGS)
        await pastes("Rex\nMimi")(driver)
        with patch.object(store, "add_all", keep_slowly):
            driver.type("enter", *"Tiny")
            await driver.sees("adding 2 animals")
            may_keep.set()
            await driver.until(lambda: len(driver.entries) == 2)
            await driver.settled()
        assert driver.form_text() == "Tiny"
