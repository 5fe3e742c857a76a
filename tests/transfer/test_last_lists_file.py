"""Only the user can read the file; anything else at its path is ignored and replaced."""

from __future__ import annotations

import os
import stat
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest

from pettui.models import PetStatus
from pettui.settings import ApiKey
from pettui.transfer.files import TransferError
from pettui.transfer.last_lists import LastList, LastLists, LastListsFile, LastView, encoded
from tests.transfer.animals import plain_pet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ADDRESS = "https://store.example/v1"
KEY = ApiKey("secret-key-of-the-shop")
LAST = LastLists(
    MappingProxyType({None: LastList((plain_pet(status="sold"),), 1763726523.25)}),
    LastView(PetStatus.SOLD, 40),
)
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory that does not exist yet."""
    return tmp_path / "state" / "lists"


@pytest.fixture
def file(directory: Path) -> LastListsFile:
    """A file that does not exist yet."""
    return LastListsFile(directory, ADDRESS, KEY)


def test_a_missing_file_is_empty(file: LastListsFile, directory: Path) -> None:
    assert file.read() == LastLists()
    assert not directory.exists()


def test_stored_lists_are_read_at_the_next_start(file: LastListsFile, directory: Path) -> None:
    file.keep(LastLists())
    file.keep(LAST)
    assert LastListsFile(directory, ADDRESS, KEY).read() == LAST
    assert list(directory.iterdir()) == [file.path]


@pytest.mark.parametrize("key", ["cat", '"'])
def test_a_key_that_is_too_short_to_mask_changes_no_animal(key: str, directory: Path) -> None:
    file = LastListsFile(directory, ADDRESS, ApiKey(key))
    seen = LastList((plain_pet(11, name=f"Mitzi the {key}cat \\ of all"),), 1763726523.25)
    last = LastLists(MappingProxyType({None: seen}), LastView(None, 11))
    file.keep(last)
    assert file.read() == last
    assert file.read().lists[None].pets[0].as_json == seen.pets[0].as_json


@pytest.mark.parametrize("key", ["12345678", "categoryId"])
def test_a_masked_key_that_was_a_part_of_its_form_makes_it_empty(key: str, directory: Path) -> None:
    file = LastListsFile(directory, ADDRESS, ApiKey(key))
    file.keep(LastLists(MappingProxyType({None: LastList((plain_pet(12345678),), 1.0)})))
    assert file.read() == LastLists()


def test_only_the_user_can_read_it(file: LastListsFile, directory: Path) -> None:
    file.keep(LAST)
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_each_address_has_its_own_file(file: LastListsFile, directory: Path) -> None:
    other = LastListsFile(directory, "https://store.example/test/v1", KEY)
    file.keep(LAST)
    assert other.read() == LastLists()
    other.keep(LastLists())
    assert file.read() == LAST


def test_an_address_is_the_same_however_it_is_written(file: LastListsFile, directory: Path) -> None:
    file.keep(LAST)
    assert LastListsFile(directory, "HTTPS://Store.Example:443/v1", KEY).read() == LAST


def test_the_key_is_never_in_it(file: LastListsFile) -> None:
    key = KEY.reveal()
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in key)
    pets = (plain_pet(name=key), plain_pet(key=[key, f'"{key}"']), plain_pet(name=escaped))
    file.keep(LastLists(MappingProxyType({None: LastList(pets, 1.0)})))
    assert key not in file.path.read_text()
    assert [pet.name for pet in file.read().lists[None].pets] == ["***", "Rex", "***"]


def test_forgotten_lists_are_removed(file: LastListsFile, directory: Path) -> None:
    file.forget()
    file.keep(LAST)
    file.forget()
    file.forget()
    assert file.read() == LastLists()
    assert list(directory.iterdir()) == []


def test_the_temporary_file_of_a_killed_app_is_removed(
    file: LastListsFile, directory: Path
) -> None:
    file.keep(LAST)
    for name in (".pettui-old.tmp", ".pettui-new.tmp"):
        (directory / name).write_text("half of it")
    os.utime(directory / ".pettui-old.tmp", (1, 1))
    file.keep(LAST)
    assert sorted(path.name for path in directory.iterdir()) == [".pettui-new.tmp", file.path.name]
    os.utime(directory / ".pettui-new.tmp", (1, 1))
    file.forget()
    assert list(directory.iterdir()) == []


def a_link_to_a_good_file(path: Path) -> None:
    """Create a link at a path."""
    path.with_name("target").write_bytes(encoded(LAST, ADDRESS))
    path.symlink_to("target")


def a_good_file_of_mode(mode: int) -> Callable[[Path], None]:
    """Return a function that creates a file with these permissions."""

    def put(path: Path) -> None:
        path.write_bytes(encoded(LAST, ADDRESS))
        path.chmod(mode)

    return put


def a_good_file_of_another_user(path: Path) -> None:
    """Create another user's file at a path."""
    a_good_file_of_mode(0o600)(path)
    os.chown(path, 65534, 65534)


IN_THE_WAY: dict[str, Callable[[Path], object]] = {
    "damaged": lambda path: path.write_bytes(b"\x00" * 100),
    "too large": lambda path: path.write_bytes(encoded(LAST, ADDRESS) + b" " * 1_000_000),
    "a link": a_link_to_a_good_file,
    "a directory": lambda path: path.mkdir(),
    "a pipe": os.mkfifo,
    "others can write it": a_good_file_of_mode(0o666),
}


@pytest.mark.parametrize("put", IN_THE_WAY.values(), ids=IN_THE_WAY)
def test_anything_else_at_the_path_is_ignored_and_replaced(
    file: LastListsFile, directory: Path, put: Callable[[Path], object]
) -> None:
    directory.mkdir(parents=True)
    put(file.path)
    assert file.read() == LastLists()
    file.keep(LAST)
    assert file.read() == LAST
    assert stat.S_IMODE(file.path.lstat().st_mode) == 0o600


def test_the_target_of_a_link_is_unchanged(file: LastListsFile, directory: Path) -> None:
    directory.mkdir(parents=True)
    a_link_to_a_good_file(file.path)
    file.keep(LastLists())
    assert (directory / "target").read_bytes() == encoded(LAST, ADDRESS)


@as_root
def test_another_users_file_is_ignored_and_replaced(file: LastListsFile, directory: Path) -> None:
    directory.mkdir(parents=True)
    a_good_file_of_another_user(file.path)
    assert file.read() == LastLists()
    file.keep(LAST)
    assert file.read() == LAST


def test_a_directory_with_files_at_the_path_is_reported_in_one_line(
    file: LastListsFile, directory: Path
) -> None:
    (file.path / "in it").mkdir(parents=True)
    assert file.read() == LastLists()
    for call in (lambda: file.keep(LAST), file.forget):
        with pytest.raises(TransferError) as error:
            call()
        assert str(error.value).isprintable()
    assert sorted(path.name for path in directory.iterdir()) == [file.path.name]


def test_a_directory_that_cannot_be_created_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    file = LastListsFile(tmp_path / "file" / "lists", ADDRESS, KEY)
    assert file.read() == LastLists()
    with pytest.raises(TransferError, match="part of its path is not a directory"):
        file.keep(LAST)
