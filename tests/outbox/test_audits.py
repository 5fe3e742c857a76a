"""What became certain of an animal is told once, with who typed it, whoever sends it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pettui.models.pets import Pet
from pettui.outbox.entries import Author, OutboxError
from pettui.outbox.receipts import Certain, Source
from pettui.outbox.stores.contents import DamagedContentError, entry_text, parsed_entry
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.outbox.scripted import GOOD, add, an_entry, cut, entry_id_of, refusal, states
from tests.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.outbox.conftest import MakeOutbox
    from tests.outbox.scripted import ScriptedClient

ANNA = Author("anna", "anna@till", "SHA256:anna", "192.0.2.7", 12)
LATER = Author("anna", "anna@home", "SHA256:home", "192.0.2.8", 31)


async def test_an_added_animal_is_told_with_who_typed_it(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    told: list[Certain] = []
    outbox = make_outbox(audit=told.append)
    outbox.author = ANNA
    client.ids = [1567]
    entry = await add(outbox, "Rex")
    await until(lambda: states(outbox) == ["Rex added"])
    assert told == [Certain(entry.entry_id, entry.typed_at, ANNA, Source.FORM, 1567)]


async def test_without_a_thread_to_tell_it_in_it_is_told_all_the_same(
    make_outbox: MakeOutbox, client: ScriptedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Certain] = []
    outbox = make_outbox(audit=told.append)
    client.may_respond.clear()
    await add(outbox, "Rex")
    await until(lambda: client.out == 1)

    async def refuse(*_: object) -> None:
        raise OutboxError("there is no thread")

    with monkeypatch.context() as patched:
        patched.setattr(outbox.store_thread, "run", refuse)
        client.may_respond.set()
        await until(lambda: states(outbox) == ["Rex added"])
    assert [each.pet_id for each in told] == [1]


async def test_a_refused_animal_is_told_with_status_and_code_without_the_api_key(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    told: list[Certain] = []
    outbox = make_outbox(audit=told.append)
    client.adds = [refusal(400, code="no key-of-the-profile here")]
    await add(outbox, "Rex")
    await until(lambda: states(outbox) == ["Rex refused"])
    [certain] = told
    assert (certain.pet_id, certain.status, certain.author) == (None, 400, None)
    assert certain.code is not None
    assert "key-of-the-profile" not in certain.code


async def test_an_unknown_animal_is_told_once_its_user_says_what_it_became(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    told: list[Certain] = []
    outbox = make_outbox(audit=told.append)
    outbox.author = ANNA
    client.adds = [cut()]
    entry = await add(outbox, "Rex")
    await until(lambda: states(outbox) == ["Rex unknown"])
    assert told == []
    outbox.author = LATER
    await outbox.resolve(entry.entry_id, Pet(id=7, name="Rex", category_id=3))
    [certain] = told
    assert (certain.pet_id, certain.author, certain.decided_by) == (7, ANNA, LATER)


async def test_what_is_sent_later_by_another_is_told_with_who_typed_it(
    make_outbox: MakeOutbox, client: ScriptedClient, directory: Path
) -> None:
    first = make_outbox(DirectoryEntryStore(directory), delay=60.0)
    first.author = ANNA
    await add(first, "Rex")
    await first.close(grace=0.0)
    told: list[Certain] = []
    make_outbox(DirectoryEntryStore(directory), audit=told.append, source=Source.SERVER)
    await until(lambda: bool(told))
    [certain] = told
    assert (certain.author, certain.source, certain.pet_id) == (ANNA, Source.SERVER, 1)
    assert len(client.sent) == 1


def test_an_author_that_pettui_did_not_write_is_damage() -> None:
    assert parsed_entry(GOOD.encode(), entry_id_of(1)).author is None
    text = entry_text(replace(an_entry(), author=ANNA))
    assert parsed_entry(text, entry_id_of(1)).author == ANNA
    with pytest.raises(DamagedContentError, match="session"):
        parsed_entry(text.replace(b'"session": 12', b'"session": "12"'), entry_id_of(1))
