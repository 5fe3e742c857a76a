"""Redirects and links to further pages: each case on the list, in the running app."""

from __future__ import annotations

import json
from itertools import cycle
from typing import TYPE_CHECKING

import pytest

from tests.client.hostile.bodies import NO_JSON, NO_LISTS, REX
from tests.client.hostile.links import (
    FOLLOWED,
    NO_LINK,
    NOT_FOLLOWED,
    REDIRECTS,
    WITHIN,
    placed,
    redirect,
)
from tests.client.hostile.server import http, reset
from tests.client.hostile.usual import USUAL, USUAL_IDS
from tests.client.hostile.wire import CUT
from tests.tui.hostile.stage import ATTEMPTS, Stage

if TYPE_CHECKING:
    from tests.client.hostile.server import Step

STAGE = {"size": (80, 24)}
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.exhaustive]
LIST = "/v1/pets?limit=20"
SECOND = "/v1/pets?second"
PAGE = json.dumps(USUAL)


def linked(stage: Stage, link: str) -> Step:
    """Send the usual list, and a link with it."""
    return http(200, PAGE, [("Link", placed(link, stage.server, stage.other))])


@pytest.mark.parametrize("status", REDIRECTS)
@pytest.mark.parametrize("name", WITHIN)
async def test_a_redirect_within_the_origin_is_followed(
    status: int, name: str, stage: Stage
) -> None:
    await stage.request(redirect(status, placed(WITHIN[name], stage.server)), usual_after=True)
    assert stage.is_good
    assert stage.server.targets == [LIST, "/v1/there"]


@pytest.mark.parametrize(("name", "status"), [*zip(NOT_FOLLOWED, cycle(REDIRECTS), strict=False)])
async def test_a_redirect_to_another_origin_is_reported_and_not_followed(
    name: str, status: int, stage: Stage
) -> None:
    await stage.request(redirect(status, placed(NOT_FOLLOWED[name], stage.server, stage.other)))
    stage.shows("✖ No Error body", f"{status} from the service, no Error body: it leads to ")
    stage.keeps_rows()
    assert stage.server.targets == [LIST]
    await stage.recovers()


async def test_redirects_end_at_their_limit(stage: Stage) -> None:
    await stage.request(redirect(302, "/v1/round"))
    stage.shows("it redirects too often, last to")
    stage.keeps_rows()
    assert stage.server.targets == [LIST, *["/v1/round"] * 3]
    await stage.recovers()


@pytest.mark.parametrize("name", FOLLOWED)
async def test_a_link_of_the_same_origin_is_followed(name: str, stage: Stage) -> None:
    link, target = FOLLOWED[name]
    await stage.request(linked(stage, link), http(200, f"[{REX}]"))
    stage.shows("12 shown", "m: more")
    await stage.request_more("m")
    assert stage.ids == [*USUAL_IDS, 7]
    assert stage.server.targets == [LIST, target]
    await stage.recovers(key="1")


@pytest.mark.parametrize("name", NOT_FOLLOWED)
async def test_a_link_to_another_origin_is_reported_and_not_followed(
    name: str, stage: Stage
) -> None:
    await stage.request(linked(stage, NOT_FOLLOWED[name] + "; rel=next"))
    stage.shows("▲ the service", "next page", ": not followed")
    assert stage.ids == USUAL_IDS
    await stage.driver.press("m")
    assert stage.server.targets == [LIST]
    await stage.recovers()


@pytest.mark.parametrize("name", NO_LINK)
async def test_a_malformed_link_is_no_next_page(name: str, stage: Stage) -> None:
    await stage.request(linked(stage, NO_LINK[name]))
    assert stage.is_good
    await stage.driver.press("m")
    stage.check()
    stage.shows("that is all the service lists")
    assert stage.server.targets == [LIST]


@pytest.mark.parametrize("name", [*NO_LISTS, "nothing at all", "a web page", "a text that is cut"])
async def test_an_unreadable_page_does_not_lose_earlier_ones(name: str, stage: Stage) -> None:
    body, said = {**NO_JSON, **NO_LISTS}[name]
    await stage.request(linked(stage, "<?second>; rel=next"), http(200, body))
    await stage.request_more("m")
    stage.shows("✖ Unexpected response", "200 from the service, but not its interface:", said)
    stage.keeps_rows()
    assert stage.server.targets == [LIST, SECOND]
    await stage.recovers(key="1")


@pytest.mark.parametrize("name", CUT)
async def test_a_dropped_page_is_requested_four_times(name: str, stage: Stage) -> None:
    await stage.request(linked(stage, "<?second>; rel=next"), reset(CUT[name]))
    await stage.request_more("m")
    stage.shows("✖ No response", "connection")
    stage.keeps_rows()
    assert stage.server.targets == [LIST, *[SECOND] * ATTEMPTS]
    await stage.recovers(key="1")


async def test_pages_in_a_loop_are_reported_and_end(stage: Stage) -> None:
    await stage.request(
        linked(stage, "<?second>; rel=next"), linked(stage, "<pets?limit=20>; rel=next")
    )
    await stage.request_more("m")
    stage.shows("the service's next page is one that came before: not followed")
    await stage.driver.press("m")
    assert stage.server.targets == [LIST, SECOND]
    await stage.recovers(key="1")
