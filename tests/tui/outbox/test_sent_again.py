"""What a store adds once is sent again until it is answered; what is for another key waits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pettui.outbox.stores.contents import entry_text
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.exhaustive import first
from tests.outbox.scripted import an_entry, left_behind
from tests.tui.driving import Case, case, on, open_app, sees, sees_no, table
from tests.tui.form.steps import outbox_has
from tests.tui.outbox.test_leaving import Kept, always, quits
from tests.tui.outbox.test_outbox import row_is
from tests.tui.scripted_service import Response, ScriptedService, html, pet

if TYPE_CHECKING:
    from pathlib import Path

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
