"""The access log: one JSON line an event. No keystroke, no key, no name of an animal."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO


class Journal:
    """Writes the lines of one process."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, event: str, **facts: str | float | None) -> None:
        """Write one line, whole: several processes may have the stream."""
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": time, "event": event, **facts})
        with suppress(OSError, ValueError):  # a log that nobody takes must not cost a session
            self._stream.write(line + "\n")
            self._stream.flush()
