"""Links and redirects: the key goes to the service's own origin, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pettui.client import NoAnswerError, NoErrorBodyError
from pettui.models import NewPet, PetStatus
from pettui.settings import Limits
from tests.client.hostile.bodies import REX
from tests.client.hostile.checks import KEY, failure_of
from tests.client.hostile.server import HostileServer, http

if TYPE_CHECKING:
    from tests.client.conftest import Ask, Serve

PAGE = f"[{REX}]"
FOLLOWED = {
    "a relative path": ('<pets?cursor=2>; rel="next"', "/v1/pets?cursor=2"),
    "a query alone": ("<?cursor=2>; rel=next", "/v1/pets?cursor=2"),
    "an absolute path": ('</v1/pets?cursor=2>;rel="next"', "/v1/pets?cursor=2"),
    "a path outside of v1": ('</api/pets?cursor=2>;rel="next"', "/api/pets?cursor=2"),
    "a full address": ('<{origin}/v1/pets?cursor=2>; rel="next"', "/v1/pets?cursor=2"),
    "no scheme": ('<//127.0.0.1:{port}/v1/pets?cursor=2>; rel="next"', "/v1/pets?cursor=2"),
    "a scheme in capitals": ('<HTTP://127.0.0.1:{port}/x>; rel="next"', "/x"),
    "dots": ("<../v1/./pets?cursor=2>; rel=next", "/v1/pets?cursor=2"),
    "a fragment": ("<pets?cursor=2#end>; rel=next", "/v1/pets?cursor=2"),
    "among others": (
        '<a>; rel="prev", <b>; title="x, <c>; rel=next"; rel="last", <pets?d>; rel="next"',
        "/v1/pets?d",
    ),
    "several relations": ('<pets?d>; rel="last NEXT"', "/v1/pets?d"),
    "the first of two": ("<pets?a>; rel=next, <pets?b>; rel=next", "/v1/pets?a"),
    "the first rel of two": ("<pets?a>; rel=next; rel=prev", "/v1/pets?a"),
    "blanks everywhere": ("  <pets?a>  ;  rel  =  next  ", "/v1/pets?a"),
    "escapes in quotes": ('<pets?a>; title="a\\"; rel=prev"; rel=next', "/v1/pets?a"),
    "a comma in the address": ("<pets?a=1,2;3>; rel=next", "/v1/pets?a=1,2;3"),
    "characters beyond ASCII": ("<pets?a=\xe9>; rel=next", "/v1/pets?a=%C3%A9"),
}
NOT_FOLLOWED = {
    "another host": "<http://evil.example/v1/pets>",
    "another port": "<http://127.0.0.1:1/v1/pets>",
    "another scheme": "<https://127.0.0.1:{port}/v1/pets>",
    "a name for the same host": "<http://localhost:{port}/v1/pets>",
    "no scheme, another host": "<//evil.example/v1/pets>",
    "a user name": "<http://admin@127.0.0.1:{port}/v1/pets>",
    "a user name and password": "<http://a:b@127.0.0.1:{port}/v1/pets>",
    "our host as user name": "<http://127.0.0.1:{port}@evil.example/>",
    "our host as a beginning": "<http://127.0.0.1:{port}.evil.example/>",
    "backslashes": "<http:\\\\evil.example\\v1>",
    "a slash and a backslash": "</\\evil.example/v1>",
    "a file": "<file:///etc/passwd>",
    "a script": "<javascript:alert(1)>",
    "ftp": "<ftp://127.0.0.1:{port}/>",
    "a port beyond": "<http://127.0.0.1:99999/>",
    "a port in words": "<http://127.0.0.1:http/>",
    "a broken address of IPv6": "<http://[::1/>",
    "an address without end": "<http://127.0.0.1:{port}/" + "x" * 70_000 + ">",
    "a host beyond ASCII": "<http://\xff\xff/>",
    "a tab in the scheme": "<ht\ttp://evil.example/>",
}
NO_LINK = [
    "",
    ",,,",
    "<>",
    "<",
    ">",
    "nonsense",
    "<pets?a",
    "<pets?a>",
    "<pets?a>; rel=prev",
    "<pets?a>; rel=nextpage",
    "<pets?a> rel=next",
    '<pets?a>; title="; rel=next',
    "pets?a; rel=next",
    "<pets?a>; rev=next",
    '<pets?a>; rel=next; anchor="/elsewhere"',
    "<pets?a>; rel",
    "<pets?a>; rel=",
    ";" * 50_000,
    "<a>;" * 20_000,
    "<" * 50_000,
    '<a>; rel="' + "\\" * 50_000,
    "<a>;" + " " * 90_000 + "x",
]


def with_link(server: HostileServer, value: str) -> None:
    value = value.replace("{origin}", server.origin).replace("{port}", str(server.port))
    server.steps = [http(200, PAGE, [("Link", value)]), http(200, "[]")]


@pytest.mark.parametrize("name", FOLLOWED)
async def test_a_link_of_the_same_origin_is_followed(
    name: str, serve: Serve, client_of: Ask
) -> None:
    link, target = FOLLOWED[name]
    server = await serve(http(500))
    with_link(server, link)
    client = client_of(server)
    page = await client.list_pets()
    assert page.remarks == ()
    assert page.next_link == server.origin + target
    await client.list_next_pets(page)
    assert server.targets == ["/v1/pets?limit=20", target]
    assert server.seen[1].header("authorization") == [f"Bearer {KEY}"]


@pytest.mark.parametrize("name", NOT_FOLLOWED)
async def test_a_link_that_leads_elsewhere_is_said_and_not_followed(
    name: str, serve: Serve, client_of: Ask
) -> None:
    server = await serve(http(500))
    with_link(server, NOT_FOLLOWED[name] + "; rel=next")
    page = await client_of(server).list_pets()
    assert page.next_link is None
    (said,) = page.remarks
    assert said.endswith(": not followed")
    assert len(said) < 200
    assert len(page.pets) == 1


@pytest.mark.parametrize("value", NO_LINK, ids=lambda value: value[:20])
async def test_what_links_no_next_page_is_no_link(value: str, serve: Serve, client_of: Ask) -> None:
    server = await serve(http(500))
    with_link(server, value)
    page = await client_of(server).list_pets()
    assert (page.next_link, page.remarks) == (None, ())


async def test_links_of_several_headers_count_together(serve: Serve, client_of: Ask) -> None:
    server = await serve(
        http(200, PAGE, [("Link", "<a>; rel=prev"), ("link", "<pets?b>; rel=next")])
    )
    assert (await client_of(server).list_pets()).next_link == f"{server.base_url}/pets?b"


async def test_a_page_that_leads_to_itself_is_the_last(serve: Serve, client_of: Ask) -> None:
    server = await serve(http(200, PAGE, [("Link", "<?limit=20>; rel=next")]))
    page = await client_of(server).list_pets()
    assert page.next_link is None
    assert page.remarks == ("the service's next page is one that came before: not followed",)


async def test_a_chain_that_comes_round_ends(serve: Serve, client_of: Ask) -> None:
    server = await serve(
        http(200, PAGE, [("Link", "<?a>; rel=next")]),
        http(200, PAGE, [("Link", "<?b>; rel=next")]),
        http(200, PAGE, [("Link", "<?a>; rel=next")]),
    )
    client = client_of(server)
    page = await client.list_next_pets(await client.list_next_pets(await client.list_pets()))
    assert page.next_link is None
    assert page.remarks == ("the service's next page is one that came before: not followed",)


async def test_a_chain_without_an_end_is_given_up(serve: Serve, client_of: Ask) -> None:
    server = await serve(http(500))
    server.steps = [
        http(200, PAGE, [("Link", f"<?page={number}>; rel=next")]) for number in range(50)
    ]
    client = client_of(server, Limits(tries=0, pages=10))
    page = await client.list_pets()
    while page.next_link is not None:
        page = await client.list_next_pets(page)
    assert len(server.seen) == 10
    assert page.remarks == ("the service's list does not end after 10 pages: not followed",)


async def test_a_next_page_is_measured_by_the_first_question(serve: Serve, client_of: Ask) -> None:
    server = await serve(
        http(200, PAGE, [("Link", "<?b>; rel=next")]), http(200, PAGE.replace("available", "sold"))
    )
    client = client_of(server)
    page = await client.list_next_pets(await client.list_pets(5, PetStatus.AVAILABLE))
    assert page.remarks == ("1 of another status than available",)


async def test_there_is_no_page_after_the_last(serve: Serve, client_of: Ask) -> None:
    client = client_of(await serve(http(200, PAGE)))
    page = await client.list_pets()
    with pytest.raises(ValueError, match="no page after this one"):
        await client.list_next_pets(page)


async def test_a_forged_page_leads_nowhere(serve: Serve, client_of: Ask) -> None:
    server, other = await serve(http(200, PAGE)), await serve(http(200, PAGE))
    client = client_of(server)
    page = replace(await client.list_pets(), next_link=f"{other.base_url}/pets")
    error = await failure_of(client.list_next_pets(page))
    assert isinstance(error, NoAnswerError)
    assert other.seen == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("location", ["/v1/there", "there", "{origin}/v1/there#x"])
async def test_a_redirect_within_the_origin_is_followed(
    status: int, location: str, serve: Serve, client_of: Ask
) -> None:
    server = await serve(http(500))
    location = location.replace("{origin}", server.origin)
    server.steps = [http(status, "", [("Location", location)]), http(200, PAGE)]
    assert len((await client_of(server).list_pets()).pets) == 1
    assert server.targets == ["/v1/pets?limit=20", "/v1/there"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("name", NOT_FOLLOWED)
async def test_a_redirect_that_leads_elsewhere_is_said_and_not_followed(
    status: int, name: str, serve: Serve, client_of: Ask
) -> None:
    server = await serve(http(500))
    location = NOT_FOLLOWED[name].strip("<>").replace("{port}", str(server.port))
    server.steps = [http(status, "", [("Location", location)])]
    error = await failure_of(client_of(server).list_pets())
    assert isinstance(error, NoErrorBodyError)
    assert error.status == status
    assert "it leads to" in str(error)
    assert len(str(error)) < 400
    assert len(server.seen) == 1


async def test_the_key_does_not_follow_a_redirect_to_another_service(
    serve: Serve, client_of: Ask
) -> None:
    other = await serve(http(200, PAGE))
    server = await serve(http(302, "", [("Location", f"{other.base_url}/pets")]))
    await failure_of(client_of(server).list_pets())
    assert other.connections == 0


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_an_add_follows_no_redirect(status: int, serve: Serve, client_of: Ask) -> None:
    server = await serve(http(status, "", [("Location", "/v1/there")]))
    error = await failure_of(client_of(server).create_pet(NewPet(name="Tiny", category_id=3)))
    assert "an add is not sent twice" in str(error)
    assert error.maybe_sent
    assert len(server.seen) == 1


async def test_redirects_end_at_their_limit(serve: Serve, client_of: Ask) -> None:
    server = await serve(http(302, "", [("Location", "/v1/round")]))
    error = await failure_of(client_of(server).list_pets())
    assert "it leads on and on, at last to" in str(error)
    assert len(server.seen) == 1 + Limits().redirects


async def test_a_proxy_of_the_environment_is_not_used(
    serve: Serve, client_of: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = await serve(http(200, "[]"))
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.origin)
    server = await serve(http(200, PAGE))
    assert len((await client_of(server).list_pets()).pets) == 1
    assert proxy.connections == 0


async def test_a_password_file_of_the_environment_is_not_used(
    serve: Serve, client_of: Ask, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("default login a password b")
    monkeypatch.setenv("NETRC", str(netrc))
    server = await serve(http(200, PAGE))
    await client_of(server).list_pets()
    assert server.seen[0].header("authorization") == [f"Bearer {KEY}"]
