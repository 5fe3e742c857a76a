"""Links and redirects: the key goes to the service's own origin, and nowhere else."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from pettui.client import NoAnswerError, NoErrorBodyError, PetClient, PetPage
from pettui.client.headers import at_own_origin
from pettui.client.requests import Request, Response
from pettui.models.pets import PetStatus
from pettui.settings.settings import Limits
from tests.client.hostile.checks import KEY, TINY, failure_of
from tests.client.hostile.server import PAGE, HostileServer, Step, http
from tests.exhaustive import product

if TYPE_CHECKING:
    from tests.client.conftest import Answered, Serve

# In what follows, {origin} and {port} stand for the service's own, {other} for another's port.

# name → (the header, the target that is asked for then)
FOLLOWED: dict[str, tuple[str, str]] = {
    "a relative path": ('<pets?cursor=2>; rel="next"', "/v1/pets?cursor=2"),
    "a path outside of v1": ('</api/pets?cursor=2>;rel="next"', "/api/pets?cursor=2"),
    "a scheme in capitals": ('<HTTP://127.0.0.1:{port}/x>; rel="next"', "/x"),
    "among others": (
        '<a>; rel="prev", <b>; title="x, <c>; rel=next"; rel="last", <pets?d>; rel="next"',
        "/v1/pets?d",
    ),
    "escapes in quotes": ('<pets?a>; title="a\\"; rel=prev"; rel=next', "/v1/pets?a"),
    "characters beyond ASCII": ("<pets?a=\xe9>; rel=next", "/v1/pets?a=%C3%A9"),
}
NOT_FOLLOWED: dict[str, str] = {
    "another host": "<http://evil.example/v1/pets>",
    "another port": "<http://127.0.0.1:{other}/v1/pets>",
    "another scheme": "<https://127.0.0.1:{port}/v1/pets>",
    "a user name": "<http://admin@127.0.0.1:{port}/v1/pets>",
    "our host as user name": "<http://127.0.0.1:{port}@127.0.0.1:{other}/>",
    "backslashes": "<http:\\\\127.0.0.1:{other}\\v1>",
    "a name that stands for nothing": "<http://xn--a/>",
    "an address that grows beyond the longest": "<http://127.0.0.1:{port}/" + "\xe9" * 20_000 + ">",
    "a tab in the scheme": "<ht\ttp://127.0.0.1:{other}/>",
    "escapes": "<http://\x1b[2J\x07.example/>",
}
NO_LINK: dict[str, str] = {
    "nothing": "",
    "the way back": "<pets?a>; rev=next",
    "another resource's": '<pets?a>; rel=next; anchor="/elsewhere"',
    "semicolons": ";" * 50_000,
    "many blanks": "<a>;" + " " * 90_000 + "x",
}

WITHIN = ("/v1/there", "there", "{origin}/v1/there#x")
REDIRECTS = (301, 302, 303, 307, 308)


def placed(text: str, server: HostileServer, other: HostileServer | None = None) -> str:
    """Return a header as this service sends it."""
    port = str(other.port) if other is not None else "1"
    text = text.replace("{origin}", server.origin).replace("{port}", str(server.port))
    return text.replace("{other}", port)


def linking(*links: str, page: str = PAGE) -> Step:
    """Return the step that sends one page, with these links."""
    return http(200, page, [("Link", link) for link in links])


def redirect(status: int, location: str) -> Step:
    return http(status, "", [("Location", location.strip("<>"))])


async def last_page(client: PetClient) -> PetPage:
    """Follow a list as far as it goes."""
    page = await client.list_pets()
    while page.next_link is not None:
        page = await client.list_next_pets(page)
    return page


@pytest.mark.parametrize(("link", "target"), FOLLOWED.values(), ids=FOLLOWED)
async def test_a_link_of_the_same_origin_is_followed(
    link: str, target: str, server: HostileServer, client: PetClient
) -> None:
    server.turn_to(linking(placed(link, server)), http(200, "[]"))
    page = await client.list_pets()
    assert page.remarks == ()
    assert page.next_link == server.origin + target
    await client.list_next_pets(page)
    assert server.targets == ["/v1/pets?limit=20", target]
    assert server.seen[1].header("authorization") == [f"Bearer {KEY}"]


@pytest.mark.parametrize("name", NOT_FOLLOWED)
async def test_a_link_that_leads_elsewhere_is_reported_and_not_followed(
    name: str, server: HostileServer, client: PetClient, serve: Serve
) -> None:
    other = await serve(http(200, PAGE))
    server.turn_to(linking(placed(f"{NOT_FOLLOWED[name]}; rel=next", server, other)))
    page = await client.list_pets()
    assert other.connections == 0
    assert page.next_link is None
    (said,) = page.remarks
    assert said.endswith(": not followed")
    assert len(said) < 200
    assert len(page.pets) == 1


@pytest.mark.parametrize("link", NO_LINK.values(), ids=NO_LINK)
async def test_what_links_no_next_page_is_no_link(link: str, answered: Answered) -> None:
    page = await answered(linking(link)).list_pets()
    assert (page.next_link, page.remarks) == (None, ())


@pytest.mark.parametrize(
    ("rows", "limit", "link", "may_go_on"),
    [
        (20, 20, "", True),
        (20, 100, "", True),  # a service may list fewer than it was asked for
        (5, 5, "", True),
        (19, 20, "", False),
        (20, 20, "<pets?a>; rel=first", False),
        (20, 20, "<http://evil.example/>; rel=next", False),
    ],
)
async def test_a_full_page_of_a_service_without_links_may_not_be_the_last(
    rows: int, limit: int, link: str, may_go_on: bool, answered: Answered
) -> None:
    client = answered(linking(link, page=f"[{', '.join([PAGE[1:-1]] * rows)}]"))
    assert (await client.list_pets(limit)).may_go_on is may_go_on


async def test_a_page_that_leads_to_itself_is_the_last(answered: Answered) -> None:
    page = await answered(linking("<?limit=20>; rel=next")).list_pets()
    assert page.next_link is None
    assert page.remarks == ("the service's next page is one that came before: not followed",)


async def test_a_chain_without_an_end_is_given_up(
    server: HostileServer, answered: Answered
) -> None:
    pages = (linking(f"<?page={number}>; rel=next") for number in range(50))
    page = await last_page(answered(*pages, limits=Limits(tries=0, pages=10)))
    assert len(server.seen) == 10
    assert page.remarks == ("the service's list does not end after 10 pages: not followed",)


async def test_a_circle_is_left_that_is_longer_than_the_addresses_that_are_kept(
    server: HostileServer, answered: Answered
) -> None:
    pages = (linking(f"<?{number % 220}>; rel=next") for number in range(660))
    page = await last_page(answered(*pages, limits=Limits(tries=0, pages=sys.maxsize)))
    assert page.remarks == ("the service's next page is one that came before: not followed",)
    assert 220 < len(server.seen) < 660


async def test_a_list_of_too_many_bytes_is_not_followed_further(
    server: HostileServer, answered: Answered
) -> None:
    """Rows are bounded, and each body is; many large bodies would still fill the memory."""
    body = " " * 500_000 + PAGE
    pages = (linking(f"<?page={number}>; rel=next", page=body) for number in range(50))
    page = await last_page(answered(*pages, limits=Limits(tries=0, list_bytes=2_000_000)))
    assert len(server.seen) == 4
    assert page.is_cut
    assert page.remarks == ("more than 2 MB in this list: the rest is not loaded",)


async def test_a_next_page_is_measured_by_the_first_request(answered: Answered) -> None:
    client = answered(linking("<?b>; rel=next"), http(200, PAGE.replace("available", "sold")))
    page = await client.list_next_pets(await client.list_pets(5, PetStatus.AVAILABLE))
    assert page.remarks == ("1 of another status than available",)


async def test_a_forged_page_leads_nowhere(
    server: HostileServer, client: PetClient, serve: Serve
) -> None:
    other = await serve(http(200, PAGE))
    server.turn_to(http(200, PAGE))
    page = (await client.list_pets())._replace(next_link=f"{other.base_url}/pets")
    error = await failure_of(client.list_next_pets(page))
    assert isinstance(error, NoAnswerError)
    assert other.seen == []


@pytest.mark.parametrize(("status", "location"), product(REDIRECTS, WITHIN))
async def test_a_redirect_within_the_origin_is_followed(
    status: int, location: str, server: HostileServer, client: PetClient
) -> None:
    server.turn_to(redirect(status, placed(location, server)), http(200, PAGE))
    assert len((await client.list_pets()).pets) == 1
    assert server.targets == ["/v1/pets?limit=20", "/v1/there"]


@pytest.mark.parametrize(("status", "name"), product(REDIRECTS, [*NOT_FOLLOWED]))
async def test_a_redirect_that_leads_elsewhere_is_reported_and_not_followed(
    status: int, name: str, server: HostileServer, client: PetClient, serve: Serve
) -> None:
    other = await serve(http(200, PAGE))
    server.turn_to(redirect(status, placed(NOT_FOLLOWED[name], server, other)))
    error = await failure_of(client.list_pets())
    assert isinstance(error, NoErrorBodyError)
    assert error.status == status
    assert "it leads to" in str(error)
    assert len(str(error)) < 400
    assert len(server.seen) == 1
    assert other.connections == 0


@pytest.mark.parametrize("status", [307, 308])
async def test_an_add_follows_a_redirect_once_that_only_adds_a_slash(
    status: int, server: HostileServer, client: PetClient
) -> None:
    slash = redirect(status, "/v1/pets/")
    server.turn_to(slash, http(201, '{"id": 7, "name": "T", "categoryId": 1}'))
    assert (await client.create_pet(TINY)).pet.id == 7
    first, second = server.seen
    assert (first.target, second.target) == ("/v1/pets", "/v1/pets/")
    assert second.body == first.body
    assert second.header("authorization") == [f"Bearer {KEY}"]
    server.turn_to(slash, redirect(status, "/v1/pets"))
    assert "an add is not sent twice" in str(await failure_of(client.create_pet(TINY)))
    assert len(server.seen) == 2


@pytest.mark.parametrize(
    ("status", "location"), [(301, "/v1/pets/"), (303, "/v1/there"), (308, "/v1/pets/?a")]
)
async def test_an_add_follows_no_other_redirect(
    status: int, location: str, server: HostileServer, client: PetClient
) -> None:
    server.turn_to(redirect(status, location), http(201, '{"id": 7, "name": "T", "categoryId": 1}'))
    error = await failure_of(client.create_pet(TINY))
    assert f"{location}, and an add is not sent twice" in str(error)
    assert error.maybe_sent
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("location", "base_url"),
    [
        ("/shop/v1/pets", "{origin}/shop/v1"),
        ("https://new.example/v1/pets", "https://new.example/v1"),
    ],
)
async def test_a_redirect_to_another_base_address_says_what_to_set(
    location: str, base_url: str, server: HostileServer, client: PetClient
) -> None:
    server.turn_to(redirect(301, location))
    said = f"; set base_url to {placed(base_url, server)}"
    assert said in str(await failure_of(client.create_pet(TINY)))


BEHIND_TLS = {
    "its host and port": ("http://store.example:8443/v1/pets?p=2", "https://store.example:8443"),
    "no port": ("http://store.example/v1/pets?p=2", "https://store.example:8443"),
    "http's own port": ("http://store.example:80/v1/pets?p=2", "http://store.example"),
    "another port": ("http://store.example:8080/v1/pets?p=2", "http://store.example:8080"),
    "another host": ("http://evil.example/v1/pets?p=2", "http://evil.example"),
    "relative": ("/v1/pets?p=2", "https://store.example:8443"),
}


@pytest.mark.parametrize(("reference", "origin"), BEHIND_TLS.values(), ids=BEHIND_TLS)
def test_behind_tls_an_http_link_of_the_service_is_asked_for_at_its_own_origin(
    reference: str, origin: str
) -> None:
    base = "https://store.example:8443/v1/pets"
    request = Request("listPets", "GET", base, expected_status=200)
    response = Response(request, base, 200, (), b"", None, 0.0, Limits())
    assert at_own_origin(response, reference) == f"{origin}/v1/pets?p=2"


async def test_redirects_end_at_their_limit(server: HostileServer, client: PetClient) -> None:
    server.turn_to(redirect(302, "/v1/round"))
    assert "it redirects too often, last to" in str(await failure_of(client.list_pets()))
    assert len(server.seen) == 1 + Limits().redirects


async def test_a_proxy_of_the_environment_is_not_used(
    server: HostileServer, client: PetClient, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = await serve(http(200, "[]"))
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.origin)
    server.turn_to(http(200, PAGE))
    assert len((await client.list_pets()).pets) == 1
    assert proxy.connections == 0
