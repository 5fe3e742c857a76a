"""What a journal knows after a process ended in any way, and which files it refuses."""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.models.pets import PetStatus
from pettui.transfer.journal import Journal, JournalBusyError, JournalError
from pettui.transfer.runs import AddedLine, LineId, LineState, UnknownLine
from tests.animals import INT64, NAMES, STATUS
from tests.small_disks import as_root, full_disk, mounted
from tests.transfer.lines import a_line, line_ids_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


# ── the id of a line: its content, and its number among equal lines ─────────────────────────────

LINES = st.builds(a_line, NAMES, INT64, STATUS)


def test_an_id_is_the_same_in_every_version() -> None:
    """Otherwise everything that was imported before would be sent again."""
    assert line_ids_of([a_line("Señor 🐹", 3, PetStatus.SOLD)]) == [
        "67b06a134361f9cdadc1ed995cb6fd98"
    ]


ADDRESS = "https://store.example/v1"
BOOT, NEXT_BOOT = "0" * 36, "1" * 36
LINE_IDS = [LineId(f"{number:032x}") for number in range(8)]
ONE, TWO, THREE = LINE_IDS[:3]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "state" / "imports"


@pytest.fixture
def journal(directory: Path) -> Iterator[Journal]:
    journal = opened(directory)
    yield journal
    journal.close()


def opened(directory: Path, boot: str = BOOT) -> Journal:
    return Journal.open(directory, ADDRESS, boot=boot)


def path_in(directory: Path) -> Path:
    """Return the path of the journal of ADDRESS."""
    return directory / f"{hashlib.sha256(ADDRESS.encode()).hexdigest()[:32]}.journal"


def killed(directory: Path, journal: Journal) -> None:
    """Leave a journal's file as it is now, like a killed process."""
    path = path_in(directory)
    content = path.read_bytes()
    journal.close()
    path.write_bytes(content)


def states_in(journal: Journal) -> dict[LineId, LineState]:
    return {line_id: state for line_id in LINE_IDS if (state := journal.state(line_id))}


def states_after(directory: Path, boot: str = BOOT) -> dict[LineId, LineState]:
    journal = opened(directory, boot)
    journal.close()
    return states_in(journal)


# ── what is known ───────────────────────────────────────────────────────────────────────────────


def test_after_a_kill_only_lines_under_way_are_unknown(journal: Journal, directory: Path) -> None:
    journal.begin(1000)
    journal.plan([ONE, TWO, THREE])
    journal.send(ONE)
    journal.send(TWO)
    journal.postponed(TWO)
    killed(directory, journal)
    lost = UnknownLine(1000, "the import ended while this was being sent")
    assert states_after(directory) == {ONE: lost}
    assert states_after(directory) == {ONE: lost}


def test_a_concurrent_import_is_refused_and_may_run_later(
    journal: Journal, directory: Path
) -> None:
    Journal.open(directory, "https://other.example/v1").close()
    for address in (ADDRESS, "HTTPS://Store.example:443/v1"):
        with pytest.raises(JournalBusyError, match="another import to this address is under way"):
            Journal.open(directory, address)
    journal.close()
    opened(directory).close()


def test_only_the_owner_can_read_it(journal: Journal, directory: Path) -> None:
    assert directory.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in directory.iterdir()} == {0o600}


# ── what a store promised to add once ───────────────────────────────────────────────────────────

STORE, OTHER_STORE = "0123456789abcdef" * 2, "f" * 32


def sent(journal: Journal, *line_ids: LineId, store_id: str | None = STORE) -> None:
    """Record an import that sends these lines to a store."""
    journal.begin(1000, store_id)
    journal.plan(line_ids)
    for line_id in line_ids:
        journal.send(line_id)


def store_of(state: LineState | None) -> str | None:
    assert isinstance(state, UnknownLine)
    return None if state.promise is None else state.promise.store_id


