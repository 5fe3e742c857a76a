"""Settings that cannot be used: refused by name, without what may be a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.configuration.refusals import KEY, SHOP, refusal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ADDRESSES = {
    "no scheme": "store.example/v1",
    "another scheme": "ftp://store.example/v1",
    "no host": "http:///v1",
    "another path": "https://store.example/v2",
    "a path behind v1": "https://store.example/v1/pets",
    "no path": "https://store.example",
    "a user name": f"https://clerk:{KEY}@store.example/v1",
    "a query": f"https://store.example/v1?key={KEY}",
    "a fragment": f"https://store.example/v1#{KEY}",
    "a port beyond the last": "https://store.example:65536/v1",
    "port 0": "https://store.example:0/v1",
    "a blank": "https://store.example /v1",
    "half an IPv6 address": "http://[::1/v1",
    "an address of IPv4 that is none": "http://999.1.1.1/v1",
    "an address of IPv4 with a zero before": "http://01.2.3.4/v1",
    "a name that stands for nothing": "http://xn--a/v1",
    "a label of 64": f"http://{'a' * 64}.example/v1",
    "nothing": "",
}

FILES = {
    "an unknown setting": ('them = "dark"', "did you mean theme?"),
    "an unknown table": ("[profile_s.shop]", "profile_s"),
    "an unknown setting of a profile": (f'{SHOP}colur = "red"', "did you mean colour?"),
    "a key in the file itself": (f'{SHOP}api_key = "{KEY}"', "api_key"),
    "no TOML": ("theme dark", "TOML"),
    "a limit of 0": ("limit = 0", "limit"),
    "a limit that is a text": ('limit = "20"', "limit"),
    "a limit that is true": ("limit = true", "limit"),
    "a limit of the client that is fixed": ("limits.body = 1", "limits.body: unknown limit"),
    "an unknown theme": ('theme = "pink"', "theme"),
    "unknown glyphs": ('glyphs = "runes"', "glyphs"),
    "a mouse that is neither true nor false": ('mouse = "yes"', "mouse"),
    "lists that are to be kept a little": ("keep_list = 1", "keep_list"),
    "an unknown default profile": ('profile = "nowhere"', "profile"),
    "profiles that are no table": ('profiles = "shop"', "profiles"),
    "a profile without an address": ('[profiles.shop]\napi_key_env = "K"', "base_url"),
    "a profile without a key": ('[profiles.s]\nbase_url = "https://h/v1"', "api_key_env"),
    "a profile with two keys": (f'{SHOP}api_key_file = "k"', "api_key_file"),
    "an address that is none": (SHOP.replace("/v1", "/v2"), "profiles.shop.base_url"),
    "an unknown colour": (f'{SHOP}colour = "pink"', "profiles.shop.colour"),
    "an empty label": (f'{SHOP}label = " "', "profiles.shop.label"),
    "a label that fills the header": (f'{SHOP}label = "{"x" * 25}"', "profiles.shop.label"),
    "a category that is no number": (f'{SHOP}categories.dogs = "Dogs"', "categories.dogs"),
    "a category beyond int64": (f'{SHOP}categories.{2**63} = "Dogs"', "categories"),
    "an address for the embedded store": (
        '[profiles.embedded]\nbase_url = "https://h/v1"',
        "profiles.embedded.base_url",
    ),
    "a proxy for plain http": (
        f'{SHOP.replace("https", "http")}proxy = "http://proxy:3128"',
        "profiles.shop.proxy",
    ),
    "a proxy with a password": (f'{SHOP}proxy = "http://me:{KEY}@p:1"', "profiles.shop.proxy"),
    "a proxy that is no address": (
        f'{SHOP}proxy = "http://999.1.1.1:3128"',
        "profiles.shop.proxy",
    ),
    "a proxy of a name for nothing": (f'{SHOP}proxy = "http://xn--a"', "profiles.shop.proxy"),
    "certificates of a name that no file has": (
        f'{SHOP}ca_file = "a\\u0000b"',
        "profiles.shop.ca_file",
    ),
    "a key as a colour": (f'{SHOP}colour = "{KEY}"', "profiles.shop.colour"),
    "a key as a label": (f'{SHOP}label = "{KEY * 2}"', "profiles.shop.label"),
    "a key as a profile": (f"[profiles.{KEY}]", "profiles.***.base_url"),
    "a key as a setting": (f'{KEY} = "dark"', "***"),
    "a key as a setting of a profile": (f"{SHOP}{KEY} = 1", "profiles.shop.***"),
    "a key as a category": (f"{SHOP}categories.{KEY} = 1", "categories.***"),
    "a key as the profile to open": (f'profile = "{KEY}"', "profile"),
    "a key as a theme": (f'theme = "{KEY}"', "theme"),
    "a key as an address": (SHOP.replace("https://store.example/v1", KEY), "base_url"),
    "a key as certificates": (f'{SHOP}ca_file = "{KEY}"', "ca_file"),
    "a key as the keys of an action": (f'keys.refresh = "{KEY} {KEY},,"', "keys.refresh"),
    "a key as an action": (f'keys.{KEY} = "f5"', "keys.***"),
    "a key as a name twice": (f"[profiles.{KEY}]\n[profiles.{KEY}]", "line 2"),
    "a number of 5,000 digits": (f"limit = {'1' * 5_000}", "digits"),
    "a number of 5,000 digits of hex": (f"limit = 0x{'f' * 5_000}", "limit"),
    "a limit of 5,000 digits of hex": (f"limits.rows = 0x{'f' * 5_000}", "limits.rows"),
    "a delay of 5,000 digits of hex": (f"delay = 0x{'f' * 5_000}", "delay"),
    "a delay that is no number": ("delay = nan", "delay"),
    "a watch that never rests": ("watch = 1.9", "watch"),
    "a watch of a day": ("watch = 86400", "watch"),
    "a watch that is no number": ("watch = nan", "watch"),
    "a watch that is switched on": ("watch = true", "watch"),
    "a name of 100,000 names": (f"{'a.' * 100_000}a = 1", "dots"),
    "a table of 100,000 names": (f"[{'a.' * 100_000}a]", "dots"),
    "certificates that are not there": (f'{SHOP}ca_file = "no.pem"', "profiles.shop.ca_file"),
    "keys that are none": ('keys.refresh = "f5,,r"', "keys.refresh"),
    "an unknown action": ('keys.refesh = "f5"', "did you mean refresh?"),
    "an action like none": ('keys.zzz = "f5"', "keys.zzz"),
    "an unknown limit": ("limits.deadlin = 3", "did you mean deadline?"),
    "a limit below nothing": (
        "limits.deadline = -1",
        "limits.deadline -1: must be a number of seconds from 0.1 to 3600",
    ),
    "no time at all": ("limits.deadline = 0", "a number of seconds from 0.1 to 3600"),
    "a list without rows": ("limits.rows = 0", "limits.rows 0: must be a whole number from 1 to"),
    "tries without end": ("limits.tries = 100", "limits.tries 100: must be a whole number from 0"),
    "an empty name of a profile": ('profile = ""', "profile '': unknown profile; known: demo"),
    "a sentence": ("this is = = not toml", "Expected '=' after a key"),
    "a text for a limit": ('limits.rows = "many"', "limits.rows"),
}


@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
def test_a_base_address_that_is_none_is_refused_by_the_name_of_its_option(address: str) -> None:
    said = refusal({"base_url": address}, PETTUI_API_KEY=KEY)
    assert said.startswith("--base-url")
    assert "must" in said


def test_a_base_address_of_the_environment_is_refused_by_the_name_of_its_variable() -> None:
    said = refusal({}, PETTUI_BASE_URL="store.example/v1", PETTUI_API_KEY=KEY)
    assert said.startswith("PETTUI_BASE_URL")
    assert "http" in said


@pytest.mark.parametrize(("content", "word"), FILES.values(), ids=FILES)
def test_a_bad_configuration_file_is_named(
    configure: Callable[[str], Path], content: str, word: str
) -> None:
    path = configure(content)
    said = refusal({}, PETTUI_CONFIG=str(path), SHOP_KEY=KEY)
    assert str(path) in said
    assert word in said


@pytest.mark.parametrize(
    "address",
    [
        f"https://bob:{KEY}#ret@host/v1",
        f"https://bob:a?{KEY}@host/v1",
        f"https://bob:{KEY}%23@host/v1",
        f"https://host/{KEY}/v2",
        KEY,
    ],
)
def test_what_may_be_a_part_of_a_password_is_not_shown(address: str) -> None:
    said = refusal({"base_url": address}, PETTUI_API_KEY="another-key")
    assert said.startswith("--base-url")
    assert "bob" not in said


WRONG = {
    'limit = "20"': "limit '20': must be a whole number from 1 to 100",
    "limit = 101": "limit 101: must be a whole number from 1 to 100",
    "theme = 3": "theme 3: must be one of dark, light, ansi",
    'glyphs = "runes"': "glyphs 'runes': must be one of auto, unicode, ascii",
    'mouse = "yes"': "mouse 'yes': must be true or false",
    "watch = true": "watch True: must be a number of seconds from 2 to 3600",
    "limits.rows = 1.5": "limits.rows 1.5: must be a whole number from 1 to 1000000",
    "limits.deadline = 0": "limits.deadline 0: must be a number of seconds from 0.1 to 3600",
    "keys.refresh = 5": "keys.refresh 5: must be a text in quotes",
}


@pytest.mark.parametrize(("content", "line"), WRONG.items(), ids=WRONG)
def test_a_wrong_value_is_refused_with_its_file_setting_value_and_rule(
    configure: Callable[[str], Path], content: str, line: str
) -> None:
    path = configure(content)
    assert refusal({"config": str(path)}) == f"{path}: {line}"


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("limit", "101", "must be a whole number from 1 to 100"),
        ("limit", "1.5", "must be a whole number from 1 to 100"),
        ("limit", "\u0661", "must be a whole number from 1 to 100"),
        ("theme", "pink", "must be one of dark, light, ansi"),
        ("glyphs", "runes", "must be one of auto, unicode, ascii"),
    ],
)
def test_a_wrong_value_of_an_option_is_refused_with_its_rule(
    name: str, text: str, rule: str
) -> None:
    assert refusal({name: text}) == f"--{name} {text!r}: {rule}"
