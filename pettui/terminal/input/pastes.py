"""A bracketed paste (mode 2004): bounded in size, and kept apart from keys if its end is lost."""

from __future__ import annotations

import re

from textual import events

from pettui.terminal.input.input_decoding import decode

START, END = b"\x1b[200~", b"\x1b[201~"
KEYS_MAXIMUM = 64  # bytes at the end of an unfinished paste that are searched for keys
# Keys that no text contains: controls except tab and line ends, arrows, function keys.
_KEYS_AT_END = re.compile(
    rb"(?:[\x01-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]|\x1b\[(?!200~)[0-9;]*[A-HPQSZu~]|\x1bO[A-Z]|\x1b)+\Z"
)


class PasteRefused(events.Paste):
    """A paste was too long, and none of it was accepted.

    Attributes:
        size: in bytes.
        maximum: the largest paste that is accepted, in bytes.
    """

    def __init__(self, size: int, maximum: int) -> None:
        super().__init__("")
        self.size = size
        self.maximum = maximum


class Paste:
    """What was pasted so far; at most ``maximum`` bytes are kept."""

    def __init__(self, maximum: int) -> None:
        """Start an empty paste; the maximum is in bytes."""
        self.maximum = maximum
        self._kept = bytearray()
        self._dropped = 0  # bytes

    @property
    def size(self) -> int:
        """Its size in bytes, including those that were dropped."""
        return len(self._kept) + self._dropped

    @property
    def is_too_long(self) -> bool:
        """Whether it is longer than its maximum, and so refused as a whole."""
        return self.size > self.maximum

    @property
    def ends_in_keys(self) -> bool:
        """Whether the user already types, waiting for a paste whose end was lost."""
        return self._keys_at_end() is not None

    def add(self, data: bytes) -> bytes | None:
        """Add data; return what follows the end of the paste, or None if it has not ended.

        An end marker that is split between two reads is found as well.
        """
        searched_from = max(len(self._kept) - len(END) + 1, 0)
        self._kept += data
        end = self._kept.find(END, searched_from)
        if end < 0:
            tail = max(self.maximum, len(self._kept) - len(END) + 1)
            self._dropped += tail - self.maximum
            del self._kept[self.maximum : tail]
            return None
        following = bytes(self._kept[end + len(END) :])
        del self._kept[end:]
        return following

    def text(self) -> str:
        """Return the text, without NUL."""
        return decode(bytes(self._kept))[0].replace("\x00", "")

    def give_up(self) -> bytes:
        """End an unfinished paste, and return the keys that were typed after it."""
        match = self._keys_at_end()
        if match is None:
            return b""
        keys = bytes(match[0])
        del self._kept[match.start() :]
        return keys

    def _keys_at_end(self) -> re.Match[bytes] | None:
        return _KEYS_AT_END.search(self._kept, max(len(self._kept) - KEYS_MAXIMUM, 0))