@pytest.mark.parametrize("boot", [BOOT, NEXT_BOOT])
def test_a_line_that_was_out_has_its_store_and_its_key_in_every_later_import(
    journal: Journal, directory: Path, boot: str
) -> None:
    sent(journal, ONE, TWO)
    keys = [journal.idempotency_key(line_id) for line_id in (ONE, TWO)]
    assert None not in keys
    assert keys[0] != keys[1]
    killed(directory, journal)
    for _ in range(2):
        again = opened(directory, boot)
        assert store_of(again.state(ONE)) == STORE
        assert [again.idempotency_key(line_id) for line_id in (ONE, TWO)] == keys
        sent(again, ONE)
        assert again.idempotency_key(ONE) == keys[0]
        again.lost(ONE, "no response")
        again.close()


def test_after_a_power_cut_a_planned_line_has_the_key_that_it_may_have_been_sent_with(
    journal: Journal, directory: Path
) -> None:
    journal.begin(1000, STORE)
    journal.plan([ONE])
    content = path_in(directory).read_bytes()
    journal.send(ONE)
    key = journal.idempotency_key(ONE)
    journal.close()
    path_in(directory).write_bytes(content)
    again = opened(directory, NEXT_BOOT)
    assert again.idempotency_key(ONE) == key
    again.close()


@pytest.mark.parametrize(("store_id", "is_over"), [(STORE, True), (OTHER_STORE, False)])
def test_a_refusal_is_of_the_earlier_tries_too_if_it_is_of_their_store(
    journal: Journal, directory: Path, store_id: str, *, is_over: bool
) -> None:
    sent(journal, ONE)
    journal.lost(ONE, "no response")
    sent(journal, ONE, store_id=store_id)
    journal.refused(ONE)
    journal.close()
    assert (ONE not in states_after(directory)) is is_over


# ── every record after every other, and every end ───────────────────────────────────────────────


class Written(NamedTuple):
    """A journal's file when its process ended."""

    content: bytes
    synced: int  # bytes of it that were synced: up to the last plan
    sent: set[LineId]
    states: dict[LineId, LineState]


def recorded(directory: Path, choices: Sequence[tuple[int, int]]) -> Written:
    """Do what an import may do, as the numbers choose."""
    path = path_in(directory)
    path.unlink(missing_ok=True)
    journal = opened(directory)
    journal.begin(1000, STORE)
    planned: list[LineId] = []
    out: list[LineId] = []
    fresh = list(LINE_IDS)
    sent: set[LineId] = set()
    synced = path.read_bytes()
    for what, which in choices:
        if what == 6:
            journal.begin(1000, STORE if which % 2 else None)
        elif what == 0 and fresh:
            planned.append(fresh.pop())
            journal.plan(planned[-1:])
            synced = path.read_bytes()
        elif what == 1 and planned:
            out.append(planned.pop(which % len(planned)))
            journal.send(out[-1])
            sent.add(out[-1])
        elif out:
            line_id = out.pop(which % len(out))
            if what == 2:
                journal.added(line_id, which)
            elif what == 3:
                journal.lost(line_id, "no response")
            elif what == 4:
                journal.refused(line_id)
                sent.discard(line_id)
            else:
                journal.postponed(line_id)
                planned.append(line_id)
                sent.discard(line_id)
    content = path.read_bytes().rstrip(b"\0")
    written = Written(content, len(synced.rstrip(b"\0")), sent, states_in(journal))
    journal.close()
    return written


def states_of(directory: Path, content: bytes, boot: str) -> dict[LineId, LineState]:
    path_in(directory).write_bytes(content)
    return states_after(directory, boot)


