"""Facts that one part of the screens tells another, in the past tense."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from textual.message import Message

if TYPE_CHECKING:
    from pettui.outbox import Entry


class EntryChanged(Message):
    """An entry of the outbox came, went, or is in another state.

    Attributes:
        entry: the entry as it is now.
    """

    def __init__(self, entry: Entry) -> None:
        super().__init__()
        self.entry = entry


class OutboxChanged(Message):
    """Trouble with the outbox as a whole began or is over, or there is another problem."""


class FaultsChanged(Message):
    """What is staged to go wrong in a demo is something else now."""


class PasteRefused(Protocol):
    """A paste was too long for the terminal's driver, and nothing of it came.

    Attributes:
        size: its bytes.
        maximum: the most that is taken, in bytes.
    """

    size: int
    maximum: int
