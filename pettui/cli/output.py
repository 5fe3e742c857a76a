"""What commands write: data on standard output, exactly; messages on standard error."""

from __future__ import annotations

import errno
import json
import os
import select
import stat
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple, Self, TextIO

from pettui.configuration.errors import ConfigurationError
from pettui.settings.settings import KEY_VARIABLE, SERVICE_KEYS_VARIABLE, SHORTEST_KEY, ApiKey
from pettui.system.capabilities import PLAIN, Glyphs, glyphs_of, has_latin_1
from pettui.system.files import reason_of
from pettui.system.signals import interruptible
from pettui.text.safe import safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import TracebackType

    from pettui.appearance.glyphs import GlyphSet
    from pettui.client import Notice, PendingRetry
    from pettui.settings.settings import Settings

LONGEST: Final = 2_000  # characters of a line
_USUAL_WIDTH: Final = 80
_ERASE: Final = "\r\x1b[K"
_STDERR: Final = 2
SETTING = "standard output"


class ClosedPipeError(Exception):
    """The reader of standard output has ended, as ``head`` does."""


def check_output() -> None:
    """Make sure that there is a standard output, before anything is sent.

    Raises:
        ConfigurationError: it was closed before the start.
    """
    if sys.stdout is None:
        raise ConfigurationError(SETTING, "is closed")


def is_terminal() -> bool:
    """Whether standard output is a terminal. Raises as ``check_output``."""
    check_output()
    return sys.stdout.isatty()


def is_pipe() -> bool:
    """Whether standard output is a pipe."""
    return stat.S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode)


def write_output(content: bytes) -> None:
    """Write all of the bytes to standard output.

    Raises:
        ClosedPipeError: there is no reader any more.
        ConfigurationError: it cannot be written; its disk is full, for example.
    """
    try:
        write_all(content)
    except BrokenPipeError:
        raise ClosedPipeError from None
    except OSError as error:
        reason = f"cannot be written: {reason_of(error)}"
        raise ConfigurationError(SETTING, reason) from None


def check_reader() -> None:
    """Make sure that there is still a reader of standard output, where nothing is written yet.

    Raises:
        ClosedPipeError: there is none.
    """
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)  # errors alone
    if poll.poll(0):
        raise ClosedPipeError


def write_all(content: bytes) -> None:
    """Write all of the bytes, whatever the locale, also to a pipe that does not block.

    Raises:
        OSError: not all of it could be written.
    """
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    descriptor = sys.stdout.fileno()
    rest = memoryview(content)
    with interruptible():
        while rest:
            try:
                rest = rest[os.write(descriptor, rest) :]
            except BlockingIOError:
                select.select([], [descriptor], [])


class Characters(NamedTuple):
    """Which characters a terminal has, for a command that reads no settings."""

    glyphs: Glyphs
    has_latin_1: bool

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Self:
        """Return those of the user's terminal."""
        kind = environment.get("TERM", "")
        return cls(glyphs_of(kind, environment), has_latin_1(kind, environment))


def write_json(values: Iterable[object], characters: Settings | Characters) -> None:
    """Write each value as a line of JSON; as ``write_records``."""
    write_records(map(json_line, values), characters)


def json_line(value: object) -> bytes:
    """Return a value as a line of JSON; half a character, which has no UTF-8, is escaped."""
    return f"{json.dumps(value, ensure_ascii=False)}\n".encode(errors="backslashreplace")


def write_records(records: Iterable[bytes], characters: Settings | Characters) -> None:
    """Write records for programs; a terminal gets them made safe for it. Raises as write_output."""
    if is_terminal():
        from pettui.appearance.glyphs import glyphs_for

        glyphs = glyphs_for(characters.glyphs, has_latin_1=characters.has_latin_1)
        records = (_safe_record(record.decode(), glyphs) for record in records)
    write_output(b"".join(records))


def _safe_record(record: str, glyphs: GlyphSet) -> bytes:
    end = "\0" if record.endswith("\0") else "\n"
    body = record.removesuffix(end).removesuffix("\r")
    # Tabs between fields are harmless.
    return ("\t".join(map(glyphs.safe, body.split("\t"))) + end).encode()


