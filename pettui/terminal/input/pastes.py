"""A bracketed paste (mode 2004) on its way: bounded, and told from keys where its end is lost."""

from __future__ import annotations

import re

from textual import events

from pettui.terminal.input.input_decoding import decode

START, END = b"\x1b[200~", b"\x1b[201~"
KEYS_MAXIMUM = 64  # bytes of keys that are looked for at the end of one that never ended
# Keys that no text holds: controls but for tab and line ends, arrows, functions.
_KEYS_AT_END = re.compile(
    rb"(?:[\x01-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]|\x1b\[(?!200~)[0-9;]*[A-HPQSZu~]|\x1bO[A-Z]|\x1b)+\Z"
)


class PasteRefused(events.Paste):
    """A paste was longer than what is taken at once: nothing of it is.

    Attributes:
        size: its bytes.
        maximum: the most that is taken, in bytes.
    """

    def __init__(self, size: int, maximum: int) -> None:
        super().__init__("")
        self.size = size
        self.maximum = maximum


class Paste:
    """What was pasted so far; of one that is too long no more than its maximum is held."""

    def __init__(self, maximum: int) -> None:
        """Begin with nothing; the maximum is in bytes."""
        self.maximum = maximum
        self._kept = bytearray()
        self._dropped = 0  # bytes

    @property
    def size(self) -> int:
        """Its bytes, those that were not held included."""
        return len(self._kept) + self._dropped

    @property
    def is_too_long(self) -> bool:
        """Whether nothing of it is to be taken, since it would be cut."""
        return self.size > self.maximum

    @property
    def ends_in_keys(self) -> bool:
        """Whether somebody seems to type already, who waits for what was pasted."""
        return self._keys_at_end() is not None

    def add(self, data: bytes) -> bytes | None:
        """Keep what came; return what follows the end, or None where it has not ended.

        The beginning of an end at the end of the data is kept too, and found with what follows.
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
        """Return the keys at the end, typed by somebody who waits: they are no part of the text."""
        match = self._keys_at_end()
        if match is None:
            return b""
        keys = bytes(match[0])
        del self._kept[match.start() :]
        return keys

    def _keys_at_end(self) -> re.Match[bytes] | None:
        return _KEYS_AT_END.search(self._kept, max(len(self._kept) - KEYS_MAXIMUM, 0))
