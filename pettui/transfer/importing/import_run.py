"""ImportRun: sends the lines of a file, each once, and tells how far it has come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pettui.client import PetClient
    from pettui.outbox import Backoff, Timer
    from pettui.transfer.importing.journal import Journal
    from pettui.transfer.importing.line_keys import LineKey
    from pettui.transfer.importing.line_states import LineOutcome
    from pettui.transfer.reading.import_lines import GoodLine

PARALLEL_MAXIMUM = 16
PARALLEL_DEFAULT = 4


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What is sent, and how many at once."""

    again: bool = False  # lines too that an earlier import added
    retry_unknown: bool = False  # lines too of which it is not known whether they were added
    parallel: int = PARALLEL_DEFAULT  # requests that may be out, 1 to PARALLEL_MAXIMUM


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import has come."""

    total: int
    added: int
    refused: int
    unknown: int  # of this run and of earlier ones
    earlier: int  # added by an earlier import
    remaining: int
    rate: float  # lines a second, of late
    seconds_left: float | None  # None where nobody can tell
    waiting: str | None = None  # why nothing is sent for now, in one raw line
    tries_in: float = 0.0  # seconds until it goes on


class ImportRun:
    """One run over the lines of a file."""

    def __init__(
        self,
        client: PetClient,
        journal: Journal,
        lines: Sequence[tuple[LineKey, GoodLine]],
        options: ImportOptions,
        on_progress: Callable[[ImportProgress], None],
        *,
        backoff: Backoff | None = None,
        timer: Timer | None = None,
        report: Callable[[Exception], None] | None = None,
    ) -> None:
        """Take what is to be sent; nothing is sent yet.

        Args:
            client: who sends; the caller's to close.
            journal: open, and the caller's to close when the run is over.
            lines: of ``numbered_lines`` of the whole file, without those that are left out.
            options: which of them are sent, and how many at once.
            on_progress: called on the running loop, at most ten times a second, and at the end.
            backoff: between attempts while the service cannot be reached.
            timer: what sending waits by; None is the running loop's clock.
            report: called with bugs of pettui's own, each kind once; None logs.
        """
        raise NotImplementedError

    @property
    def outcomes(self) -> tuple[LineOutcome, ...]:
        """What became of each line so far, in the order of the lines, however ``run`` ended."""
        raise NotImplementedError

    async def run(self) -> tuple[LineOutcome, ...]:
        """Send what is to be sent, and return what became of each line, in the order of the lines.

        While the service fails it waits, without end. Cancelled, it sends nothing more, waits a
        moment for what is out, and is raised again; ``outcomes`` tells how far it came, as it does
        after an error.

        Raises:
            PetClientError: the service does not answer a list at the start, before anything was
                sent; or it refused the key (401, 403).
            JournalError: the journal cannot be written; nothing was sent after that.
        """
        raise NotImplementedError
