"""Authentication, and the responses of every path and method."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, NoReturn

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


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [(b"authorization", b"Bearer")],
        [(b"authorization", b"Bearer " + KEY[:-1])],
        [(b"authorization", b"Bearer " + KEY + b" x")],
        [(b"authorization", b"Basic " + KEY)],
        [(b"authorization", KEY)],
        [(b"authorization", b"Bearer " + KEY), (b"authorization", b"Bearer " + KEY)],
        [(b"cookie", b"api_key=" + KEY)],
    ],
)
async def test_without_a_known_key_the_response_is_401(
    client_of: ClientOf, headers: list[tuple[bytes, bytes]]
) -> None:
    response = await client_of(headers=headers).get("/v1/pets")
    assert_error(response, 401)
    assert response.headers["www-authenticate"] == "Bearer"
    assert "deprecation" not in response.headers


@pytest.mark.parametrize("scheme", [b"bEaReR", b"Bearer  "])
async def test_the_scheme_is_accepted_in_any_case(client_of: ClientOf, scheme: bytes) -> None:
    client = client_of(headers=[(b"authorization", scheme + b" " + KEY)])
    assert (await client.get("/v1/pets")).status_code == 200


async def test_a_key_in_the_query_is_not_accepted(client_of: ClientOf) -> None:
    keys = dict.fromkeys(("api_key", "access_token", "key"), KEY.decode())
    assert_error(await client_of(headers={}).get("/v1/pets", params=keys), 401)


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/v1/pets/abc"), ("POST", "/v1/pets"), ("DELETE", "/v1/pets"), ("GET", "/v1/")],
)
async def test_the_key_is_checked_before_anything_else(
    client_of: ClientOf, method: str, path: str
) -> None:
    assert_error(await client_of(headers={}).request(method, path), 401)


async def test_each_of_several_keys_is_accepted(memory: SqliteStore) -> None:
    transport = ASGITransport(create_app(memory, ["one", "clé"]))
    async with httpx.AsyncClient(transport=transport, base_url="http://store") as client:
        for key in ("one", "clé"):
            header = [(b"authorization", b"Bearer " + key.encode())]
            assert (await client.get("/v1/pets", headers=header)).status_code == 200


def test_one_string_instead_of_keys_is_a_type_error(memory: SqliteStore) -> None:
    with pytest.raises(TypeError, match="several strings"):
        create_app(memory, "secret")


@pytest.mark.parametrize("path", ["/v1", "/v1/pets/", "/v1/pets%0A", "/v1/pets/1/2"])
async def test_a_path_outside_the_interface_responds_404(
    service: httpx.AsyncClient, path: str
) -> None:
    response = await service.delete(httpx.URL(f"http://store{path}"))
    assert_error(response, 404)
    assert "deprecation" not in response.headers


@pytest.mark.parametrize("path", ["", "//v1/pets", "/v2/pets"])
async def test_a_path_outside_v1_responds_404_without_a_key(client_of: ClientOf, path: str) -> None:
    client = client_of(headers={})
    assert_error(await client.get(httpx.URL(f"http://store{path}")), 404)


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
    interface = yaml.safe_load((resources.files("pettui.service") / "openapi.yaml").read_text())
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


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PUT", "/v1/pets", "GET, HEAD, POST"),
        ("POST", "/v1/pets/1", "GET, HEAD"),
        ("get", "/healthz", "GET, HEAD"),
    ],
)
async def test_another_method_responds_405_with_the_allowed_ones(
    service: httpx.AsyncClient, method: str, path: str, allow: str
) -> None:
    request = service.build_request("GET", path)
    request.method = method  # httpx would change it to upper case
    response = await service.send(request)
    assert_error(response, 405)
    assert response.headers["allow"] == allow
    assert "deprecation" not in response.headers


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
