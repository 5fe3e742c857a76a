"""The requests of this session, the last ones in a list and one whole; and what happened in it."""

from __future__ import annotations

from datetime import datetime
from http.client import responses
from sys import maxsize
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from rich.cells import cell_len
from textual import on
from textual.containers import Vertical

from pettui.keyboard import actions
from pettui.settings.settings import StoreKind
from pettui.system.capabilities import CLIPBOARD_MAXIMUM
from pettui.text.amounts import duration_text, size_text, time_text
from pettui.text.folding import folded_words, has_words
from pettui.tui.screens.box_screen import BoxScreen, FindBoxScreen
from pettui.tui.session.session import EntryChanged, OutboxChanged, UserSession
from pettui.tui.session.wording import ALLOWED
from pettui.tui.widgets.bindings import bindings
from pettui.tui.widgets.coloured_json import json_rows
from pettui.tui.widgets.form_input import FormInput
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.widgets.row_table import RowTable
from pettui.tui.widgets.runs import Run, at_the_edge, cut_runs, separator, width_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.binding import BindingType
    from textual.widgets import Input

    from pettui.appearance.glyphs import GlyphSet
    from pettui.client import LoggedRequest

TITLE: Final = "Requests"
UPDATED_EVERY: Final = 0.5  # seconds
TIME_WIDTH: Final = 8
STATUS_WIDTH: Final = 6
TOOK_WIDTH: Final = 9
SIZE_WIDTH: Final = 11
TOOK_FROM: Final = 44  # cells: below, a row does not say how long it took
SIZE_FROM: Final = 56  # cells: below, it has no size
NAME_MAXIMUM: Final = 28  # cells of a header's name
VALUE_CHARACTERS: Final = 8_000
TEXT_ROWS: Final = 200  # of a body, of which 2 kB are kept
GAP: Final = "  "


class Columns(NamedTuple):
    """The cells of each column, without the gaps; the address gets the rest."""

    time: int
    method: int
    right: Sequence[tuple[str, int]]  # titles and cells, with the gap before each

    def left(self, sign: str, time: str, method: str) -> str:
        """Return what stands before the address."""
        return f"{sign} {time:<{self.time}}{GAP}{method:<{self.method}}{GAP}"


class RequestList(RowTable["LoggedRequest"]):
    """One request a row, the newest first."""

    CLICKS: ClassVar[int] = 1
    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.REQUEST_ROWS, moves="request_")

    def __init__(self, session: UserSession) -> None:
        super().__init__(session.glyphs)
        self._session = session
        self._time_width = TIME_WIDTH  # cells

    def show_requests(self, requests: Sequence[LoggedRequest], cursor: int) -> None:
        """Show the requests that were found, and make room for times: earlier days have a date."""
        self._time_width = max((len(self._time(each)) for each in requests), default=TIME_WIDTH)
        self.put_rows(requests, cursor)

    def empty_lines(self) -> Sequence[Sequence[Run]]:
        """Return why there is no request."""
        text = "no request matches" if self._session.client.log.count else "no request so far"
        return [[(f" {text}", "muted")]]

    def header(self, width: int) -> Sequence[Run]:
        """Return the titles of the columns."""
        columns = self.columns(width)
        method = "Method" if len("Method") <= columns.method else ""
        left = f"{columns.left(' ', 'Time', method)}Address"
        right = "".join(title.rjust(cells) for title, cells in columns.right)
        return [(left.ljust(width - len(right)) + right, "table-header")]

    def columns(self, width: int) -> Columns:
        """Return the columns of a width."""
        right = [("Status", STATUS_WIDTH), ("Took", TOOK_WIDTH), ("Size", SIZE_WIDTH)]
        if width < TOOK_FROM:
            return Columns(TIME_WIDTH, len("POST"), right[:1])
        return Columns(self._time_width, len("Method"), right[: 3 if width >= SIZE_FROM else 2])

    def runs_of(self, row: LoggedRequest, sign: str, width: int) -> list[Run]:
        """Return time, method and address of a request, and its status, time and size."""
        columns = self.columns(width)
        cells = {
            "Status": (_status(row), _style(row)),
            "Took": (duration_text(row.elapsed), "muted"),
            "Size": (size_text(row.size), "muted"),
        }
        right: list[Run] = []
        for title, column in columns.right:
            text, style = cells[title]
            right += [(" " * (column - len(text)), ""), (text, style)]
        left = columns.left(sign, self._time(row, columns.time), row.method)
        room = width - cell_len(left) - width_of(right) - 1
        return [(left, ""), (self.glyphs.fit(self._path(row), room), ""), (" ", ""), *right]

    def _time(self, request: LoggedRequest, room: int = maxsize) -> str:
        """Return when a request was sent; with little room, without the day."""
        now = self._session.clock.now()
        at = datetime.fromtimestamp(request.at, now.tzinfo)
        text = time_text(at, now)
        return text if len(text) <= room else f"{at:%H:%M:%S}"

    def _path(self, request: LoggedRequest) -> str:
        base = self._session.settings.profile.base_url
        return self.glyphs.line(request.address.removeprefix(base))


