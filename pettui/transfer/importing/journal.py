"""Journal: what became of every line that was ever imported to one base address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.transfer.errors import TransferError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from pettui.transfer.importing.line_keys import LineKey
    from pettui.transfer.importing.line_states import LineState


class JournalError(TransferError):
    """The journal cannot be read, is not understood, or cannot be written."""


class JournalBusyError(JournalError):
    """Another import to the same address is under way."""


class Journal:
    """Knows each line by its key; a line's state is kept before the line is sent."""

    @classmethod
    def open(cls, directory: Path, address: str) -> Self:
        """Open the journal of a base address, and lock it until ``close``; blocking.

        Args:
            directory: of the journals of all addresses; made, 0700, where it is not there.
            address: the service's base address in any of its spellings, or an embedded store's
                file.

        Raises:
            JournalBusyError: another import to the same address is under way.
            JournalError: it cannot be read, is not understood, or cannot be written.
        """
        raise NotImplementedError

    @classmethod
    def in_memory(cls) -> Self:
        """Return a journal that is gone at the end, as a demo's animals are."""
        raise NotImplementedError

    def state(self, key: LineKey) -> LineState | None:
        """Return what is known of a line; None where it was not sent, or was refused."""
        raise NotImplementedError

    def close(self) -> None:
        """Unlock it; what was to be sent and was not is not taken for sent."""
        raise NotImplementedError
