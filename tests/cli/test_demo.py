"""The options of a demo and their files: an unusable one is one line, before anything starts."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING

import pytest

from pettui.cli.demo import DemoOptions, read_demo_options
from pettui.configuration import ConfigurationError, read_settings
from pettui.models import PetStatus
from pettui.service.stores.samples import SAMPLE_CATEGORIES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


def read(
    animals: object = None, welcome: object = None, *, read_only: bool = False, demo: bool = True
) -> DemoOptions:
    profile = read_settings({"demo": demo}, {}).profile
    arguments = Namespace(
        animals=animals and str(animals), welcome=welcome and str(welcome), read_only=read_only
    )
    return read_demo_options(arguments, profile)


def refusal(**options: object) -> str:
    """Return the line with which options are refused."""
    with pytest.raises(ConfigurationError) as raised:
        read(**options)  # type: ignore[arg-type]
    line = str(raised.value)
    assert "\n" not in line
    return line


def written(path: Path, content: str | bytes | None) -> Path:
    """Return the path of a file with a content; None leaves it missing."""
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_the_first_animal_of_a_file_is_the_newest(tmp_path: Path) -> None:
    path = written(tmp_path / "shop.csv", "name,category,status\nGreta,Dogs,available\nTom,1,\n")
    animals = read(path).animals
    assert animals is not None
    assert [(pet.name, pet.category_id, pet.status) for pet in animals] == [
        ("Tom", 1, None),
        ("Greta", 3, PetStatus.AVAILABLE),
    ]
    assert SAMPLE_CATEGORIES[3] == "Dogs"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "no such file"),
        ("name,category\n" + f"{'x' * 998},3\n" * 1000, "it is larger than 1 MB"),
        ("Tom,3\n" * 10_001, "it has more than 10,000 lines"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "it is not text"),
        ("", "it contains no animal"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 40 else "",
)
def test_animals_that_cannot_be_read_are_one_line(
    tmp_path: Path, content: str | bytes | None, reason: str
) -> None:
    assert reason in refusal(animals=written(tmp_path / "animals.csv", content))


def test_the_first_bad_line_is_named_and_the_others_are_counted(tmp_path: Path) -> None:
    path = written(tmp_path / "shop.csv", "name,category,status\nTom,3,\n,3,\nTim,x,\nKim,1,gone\n")
    line = refusal(animals=path)
    assert line.startswith("--animals: cannot read ")
    assert "shop.csv: line 3, name: is missing (and 2 more bad lines)" in line


def test_the_lines_of_a_welcome_are_those_of_its_file(tmp_path: Path) -> None:
    """Line ends of any system, tabs as blanks, no blank lines at the ends; raw beside that."""
    path = written(tmp_path / "welcome", "\ufeff\n\nHello\r\n\n  a\tb \x1b[31m\u202e\n\n")
    assert read(welcome=path).welcome == ("Hello", "", "  a b \x1b[31m\u202e")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "no such file"),
        ("x\n" * 20_000, "it is too large"),
        (b"\xff\xfe\x00", "it is not text"),
        ("Hello\0", "it is not text"),
        ("\n \n", "it is empty"),
        ("x" * 201, "it has a line of more than 200 characters"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 60 else "",
)
def test_a_welcome_that_cannot_be_shown_is_one_line(
    tmp_path: Path, content: str | bytes | None, reason: str
) -> None:
    assert reason in refusal(welcome=written(tmp_path / "welcome", content))


def test_a_fifo_is_no_welcome_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert "not a regular file" in refusal(welcome=tmp_path / "fifo")


def test_a_welcome_has_at_most_twenty_lines(tmp_path: Path) -> None:
    assert len(read(welcome=written(tmp_path / "welcome", "x\n" * 20)).welcome) == 20
    line = refusal(welcome=written(tmp_path / "welcome", "x\n" * 21))
    assert "it has 21 lines; at most 20 are allowed" in line


@pytest.mark.parametrize(
    ("options", "name"),
    [({"animals": "x"}, "--animals"), ({"welcome": "x"}, "--welcome"), ({"read_only": True}, "--read-only")],
    ids=str,
)  # fmt: skip
def test_the_options_are_for_a_demo_only(options: dict[str, object], name: str) -> None:
    assert refusal(demo=False, **options) == f"{name}: is for a demo; add --demo"


@pytest.mark.parametrize("words", [("ssh", "--port=0"), ("--demo",)], ids=str)
def test_the_program_ends_with_2_before_it_serves_or_draws(
    run_here: Run, words: tuple[str, ...]
) -> None:
    finished = run_here(*words, "--animals", "none.csv")
    assert finished.returncode == 2
    assert finished.stdout == ""
    assert finished.stderr.count("\n") == 1
    assert finished.stderr.startswith("pettui: --animals: cannot read ")


@pytest.mark.parametrize("option", ["--animals", "--welcome"])
def test_an_empty_path_is_refused_as_one(run_here: Run, option: str) -> None:
    finished = run_here("ssh", f"{option}=")
    assert finished.returncode == 2
    assert finished.stderr == f"pettui: {option}: is empty; name a file\n"
