"""Links and redirects: the key goes to the service's own origin, and nowhere else."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pettui.client import NoAnswerError, NoErrorBodyError
from pettui.models import NewPet, PetStatus
from pettui.settings import Limits
from tests.client.hostile.bodies import REX
from tests.client.hostile.checks import KEY, failure_of
from tests.client.hostile.links import (
    FOLLOWED,
    NO_LINK,
    NOT_FOLLOWED,
    REDIRECTS,
    WITHIN,
    placed,
    redirect,
)
from tests.client.hostile.server import HostileServer, http
from tests.exhaustive import product

if TYPE_CHECKING:
    from tests.client.conftest import ClientOf, Serve

PAGE = f"[{REX}]"


def with_link(server: HostileServer, value: str, other: HostileServer | None = None) -> None:
    link = ("Link", placed(value, server, other))
    server.steps = [http(200, PAGE, [link]), http(200, "[]")]


@pytest.mark.parametrize("name", FOLLOWED)
async def test_a_link_of_the_same_origin_is_followed(
    name: str, serve: Serve, client_of: ClientOf
) -> None:
    link, target = FOLLOWED[name]
    server = await serve()
    with_link(server, link)
    client = client_of(server)
    page = await client.list_pets()
    assert page.remarks == ()
    assert page.next_link == server.origin + target
    await client.list_next_pets(page)
    assert server.targets == ["/v1/pets?limit=20", target]
    assert server.seen[1].header("authorization") == [f"Bearer {KEY}"]


@pytest.mark.parametrize("name", NOT_FOLLOWED)
async def test_a_link_that_leads_elsewhere_is_reported_and_not_followed(
    name: str, serve: Serve, client_of: ClientOf
) -> None:
    server, other = await serve(), await serve(http(200, PAGE))
    with_link(server, NOT_FOLLOWED[name] + "; rel=next", other)
    page = await client_of(server).list_pets()
    assert other.connections == 0
    assert page.next_link is None
    (said,) = page.remarks
    assert said.endswith(": not followed")
    assert len(said) < 200
    assert len(page.pets) == 1


@pytest.mark.parametrize("name", NO_LINK)
async def test_what_links_no_next_page_is_no_link(
    name: str, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve()
    with_link(server, NO_LINK[name])
    page = await client_of(server).list_pets()
    assert (page.next_link, page.remarks) == (None, ())


async def test_links_of_several_headers_count_together(serve: Serve, client_of: ClientOf) -> None:
    server = await serve(
        http(200, PAGE, [("Link", "<a>; rel=prev"), ("link", "<pets?b>; rel=next")])
    )
    assert (await client_of(server).list_pets()).next_link == f"{server.base_url}/pets?b"


async def test_a_page_that_leads_to_itself_is_the_last(serve: Serve, client_of: ClientOf) -> None:
    server = await serve(http(200, PAGE, [("Link", "<?limit=20>; rel=next")]))
    page = await client_of(server).list_pets()
    assert page.next_link is None
    assert page.remarks == ("the service's next page is one that came before: not followed",)


async def test_a_chain_without_an_end_is_given_up(serve: Serve, client_of: ClientOf) -> None:
    server = await serve(
        *(http(200, PAGE, [("Link", f"<?page={number}>; rel=next")]) for number in range(50))
    )
    client = client_of(server, Limits(tries=0, pages=10))
    page = await client.list_pets()
    while page.next_link is not None:
        page = await client.list_next_pets(page)
    assert len(server.seen) == 10
    assert page.remarks == ("the service's list does not end after 10 pages: not followed",)


async def test_a_circle_is_left_that_is_longer_than_the_addresses_that_are_kept(
    serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(
        *(http(200, PAGE, [("Link", f"<?{number % 220}>; rel=next")]) for number in range(660))
    )
    client = client_of(server, Limits(tries=0, pages=sys.maxsize))
    page = await client.list_pets()
    while page.next_link is not None:
        page = await client.list_next_pets(page)
    assert page.remarks == ("the service's next page is one that came before: not followed",)
    assert 220 < len(server.seen) < 660
    assert len(page.request.visited) <= 200


async def test_a_list_of_too_many_bytes_is_not_followed_further(
    serve: Serve, client_of: ClientOf
) -> None:
    """Rows are bounded, and each body is; many large bodies would still fill the memory."""
    body = " " * 500_000 + PAGE
    server = await serve(
        *(http(200, body, [("Link", f"<?page={number}>; rel=next")]) for number in range(50))
    )
    client = client_of(server, Limits(tries=0, list_bytes=2_000_000))
    page = await client.list_pets()
    while page.next_link is not None:
        page = await client.list_next_pets(page)
    assert len(server.seen) == 4
    assert page.is_cut
    assert page.remarks == ("more than 2 MB in this list: the rest is not loaded",)


async def test_a_next_page_is_measured_by_the_first_request(
    serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(
        http(200, PAGE, [("Link", "<?b>; rel=next")]), http(200, PAGE.replace("available", "sold"))
    )
    client = client_of(server)
    page = await client.list_next_pets(await client.list_pets(5, PetStatus.AVAILABLE))
    assert page.remarks == ("1 of another status than available",)


async def test_there_is_no_page_after_the_last(serve: Serve, client_of: ClientOf) -> None:
    client = client_of(await serve(http(200, PAGE)))
    page = await client.list_pets()
    with pytest.raises(ValueError, match="no page after this one"):
        await client.list_next_pets(page)


async def test_a_forged_page_leads_nowhere(serve: Serve, client_of: ClientOf) -> None:
    server, other = await serve(http(200, PAGE)), await serve(http(200, PAGE))
    client = client_of(server)
    page = replace(await client.list_pets(), next_link=f"{other.base_url}/pets")
    error = await failure_of(client.list_next_pets(page))
    assert isinstance(error, NoAnswerError)
    assert other.seen == []


@pytest.mark.parametrize(("status", "name"), product(REDIRECTS, [*WITHIN]))
async def test_a_redirect_within_the_origin_is_followed(
    status: int, name: str, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve()
    server.steps = [redirect(status, placed(WITHIN[name], server)), http(200, PAGE)]
    assert len((await client_of(server).list_pets()).pets) == 1
    assert server.targets == ["/v1/pets?limit=20", "/v1/there"]


@pytest.mark.parametrize(("status", "name"), product(REDIRECTS, [*NOT_FOLLOWED]))
async def test_a_redirect_that_leads_elsewhere_is_reported_and_not_followed(
    status: int, name: str, serve: Serve, client_of: ClientOf
) -> None:
    server, other = await serve(), await serve(http(200, PAGE))
    server.steps = [redirect(status, placed(NOT_FOLLOWED[name], server, other))]
    error = await failure_of(client_of(server).list_pets())
    assert isinstance(error, NoErrorBodyError)
    assert error.status == status
    assert "it leads to" in str(error)
    assert len(str(error)) < 400
    assert len(server.seen) == 1
    assert other.connections == 0


@pytest.mark.parametrize("status", REDIRECTS)
async def test_an_add_follows_no_redirect(status: int, serve: Serve, client_of: ClientOf) -> None:
    server = await serve(redirect(status, "/v1/there"))
    error = await failure_of(client_of(server).create_pet(NewPet(name="Tiny", category_id=3)))
    assert "an add is not sent twice" in str(error)
    assert error.maybe_sent
    assert len(server.seen) == 1


async def test_redirects_end_at_their_limit(serve: Serve, client_of: ClientOf) -> None:
    server = await serve(redirect(302, "/v1/round"))
    error = await failure_of(client_of(server).list_pets())
    assert "it redirects too often, last to" in str(error)
    assert len(server.seen) == 1 + Limits().redirects


async def test_a_proxy_of_the_environment_is_not_used(
    serve: Serve, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = await serve(http(200, "[]"))
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.origin)
    server = await serve(http(200, PAGE))
    assert len((await client_of(server).list_pets()).pets) == 1
    assert proxy.connections == 0


async def test_a_password_file_of_the_environment_is_not_used(
    serve: Serve, client_of: ClientOf, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("default login a password b")
    monkeypatch.setenv("NETRC", str(netrc))
    server = await serve(http(200, PAGE))
    await client_of(server).list_pets()
    assert server.seen[0].header("authorization") == [f"Bearer {KEY}"]
