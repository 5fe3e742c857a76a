"""Keys of the environment and of files: one word, and a file that nobody else can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.configuration.refusals import KEY, SHOP, refusal, shop_refusal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STORE = {"base_url": "https://store.example/v1"}
KEY_IN_A_FILE = SHOP.replace('api_key_env = "SHOP_KEY"', 'api_key_file = "key"')


def test_a_missing_key_is_named_by_its_variable() -> None:
    assert refusal(STORE).startswith("PETTUI_API_KEY: is not set")


@pytest.mark.parametrize("key", [f"{KEY} {KEY}", f"{KEY}\n{KEY}", f"{KEY}ü", f"{KEY}\x1b[31m"])
def test_a_key_that_is_no_single_word_of_ascii_is_refused_unseen(key: str) -> None:
    said = refusal(STORE, PETTUI_API_KEY=key)
    assert said.startswith("PETTUI_API_KEY: ")
    assert "one word" in said


def test_a_missing_key_of_a_profile_is_named_by_its_setting_and_its_variable(
    configure: Callable[[str], Path],
) -> None:
    said = shop_refusal(configure(SHOP))
    assert "api_key_env" in said
    assert "SHOP_KEY" in said


def test_a_key_in_the_place_of_a_variables_name_is_not_shown(
    configure: Callable[[str], Path],
) -> None:
    assert "api_key_env" in shop_refusal(configure(SHOP.replace("SHOP_KEY", KEY)))


@pytest.mark.parametrize("mode", [0o640, 0o602])
def test_a_file_of_a_key_that_others_can_read_or_write_is_refused(
    configure: Callable[[str], Path], key_file: Path, mode: int
) -> None:
    key_file.write_text(KEY)
    key_file.chmod(mode)
    said = shop_refusal(configure(KEY_IN_A_FILE))
    assert "api_key_file" in said
    assert "chmod 600" in said


@pytest.mark.parametrize("content", ["", f"{KEY}\n{KEY}\n", f"{KEY}\0", KEY * 1000])
def test_a_file_that_holds_no_single_key_is_refused_unseen(
    configure: Callable[[str], Path], key_file: Path, content: str
) -> None:
    key_file.write_text(content)
    said = shop_refusal(configure(KEY_IN_A_FILE))
    assert "api_key_file" in said
    assert "one word" in said


def test_the_name_of_a_key_file_that_is_not_there_is_not_shown_since_it_may_be_the_key(
    configure: Callable[[str], Path],
) -> None:
    said = shop_refusal(configure(KEY_IN_A_FILE.replace('"key"', f'"{KEY}"')))
    assert "api_key_file" in said
    assert "no such file" in said
