"""The chosen theme, in a file for the next start."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from pettui.remembered.theme_choice import ThemeChoice

if TYPE_CHECKING:
    from pathlib import Path


def test_a_choice_is_kept_in_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    path = tmp_path / "state" / "theme"
    first = ThemeChoice(path)
    assert first.theme is None
    for theme in ("ansi", "pettui-light"):
        first.keep(theme)
        assert ThemeChoice(path).theme == theme
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [each.name for each in path.parent.iterdir()] == ["theme"]


def test_as_configured_forgets_the_choice(tmp_path: Path) -> None:
    path = tmp_path / "theme"
    ThemeChoice(path).keep("ansi")
    for _ in range(2):
        ThemeChoice(path).keep(None)
        assert not path.exists()
        assert ThemeChoice(path).theme is None


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe", b"\x1b[31m", b"../../etc", b"a\nb", b"x" * 100_000],
    ids=str,
)
def test_a_file_that_names_no_theme_is_no_choice(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "theme"
    path.write_bytes(content)
    assert ThemeChoice(path).theme is None


def test_a_fifo_or_a_directory_in_its_place_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "directory").mkdir()
    for name in ("fifo", "directory"):
        choice = ThemeChoice(tmp_path / name)
        assert choice.theme is None
        choice.keep(None)
    ThemeChoice(tmp_path / "directory").keep("ansi")
    assert [*(tmp_path / "directory").iterdir()] == []


def test_a_state_directory_that_is_a_file_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    choice = ThemeChoice(tmp_path / "state" / "theme")
    choice.keep("ansi")
    assert choice.theme == "ansi"
