"""A bracketed paste (mode 2004) on its way: bounded, and told from keys where its end is lost."""

from __future__ import annotations

import re

from pettui.terminal.input_decoding import decode

START, END = b"\x1b[200~", b"\x1b[201~"
KEYS_MAXIMUM = 64  # bytes of keys that are looked for at the end of one that never ended
# Keys that no text holds: controls but for tab and line ends, arrows, functions.
_KEYS_AT_END = re.compile(
    rb"(?:[\x01-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]|\x1b\[(?!200~)[0-9;]*[A-HPQSZu~]|\x1bO[A-Z]|\x1b)+\Z"
)


class Paste:
    """What was pasted so far; of what is more than its maximum nothing is kept."""

    def __init__(self, maximum: int) -> None:
        """Begin with nothing; the maximum is in bytes."""
        self._maximum = maximum
        self._kept = bytearray()

    def add(self, data: bytes) -> bytes | None:
        """Keep what came; return what follows the end, or None where it has not ended.

        The beginning of an end at the end of the data is kept too, and found with what follows.
        """
        searched_from = max(len(self._kept) - len(END) + 1, 0)
        self._kept += data
        end = self._kept.find(END, searched_from)
        if end < 0:
            tail = bytes(self._kept[max(self._maximum, len(self._kept) - len(END) + 1) :])
            del self._kept[self._maximum :]
            self._kept += tail
            return None
        following = bytes(self._kept[end + len(END) :])
        del self._kept[min(end, self._maximum) :]
        return following

    def text(self) -> str:
        """Return the text, whole characters of it, without NUL."""
        is_cut = len(self._kept) >= self._maximum
        text, _ = decode(bytes(self._kept[: self._maximum]), is_final=not is_cut)
        return text.replace("\x00", "")

    def give_up(self) -> bytes:
        """Return the keys at the end, typed by somebody who waits: they are no part of the text."""
        match = _KEYS_AT_END.search(self._kept, max(len(self._kept) - KEYS_MAXIMUM, 0))
        if match is None:
            return b""
        keys = bytes(match[0])
        del self._kept[match.start() :]
        return keys
