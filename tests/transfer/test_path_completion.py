"""Tab completes a path as far as it is unambiguous, and offers the choices."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pettui.transfer.files import completed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a few files."""
    for name in ("pets-1.csv", "pets-2.csv", "Other", ".hidden", "shop/list.json", "señor.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "shelf").mkdir()
    (tmp_path / "circle").symlink_to("circle")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "text", "choices"),
    [
        ("p", "pets-", ("pets-1.csv", "pets-2.csv")),
        ("sh", "sh", ("shelf/", "shop/")),
        ("shop/", "shop/list.json", ("list.json",)),
        ("~/sho", "~/shop/", ("shop/",)),
        ("se", "señor.csv", ("señor.csv",)),
        (".", ".hidden", (".hidden",)),
        ("o", "o", ()),
        ("c", "circle", ("circle",)),
        ("none/x", "none/x", ()),
        ("shelf/", "shelf/", ()),
        ("~", "~", ()),
        ("~nobody-of-this-name/x", "~nobody-of-this-name/x", ()),
        ("a\0/b", "a\0/b", ()),
    ],
)
def test_a_path_is_completed_as_far_as_it_is_unambiguous(
    folder: Path, typed: str, text: str, choices: tuple[str, ...]
) -> None:
    completion = completed(typed)
    assert (completion.text, completion.choices) == (text, choices)


def test_an_empty_path_offers_all_but_hidden_files(folder: Path) -> None:
    everything = {"Other", "circle", "pets-1.csv", "pets-2.csv", "señor.csv", "shelf/", "shop/"}
    assert set(completed("").choices) == everything


def test_a_whole_path_is_completed(folder: Path) -> None:
    assert completed(f"{folder}/pets-2").text == f"{folder}/pets-2.csv"


def test_unprintable_names_are_not_offered(folder: Path) -> None:
    (folder / "shelf" / "a\x1b[2J").touch()
    os.close(os.open(bytes(folder / "shelf") + b"/a\xff", os.O_CREAT | os.O_WRONLY))
    assert completed("shelf/a").choices == ()
