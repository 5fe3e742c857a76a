"""The latest change is written, and no caller waits for the disk."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest

from pettui.settings import ApiKey
from pettui.transfer.files import TransferError
from pettui.transfer.last_lists import LastList, LastLists, LastListsFile, LastListsWriter
from tests.transfer.animals import plain_pet

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

ADDRESS = "https://store.example/v1"
KEY = ApiKey("secret-key-of-the-shop")
SECONDS = 60.0  # a loaded machine is no failure
FROZEN = """
import threading
from pettui.transfer.last_lists import LastLists
from pettui.transfer.last_lists import LastListsWriter

class FrozenDisk:
    def keep(self, last):
        threading.Event().wait()

writer = LastListsWriter(FrozenDisk(), print)
writer.keep(LastLists())
assert not writer.finish(0.01)
print("ended")
"""


def lists(name: str) -> LastLists:
    """Return one list of one animal."""
    return LastLists(MappingProxyType({None: LastList((plain_pet(name=name),), 1.0)}))


def no_bug(error: Exception) -> None:
    raise AssertionError from error


@dataclass
class SlowDisk:
    """Records changes when it is allowed to go on; raises the given errors."""

    gate: threading.Event = field(default_factory=threading.Event)
    begun: threading.Event = field(default_factory=threading.Event)
    done: list[LastLists | None] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)

    def keep(self, last: LastLists) -> None:
        self._do(last)

    def forget(self) -> None:
        self._do(None)

    def with_key(self, api_key: ApiKey) -> Self:  # noqa: ARG002 - it masks nothing
        return self

    def _do(self, what: LastLists | None) -> None:
        self.begun.set()
        assert self.gate.wait(SECONDS)
        self.done.append(what)
        if self.errors:
            raise self.errors.pop(0)


@pytest.fixture
def file(tmp_path: Path) -> LastListsFile:
    """A file that does not exist yet."""
    return LastListsFile(tmp_path / "lists", ADDRESS, KEY)


def test_after_finishing_the_lists_are_in_the_file(file: LastListsFile) -> None:
    writer = LastListsWriter(file, no_bug)
    for name in ("Rex", "Mimi"):
        writer.keep(lists(name))
        assert writer.finish(SECONDS)
        assert file.read() == lists(name)


def test_forgotten_lists_leave_nothing(file: LastListsFile) -> None:
    writer = LastListsWriter(file, no_bug)
    writer.keep(lists("Rex"))
    writer.forget()
    assert writer.finish(SECONDS)
    assert not file.path.exists()


def test_only_the_latest_waiting_change_is_written() -> None:
    disk = SlowDisk()
    writer = LastListsWriter(disk, no_bug)
    writer.keep(lists("first"))
    assert disk.begun.wait(SECONDS)
    for name in ("second", "third"):
        writer.keep(lists(name))
    writer.forget()
    writer.keep(lists("newest"))
    disk.gate.set()
    assert writer.finish(SECONDS)
    assert disk.done == [lists("first"), lists("newest")]


def test_a_hanging_disk_delays_finishing_only_for_the_given_time() -> None:
    disk = SlowDisk()
    writer = LastListsWriter(disk, no_bug)
    writer.keep(lists("Rex"))
    assert not writer.finish(0.01)
    disk.gate.set()
    assert writer.finish(SECONDS)


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
        writer.keep(lists(name))
        assert writer.finish(SECONDS)
    assert disk.done == [lists("first"), lists("second"), lists("third")]
    assert reported == [error] * is_reported


def test_if_no_thread_can_be_started_the_next_change_is_written(
    file: LastListsFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    writer = LastListsWriter(file, no_bug)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)  # as the system does at its limit
        writer.keep(lists("Rex"))
        assert not writer.finish(SECONDS)
    writer.keep(lists("Mimi"))
    assert writer.finish(SECONDS)
    assert file.read() == lists("Mimi")


def test_a_key_that_is_set_later_is_masked_too(file: LastListsFile) -> None:
    writer = LastListsWriter(file, no_bug)
    writer.use_key(ApiKey("another-key-of-the-shop"))
    writer.keep(lists("another-key-of-the-shop"))
    assert writer.finish(SECONDS)
    assert b"another-key" not in file.path.read_bytes()
