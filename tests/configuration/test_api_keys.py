"""API keys from the environment and from files: taken, or refused unseen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.configuration.api_keys import RenewedKey
from pettui.configuration.reading import read_settings
from pettui.settings.settings import StoreKind
from tests.configuration.refusals import KEY, KEY_IN_A_FILE, SHOP, STORE, refusal, shop_refusal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.configuration.conftest import Configure


def test_a_missing_key_is_named_by_its_variable() -> None:
    assert refusal(STORE).startswith("PETTUI_API_KEY: is not set")


@pytest.mark.parametrize("key", [f"{KEY} {KEY}", f"{KEY}\n{KEY}", f"{KEY}ü", f"{KEY}\x1b[31m"])
def test_a_key_that_is_no_single_word_of_ascii_is_refused_unseen(key: str) -> None:
    said = refusal(STORE, PETTUI_API_KEY=key)
    assert said.startswith("PETTUI_API_KEY: ")
    assert "one word" in said


@pytest.mark.parametrize(
    ("profile", "reason"),
    [
        (SHOP, "api_key_env 'SHOP_KEY': is not set"),
        (SHOP.replace("SHOP_KEY", KEY), "api_key_env: is not set"),
        (KEY_IN_A_FILE, "/key': cannot read the key file: no such"),
        (
            KEY_IN_A_FILE.replace('"key"', f'"{KEY}"'),
            "api_key_file: cannot read the key file: no such",
        ),
    ],
    ids=["a variable", "perhaps the key itself", "a file", "a file, or perhaps the key itself"],
)
def test_a_missing_key_of_a_profile_is_named_by_its_setting_and_what_cannot_be_the_key(
    configure: Configure, profile: str, reason: str
) -> None:
    assert reason in shop_refusal(configure(profile))


@pytest.mark.parametrize("mode", [0o640, 0o602])
def test_a_file_of_a_key_that_others_can_read_or_write_is_refused(
    configure: Configure, key_file: Path, mode: int
) -> None:
    key_file.write_text(KEY)
    key_file.chmod(mode)
    said = shop_refusal(configure(KEY_IN_A_FILE))
    assert "api_key_file" in said
    assert "chmod 600" in said


@pytest.mark.parametrize("content", ["", f"{KEY}\n{KEY}\n", f"{KEY}\0", KEY * 1000])
def test_a_file_that_holds_no_single_key_is_refused_unseen(
    configure: Configure, key_file: Path, content: str
) -> None:
    key_file.write_text(content)
    said = shop_refusal(configure(KEY_IN_A_FILE))
    assert "api_key_file" in said
    assert "one word" in said


def test_the_variables_of_all_api_keys_are_known(configure: Configure) -> None:
    settings = read_settings({"config": str(configure(SHOP))}, {})
    assert settings.key_variables == {"SHOP_KEY", "PETTUI_API_KEY", "PETTUI_SERVICE_KEYS"}


@pytest.mark.parametrize("content", [KEY, f"  {KEY}\r\n", f"\ufeff{KEY}\r\n"])
def test_a_key_comes_from_a_file_beside_the_configuration(
    configure: Configure, key_file: Path, content: str
) -> None:
    key_file.write_text(content, encoding="utf-8")
    path = configure('[profiles.s]\nbase_url = "https://h/v1"\napi_key_file = "key"')
    profile = read_settings({"config": str(path), "profile": "s"}, {}).profile
    assert profile.api_key.reveal() == KEY


def test_a_key_of_another_profile_need_not_be_there(configure: Configure) -> None:
    path = configure('[profiles.s]\nbase_url = "https://h/v1"\napi_key_env = "NOT_SET"')
    profile = read_settings({"config": str(path), "demo": True}, {}).profile
    assert profile.kind is StoreKind.DEMO


def renewed_key(configure: Configure, key_file: Path, told: list[str]) -> RenewedKey:
    """Follow the key of a profile in its file."""
    file = configure(KEY_IN_A_FILE)
    profile = read_settings({"config": str(file), "profile": "shop"}, {}).profile
    assert profile.key_file == key_file
    return RenewedKey(profile, profile.key_file, told.append)


@pytest.mark.parametrize("is_link", [False, True])
def test_another_key_in_the_file_is_seen_however_it_came_there(
    configure: Configure, key_file: Path, tmp_path: Path, is_link: bool
) -> None:
    """Kubernetes changes a link to a directory, and neither the file nor the link to it."""
    key_file.unlink()
    keys = [tmp_path / name / "key" for name in ("first", "second")]
    for key, content in zip(keys, (KEY, f"{KEY}-2"), strict=True):
        key.parent.mkdir()
        key.touch(mode=0o600)
        key.write_text(content)
    if is_link:
        (tmp_path / "data").symlink_to(tmp_path / "first")
        key_file.symlink_to(tmp_path / "data" / "key")
    else:
        keys[0].rename(key_file)
    told: list[str] = []
    renewed = renewed_key(configure, key_file, told)
    assert not renewed.is_another()
    if is_link:
        (tmp_path / "new").symlink_to(tmp_path / "second")
        (tmp_path / "new").rename(tmp_path / "data")
    else:
        keys[1].rename(key_file)
    assert renewed.is_another()
    assert renewed.key.reveal() == f"{KEY}-2"
    assert not renewed.is_another()
    assert told == []


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda path: path.unlink(), "no such file"),
        (lambda path: path.chmod(0o644), "chmod 600"),
        (lambda path: path.write_text(f"{KEY} {KEY}"), "one word of visible ASCII"),
    ],
    ids=["gone", "open to others", "two words"],
)
def test_what_is_no_key_leaves_the_key_before_and_is_said_once(
    configure: Configure, key_file: Path, spoil: Callable[[Path], object], reason: str
) -> None:
    key_file.write_text(KEY)
    told: list[str] = []
    renewed = renewed_key(configure, key_file, told)
    spoil(key_file)
    for is_asked in (False, False, True):
        assert not renewed.is_another(is_asked=is_asked)
    assert renewed.key.reveal() == KEY
    [said] = told
    assert reason in said
    assert said.endswith("; the API key read before stays")
    assert KEY not in said