class RequestsScreen(FindBoxScreen):
    """The last requests, and a field that finds among them; Enter shows one, Esc closes."""

    AUTO_FOCUS = ""
    BOX = Vertical
    HINT = "{view_request} Show  {find_request} Find  {copy_curl} curl  {close_requests} Close"
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.REQUESTS_BOX,
        history="history",
        find_request="find",
        close_requests="close",
    )

    def __init__(self, session: UserSession) -> None:
        self._session = session
        self._log = session.client.log
        self._shown = 0  # how many requests there had ever been
        self._words: tuple[str, ...] = ()  # of the find, folded
        self.list = RequestList(session)
        placeholder = "method, address, status, or what was sent or received"
        line = FormInput(session.glyphs, id="find-request", placeholder=placeholder)
        super().__init__(session.glyphs, TITLE, line, [self.list])

    def on_mount(self) -> None:
        """Show the requests, and those that follow; Textual calls the base's handler too."""
        self.set_focus(self.list)
        self._update()
        self.set_interval(UPDATED_EVERY, self._update)

    def _update(self) -> None:
        """Show those that follow; the cursor stays on its request unless that is the newest."""
        if self._log.count != self._shown:
            self._shown = self._log.count
            self._show(self.list.highlighted if self.list.cursor else None)

    def _show(self, highlighted: LoggedRequest | None) -> None:
        """Show what is found, with the cursor on a request, or else on the newest."""
        logged = self._log.newest_first
        found = [each for each in logged if _contains(each, self._words)] if self._words else logged
        index = next((i for i, each in enumerate(found) if each is highlighted), 0)
        self.list.show_requests(found, index)
        count = f"{TITLE}: {len(found):,} of {len(logged):,}" if self._words else TITLE
        self.show_title(count)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Find at each letter."""
        self._words = folded_words(event.value)
        self._show(self.list.highlighted)

    def leave_line(self) -> None:
        """Go back to what was found; an empty line goes."""
        self.set_focus(self.list)
        self.line.display = bool(self.line.value)

    async def action_history(self) -> None:
        """Show what happened in place of this box."""
        self.dismiss()
        await self.app.run_action("history")

    def action_view_request(self) -> None:
        """Show the request under the cursor."""
        if (request := self.list.highlighted) is not None:
            self.app.push_screen(RequestScreen(self._session, request))

    def on_row_table_opened(self) -> None:
        """Show the request that was clicked."""
        self.action_view_request()

    def action_copy_curl(self) -> None:
        """Copy the request under the cursor as a curl command."""
        if (request := self.list.highlighted) is not None:
            copy_curl(self, self._session, request)


class RequestLines(LineWidget):
    """What was sent and what was received: headers in columns, JSON indented and coloured."""

    def __init__(self, glyphs: GlyphSet, request: LoggedRequest) -> None:
        super().__init__(glyphs)
        self._request = request

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the rows, section by section."""
        request, glyphs = self._request, self.glyphs
        address = glyphs.safe(request.address)
        rows = at_the_edge([(f"{request.method} ", "strong"), (address, "")], width)
        outcome, took = _status(request, phrase=True), duration_text(request.elapsed)
        rows.append(cut_runs(glyphs, [(outcome, _style(request)), (f" in {took}", "muted")], width))
        if request.failure:
            failure = glyphs.wrap(glyphs.line(request.failure), width, TEXT_ROWS)
            rows += [[(row, "error")] for row in failure]
        rows += [[], [("Sent", "strong")], *self._headers(request.sent_headers, width)]
        if request.sent_body:
            rows += [[], *self._body(request.sent_body, width, is_cut=False)]
        if request.status is not None:
            rows += [[], [("Received", "strong")], *self._headers(request.headers, width)]
        if request.body:
            is_cut = len(request.body) < request.size
            of = f"its first {size_text(len(request.body))} of " if is_cut else ""
            rows += [[], [(f"Body, {of}{size_text(request.size)}", "strong")]]
            rows += self._body(request.body, width, is_cut=is_cut)
        return rows

    def _headers(self, headers: Sequence[tuple[str, str]], width: int) -> Iterator[list[Run]]:
        """Yield headers: all values stand in one column, also where they need several rows."""
        names = (name for name, _ in (*self._request.sent_headers, *self._request.headers))
        longest = max(cell_len(self.glyphs.line(name)) for name in names)
        column = min(longest, NAME_MAXIMUM, width // 2)
        for name, value in headers:
            values = self.glyphs.wrap(
                self.glyphs.line(value, VALUE_CHARACTERS), width - column - len(GAP), TEXT_ROWS
            )
            for index, row in enumerate(values):
                label = self.glyphs.fit("" if index else self.glyphs.line(name), column)
                yield [(label + GAP, "muted"), (row, "")]

    def _body(self, body: bytes, width: int, *, is_cut: bool) -> list[list[Run]]:
        """Return JSON indented, and any other text in its own lines."""
        text = body.decode("utf-8", "ignore" if is_cut else "replace")
        rows = json_rows(self.glyphs, text, width, is_cut=is_cut)
        if rows is None:
            lines = (self.glyphs.safe(line) for line in text.splitlines())
            rows = [
                [(row, "")] for line in lines for row in self.glyphs.wrap(line, width, TEXT_ROWS)
            ]
        is_longer = len(rows) > TEXT_ROWS
        more: list[list[Run]] = [[(self.glyphs.ellipsis, "muted")]]
        return [*rows[:TEXT_ROWS], *more] if is_cut or is_longer else rows


class RequestScreen(BoxScreen):
    """One request: what was sent, and what was received."""

    HINT = "{copy_curl} Copy as curl  {close_request} Close"
    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.REQUEST_BOX, close_request="dismiss")

    def __init__(self, session: UserSession, request: LoggedRequest) -> None:
        self._session = session
        self._request = request
        title = f"{request.method} {_status(request)}"
        super().__init__(session.glyphs, title, [RequestLines(session.glyphs, request)])

    def action_copy_curl(self) -> None:
        """Copy the request as a curl command."""
        copy_curl(self, self._session, self._request)


