"""Base addresses: what passes can be read by httpx and looked up; what cannot is refused."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pettui.system.addresses import (
    base_address,
    is_loopback,
    networks,
    proxy_address,
    service_proxy,
    spellings,
)

if TYPE_CHECKING:
    from collections.abc import Callable

HOSTS_THAT_ARE_NONE = {
    "an address of IPv4 beyond 255": "999.1.1.1",
    "an address of IPv4 with a zero before": "01.2.3.4",
    "one number in hex": "0x7f000001",
    "an address of IPv4 with a dot": "127.0.0.1.",
    "a name that stands for nothing": "xn--a",
    "a label that stands for nothing": "store.xn--a.example",
    "a label of 64": "a" * 64,
    "a name of 254": ".".join(["a" * 50] * 5),
    "no label": "a..b",
    "brackets around a name": "[store]",
    "brackets and more": "[::1]x",
    "a future address": "[v1.a]",
    "half an address": "[::1",
    "a percent sign": "a%41",
    "a star": "*.example",
}
HOSTS = (
    "store", "store.example", "STORE.example", "store.example.", "my_store", "a-b.c1", "127.0.0.1",
    "[::1]", "[2001:db8::1]", "[::ffff:10.0.0.1]", "xn--mnchen-3ya.example", "xn--ls8h.example",
    "1.example", "1a", "a" * 63,
)  # fmt: skip
REFUSED = [
    *((base_address, f"http://store.example:{port}/v1", "a port from 1 to 65535")
      for port in ("0", "65536", "1" * 1_500, "http", "-1", "1_0")),
    (base_address, f"http://store.example/{'x' * 2_000}/v1", "at most 2000 characters"),
    (proxy_address, "http://proxy.example:3128/v1", "end after"),
]  # fmt: skip


@pytest.mark.parametrize("host", HOSTS)
def test_a_valid_host_is_accepted(host: str) -> None:
    assert base_address(f"https://{host}/v1") == f"https://{host}/v1"
    assert base_address(f"https://{host}:443/v1/") == f"https://{host}:443/v1"
    assert base_address(f"HTTPS://{host}/shop/v1/") == f"https://{host}/shop/v1"
    assert proxy_address(f"http://{host}:3128/") == f"http://{host}:3128"


@pytest.mark.parametrize(("check", "address", "words"), REFUSED)
def test_an_invalid_address_is_refused_with_words(
    check: Callable[[str], str], address: str, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        check(address)


@pytest.mark.parametrize("host", HOSTS_THAT_ARE_NONE.values(), ids=HOSTS_THAT_ARE_NONE)
def test_an_invalid_host_is_refused(host: str) -> None:
    for check, address in (
        (base_address, f"http://{host}/v1"),
        (base_address, f"https://{host}:8443/v1"),
        (proxy_address, f"http://{host}:3128"),
    ):
        with pytest.raises(ValueError, match="must") as refusal:
            check(address)
        assert host not in str(refusal.value) or host == "."


PARTS = st.sampled_from(
    ["xn--", "a", "1", "255", ".", "-", "_", "[", "]", "::", ":", "%", "é", "0x", "@", "/", "v1"]
)


@given(host=st.lists(PARTS | st.text(max_size=3), max_size=8).map("".join))
@example(host="xn--a")
@example(host="1234567")
def test_httpx_accepts_every_accepted_address(host: str) -> None:
    for scheme in ("http", "https"):
        try:
            address = base_address(f"{scheme}://{host}/v1")
        except ValueError:
            continue
        url = httpx.URL(f"{address}/pets?limit=20")
        request = httpx.Request("GET", url, headers={"Host": url.netloc.decode("ascii")})
        assert request.url.raw_host
        assert request.url.scheme == scheme


LOOPBACK = ("127.0.0.1", "127.0.0.5", "::1", "localhost", "LOCALHOST", "shop.localhost")
ELSEWHERE = ("", "0.0.0.0", "::", "192.0.2.1", "localhost.example", "notlocalhost")


@pytest.mark.parametrize("host", LOOPBACK + ELSEWHERE)
def test_only_loopback_hosts_need_no_encryption(host: str) -> None:
    assert is_loopback(host) is (host in LOOPBACK)


def test_a_proxy_is_refused_for_plain_http_which_would_show_it_the_key() -> None:
    proxy = "http://proxy.example:3128"
    assert service_proxy(f"{proxy}/", "https://store.example/v1") == proxy
    with pytest.raises(ValueError, match="https only"):
        service_proxy(proxy, "http://store.example/v1")


@pytest.mark.parametrize("address", ["192.0.2.77", "::ffff:192.0.2.77"])
def test_a_network_is_known_however_a_socket_shows_its_addresses(address: str) -> None:
    [network] = networks(["192.0.2.0/24"])
    assert any(ip_address(address) in one for one in networks(spellings(network)))
