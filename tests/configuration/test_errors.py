"""What an error shows of a setting, which may hold a key, and what it guesses was meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.configuration.errors import may_hold_key, nearest, shown_name, shown_value


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--verison", "--version"),
        ("--VERSION", "--version"),
        ("--prfile", "--profile"),
        ("--json", None),
        ("", None),
        ("x" * 100_000, None),
    ],
)
def test_a_guess_is_a_slip_or_two_away(typed: str, meant: str | None) -> None:
    assert nearest(typed, ["--version", "--theme", "--profile", "--limit"]) == meant


BY_HAND = (
    "", "shop", "production", "shop-berlin-2", "my_store", "Staging", "PRODUCTION", "pink", "nowhere",
    "https://store.example/v2", "http://127.0.0.1:4010/v1", "--profile", "nowhere.toml",
    "/home/ann/.config/pettui/config.toml", "ctrl+shift+f5", "two words", "2 MB", "caf\xe9",
)  # fmt: skip
MAY_BE_KEYS = (
    "sekrit-0123456789", "sesame-open-4711", "pettui_3nS0XqUOe7", "5e884898da280471", "AKIAIOSFODNN7EXAMPLE",
    "550e8400-e29b-41d4-a716-446655440000", "eyJhbGciOiJIUzI1NiJ9.e30.ZRrHA1", "ghp_16C7e42F292c6912E7",
    "abcdefghijklmnopqrstuvwx", "Bearer sk_live_4eC39HqLyjWDarjtT1zdp7dc", "https://h/v1?key=a8F3k2Lq",
    "0123456789012345",
)  # fmt: skip


@pytest.mark.parametrize("text", BY_HAND)
def test_what_people_write_by_hand_is_shown(text: str) -> None:
    assert not may_hold_key(text)
    assert shown_name(text) == text
    assert shown_value(text) == repr(text)


@pytest.mark.parametrize("text", MAY_BE_KEYS)
def test_what_may_be_a_key_is_not_shown(text: str) -> None:
    assert may_hold_key(text)
    assert shown_name(text) == "***"
    assert shown_value(text) is None
    assert shown_value([text]) is None
    assert shown_value({text: text}) is None


@given(st.binary(min_size=16, max_size=48))
def test_a_key_of_random_bytes_is_not_shown(content: bytes) -> None:
    assert may_hold_key(f"key {content.hex()}") or not set(content.hex()) & set("0123456789")
