"""Which distributions a process has imported, and which others are on the disk by now."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pettui.system.installed import Imported

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Install = Callable[..., None]

THERE = ("Some_Thing-1.0", "other-2.0", "not_imported-3.0")


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Takes distributions away, and installs others."""

    def install(*names: str, instead_of: str = "") -> None:
        if instead_of:
            (tmp_path / f"{instead_of}.dist-info").rmdir()
        for name in names:
            directory = tmp_path / f"{name}.dist-info"
            directory.mkdir()
            os.utime(directory, ns=(0, install.count))  # type: ignore[attr-defined]
            install.count += 1  # type: ignore[attr-defined]

    install.count = 1  # type: ignore[attr-defined]
    monkeypatch.setattr("sys.path", [str(tmp_path / "missing"), str(tmp_path)])
    install(*THERE)
    return install


@pytest.fixture
def imported(install: Install) -> Imported:
    return Imported(["some_thing.inside", "some_thing", "other", "os"])


def news(imported: Imported) -> list[str]:
    """Return what four looks tell."""
    return [imported.news() for _ in range(4)]


@pytest.mark.parametrize(
    ("installed", "told"),
    [
        (["Some_Thing-1.1"], "some-thing 1.1 in place of 1.0"),
        (["Some_Thing-1.0"], "some-thing 1.0, installed again"),
        ([], "no some-thing"),
    ],
)
def test_another_version_is_told_once_and_as_soon_as_two_looks_agree(
    imported: Imported, install: Install, installed: list[str], told: str
) -> None:
    install(*installed, instead_of="Some_Thing-1.0")
    assert news(imported) == ["", told, "", ""]
    assert imported.others == told


def test_what_is_there_for_a_moment_is_not_told(imported: Imported, install: Install) -> None:
    install("not_imported-4.0", "new-1.0", instead_of="not_imported-3.0")
    assert news(imported) == [""] * 4
    install(instead_of="other-2.0")
    assert imported.news() == ""
    install("other-2.1")
    assert news(imported) == ["", "other 2.1 in place of 2.0", "", ""]
    install("other-2.2", instead_of="other-2.1")
    assert news(imported) == ["", "other 2.2 in place of 2.0", "", ""]
