"""What the screens say of the outbox and its entries."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pettui.client import ErrorBodyError, NoErrorBodyError
from pettui.models import ErrorBody
from pettui.outbox import MemoryEntryStore, Outbox
from pettui.tui.wording import key_refusal
from tests.outbox.scripted import ScriptedClient, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pettui.client import PetClientError


@asynccontextmanager
async def an_outbox_refused_with(error: PetClientError) -> AsyncIterator[Outbox]:
    client = ScriptedClient()
    client.adds = [error]
    outbox = Outbox(MemoryEntryStore(), client, delay=0.0)
    outbox.start()
    try:
        await outbox.add("Rex", 3, None)
        await until(outbox, lambda: outbox.sending.key_error)
        yield outbox
    finally:
        await outbox.close()


async def test_a_refused_key_is_shown_word_for_word_whatever_its_code_contains() -> None:
    body = ErrorBody(code="auth: expired", message="name: ask Ann", status=401)
    async with an_outbox_refused_with(ErrorBodyError(401, body)) as outbox:
        failure = key_refusal(outbox)
        assert failure is not None
        assert (failure.title, failure.message) == ("401 auth: expired", "name: ask Ann")
        assert failure.is_unauthorized
        assert failure.hint == "{enter_key} Change API key  {refresh} Retry"


async def test_a_response_in_place_of_an_error_body_can_be_viewed() -> None:
    error = NoErrorBodyError(401, "text/html, 1.2 kB", excerpt="<h1>Log in</h1>")
    async with an_outbox_refused_with(error) as outbox:
        failure = key_refusal(outbox)
        assert failure is not None
        assert failure.excerpt == "<h1>Log in</h1>"


async def test_a_changed_key_is_no_longer_refused() -> None:
    async with an_outbox_refused_with(NoErrorBodyError(401, "an empty body")) as outbox:
        outbox.sending.resume()
        assert key_refusal(outbox) is None
