"""The configuration file itself, where it cannot be read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.configuration.refusals import KEY, refusal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.configuration.conftest import Configure


def file_refusal(path: Path) -> str:
    said = refusal({"config": str(path)})
    assert said.startswith("--config")
    return said


def test_a_configuration_file_that_is_not_utf8_is_refused_with_the_line(
    configure: Configure,
) -> None:
    path = configure("")
    path.write_bytes(b'theme = "dark"\nprofile = "caf\xe9"\n')
    assert "is not UTF-8 (at line 2)" in file_refusal(path)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none.toml", "there is no file none.toml in {}"),
        ("none/config.toml", "there is no directory none in {}"),
        (KEY, "there is no file *** in {}"),
    ],
)
def test_a_configuration_file_that_is_missing_is_named_with_what_is_there(
    tmp_path: Path, name: str, said: str
) -> None:
    directory = tmp_path / "tmpx7Qp93kd"  # that looks like a key
    directory.mkdir()
    assert file_refusal(directory / name) == f"--config: {said.format(directory)}"


def test_a_configuration_file_nested_without_end_is_refused(configure: Configure) -> None:
    assert "nested" in file_refusal(configure(f"theme = {'[' * 100_000}"))


def test_a_configuration_file_that_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert "not a regular file" in file_refusal(tmp_path / "fifo")
