"""429: an add waits and goes again, and from then on one at a time, at the pace that passes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from pettui.client import NoErrorBodyError, PetClientError
from pettui.outbox.outbox import Outbox
from pettui.outbox.stores.memory import MemoryEntryStore
from tests.outbox.scripted import (
    KeepingClient,
    Lost,
    ScriptedClient,
    SteppedTimer,
    add,
    cut,
    numbered,
    refusal,
    states,
)
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture(params=["nothing", "once"])
async def client(request: pytest.FixtureRequest) -> ScriptedClient:
    """Return a service that promises nothing, and then one that adds once."""
    return ScriptedClient() if request.param == "nothing" else KeepingClient()


@pytest.fixture
async def timer() -> SteppedTimer:
    return SteppedTimer()


@pytest.fixture
async def outbox(client: ScriptedClient, timer: SteppedTimer) -> AsyncIterator[Outbox]:
    outbox = Outbox(MemoryEntryStore(), client, delay=0.0, look_every=float("inf"))
    outbox.sending.timer = timer
    outbox.start()
    yield outbox
    await outbox.close(grace=0.0)


def page(**options: object) -> NoErrorBodyError:
    return NoErrorBodyError(429, "text/html, 1.2 kB", transient=True, **options)


def sent(client: ScriptedClient) -> Counter[str]:
    return Counter(pet.name for pet in client.sent)


@pytest.mark.parametrize("error", [page(), refusal(429)], ids=["a page", "an Error body"])
async def test_an_add_that_meets_429_is_sent_again_before_any_list_or_other_add(
    outbox: Outbox, client: ScriptedClient, error: PetClientError
) -> None:
    client.adds = [error]
    await add(outbox, "Rex", "Mimi")
    await until(lambda: states(outbox) == ["Rex added", "Mimi added"])
    assert [pet.name for pet in client.sent] == ["Rex", "Rex", "Mimi"]
    assert len(client.listed) == 1


@pytest.mark.parametrize(
    ("every", "options"),
    [
        (1.0, {"count": 5, "retry_after": 1.0}),
        (60.0, {"count": 60}),
        (60.0, {"count": 60, "retry_after": 60.0}),
        (0.5, {"counts_all": True}),
        (30.0, {"count": 20, "counts_all": True, "retry_after": 0.0}),
    ],
    ids=[
        "five a second, each told to wait for one",
        "sixty a minute, and no word of how long",
        "sixty a minute, each told to wait for one",
        "what is refused counts, too",
        "what is refused counts, and no wait is asked for",
    ],
)
async def test_at_other_limits_all_is_added_too_and_few_are_refused(
    outbox: Outbox,
    client: ScriptedClient,
    timer: SteppedTimer,
    every: float,
    options: dict[str, Any],
) -> None:
    limit = client.limit(timer, every, **options)
    await add(outbox, *numbered(150))
    await until(lambda: states(outbox) == [f"{name} added" for name in numbered(150)])
    assert len(client.added) == 150
    assert limit.refused <= 100
    assert timer.time <= 150 * every / limit.count * 3 + 120


async def test_the_screen_says_how_long_adds_wait_and_a_list_does_not_end_it(
    outbox: Outbox, client: ScriptedClient, timer: SteppedTimer
) -> None:
    client.adds = [page(retry_after=60.0)]
    timer.end = 10.0
    await add(outbox, "Rex")
    await until(lambda: outbox.sending.tries_in > 0)
    outbox.sending.service_responded()
    sending = outbox.sending
    assert (sending.is_too_fast, sending.is_service_away, sending.adds_wait) == (True, False, 60.0)
    outbox.sending.resume()
    await until(lambda: states(outbox) == ["Rex added"])


async def test_after_a_429_another_api_key_is_tried_at_once(
    outbox: Outbox, client: ScriptedClient, timer: SteppedTimer
) -> None:
    client.adds = [page(), refusal(401)]
    await add(outbox, "Rex")
    await until(lambda: outbox.sending.api_key_error is not None)
    outbox.sending.service_responded()
    await until(lambda: states(outbox) == ["Rex added"])
    assert timer.time < 5


@pytest.mark.parametrize("client", ["once"], indirect=True)
async def test_one_that_meets_429_for_ever_lets_others_pass_where_keys_are_honoured(
    outbox: Outbox, client: ScriptedClient
) -> None:
    client.refused = {"Rex": page()}
    await add(outbox, "Rex", *numbered(5))
    await until(lambda: states(outbox)[1:] == [f"{name} added" for name in numbered(5)])
    client.refused = {}
    await until(lambda: states(outbox)[0] == "Rex added")


async def test_429s_after_a_lost_response_add_once_where_keys_are_honoured_and_are_unknown_else(
    outbox: Outbox, client: ScriptedClient
) -> None:
    is_kept = isinstance(client, KeepingClient)
    client.adds = [page(), Lost(cut()) if is_kept else cut(), page(), page()]
    await add(outbox, "Rex")
    await until(lambda: states(outbox) == [f"Rex {'added' if is_kept else 'unknown'}"])
    await add(outbox, "Mimi")
    await until(lambda: states(outbox)[-1] == "Mimi added")
    assert sent(client)["Rex"] == (5 if is_kept else 2)
