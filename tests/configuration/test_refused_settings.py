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
    "a user name": f"https://clerk:{KEY}@store.example/v1",
    "a query": f"https://store.example/v1?key={KEY}",
    "nothing": "",
}

FILES = {
    "an unknown setting": ('them = "dark"', "did you mean theme?"),
    "an unknown setting of a profile": (f'{SHOP}colur = "red"', "did you mean colour?"),
    "a key in the file itself": (f'{SHOP}api_key = "{KEY}"', "api_key"),
    "no TOML": ("theme dark", "TOML"),
    "a limit of 0": ("limit = 0", "limit"),
    "a limit of the client that is fixed": ("limits.body = 1", "limits.body: unknown limit"),
    "an unknown theme": ('theme = "pink"', "theme"),
    "an unknown default profile": ('profile = "nowhere"', "profile"),
    "profiles that are no table": ('profiles = "shop"', "profiles"),
    "a profile without an address": ('[profiles.shop]\napi_key_env = "K"', "base_url"),
    "a profile without a key": ('[profiles.s]\nbase_url = "https://h/v1"', "api_key_env"),
    "a profile with two keys": (f'{SHOP}api_key_file = "k"', "api_key_file"),
    "an address that is none": (SHOP.replace("/v1", "/v2"), "profiles.shop.base_url"),
    "an unknown colour": (f'{SHOP}colour = "pink"', "profiles.shop.colour"),
    "a label that fills the header": (f'{SHOP}label = "{"x" * 25}"', "profiles.shop.label"),
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
    "certificates of a name that no file has": (
        f'{SHOP}ca_file = "a\\u0000b"',
        "profiles.shop.ca_file",
    ),
    "a key as a label": (f'{SHOP}label = "{KEY * 2}"', "profiles.shop.label"),
    "a key as a profile": (f"[profiles.{KEY}]", "profiles.***.base_url"),
    "a key as a setting": (f'{KEY} = "dark"', "***"),
    "a key as a category": (f"{SHOP}categories.{KEY} = 1", "categories.***"),
    "a key as an address": (SHOP.replace("https://store.example/v1", KEY), "base_url"),
    "a key as certificates": (f'{SHOP}ca_file = "{KEY}"', "ca_file"),
    "a key as the keys of an action": (f'keys.refresh = "{KEY} {KEY},,"', "keys.refresh"),
    "a key as an action": (f'keys.{KEY} = "f5"', "keys.***"),
    "a key as a name twice": (f"[profiles.{KEY}]\n[profiles.{KEY}]", "line 2"),
    "a number of 5,000 digits": (f"limit = {'1' * 5_000}", "digits"),
    "a limit of 5,000 digits of hex": (f"limits.rows = 0x{'f' * 5_000}", "limits.rows"),
    "a watch that never rests": ("watch = 1.9", "watch"),
    "a watch that is no number": ("watch = nan", "watch"),
    "a name of 100,000 names": (f"{'a.' * 100_000}a = 1", "dots"),
    "certificates that are not there": (f'{SHOP}ca_file = "no.pem"', "profiles.shop.ca_file"),
    "keys that are none": ('keys.refresh = "f5,,r"', "keys.refresh"),
    "an unknown action": ('keys.refesh = "f5"', "did you mean refresh?"),
    "an unknown limit": ("limits.deadlin = 3", "did you mean deadline?"),
    "a limit below nothing": (
        "limits.deadline = -1",
        "limits.deadline -1: must be a number of seconds from 0.1 to 3600",
    ),
    "an empty name of a profile": ('profile = ""', "profile '': unknown profile; known: demo"),
    "a sentence": ("this is = = not toml", "Expected '=' after a key"),
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
