"""An import whose process is killed after any record, and that is run again."""

from __future__ import annotations

from itertools import pairwise

from pettui.client import ErrorBodyError, NoAnswerError, UnreadableAnswerError
from pettui.models import ErrorBody
from pettui.transfer.importing.import_plan import ImportOptions
from pettui.transfer.importing.import_run import ImportRun
from pettui.transfer.importing.journals.journal import Journal
from pettui.transfer.importing.journals.journal_content import read_content, whole_content
from pettui.transfer.importing.journals.journal_file import NoFile
from pettui.transfer.importing.journals.line_ledger import LineLedger
from tests.outbox.conftest import QUICK
from tests.outbox.scripted import ScriptedClient
from tests.transfer.importing.lines import animals

ADDRESS, BOOT = "https://store.example/v1", "0" * 36
LINES = animals(8)


class _Watched(NoFile):
    """Records the content of a file after each record, and what had been sent by then."""

    def __init__(self, client: ScriptedClient) -> None:
        self.moments: list[tuple[bytes, list[str]]] = []
        self._content = b"".join(whole_content(LineLedger(), ADDRESS, BOOT))
        self._client = client

    def add(self, line: bytes) -> None:
        self._content += line
        self.moments.append((self._content, [pet.name for pet in self._client.sent]))


def refused() -> ErrorBodyError:
    return ErrorBodyError(400, ErrorBody(code="no", message="No.", status=400))


async def import_again(content: bytes, boot: str) -> list[str]:
    """Return the names that an import sends with a journal of this content."""
    client = ScriptedClient()
    ledger = read_content(content, ADDRESS, boot)
    journal = Journal(ledger, NoFile(), len(ledger.states) + 1, is_sure=True)
    await ImportRun(client, journal, LINES, ImportOptions(), lambda _: None).run()
    return [pet.name for pet in client.sent]


async def test_after_any_last_record_no_line_that_may_have_been_added_is_sent_again() -> None:
    """Of eight lines one is refused, one waits at first, and two are lost."""
    client = ScriptedClient()
    no_way = NoAnswerError("connect to", "store.example:443", "refused", transient=True)
    lost = NoAnswerError("read from", "store.example:443", "timed out", maybe_sent=True)
    client.adds = [None, refused(), no_way, lost, None, UnreadableAnswerError(201, "no JSON")]
    file = _Watched(client)
    journal = Journal(LineLedger(), file, 1, is_sure=True)
    options = ImportOptions(parallel=2)
    await ImportRun(client, journal, LINES, options, lambda _: None, backoff=QUICK).run()
    refused_or_waiting = {client.sent[1].name, client.sent[2].name}
    assert len(file.moments) >= 18
    for (content, _), (_, sent) in pairwise(file.moments):  # what went out until the next record
        again = await import_again(content, BOOT)
        assert not set(again) & set(sent) - refused_or_waiting
        assert len(again) >= len(LINES) - len(set(sent)) - options.parallel
        after_power_cut = await import_again(content, "1" * 36)
        assert set(after_power_cut) <= set(again)
    assert await import_again(file.moments[-1][0], BOOT) == [client.sent[1].name]
