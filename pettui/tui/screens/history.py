"""What happened in this session: its errors and notices, and the requests that it sent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual.containers import Vertical

from pettui import actions
from pettui.settings import StoreKind
from pettui.tui.keys import bindings
from pettui.tui.runs import separator, width_of
from pettui.tui.screens.boxes import BoxScreen, TextLines
from pettui.tui.widgets.command_list import CursorList
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording import ALLOWED, CLIPBOARD_MAXIMUM, duration_text, size_text, time_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from pettui.client import LoggedRequest
    from pettui.tui.runs import Run, Section
    from pettui.tui.session import UserSession

NOTHING_HAPPENED: Final = "No error and no notice so far."
ROWS_EACH: Final = 6  # of one error or notice
INDENT: Final = 2  # cells
UPDATED_EVERY: Final = 0.5  # seconds
STATUS_WIDTH: Final = 6
TOOK_WIDTH: Final = 8
SIZE_WIDTH: Final = 11
TOOK_FROM: Final = 44  # cells: below, a row does not say how long it took
SIZE_FROM: Final = 56  # cells: below, it has no size


class HistoryLines(LineWidget):
    """Errors and notices, the newest first: a row with time and title, and the text below."""

    def __init__(self, session: UserSession) -> None:
        super().__init__(session.glyphs)
        self._session = session

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines."""
        glyphs, now, lines = self.glyphs, self._session.clock.now(), []
        for each in reversed(self._session.history):
            times = f" ({each.times} times)" if each.times > 1 else ""
            title = f"{glyphs.line(each.title, 80)}{times}"
            style = "notice" if each.title == "Notice" else "strong"
            lines.append([(time_text(each.at, now), "muted"), separator(glyphs), (title, style)])
            rows = glyphs.wrap(glyphs.line(each.text, 1000), width - INDENT, ROWS_EACH)
            lines += [[(" " * INDENT, ""), (row, "")] for row in rows]
        return lines or [[(NOTHING_HAPPENED, "muted")]]


class HistoryScreen(BoxScreen):
    """The box; Esc closes it."""

    HINT = "{requests} Requests  {close_history} Close"
    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.HISTORY_BOX, close_history="dismiss")

    def __init__(self, session: UserSession) -> None:
        self._session = session
        super().__init__(session.glyphs, "What happened", [HistoryLines(session)])

    async def action_requests(self) -> None:
        """Show the last requests in place of this box."""
        await self.app.switch_screen(RequestsScreen(self._session))


class RequestList(CursorList["LoggedRequest"]):
    """One request a row, the newest first."""

    no_items = "no request so far"

    def __init__(self, session: UserSession) -> None:
        super().__init__(session.glyphs)
        self._session = session

    def runs_of(self, item: LoggedRequest, sign: str, width: int) -> list[Run]:
        """Return time, method and address of a request, and its status, time and size."""
        when = time_text(_sent_at(item), self._session.clock.now())
        is_good = item.status is not None and item.status < 400 and not item.failure
        right: list[Run] = [(_status(item).rjust(STATUS_WIDTH), "good" if is_good else "error")]
        if width >= TOOK_FROM:
            right.append((duration_text(item.elapsed).rjust(TOOK_WIDTH), "muted"))
        if width >= SIZE_FROM:
            right.append((size_text(item.size).rjust(SIZE_WIDTH), "muted"))
        left = f"{sign} {when}  {item.method:<4}  "
        room = width - cell_len(left) - width_of(right) - 1
        return [(left, ""), (self.glyphs.fit(self._path(item), room), ""), *right]

    def _path(self, request: LoggedRequest) -> str:
        base = self._session.settings.profile.base_url
        return self.glyphs.line(request.address.removeprefix(base))


