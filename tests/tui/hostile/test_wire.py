"""What goes wrong below the body: each case on the list, in the running app."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.client.hostile.server import endless, http, raw, reset
from tests.client.hostile.wire import (
    CUT,
    NO_HTTP,
    NOT_UNPACKED,
    PACKED,
    TWICE,
    UNUSUAL,
    WITHOUT_END,
)
from tests.tui.hostile.stage import ATTEMPTS, Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.client.hostile.server import Step

STAGE = {"size": (80, 24)}
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.exhaustive]
LIST = "/v1/pets?limit=20"


@pytest.mark.parametrize("name", NO_HTTP)
async def test_a_response_that_is_not_http_is_reported_and_the_rows_stay(
    name: str, stage: Stage
) -> None:
    data, said = NO_HTTP[name]
    await stage.request(raw(data))
    stage.shows("✖ No response", f"cannot read from 127.0.0.1:{stage.server.port}: ", said)
    stage.keeps_rows()
    assert stage.server.targets == [LIST]
    await stage.recovers()


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize("end", [raw, reset])
async def test_a_dropped_connection_is_reported_after_four_attempts(
    name: str, end: Callable[[bytes], Step], stage: Stage
) -> None:
    await stage.request(end(CUT[name]))
    stage.shows("✖ No response", f"cannot read from 127.0.0.1:{stage.server.port}: ", "connection")
    stage.keeps_rows()
    assert stage.server.targets == [LIST] * ATTEMPTS
    await stage.recovers()


@pytest.mark.parametrize("name", CUT)
async def test_a_connection_that_is_dropped_once_leaves_no_trace(name: str, stage: Stage) -> None:
    await stage.request(reset(CUT[name]), usual_after=True)
    assert stage.is_good
    assert stage.server.targets == [LIST] * 2


@pytest.mark.parametrize("name", WITHOUT_END)
async def test_an_endless_body_is_cut_off_at_its_limit(name: str, stage: Stage) -> None:
    await stage.request(endless(WITHOUT_END[name], b" " * 65_536))
    stage.shows("✖ Unexpected response", "application/json, more than 2.0 MB")
    stage.keeps_rows()
    assert stage.server.targets == [LIST]
    await stage.recovers()


@pytest.mark.parametrize("name", UNUSUAL)
async def test_unusual_http_is_still_http(name: str, stage: Stage) -> None:
    await stage.request(raw(UNUSUAL[name]))
    assert stage.ids == [7]
    await stage.recovers()


@pytest.mark.parametrize("name", TWICE)
async def test_a_repeated_response_is_not_taken_for_the_next_one(name: str, stage: Stage) -> None:
    await stage.request(raw(TWICE[name], close=False), usual_after=True)
    assert stage.ids == [7]
    await stage.recovers()


@pytest.mark.parametrize("encoding", PACKED)
async def test_a_body_that_is_compressed_unasked_is_decompressed(
    encoding: str, stage: Stage
) -> None:
    await stage.request(http(200, PACKED[encoding], [("Content-Encoding", encoding)]))
    assert stage.ids == [7]
    await stage.recovers()


@pytest.mark.parametrize("name", NOT_UNPACKED)
async def test_a_body_that_cannot_be_decompressed_within_limits_is_reported(
    name: str, stage: Stage
) -> None:
    encoding, body, said = NOT_UNPACKED[name]
    await stage.request(http(200, body, [("Content-Encoding", encoding)]))
    stage.shows("✖ Unexpected response", said)
    stage.keeps_rows()
    assert stage.server.targets == [LIST]
    await stage.recovers()
