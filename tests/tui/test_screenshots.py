"""The pictures of the README are what the app draws."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from importlib.metadata import version

import pytest

from tests.screenshots import DIRECTORY, PICTURES, drawn

CONSTRAINTS = (DIRECTORY.parent / "constraints.txt").read_text().splitlines()


@pytest.mark.skipif(
    f"textual=={version('textual')}" not in CONSTRAINTS,
    reason="pictures are those of the Textual that constraints.txt names",
)
@pytest.mark.parametrize("name", PICTURES)
async def test_picture_is_what_the_app_draws(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert await drawn(name) == (DIRECTORY / name).read_text(encoding="utf-8")


def test_every_picture_is_drawn() -> None:
    assert {path.name for path in DIRECTORY.iterdir()} == set(PICTURES)


def test_the_moving_picture_is_small_and_has_no_external_resources() -> None:
    """A page may show it as an image: no script, no font, nothing to be loaded; 300 kB at most."""
    content = (DIRECTORY / "tour.svg").read_bytes()
    tags = {element.tag.partition("}")[2] for element in ET.fromstring(content).iter()}
    assert tags == {"svg", "title", "style", "rect", "circle", "g", "text", "path"}
    assert b"url(" not in content
    assert b"@import" not in content
    assert b"prefers-reduced-motion" in content
    assert len(content) <= 300_000
