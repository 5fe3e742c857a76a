"""The last lists: understood completely or not at all, in a file of the user alone."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest

from pettui.models.pets import Pet, PetStatus
from pettui.remembered.last_lists import (
    LastList,
    LastLists,
    LastListsFile,
    LastListsWriter,
    LastView,
    SeenRows,
    decoded,
    encoded,
)
from pettui.settings.settings import ApiKey
from pettui.transfer.files import TransferError
from tests.animals import plain_pet, sent_pet
from tests.remembered.conftest import ADDRESS, KEY, SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


SEEN = SeenRows(None, frozenset((7, 8, 30)), is_whole=False)
BODY = '{"id":7, "name":"Rex","categoryId":3,"price":1.10}'
LAST = LastLists(
    MappingProxyType(
        {
            None: LastList(
                (sent_pet(BODY), plain_pet(8, "Mimi 🐹", 2**53 + 1)), 1763726523.25, SEEN
            ),
            PetStatus.SOLD: LastList((), 0.0),
        }
    ),
    LastView(PetStatus.SOLD, 40, "name", is_descending=True),
)


def test_lists_are_read_back() -> None:
    read = decoded(encoded(LAST, ADDRESS), ADDRESS)
    assert read == LAST
    assert read.lists[None].pets[0].to_json() == BODY
    assert read.lists[None].seen == SEEN


def test_lists_are_left_out_of_a_file_that_would_be_too_large() -> None:
    large = tuple(plain_pet(number, "R" * 60_000) for number in range(20))
    view = LastView(limit=40)
    content = encoded(LastLists(MappingProxyType({None: LastList(large, 1.0)}), view), ADDRESS)
    assert len(content) <= 1_000_000
    assert decoded(content, ADDRESS) == LastLists(view=view)


GOOD = encoded(LAST, ADDRESS)
NOT_UNDERSTOOD = {
    "nothing": b"",
    "half of it": GOOD[: len(GOOD) // 2],
    "brackets without end": b'{"a":' * 100_000,
    "the next version": GOOD.replace(b'"version":1', b'"version":2'),
}


@pytest.mark.parametrize("content", NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD)
def test_what_this_version_did_not_write_like_this_is_not_read(
    file: LastListsFile, content: bytes
) -> None:
    file.path.parent.mkdir(parents=True)
    file.path.write_bytes(content)
    assert file.read() == LastLists()


OTHER_FIELDS = {
    "one more in the view": (b'"view":{', b'"view":{"wheels":4,'),
    "one fewer in the view": (b'"counts":null', b'"wheels":4'),
    "a status that this one does not know": (b'"lists":{', b'"lists":{"lost":{"wheels":4},'),
}


@pytest.mark.parametrize(("old", "new"), OTHER_FIELDS.values(), ids=OTHER_FIELDS)
def test_what_another_version_kept_besides_drops_nothing(old: bytes, new: bytes) -> None:
    assert old in GOOD
    assert decoded(GOOD.replace(old, new), ADDRESS) == LAST


def lists_of(*pets: Pet, view: LastView | None = None) -> LastLists:
    return LastLists(MappingProxyType({None: LastList(pets, 1763726523.25)}), view or LastView())


def one_list(name: str) -> LastLists:
    return lists_of(plain_pet(name=name))


STORED = lists_of(plain_pet(status="sold"), view=LastView(PetStatus.SOLD, 40))


def test_each_address_has_its_own_file_however_it_is_written(
    file: LastListsFile, directory: Path
) -> None:
    other = LastListsFile(directory, "https://store.example/test/v1", KEY)
    file.keep(LastLists())
    file.keep(STORED)
    assert other.read() == LastLists()
    assert list(directory.iterdir()) == [file.path]
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    other.keep(LastLists())
    assert LastListsFile(directory, "HTTPS://Store.Example:443/v1", KEY).read() == STORED


def test_no_key_is_ever_in_it(file: LastListsFile) -> None:
    writer = LastListsWriter(file, pytest.fail)
    for key in (KEY.reveal(), "another-key-of-the-shop"):
        writer.use_api_key(ApiKey(key))
        escaped = "".join(f"\\u{ord(letter):04x}" for letter in key)
        others = plain_pet(key=[key, f'"{key}"'])
        writer.keep(lists_of(plain_pet(name=key), others, plain_pet(name=escaped)))
        assert writer.wait_until_written(SECONDS)
        assert key not in file.path.read_text()
        assert [pet.name for pet in file.read().lists[None].pets] == ["***", "Rex", "***"]


@pytest.mark.parametrize("key", ["cat", '"'])
def test_a_key_that_is_too_short_to_mask_changes_no_animal(key: str, directory: Path) -> None:
    file = LastListsFile(directory, ADDRESS, ApiKey(key))
    pet = plain_pet(11, name=f"Mitzi the {key}cat \\ of all")
    file.keep(lists_of(pet, view=LastView(None, 11)))
    assert file.read() == lists_of(pet, view=LastView(None, 11))
    assert file.read().lists[None].pets[0].to_json() == pet.to_json()


@pytest.mark.parametrize("key", ["12345678", "categoryId"])
def test_a_masked_key_that_was_a_part_of_its_form_makes_it_empty(key: str, directory: Path) -> None:
    file = LastListsFile(directory, ADDRESS, ApiKey(key))
    file.keep(lists_of(plain_pet(12345678)))
    assert file.read() == LastLists()


def test_the_temporary_file_of_a_killed_app_is_removed(
    file: LastListsFile, directory: Path
) -> None:
    file.keep(STORED)
    for name in (".pettui-old.tmp", ".pettui-new.tmp"):
        (directory / name).write_text("half of it")
    os.utime(directory / ".pettui-old.tmp", (1, 1))
    file.keep(STORED)
    assert sorted(path.name for path in directory.iterdir()) == [".pettui-new.tmp", file.path.name]
    os.utime(directory / ".pettui-new.tmp", (1, 1))
    file.forget()
    assert list(directory.iterdir()) == []


def a_link_to_a_good_file(path: Path) -> None:
    path.with_name("target").write_bytes(encoded(STORED, ADDRESS))
    path.symlink_to("target")


def a_good_file_that_others_can_write(path: Path) -> None:
    path.write_bytes(encoded(STORED, ADDRESS))
    path.chmod(0o666)


IN_THE_WAY: dict[str, Callable[[Path], object]] = {
    "damaged": lambda path: path.write_bytes(b"\x00" * 100),
    "too large": lambda path: path.write_bytes(encoded(STORED, ADDRESS) + b" " * 1_000_000),
    "a link": a_link_to_a_good_file,
    "others can write it": a_good_file_that_others_can_write,
}


@pytest.mark.parametrize("put", IN_THE_WAY.values(), ids=IN_THE_WAY)
def test_anything_else_at_the_path_is_ignored_and_replaced(
    file: LastListsFile, directory: Path, put: Callable[[Path], object]
) -> None:
    directory.mkdir(parents=True)
    put(file.path)
    assert file.read() == LastLists()
    file.keep(STORED)
    assert file.read() == STORED
    assert stat.S_IMODE(file.path.lstat().st_mode) == 0o600


FROZEN = """
import threading
from pettui.remembered.last_lists import LastListsWriter
from pettui.remembered.last_lists import LastLists

