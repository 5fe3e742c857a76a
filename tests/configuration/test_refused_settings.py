"""Settings that cannot be used: refused in one line that can be drawn, without what may be a key."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.configuration.refusals import (
    COMMAND,
    KEY,
    KEY_IN_A_FILE,
    SHOP,
    refusal,
    shop_refusal,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.configuration.conftest import Configure

FILES = {
    "an unknown setting": ('them = "dark"', "did you mean theme?"),
    "a key in the file itself": (f'{SHOP}api_key = "{KEY}"', "api_key"),
    "profiles that are no table": ('profiles = "shop"', "profiles"),
    "a profile without an address": ('[profiles.shop]\napi_key_env = "K"', "base_url"),
    "a profile without a key": ('[profiles.s]\nbase_url = "https://h/v1"', "api_key_env"),
    "a profile with two keys": (f'{SHOP}api_key_file = "k"', "api_key_file"),
    "an address that is none": (SHOP.replace("/v1", "/v2"), "profiles.shop.base_url"),
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
    "certificates of a name that no file has": (f'{SHOP}ca_file = "a\\u0000b"', "shop.ca_file"),
    "a key as a label": (f'{SHOP}label = "{KEY * 2}"', "profiles.shop.label"),
    "a key as a profile": (f"[profiles.{KEY}]", "profiles.***.base_url"),
    "a key as a setting": (f'{KEY} = "dark"', "***"),
    "a number of 5,000 digits": (f"limit = {'1' * 5_000}", "digits"),
    "a limit of 5,000 digits of hex": (f"limits.rows = 0x{'f' * 5_000}", "limits.rows"),
    "keys that are none": ('keys.refresh = "f5,,r"', "keys.refresh"),
    "a key that there is not": ('keys.refresh = "ctrl+banana"', "unknown key"),
    "alt and a letter, which are two keys": ('keys.add = "alt+a"', "no terminal sends it"),
    "shift and a letter": ('keys.add = "shift+a"', "no terminal sends it"),
    "a key that arrives as another": ('keys.add = "ctrl+i"', "no terminal sends it"),
    "a key that no terminal sends": ('keys.add = "f5,super+x"', "super+x is no key: no terminal"),
    "a letter where all letters are text": (
        'keys.submit_line = "x"',
        "x is for the text that is typed there; enter is not",
    ),
    "a key that edits a text": ('keys.earlier_text = "ctrl+u"', "ctrl+u is for the text"),
    "a letter for the form alone": (
        'keys.clear = "k"',
        "k is for the text of the form's fields; f4 is not",
    ),
    "an unknown action": ('keys.refesh = "f5"', "did you mean refresh?"),
    "an empty name of a profile": ('profile = ""', "profile '': unknown profile; known: demo"),
    "a sentence": ("this is = = not toml", "Expected '=' after a key"),
}


@pytest.mark.parametrize(
    "address",
    [
        "",
        "store.example/v1",
        f"https://store.example/v1?key={KEY}",
        f"https://bob:{KEY}@host/v1",
        f"https://bob:{KEY}#ret@host/v1",
        KEY,
    ],
)
def test_a_base_address_that_is_none_is_refused_without_what_may_be_a_password(
    address: str,
) -> None:
    said = refusal({"base_url": address}, PETTUI_API_KEY="another-key")
    assert said.startswith("--base-url")
    assert "must" in said
    assert "bob" not in said


def test_a_base_address_of_the_environment_is_refused_by_the_name_of_its_variable() -> None:
    said = refusal({}, PETTUI_BASE_URL="store.example/v1", PETTUI_API_KEY=KEY)
    assert said.startswith("PETTUI_BASE_URL")
    assert "http" in said


LINES = {
    "an unknown setting": ('# dark\n\n them = "dark"', "line 3: them"),
    "a wrong value": ('theme = "dark"\nlimit = 0', "line 2: limit 0"),
    "in a table": (f'{SHOP}colour = "pink"', "line 5: profiles.shop.colour 'pink'"),
    "with dots": ("\nlimits.rows = 0", "line 2: limits.rows 0"),
    "in quotation marks": ("\n[profiles.\"a shop\"]\n'colur' = 1", "line 3: profiles.a shop.colur"),
    "in braces": ("\nlimits = {rows = 0}", "line 2: limits.rows 0"),
    "a missing setting": ('\n[profiles.shop]\napi_key_env = "K"', "line 2: profiles.shop.base_url"),
    "over several lines": ('\nkeys.refresh = """\nf5,,\n"""', "line 2: keys.refresh"),
}
TWICE = {
    "a setting": ("limit = 1\nlimit = 2", "limit is there twice"),
    "a table": (f"{SHOP}[profiles.shop]", "profiles.shop is there twice"),
    "a key": (f"[profiles.{KEY}]\n[profiles.{KEY}]", "profiles.*** is there twice"),
}


WRONG = {
    'limit = "20"': "limit '20': must be a whole number from 1 to 100",
    "limit = 101": "limit 101: must be a whole number from 1 to 100",
    "theme = 3": "theme 3: must be one of dark, light, ansi",
    'mouse = "yes"': "mouse 'yes': must be true or false",
    "watch = true": "watch True: must be a number of seconds from 2 to 3600",
    "limits.rows = 1.5": "limits.rows 1.5: must be a whole number from 1 to 1000000",
    "limits.deadline = 0": "limits.deadline 0: must be a number of seconds from 0.1 to 3600",
    "keys.refresh = 5": "keys.refresh 5: must be a text in quotes",
}


COMMANDS = {
    "a key that is not free": (f"a = {COMMAND}", "line 2: commands.a: the key is not free: Add"),
    "a key of Textual's": (f'"ctrl+p" = {COMMAND}', "the key is not free"),
    "one key twice": (f'f9 = {COMMAND}\n"F9" = {COMMAND}', "line 3: commands.F9: the key is not"),
    "no key": (f"banana = {COMMAND}", "unknown key"),
    "a key that no terminal sends": (f'"ctrl+1" = {COMMAND}', "is no key: no terminal"),
    "no words": ('b = { title = "Label" }', "run: must be a list of words"),
    "no title": ('b = { run = ["x"] }', "line 2: commands.b.title: is missing"),
    "an unknown field": (
        'b = { title = "x", run = ["p", "{nmae}"] }', "line 2: commands.b.run: {nmae} is no field",
    ),
}  # fmt: skip
MAPPINGS = {
    'column = "name=Pet"': "mappings.a.column 'name=Pet': must be a list of texts in quotes",
    "column = [1]": "line 2: mappings.a.column: must be a list of texts in quotes",
    "header_line = 0": "mappings.a.header_line 0: must be a whole number from 1 to 200000",
}
CASES = {
    **FILES,
    **{f"{name}, with its line": (text, f", {said}") for name, (text, said) in LINES.items()},
    **{f"{name} twice": case for name, case in TWICE.items()},
    **{text: (text, f", line 1: {said}") for text, said in WRONG.items()},
    **{name: (f"[commands]\n{text}", said) for name, (text, said) in COMMANDS.items()},
    **{text: (f"[mappings.a]\n{text}", said) for text, said in MAPPINGS.items()},
}


@pytest.mark.parametrize(("content", "said"), CASES.values(), ids=CASES)
def test_what_is_wrong_in_the_file_is_named(configure: Configure, content: str, said: str) -> None:
    path = configure(content)
    line = refusal({}, PETTUI_CONFIG=str(path), SHOP_KEY=KEY)
    assert str(path) in line
    assert said in line


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("limit", "1.5", "must be a whole number from 1 to 100"),
        ("limit", "\u0661", "must be a whole number from 1 to 100"),
        ("theme", "pink", "must be one of dark, light, ansi"),
    ],
)
def test_a_wrong_value_of_an_option_is_refused_with_its_rule(
    name: str, text: str, rule: str
) -> None:
    assert refusal({name: text}) == f"--{name} {text!r}: {rule}"


@pytest.mark.parametrize("profile", [KEY_IN_A_FILE, f'{SHOP}ca_file = "key"'])
def test_a_file_of_a_profile_that_is_no_file_is_refused_at_once(
    configure: Configure, tmp_path: Path, profile: str
) -> None:
    os.mkfifo(tmp_path / "key")
    assert "_file" in shop_refusal(configure(profile), SHOP_KEY=KEY)


# Where the file itself cannot be read


def file_refusal(path: Path) -> str:
    said = refusal({"config": str(path)})
    assert said.startswith("--config")
    return said


def test_a_configuration_file_that_is_not_utf8_is_refused_with_the_line(
    configure: Configure,
) -> None:
    path = configure("")
    path.write_bytes(b'theme = "dark"\nprofile = "caf\xe9"\n')
    assert "is not UTF-8 (at line 2)" in file_refusal(path)


@pytest.mark.parametrize(("name", "shown"), [("none.toml", True), (KEY, False)])
def test_a_configuration_file_that_is_missing_is_named_unless_it_may_be_a_key(
    tmp_path: Path, name: str, *, shown: bool
) -> None:
    said = file_refusal(tmp_path / name)
    assert said.endswith(": there is no such file")
    assert (str(tmp_path / name) in said) is shown


def test_a_configuration_file_nested_without_end_is_refused(configure: Configure) -> None:
    assert "nested" in file_refusal(configure(f"theme = {'[' * 100_000}"))


def test_a_configuration_file_that_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert "not a regular file" in file_refusal(tmp_path / "fifo")
