"""Who sent a request and for what, as the access log says it."""

from __future__ import annotations

import pytest

from pettui.service.access_log import client_address, shown_path
from pettui.service.keys import FixedKeys
from pettui.service_addresses import networks

PROXIES = networks(["10.0.0.0/8", "2001:db8::1"])
MANY = b", ".join([b"10.0.0.1"] * 4000)


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("10.0.0.1", [b"203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("203.0.113.1", [b"198.51.100.7"], "203.0.113.1"),
        ("10.0.0.1", [b"198.51.100.7, 203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", [b"198.51.100.7", b"203.0.113.9, 10.0.0.2"], "203.0.113.9"),
        ("10.0.0.1", [b"10.0.0.3,10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", [b"203.0.113.9:4711"], "203.0.113.9"),
        ("10.0.0.1", [b"[2001:db8::7]:4711"], "2001:db8::7"),
        ("2001:db8::1", [b"2001:DB8:0::7"], "2001:db8::7"),
        ("::ffff:10.0.0.1", [b"203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", [b"fe80::7%any-text-perhaps-a-key"], "fe80::7"),
        ("10.0.0.1", [b"203.0.113.9, unknown"], "10.0.0.1"),
        ("10.0.0.1", [b"\x1b[2J\xff, 203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", [b"203.0.113.9, "], "10.0.0.1"),
        ("10.0.0.1", [b"203.0.113.9, " + MANY], "10.0.0.1"),
    ],
)
def test_an_address_is_believed_as_far_as_it_comes_from_a_trusted_proxy(
    peer: str, forwarded: list[bytes], address: str
) -> None:
    assert client_address(peer, forwarded, PROXIES) == address


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/v1/pets", "/v1/pets"),
        ("/v1/pets/12", "/v1/pets/12"),
        ("/v1/pets/Rex", "other"),
        ("/v1/pets\n", "other"),
        ("/.env", "/.env"),
        ("/wp-login.php", "/wp-login.php"),
        ("/pets/short-key/x", "/pets/***/x"),
        (f"/a/{'k' * 20}", "/a/***"),
        (f"/token=pettui_{'k' * 43}.json", "/***"),
        ("/" + "ab/" * 100, "/" + "ab/" * 65 + "ab/…"),
        ("x" * 5000, "/…"),
    ],
)
def test_a_path_is_shown_without_names_and_keys(path: str, shown: str) -> None:
    assert shown_path(path, FixedKeys(["short-key"])) == shown
