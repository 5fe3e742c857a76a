"""Settings as they are declared: their defaults, and how a text is read."""

from __future__ import annotations

import pytest

from pettui.settings.settings import Limits, Setting, Settings, declared

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
