"""An import whose process is killed after any record, and that is run again."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any

import pytest

from pettui.client import ErrorBodyError, NoAnswerError, UnreadableAnswerError
from pettui.models import ErrorBody
from pettui.transfer.import_run import ImportOptions, ImportRun
from pettui.transfer.journal import Journal, JournalError
from pettui.transfer.results import OutcomeKind
from tests.exhaustive import product
from tests.outbox.conftest import QUICK
from tests.outbox.scripted import ScriptedClient
from tests.transfer.importing.lines import animals
from tests.transfer.importing.test_journal import path_in

if TYPE_CHECKING:
    from pathlib import Path

ADDRESS, BOOT = "https://store.example/v1", "0" * 36
LINES = animals(8)


def refused() -> ErrorBodyError:
    return ErrorBodyError(400, ErrorBody(code="no", message="No.", status=400))


async def import_again(directory: Path, content: bytes, boot: str) -> list[str]:
    """Return the names that an import sends with a journal of this content."""
    path_in(directory).write_bytes(content)
    client = ScriptedClient()
    journal = Journal.open(directory, ADDRESS, boot=boot)
    await ImportRun(client, journal, LINES, ImportOptions(), lambda _: None).run()
    journal.close()
    return [pet.name for pet in client.sent]


async def test_after_any_last_record_no_line_that_may_have_been_added_is_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of eight lines one is refused, one waits at first, and two are lost."""
    client = ScriptedClient()
    no_way = NoAnswerError("connect to", "store.example:443", "refused", transient=True)
    lost = NoAnswerError("read from", "store.example:443", "timed out", maybe_sent=True)
    client.adds = [None, refused(), no_way, lost, None, UnreadableAnswerError(201, "no JSON")]
    journal = Journal.open(tmp_path, ADDRESS, boot=BOOT)
    moments: list[tuple[bytes, list[str]]] = []  # the file after each write, and what was sent

    def watched(file: int, content: bytes, offset: int) -> int:
        written = pwrite(file, content, offset)
        moments.append((path_in(tmp_path).read_bytes(), [pet.name for pet in client.sent]))
        return written

    pwrite = os.pwrite
    options = ImportOptions(parallel=2)
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", watched)
        await ImportRun(client, journal, LINES, options, lambda _: None, backoff=QUICK).run()
        journal.close()
    last = path_in(tmp_path).read_bytes()
    refused_or_waiting = {client.sent[1].name, client.sent[2].name}
    assert len(moments) >= 18
    for (content, _), (_, sent) in pairwise(moments):  # what went out until the next write
        again = await import_again(tmp_path, content, BOOT)
        assert not set(again) & set(sent) - refused_or_waiting
        assert len(again) >= len(LINES) - len(set(sent)) - options.parallel
        after_power_cut = await import_again(tmp_path, content, "1" * 36)
        assert set(after_power_cut) <= set(again)
    assert await import_again(tmp_path, last, BOOT) == [client.sent[1].name]


@pytest.mark.parametrize(
    ("call", "number"),
    product(["pwrite", "fsync", "fdatasync", "replace"], [errno.EIO, errno.ENOSPC]),
)
async def test_whichever_call_of_the_disk_fails_nothing_is_lost_or_sent_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    """The next import, on a disk that works, sends the rest; what was under way is unknown."""
    real = getattr(os, call)
    has_failed = True
    for nth in count(1):
        if not has_failed:
            break
        directory, client, has_failed = tmp_path / str(nth), ScriptedClient(), False
        calls = count(1)

        def failing(*arguments: Any, calls=calls, nth=nth, **others: Any) -> Any:
            nonlocal has_failed
            if next(calls) == nth:
                has_failed = True
                raise OSError(number, os.strerror(number))
            return real(*arguments, **others)

        with monkeypatch.context() as patch, suppress(JournalError):
            patch.setattr(os, call, failing)
            if call == "fdatasync":
                patch.setattr("pettui.transfer.journal._sync", failing)
            journal = Journal.open(directory, ADDRESS, boot=BOOT)
            try:
                run = ImportRun(client, journal, LINES, ImportOptions(parallel=2), lambda _: None)
                await run.run()
            finally:
                journal.close()
        sent = [pet.name for pet in client.sent]
        rest = ScriptedClient()
        journal = Journal.open(directory, ADDRESS, boot=BOOT)
        outcomes = await ImportRun(rest, journal, LINES, ImportOptions(), lambda _: None).run()
        journal.close()
        again = [pet.name for pet in rest.sent]
        assert not set(sent) & set(again)
        unknown = [each for each in outcomes if each.kind is OutcomeKind.UNKNOWN]
        assert len(set(sent) | set(again)) + len(unknown) >= len(LINES)
        assert len(unknown) <= 2
    assert nth > 2 or call == "replace"