class RequestsScreen(BoxScreen):
    """The last requests; Enter shows one, Esc closes."""

    BOX = Vertical
    HINT = "{view_request} Show  {copy_curl} curl  {close_requests} Close"
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.REQUESTS_BOX,
        request_up="move(-1)",
        request_down="move(1)",
        request_page_up="move(-10)",
        request_page_down="move(10)",
        request_top="move(-1000)",
        request_end="move(1000)",
        close_requests="dismiss",
    )

    def __init__(self, session: UserSession) -> None:
        self._session = session
        self._log = session.client.log
        self._shown = 0  # how many requests there had ever been
        self.list = RequestList(session)
        super().__init__(session.glyphs, "Requests", [self.list])
        self.box.id = "requests"

    def on_mount(self) -> None:
        """Show the requests, and those that follow; Textual calls the base's handler too."""
        self._update()
        self.set_interval(UPDATED_EVERY, self._update)

    def _update(self) -> None:
        """Show the current requests; the cursor stays on its request unless that is the newest."""
        new = self._log.count - self._shown
        if new:
            self._shown = self._log.count
            self.list.items = self._log.newest_first
            self.list.cursor += new if self.list.cursor else 0

    def action_move(self, rows: int) -> None:
        """Move the cursor."""
        self.show_message("")
        self.list.cursor += rows

    def action_view_request(self) -> None:
        """Show the request under the cursor."""
        if (request := self.list.highlighted) is not None:
            self.app.push_screen(RequestScreen(self._session, request))

    def on_cursor_list_picked(self) -> None:
        """Show the request that was clicked."""
        self.action_view_request()

    def action_copy_curl(self) -> None:
        """Copy the request under the cursor as a curl command."""
        if (request := self.list.highlighted) is not None:
            copy_curl(self, self._session, request)


class RequestScreen(BoxScreen):
    """One request: what was sent, and what was received."""

    HINT = "{copy_curl} Copy as curl  {close_request} Close"
    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.REQUEST_BOX, close_request="dismiss")

    def __init__(self, session: UserSession, request: LoggedRequest) -> None:
        self._session = session
        self._request = request
        glyphs = session.glyphs
        content = [
            line
            for title, text in _sections(request)
            for line in (TextLines(glyphs, text, title), TextLines(glyphs, " "))
        ]
        title = f"{request.method} {_status(request)}"
        super().__init__(glyphs, title, content[:-1])
        self.box.id = "request"

    def action_copy_curl(self) -> None:
        """Copy the request as a curl command."""
        copy_curl(self, self._session, self._request)


def copy_curl(screen: BoxScreen, session: UserSession, request: LoggedRequest) -> None:
    """Copy a request as a curl command, in which the key is a variable of the environment."""
    command = request.as_curl
    if len(command.encode()) > CLIPBOARD_MAXIMUM:
        screen.show_message("too long to copy")
        return
    screen.app.copy_to_clipboard(command)
    is_service = session.settings.profile.kind is StoreKind.SERVICE
    where = "" if is_service else "; this store is reached from here alone"
    screen.show_message(f"copied as curl{ALLOWED}{where}")


def _sections(request: LoggedRequest) -> list[Section]:
    """Return what is known of a request, as titles and raw texts."""
    outcome = request.failure or _status(request)
    sections = [
        (
            "Request",
            f"{request.method} {request.address}\n{outcome} in {duration_text(request.elapsed)}",
        ),
        ("Sent", _message(request.sent_headers, request.sent_body)),
    ]
    if request.status is not None:
        sections.append(("Received", _message(request.headers, b"")))
    if request.body:
        is_cut = len(request.body) < request.size
        of = f"its first {size_text(len(request.body))} of " if is_cut else ""
        text = request.body.decode("utf-8", "replace")
        sections.append((f"Body, {of}{size_text(request.size)}", text))
    return sections


def _message(headers: Sequence[tuple[str, str]], body: bytes) -> str:
    lines = "\n".join(f"{name}: {value}" for name, value in headers)
    return f"{lines}\n\n{body.decode('utf-8', 'replace')}".rstrip()


def _status(request: LoggedRequest) -> str:
    return "failed" if request.status is None else str(request.status)


def _sent_at(request: LoggedRequest) -> datetime:
    return datetime.fromtimestamp(request.at, UTC)
