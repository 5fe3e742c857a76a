"""The pictures of the README are what the app draws."""

from __future__ import annotations

import pytest

from tests.screenshots import DIRECTORY, PICTURES, drawn


@pytest.mark.parametrize("name", PICTURES)
async def test_picture_is_what_the_app_draws(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each picture is the same to the byte; `make screenshots` draws them anew."""
    monkeypatch.setenv("NO_COLOR", "1")
    assert await drawn(name) == (DIRECTORY / name).read_text(encoding="utf-8")


def test_every_picture_is_drawn() -> None:
    """No picture lies about that nothing draws any more."""
    assert {path.name for path in DIRECTORY.iterdir()} == set(PICTURES)
