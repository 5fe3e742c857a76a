"""What a mistyped name was meant to be."""

from __future__ import annotations

import pytest

from pettui.configuration.errors import nearest


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--verison", "--version"),
        ("--VERSION", "--version"),
        ("--thme", "--theme"),
        ("--prfile", "--profile"),
        ("--json", None),
        ("-v", None),
        ("", None),
        ("x" * 100_000, None),
    ],
)
def test_a_guess_is_a_slip_or_two_away(typed: str, meant: str | None) -> None:
    assert nearest(typed, ["--version", "--theme", "--profile", "--limit"]) == meant