CHOICES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), max_size=60)
BOOTS = st.sampled_from([BOOT, NEXT_BOOT])


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of journals whose processes ended in any way."""
    return tmp_path_factory.mktemp("imports")


@given(CHOICES, st.binary(max_size=3))
def test_killed_after_any_record_it_knows_exactly_what_was_sent(ends, choices, torn) -> None:
    written = recorded(ends, choices)
    content = written.content + torn.replace(b"\n", b"") + b"\0" * 9
    states = states_of(ends, content, BOOT)
    assert set(states) == written.sent
    assert states == written.states


@given(CHOICES, st.data())
def test_after_a_power_cut_no_sent_line_counts_as_not_sent(ends, choices, data) -> None:
    """What was synced is there, followed by any part of the rest and any other bytes."""
    written = recorded(ends, choices)
    length = data.draw(st.integers(written.synced, len(written.content)))
    garbage = data.draw(st.binary(max_size=40))
    states = states_of(ends, written.content[:length] + garbage, NEXT_BOOT)
    assert written.sent <= set(states)


@given(CHOICES, st.data())
def test_a_changed_bit_of_synced_records_is_refused(ends, choices, data) -> None:
    written = recorded(ends, choices)
    content = bytearray(written.content)
    synced = content[: written.synced]
    if not (line_ends := [n for n, byte in enumerate(synced) if byte == 10][:-1]):
        return
    content[data.draw(st.integers(0, line_ends[-1] - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(JournalError):
        states_of(ends, bytes(content), data.draw(BOOTS))


# ── what is refused ─────────────────────────────────────────────────────────────────────────────


def record(number: int, *record: object) -> bytes:
    """Return a line of a journal's file: its checksum, with its number, and a list."""
    text = json.dumps(record, separators=(",", ":")).encode()
    return b"%08x %b\n" % (zlib.crc32(text, number), text)


def head(known: int, *, version: int = 3, address: str = ADDRESS) -> bytes:
    return record(0, "pettui-imports", version, known, BOOT, address, "ff" * 16)


HEADER = head(1) + record(1, "known-run", 0, [], {}, False, 0, False)
DAMAGED = {
    "text": b"name,category\nRex,3\n",
    "empty": b"",
    "a header without its end": head(3),
    "a later version": head(0, version=4),
    "another address": head(0, address="http://a/v1"),
    "a plan of another line": HEADER + record(2, "plan", 3, ONE),
    "what is not planned is sent": HEADER + record(2, "send", ONE),
    "a line twice": HEADER + record(2, "plan", 2, ONE) * 2,
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_unexpected_content_is_refused_in_one_line_and_unchanged(
    directory: Path, content: bytes
) -> None:
    opened(directory).close()
    path = path_in(directory)
    path.write_bytes(content)
    for _ in range(2):  # it is not left locked either
        with pytest.raises(
            JournalError, match=r"cannot use the journal .*nothing was sent"
        ) as raised:
            opened(directory)
        assert not isinstance(raised.value, JournalBusyError)
        assert str(raised.value).isprintable()
    assert path.read_bytes() == content


def put_link(path: Path) -> None:
    path.with_suffix(".there").write_bytes(HEADER)
    path.symlink_to(path.with_suffix(".there"))


def put_file_that_others_can_write(path: Path) -> None:
    path.write_bytes(HEADER)
    path.chmod(0o666)


@pytest.mark.parametrize("put", [Path.mkdir, os.mkfifo, put_link, put_file_that_others_can_write])
def test_anything_but_the_users_own_file_is_refused(
    directory: Path, put: Callable[[Path], None]
) -> None:
    directory.mkdir(parents=True)
    put(path_in(directory))
    with pytest.raises(JournalError):
        opened(directory)


@as_root
def test_on_a_full_disk_a_line_that_was_out_is_unknown_and_nothing_else_is_lost() -> None:
    with mounted("size=1m,mode=0700") as disk:
        journal = opened(disk / "imports")
        journal.begin(1000)
        journal.plan([ONE, TWO])
        journal.send(ONE)
        journal.added(ONE, 1)
        with full_disk(disk):
            lines = [LineId(f"{number:032x}") for number in range(100, 400)]
            with pytest.raises(JournalError, match="the disk is full"):
                journal.plan(lines)
            journal.close()
            with pytest.raises(JournalError, match="the disk is full"):
                opened(disk / "imports")
        assert states_after(disk / "imports") == {ONE: AddedLine(1)}