class FrozenDisk:
    def keep(self, last):
        threading.Event().wait()

writer = LastListsWriter(FrozenDisk(), print)
writer.keep(LastLists())
assert not writer.wait_until_written(0.01)
print("ended")
"""


@dataclass
class SlowDisk:
    """Records changes when it is allowed to go on; raises the given errors."""

    gate: threading.Event = field(default_factory=threading.Event)
    begun: threading.Event = field(default_factory=threading.Event)
    done: list[LastLists] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)

    def keep(self, last: LastLists) -> None:
        self.begun.set()
        assert self.gate.wait(SECONDS)
        self.done.append(last)
        if self.errors:
            raise self.errors.pop(0)

    def forget(self) -> None:
        raise NotImplementedError  # no change but the latest is made


def test_only_the_latest_waiting_change_is_written() -> None:
    disk = SlowDisk()
    writer = LastListsWriter(disk, pytest.fail)
    writer.keep(one_list("first"))
    assert disk.begun.wait(SECONDS)
    for name in ("second", "third"):
        writer.keep(one_list(name))
    writer.forget()
    writer.keep(one_list("newest"))
    disk.gate.set()
    assert writer.wait_until_written(SECONDS)
    assert disk.done == [one_list("first"), one_list("newest")]


def test_a_process_exits_while_its_disk_hangs() -> None:
    words = [sys.executable, "-c", FROZEN]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=True)
    assert (ended.stdout, ended.stderr) == ("ended\n", "")


@pytest.mark.parametrize(
    ("error", "is_reported"), [(TransferError("the disk is full"), False), (ValueError(), True)]
)
def test_it_goes_on_after_an_error_and_reports_a_bug_once(
    error: Exception, is_reported: bool
) -> None:
    disk = SlowDisk(errors=[error, error])
    disk.gate.set()
    reported: list[Exception] = []
    writer = LastListsWriter(disk, reported.append)
    for name in ("first", "second", "third"):
        writer.keep(one_list(name))
        assert writer.wait_until_written(SECONDS)
    assert disk.done == [one_list("first"), one_list("second"), one_list("third")]
    assert reported == [error] * is_reported
