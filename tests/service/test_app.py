"""Authentication, every path and method, and all that is refused."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import httpx
import pytest
import yaml  # type: ignore[import-untyped]
from httpx import ASGITransport

from pettui.service.app import create_app
from tests.service import running_service
from tests.service.running_service import AUTHORIZATION

if TYPE_CHECKING:
    from pettui.service.stores.sqlite import SqliteStore
    from tests.service.conftest import ClientOf


KEY = running_service.KEY.encode()


def assert_error(response: httpx.Response, status: int) -> None:
    assert response.status_code == status
    assert response.headers["content-type"] == "application/json"
    body = response.json()
    assert set(body) == {"code", "message", "status"}
    assert body["status"] == status
    assert isinstance(body["code"], str)
    assert isinstance(body["message"], str)


BEARER = b"Bearer " + KEY
VALID = b'{"name": "Rex", "categoryId": 1}'
JSON = ("Content-Type", "application/json")
OTHER_KEYS: tuple[Any, ...] = (  # Authorization headers
    [], [b"Bearer"], [BEARER[:-1]], [BEARER + b" x"], [b"Basic " + KEY], [KEY], [BEARER, BEARER],
)  # fmt: skip
QUERIES = {
    "limit": ("0", "101", "-1", "+5", "%205", "", "%D9%A5", "%FF", "5;status=sold", "9" * 5000,
              "5&limit=5", "5&l%69mit=6"),
    "status": ("", "Available", "sold%20", "sold&status=sold"),
    # Padded, of another version, 01, and beyond int64.
    "cursor": ("", "abc", "1", "é", "%FF", "MTo0MQ==", "MjoxMA", "MTowMQ",
               "MTo5MjIzMzcyMDM2ODU0Nzc1ODA4"),
}  # fmt: skip
BODIES: tuple[tuple[str | bytes, str], ...] = (
    ('{"name": "Rex", "categoryId": "1"}', "categoryId must be"),
    ('{"name": "Rex", "categoryId": 9223372036854775808}', "categoryId must be"),
    ('{"name": "Rex", "categoryId": 1e999999999999}', "categoryId must be"),
    (f'{{"name": "Rex", "categoryId": {"9" * 5000}}}', "categoryId must be"),
    ('{"name": 1, "categoryId": 1}', "name must be"),
    (r'{"name": "a\udfffb", "categoryId": 1}', "name must be"),
    ('{"name": "Rex", "categoryId": 1, "status": "Sold"}', "status must be"),
    ('{"categoryId": 1}', "name is missing"),
    ('{"name": "Rex", "category_id": 1}', "categoryId is missing"),
    ('{"name": "a", "categoryId": 1, "name": "b"}', "name must be given only once"),
    ("", "The body must be"),
    ("null", "The body must be"),
    (VALID + b" x", "The body must be"),
    (b"\xef\xbb\xbf" + VALID, "The body must be"),
    (b'{"name": "\xff", "categoryId": 1}', "The body must be"),
    (b'{"name": "a\nb", "categoryId": 1}', "The body must be"),
    (b'{"name": "Rex", "categoryId": 1, "x": NaN}', "The body must be"),
    (b'{"name": "Rex", "categoryId": 1, "x": ' + b"[" * 100_000, "The body must be"),
)
KINDS: tuple[list[tuple[str, str]], ...] = ([], [("Content-Type", "text/plain")], [("Content-Type", "application/jsonp")], [JSON] * 2,
         [("Content-Type", "application/json; charset=utf-8; charset=latin-1")])  # fmt: skip
GZIP = [JSON, ("Content-Encoding", "identity, gzip")]
PLAIN: list[tuple[str, str]] = []
KNOWN = [BEARER]
# A request: method, path, keys, other headers, body; and its refusal: status, how its message begins.
REFUSED: list[tuple[str, str, Any, list[tuple[str, str]], Any, int, str]] = [
    *(("GET", "/v1/pets", keys, PLAIN, None, 401, "Missing or inv") for keys in OTHER_KEYS),
    ("GET", "/v1/pets", [], [("Cookie", f"api_key={KEY.decode()}")], None, 401, "Missing or"),
    ("GET", f"/v1/pets?api_key={KEY.decode()}", [], PLAIN, None, 401, "Missing or invalid"),
    # The key is checked before anything else, where one is needed.
    *(("GET", path, [], PLAIN, None, 401, "Missing or inv") for path in ("/v1/", "/v1/pets/abc")),
    *(
        (method, "/v1/pets", [], PLAIN, None, 401, "Missing or inv")
        for method in ("POST", "DELETE")
    ),
    *(
        ("GET", path, [], PLAIN, None, 404, "No such path")
        for path in ("", "//v1/pets", "/v2/pets")
    ),
    *(
        ("DELETE", path, KNOWN, PLAIN, None, 404, "No such path")
        for path in ("/v1", "/v1/pets/", "/v1/pets%0A", "/v1/pets/1/2")
    ),
    ("PUT", "/v1/pets", KNOWN, PLAIN, None, 405, "This path allows the methods GET, HEAD, POST"),
    ("POST", "/v1/pets/1", KNOWN, PLAIN, None, 405, "This path allows the methods GET, HEAD"),
    ("get", "/healthz", KNOWN, PLAIN, None, 405, "This path allows the methods GET, HEAD"),
    *(
        ("GET", f"/v1/pets?{name}={value}", KNOWN, PLAIN, None, 400, f"{name} must be")
        for name, values in QUERIES.items()
        for value in values
    ),
    *(("POST", "/v1/pets", KNOWN, kind, VALID, 400, "Content-Type must be") for kind in KINDS),
    (
        "POST",
        "/v1/pets",
        KNOWN,
        GZIP,
        gzip.compress(VALID, mtime=0),
        400,
        "Content-Encoding must be",
    ),
    *(("POST", "/v1/pets", KNOWN, [JSON], body, 400, start) for body, start in BODIES),
]


@pytest.mark.parametrize(
    ("method", "path", "keys", "headers", "body", "status", "start"),
    REFUSED,
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
async def test_what_is_not_the_interface_is_refused_and_stores_nothing(  # noqa: PLR0917
    method: str, path: str, keys: list[bytes], headers: Any, body: Any, status: int, start: str,
    client_of: ClientOf, memory: SqliteStore,
) -> None:  # fmt: skip
    url = httpx.URL(f"http://store{path}")
    named = [*headers, *((b"authorization", key) for key in keys)]
    client = client_of(headers={})
    request = client.build_request("GET", url, headers=named, content=body)
    request.method = method  # httpx would change it to upper case
    response = await client.send(request)
    assert_error(response, status)
    assert response.json()["message"].startswith(start)
    assert response.headers.get("www-authenticate") == ("Bearer" if status == 401 else None)
    assert status != 405 or start.endswith(f"methods {response.headers['allow']}")
    assert ("deprecation" in response.headers) == (path == "/v1/pets/abc")
    assert (await memory.list_pets(1)).pets == ()


@pytest.mark.parametrize("scheme", [b"bEaReR", b"Bearer  "])
async def test_the_scheme_is_accepted_in_any_case(client_of: ClientOf, scheme: bytes) -> None:
    client = client_of(headers=[(b"authorization", scheme + b" " + KEY)])
    assert (await client.get("/v1/pets")).status_code == 200


def test_one_string_instead_of_keys_is_a_type_error(memory: SqliteStore) -> None:
    with pytest.raises(TypeError, match="several strings"):
        create_app(memory, "secret")


async def test_the_description_of_the_interface_needs_no_key(client_of: ClientOf) -> None:
    response = await client_of(headers={}).get("/openapi.yaml")
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/yaml"
    assert response.text.startswith("openapi: 3.1.0\n")
    assert not {"cache-control", "vary"} & {*response.headers}


async def test_the_description_has_what_this_service_adds_and_else_is_the_interfaces(
    client_of: ClientOf,
) -> None:
    served = yaml.safe_load((await client_of(headers={}).get("/openapi.yaml")).text)
    interface = yaml.safe_load(Path(__file__).with_name("interface.yaml").read_text())
    assert served.pop("servers") == [{"url": "./v1", "description": "This service"}]
    del interface["servers"]
    pets = served["paths"]["/pets"]
    assert pets["get"]["responses"].pop("400")["content"] == {
        "application/json": {"schema": {"$ref": "#/components/schemas/Error"}}
    }
    names = [each["name"] for each in pets["post"].pop("parameters")]
    assert names == ["Idempotency-Key", "Pettui-Store"]
    headers = pets["post"]["responses"]["201"].pop("headers")
    assert [*headers] == ["Idempotency-Key", "Pettui-Store", "Idempotency-Replayed"]
    for status in ("409", "412"):
        del pets["post"]["responses"][status]
    assert served == interface


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/pets", 200), ("POST", "/v1/pets", 201), ("GET", "/v1/pets/999", 404),
        ("GET", "/v1/pets?limit=0", 400), ("PUT", "/v1/pets", 405), ("GET", "/v1/elsewhere", 404),
    ],
)  # fmt: skip
async def test_no_cache_keeps_what_needed_a_key(
    service: httpx.AsyncClient, client_of: ClientOf, method: str, path: str, status: int
) -> None:
    body = {"name": "Rex", "categoryId": 3} if method == "POST" else None
    for client, expected in ((service, status), (client_of(headers={}), 401)):
        response = await client.request(method, path, json=body)
        assert response.status_code == expected
        assert response.headers["cache-control"] == "private, no-store"
        assert response.headers["vary"] == "Authorization"


async def test_head_responds_like_get_without_a_body(service: httpx.AsyncClient) -> None:
    created = (await service.post("/v1/pets", json={"name": "Rex", "categoryId": 3})).json()
    paths = ("/v1/pets", f"/v1/pets/{created['id']}", "/v1/pets/999", "/v1/pets?limit=0")
    for path in (*paths, "/openapi.yaml", "/healthz"):
        get, head = await service.get(path), await service.head(path)
        assert head.status_code == get.status_code
        assert head.headers == get.headers
        assert head.content == b""


async def test_a_bug_responds_500_with_an_error_body(
    memory: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> NoReturn:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(memory, "list_pets", fail)
    transport = ASGITransport(create_app(memory, [KEY.decode()]), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, headers=AUTHORIZATION) as client:
        response = await client.get("http://store/v1/pets")
    assert_error(response, 500)
    assert "secret detail" not in response.text


async def test_a_closed_database_responds_503_and_the_outcome_of_an_add_is_unknown(
    service: httpx.AsyncClient, memory: SqliteStore
) -> None:
    await memory.close()
    listed = await service.get("/v1/pets")
    added = await service.post("/v1/pets", json={"name": "Rex", "categoryId": 3})
    assert_error(listed, 503)
    assert_error(added, 503)
    assert listed.headers["retry-after"] == "1"
    assert "check first whether the animal was added" in added.json()["message"]
