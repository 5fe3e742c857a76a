"""The configuration file itself: not TOML, not UTF-8, not a file, or without end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.configuration.refusals import KEY, SHOP, refusal, shop_refusal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def put(kind: str, path: Path) -> None:
    """Put something at a path that could be read for ever."""
    path.unlink(missing_ok=True)
    if kind == "fifo":
        os.mkfifo(path, 0o600)
    else:
        path.symlink_to(kind)


def file_refusal(path: Path) -> str:
    said = refusal({"config": str(path)})
    assert said.startswith("--config")
    return said


def test_a_configuration_file_that_is_not_utf8_is_refused_with_the_line(
    configure: Callable[[str], Path],
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


def test_a_configuration_file_nested_without_end_is_refused(
    configure: Callable[[str], Path],
) -> None:
    assert "nested" in file_refusal(configure(f"theme = {'[' * 100_000}"))


@pytest.mark.parametrize("kind", ["fifo", "/dev/zero", "/dev/ptmx"])
def test_a_configuration_file_that_is_no_file_is_refused_at_once(
    configure: Callable[[str], Path], kind: str
) -> None:
    path = configure("")
    put(kind, path)
    assert "not a regular file" in file_refusal(path)


@pytest.mark.parametrize("setting", ["api_key_file", "ca_file"])
@pytest.mark.parametrize("kind", ["fifo", "/dev/zero"])
def test_a_file_of_a_profile_that_is_no_file_is_refused_at_once(
    configure: Callable[[str], Path], key_file: Path, setting: str, kind: str
) -> None:
    put(kind, key_file)
    content = SHOP.replace('api_key_env = "SHOP_KEY"', 'api_key_file = "key"')
    path = configure(content if setting == "api_key_file" else f'{SHOP}ca_file = "key"')
    assert setting in shop_refusal(path, SHOP_KEY=KEY)


def test_a_configuration_file_that_cannot_be_read_is_refused(
    configure: Callable[[str], Path],
) -> None:
    path = configure("")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("the superuser can read every file")
    assert "permission" in file_refusal(path)