def copy_curl(screen: BoxScreen, session: UserSession, request: LoggedRequest) -> None:
    """Copy a request as a curl command, in which the key is a variable of the environment."""
    command = request.as_curl(session.settings.profile.key_variable)
    if len(command.encode()) > CLIPBOARD_MAXIMUM:
        screen.show_remark("too long to copy")
        return
    screen.app.copy_to_clipboard(command)
    is_service = session.settings.profile.kind is StoreKind.SERVICE
    where = "" if is_service else "; this store is reached from here alone"
    screen.show_remark(f"copied as curl{ALLOWED}{where}")


def _contains(request: LoggedRequest, words: Sequence[str]) -> bool:
    """Whether each folded word is somewhere in a request or its response."""
    sent, received = (body.decode("utf-8", "replace") for body in (request.sent_body, request.body))
    outcome = _status(request, phrase=True)
    texts = (request.method, request.address, outcome, request.failure, sent, received)
    return has_words(words, *texts)


def _status(request: LoggedRequest, *, phrase: bool = False) -> str:
    """Return the status, with its words where there is room; or that there is no whole response."""
    if request.status is None:
        return "failed"
    if not phrase:
        return "cut" if request.failure else f"{request.status}"
    words = f"{request.status} {responses.get(request.status, '')}".rstrip()
    return f"{words}, cut off" if request.failure else words


def _style(request: LoggedRequest) -> str:
    """Return the style of a status: those that mean something else look different."""
    if request.status is None:
        return "label-red"
    if request.failure or request.status >= 500:
        return "error"
    if request.status >= 400:
        return "notice"
    return "good" if request.status < 300 else "accent"


# What happened in this session: its errors and notices.

NOTHING_HAPPENED: Final = "No error and no notice so far."
ROWS_EACH: Final = 6  # of one error or notice
ROWS_OF_LINE: Final = 1_000  # of a program's output
INDENT: Final = 2  # cells


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
            for line in map(glyphs.safe, each.output.expandtabs().splitlines()):
                rows += glyphs.wrap(line, width - INDENT, ROWS_OF_LINE)
            lines += [[(" " * INDENT, ""), (row, "")] for row in rows]
        return lines or [[(NOTHING_HAPPENED, "muted")]]


class HistoryScreen(BoxScreen):
    """The box; Esc closes it."""

    HINT = "{requests} Requests  {close_history} Close"
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.HISTORY_BOX, requests="requests", close_history="dismiss"
    )

    def __init__(self, session: UserSession) -> None:
        self._session = session
        self._lines = HistoryLines(session)
        super().__init__(session.glyphs, "What happened", [self._lines])

    @on(EntryChanged)
    @on(OutboxChanged)
    def show_what_came(self) -> None:
        """Show what happened meanwhile, such as why adds wait."""
        self._lines.refresh(layout=True)

    async def action_requests(self) -> None:
        """Show the last requests in place of this box."""
        await self.app.switch_screen(RequestsScreen(self._session))