def terminal_width(stream: TextIO) -> int:
    """Return the cells of a line on the terminal that a stream is, or what is usual."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_WIDTH
    except OSError:
        return _USUAL_WIDTH


class StandardError:
    """Notices, progress and errors, each a line made safe for a terminal."""

    def __init__(self, *, is_quiet: bool, kind: str) -> None:
        """Make it quiet (only errors and warnings) or not, on a terminal of this type (TERM)."""
        self._is_quiet = is_quiet
        self.is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self.shows_progress = self.is_terminal and not is_quiet and kind not in PLAIN
        self._told: set[str] = set()  # notices of deprecation
        self._is_on_progress = False  # the cursor is on a line of progress

    def error(self, text: str) -> None:
        """Print why the command fails, or what it left out."""
        self._line(f"error: {text}")

    def warn(self, text: str) -> None:
        """Print what is wrong with data that is used nevertheless."""
        self._line(f"warning: {text}")

    def notice(self, text: str) -> None:
        """Print information, unless it is quiet."""
        if not self._is_quiet:
            self._line(f"notice: {text}")

    def notices(self, notices: Iterable[Notice]) -> None:
        """Print notices of deprecation, each once; those of getPet only on a terminal.

        A script knows nothing better yet, and would be told each time.
        """
        from pettui.client import ANNOUNCED

        for each in notices:
            if each.operation == ANNOUNCED.operation and not self.is_terminal:
                continue
            sentence = each.sentence(datetime.now(UTC).date())
            if sentence not in self._told:
                self._told.add(sentence)
                self.notice(sentence)

    def retry(self, pending: PendingRetry) -> None:
        """Print that a read is retried."""
        times = f"attempt {pending.attempt} of {pending.of}"
        self.notice(f"{pending.why}; {times} in {pending.seconds:.1f} s")

    def progress(self, text: str) -> None:
        """Replace the progress shown, if progress is shown."""
        self.draw_progress(safe(text, 60))

    def draw_progress(self, line: str) -> None:
        """Show a line that is already safe for a terminal, as ``progress`` does."""
        if self.shows_progress:
            self._is_on_progress = True
            write_error(f"{_ERASE}{line}")

    def clear_progress(self) -> None:
        """Erase the progress."""
        if self._is_on_progress:
            self._is_on_progress = False
            write_error(_ERASE)

    def _line(self, text: str) -> None:
        self.clear_progress()
        write_error(f"{safe(text, LONGEST)}\n")


KEY_VARIABLES: Final = (KEY_VARIABLE, SERVICE_KEYS_VARIABLE)


def write_error_line(line: str) -> None:
    """Write a line, made safe for a terminal."""
    write_error(f"{safe(line)}\n")


def write_failure(line: str) -> None:
    """Write why a command ends, which in systemd's journal is an error."""
    from pettui.system.systemd import is_journal

    is_error = sys.stderr is not None and is_journal(_STDERR)
    write_error_line(f"{'<3>' * is_error}pettui: {line}")


def write_error(text: str) -> None:
    """Write text that is already safe for a terminal. If nobody can read it, it is dropped."""
    stream = sys.stderr
    if stream is None:  # closed before the start; print would write to standard output
        return
    try:
        stream.write(text)
        stream.flush()
    except OSError:
        discard(stream)


def discard(stream: TextIO) -> None:
    """Drop what a stream could not write; Python would try again at exit, and fail."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


def without_keys(text: str, environment: Mapping[str, str]) -> str:
    """Return a text with the API keys of the environment masked, wherever they appear."""
    for name in KEY_VARIABLES:
        for key in environment.get(name, "").split(","):
            if len(key.strip()) >= SHORTEST_KEY:
                text = ApiKey(key.strip()).mask(text)
    return text


# Bugs


def report_bug(error: BaseException, *keys: ApiKey) -> None:
    """Write a report, with these keys masked, and print one line that says where it is."""
    from pettui.composition.crash_reports import reported_bug

    write_failure(reported_bug(error, *keys))


def bug_hook(
    key: ApiKey,
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """Return a ``sys.excepthook`` that writes a report instead of a traceback."""
    return lambda _kind, error, _traceback: report_bug(error, key)
