"""Settings: addresses that are checked once for all, and keys that show themselves nowhere."""

from __future__ import annotations

import pickle

import pytest

from pettui.settings import (
    ApiKey,
    Limits,
    Setting,
    Settings,
    declared,
    is_bearer_token,
    proxy_address,
)

KEY = "a'sekrit-0123456789"


def test_a_proxy_s_address_has_no_path() -> None:
    assert proxy_address("http://proxy.example:3128/") == "http://proxy.example:3128"
    with pytest.raises(ValueError, match="end after"):
        proxy_address("http://proxy.example:3128/v1")


def test_a_key_is_in_none_of_its_own_texts() -> None:
    key = ApiKey(KEY)
    assert KEY not in f"{key} {key!r} {[key]}"


def test_a_key_cannot_be_pickled() -> None:
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(ApiKey(KEY))


@pytest.mark.parametrize("text", ["", "two words", "tab\there", "ü", "new\nline", "\x7f"])
def test_a_bearer_token_is_one_word_of_visible_ascii(text: str) -> None:
    assert is_bearer_token("Ab1-._~+/=")
    assert not is_bearer_token(text)


DECLARED = declared(Settings) | declared(Limits)


@pytest.mark.parametrize("setting", DECLARED.values(), ids=DECLARED)
def test_the_default_of_a_setting_can_be_set(setting: Setting) -> None:
    assert setting.default is None or setting.accepts(setting.default)
    assert setting.description


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [(int, "40", 40), (int, "1.5", None), (float, "1.5", 1.5), (float, "nan", None),
     (bool, "true", True), (bool, "1", None), (str, "dark", "dark")],
)  # fmt: skip
def test_an_option_is_read_by_the_kind_of_its_setting(kind: type, text: str, value: object) -> None:
    parsed = Setting(kind, None, "a setting").parsed(text)
    assert (type(parsed), parsed) == (type(value), value)
