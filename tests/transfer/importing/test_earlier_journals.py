"""Journals of versions 1 and 2 go on as version 3: the same runs, states and idempotency keys.

The files are as version 2 left them: after an import of a second file that was stopped in the
middle, and after one that was killed as it sent the first file again.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import pytest

from pettui.transfer.import_run import ImportOptions, ImportRun
from pettui.transfer.journal import Journal, JournalError, journal_counts
from pettui.transfer.results import OutcomeKind
from pettui.transfer.runs import AddedLine, LineId, LineState, Promise, SourceFile, UnknownLine
from tests.outbox.conftest import QUICK
from tests.transfer.importing.faulty_path import FaultyPath
from tests.transfer.importing.test_journal import ADDRESS, BOOT, NEXT_BOOT, opened, path_in
from tests.transfer.lines import animals

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pettui.transfer.lines import GoodLine

STOPPED = b"""\
fe3cbe3f pettui-imports 2 3 000000000000000000000000000000000000 "https://store.example/v1" 0 0 12eedc49466db6201aedb00f008d34d2
43170411 known-run 1795919543 0 0 1 "/shop/week-1.csv\\u0000/shop/done.csv" d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1:a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1,e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1:
c1bcb085 known-added 568fafec98edeccf40c670d1588ad4d8 41 0
6b8828eb known-added 5c3b5ea4978b1b061e2c1ea68fdcb5d3 42 0
99cf1ba7 run 2 1795919544 "/shop/week\\u00202.csv" d2d2d2d2d2d2d2d2d2d2d2d2d2d2d2d2 a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2
d0dab1c4 begin 2000 - 55555555555555555555555555555555
aecac236 clock 1795919544049
cc9bb431 plan 7 886155c90f733cb765d4078284c401ea 79a192490dfec9f01152539d5c184428 b1f2aceffa89ea08c58ece81860e4263 4607613d6112e6e28e05bfe53f9c72f5
4c0cddd8 send 886155c90f733cb765d4078284c401ea
12aba9a6 added 886155c90f733cb765d4078284c401ea 43
40c763e5 send 79a192490dfec9f01152539d5c184428
253e9724 lost 79a192490dfec9f01152539d5c184428 "no\\u0020response\\u0020in\\u002030\\u0020s"
63be09eb send b1f2aceffa89ea08c58ece81860e4263
743c5108 refused b1f2aceffa89ea08c58ece81860e4263
ae2b95d7 send 4607613d6112e6e28e05bfe53f9c72f5
b352a8fd postponed 4607613d6112e6e28e05bfe53f9c72f5
0c3155bd end-plan
"""
KILLED = b"""\
fee4cb85 pettui-imports 2 6 000000000000000000000000000000000000 "https://store.example/v1" 0 0 12eedc49466db6201aedb00f008d34d2
43170411 known-run 1795919543 0 0 1 "/shop/week-1.csv\\u0000/shop/done.csv" d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1:a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1,e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1:
c1bcb085 known-added 568fafec98edeccf40c670d1588ad4d8 41 0
6b8828eb known-added 5c3b5ea4978b1b061e2c1ea68fdcb5d3 42 0
03d6dd95 known-run 1795919544 0 0 0 "/shop/week\\u00202.csv" d2d2d2d2d2d2d2d2d2d2d2d2d2d2d2d2:a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2
60e3628e known-added 886155c90f733cb765d4078284c401ea 43 0
d513111b known-lost 79a192490dfec9f01152539d5c184428 2000 - "no\\u0020response\\u0020in\\u002030\\u0020s" 55555555555555555555555555555555 1795919544049 0
1c87b394 run 1 1795919544 "/shop/week-1.csv" d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1 a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1
c2e86875 begin 3000 - 55555555555555555555555555555555
ed22b5e8 begin-again
e21379e6 clock 1795919544233
794d483b plan 11 568fafec98edeccf40c670d1588ad4d8 5c3b5ea4978b1b061e2c1ea68fdcb5d3
5bd31f56 send 568fafec98edeccf40c670d1588ad4d8
"""

LINES = animals(6)
WEEK_1, WEEK_2 = LINES[:2], LINES[2:]
SOURCE_1 = SourceFile("/shop/week-1.csv", "d1" * 16, "a1" * 16)
SOURCE_2 = SourceFile("/shop/week 2.csv", "d2" * 16, "a2" * 16)
STORE = "5" * 32
INTERRUPTED = "the import ended while this was being sent"
POWER_CUT = "the computer shut down while this was being sent, or shortly before"
LOST = (
    UnknownLine(2000, "no response in 30 s", Promise(STORE, 1795919544049, 0)),
    "01a22525-7ef1-7753-87eb-172dbe82eca9",
)
AGAIN = Promise(STORE, 1795919544233, 1)
SENT_AGAIN = (UnknownLine(3000, INTERRUPTED, AGAIN), "01a22525-7fa9-7fcc-99a3-42bcd330b37c")
CUT_OFF = (UnknownLine(3000, POWER_CUT, AGAIN), "01a22525-7fa9-7edc-8b9e-68e2295c27dd")
ADDED_1 = [(AddedLine(41), None), (AddedLine(42), None)]
NOTHING = (None, None)
ADDED_2 = [(AddedLine(43), None), LOST, NOTHING, NOTHING]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "imports"


def put(directory: Path, content: bytes) -> Path:
    opened(directory).close()
    path_in(directory).write_bytes(content)
    return path_in(directory)


def chosen(journal: Journal, source: SourceFile, lines: Iterable[tuple[LineId, GoodLine]]) -> None:
    journal.choose_run(source, dict.fromkeys(line_id for line_id, _ in lines).keys())


def known(
    directory: Path, source: SourceFile, lines: list[tuple[LineId, GoodLine]], boot: str
) -> list[tuple[LineState | None, str | None]]:
    """Return the state and the idempotency key of each line, as an import of its file finds it."""
    journal = opened(directory, boot)
    chosen(journal, source, lines)
    journal.begin(4000, STORE)
    found = [(journal.state(each), journal.idempotency_key(each)) for each, _ in lines]
    journal.close()
    return found


@pytest.mark.parametrize(
    ("content", "boot", "week_1", "week_2"),
    [
        (STOPPED, BOOT, ADDED_1, ADDED_2),
        (STOPPED, NEXT_BOOT, ADDED_1, ADDED_2),
        (KILLED, BOOT, [SENT_AGAIN, ADDED_1[1]], ADDED_2),
        (KILLED, NEXT_BOOT, [SENT_AGAIN, CUT_OFF], ADDED_2),
        (KILLED + b"\0" * 700, BOOT, [SENT_AGAIN, ADDED_1[1]], ADDED_2),
    ],
    ids=["stopped", "stopped, next", "killed", "power cut", "reserved"],
)
def test_states_and_keys_stay_what_version_2_says(
    directory: Path, content: bytes, boot: str, week_1: object, week_2: object
) -> None:
    path = put(directory, content)
    for _ in range(2):  # the second time it is version 3
        assert known(directory, SOURCE_1, WEEK_1, boot) == week_1
        assert known(directory, SOURCE_2, WEEK_2, boot) == week_2
        assert path.read_bytes()[8:].startswith(b' ["pettui-imports",3,')


async def added_by_two_imports(
    directory: Path, source: SourceFile, lines: list[tuple[LineId, GoodLine]]
) -> list[list[OutcomeKind]]:
    """Import lines twice to a store that was empty, and to which only those of the first go."""
    path, kinds = FaultyPath(), []
    for _ in range(2):
        journal = opened(directory)
        chosen(journal, source, lines)
        async with path.client() as client:
            run = ImportRun(client, journal, lines, ImportOptions(), lambda _: None, backoff=QUICK)
            kinds.append([outcome.kind for outcome in await run.run()])
        journal.close()
    assert len(await path.names()) == kinds[0].count(OutcomeKind.ADDED)
    await path.store.close()
    return kinds


async def test_an_import_that_goes_on_adds_nothing_twice(directory: Path) -> None:
    put(directory, STOPPED)
    earlier, unknown = OutcomeKind.ADDED_EARLIER, OutcomeKind.UNKNOWN
    assert await added_by_two_imports(directory, SOURCE_2, WEEK_2) == [
        [earlier, unknown, OutcomeKind.ADDED, OutcomeKind.ADDED],
        [earlier, unknown, earlier, earlier],
    ]


# ── version 1: no secret, no stores, no runs ────────────────────────────────────────────────────


def record(number: int, *words: str) -> bytes:
    """Return a line of an earlier journal: its checksum, with its number, and its words."""
    text = " ".join(words).encode("ascii")
    return b"%08x %b\n" % (zlib.crc32(text, number), text)


def records(*all_words: tuple[str, ...]) -> bytes:
    return b"".join(record(number, *words) for number, words in enumerate(all_words))


def head(version: str, known: int, *others: str, address: str = ADDRESS) -> tuple[str, ...]:
    return ("pettui-imports", version, str(known), BOOT, f'"{address}"', *others)


FIRST, SECOND, THIRD = (line_id for line_id, _ in LINES[:3])
VERSION_1 = records(
    head("1", 1, "2", "1"),
    ("known-lost", SECOND, "900", "-", '"no\\u0020response"'),
    ("begin", "1000", "7"),
    ("plan", "3", FIRST, THIRD),
    ("send", FIRST),
    ("send", THIRD),
    ("added", THIRD, "8"),
)


@pytest.mark.parametrize("times", [1, 2])
async def test_what_version_1_says_is_unknown_is_of_the_file_that_has_it(
    directory: Path, times: int
) -> None:
    put(directory, VERSION_1)
    for _ in range(times):
        opened(directory).close()
    first, second, third = known(directory, SOURCE_1, LINES[:3], BOOT)
    assert first == (UnknownLine(1000, INTERRUPTED), None)
    assert second == (UnknownLine(900, "no response"), None)
    assert third == NOTHING  # added, but of which file is not known
    assert await added_by_two_imports(directory, SOURCE_1, LINES[:2]) == [
        [OutcomeKind.UNKNOWN] * 2,
        [OutcomeKind.UNKNOWN] * 2,
    ]


def test_a_line_that_version_1_added_is_a_duplicate_in_any_file(directory: Path) -> None:
    put(directory, VERSION_1)
    journal = opened(directory)
    chosen(journal, SOURCE_1, LINES)
    found = journal.earlier_lines(LINES)
    journal.close()
    assert found == {LINES[2][1].position: "id 8 of an earlier import"}


def test_an_unknown_line_of_no_file_is_taken_over_by_the_file_that_sends_it(
    directory: Path,
) -> None:
    put(directory, VERSION_1)
    journal = opened(directory)
    chosen(journal, SOURCE_1, LINES)
    journal.begin(4000)
    journal.plan([SECOND])
    journal.send(SECOND)
    journal.added(SECOND, 9)
    journal.close()
    assert known(directory, SOURCE_1, LINES[:2], BOOT)[1] == (AddedLine(9), None)
    assert known(directory, SOURCE_2, LINES[:2], BOOT)[1] == NOTHING
    (counts,) = journal_counts(directory)
    assert (counts.added, counts.unknown) == (2, 1)


# ── what is refused ─────────────────────────────────────────────────────────────────────────────

NONE_KNOWN = head("1", 0, "0", "0")
ONE_KNOWN = head("2", 1, "0", "0", "ff" * 16)
DAMAGED = {
    "a header of too few words": records(("pettui-imports", "1", "0")),
    "an address that is none": record(0, "pettui-imports", "1", "0", BOOT, "7", "0", "0"),
    "a secret too much": records(head("1", 0, "0", "0", "ff" * 16)),
    "another address": records(head("1", 0, "0", "0", address="http://a/v1")),
    "a line twice": records(NONE_KNOWN) + record(1, "plan", "1", FIRST) * 2,
    "what is not planned is sent": records(NONE_KNOWN, ("send", FIRST)),
    "half a run": records(ONE_KNOWN, ("known-run", "1000", "0", "0", "0", '"/a"')),
    "half of it": STOPPED[: len(STOPPED) // 4],
    "a changed digit": STOPPED.replace(b"added 886155", b"added 886156", 1),
    "a line too few": STOPPED.replace(b"40c763e5 send 79a192490dfec9f01152539d5c184428\n", b""),
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_of_an_earlier_version_is_refused_and_unchanged(
    directory: Path, content: bytes
) -> None:
    path = put(directory, content)
    with pytest.raises(JournalError, match=r"cannot use the journal .*nothing was sent"):
        opened(directory)
    assert path.read_bytes() == content


def test_what_is_behind_a_plan_may_be_lost_with_the_power_and_no_plan_may(directory: Path) -> None:
    put(directory, KILLED.replace(b"send 568f", b"send 568e"))
    assert known(directory, SOURCE_1, WEEK_1, NEXT_BOOT) == [
        (CUT_OFF[0], SENT_AGAIN[1]),
        CUT_OFF,
    ]
    put(directory, KILLED.replace(b"clock 1795", b"clock 1796"))
    with pytest.raises(JournalError, match="its line 11 is damaged"):
        opened(directory, NEXT_BOOT)
