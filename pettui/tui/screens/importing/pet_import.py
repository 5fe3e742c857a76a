"""PetImportScreen: a file's lines, checked, and sent once somebody says so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.containers import VerticalScroll

from pettui import actions
from pettui.client import PetClientError
from pettui.transfer.errors import TransferError
from pettui.transfer.importing.line_states import OutcomeKind
from pettui.tui.keys.available_actions import hints, key_of
from pettui.tui.keys.bindings import bindings
from pettui.tui.screens.importing.import_job import Phase
from pettui.tui.screens.importing.job_facts import job_facts, job_rows
from pettui.tui.screens.store_screen import StoreScreen
from pettui.tui.widgets.import_view import ImportBar, ImportLines

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from pettui.tui.screens.importing.import_job import ImportJob
    from pettui.tui.user_session import UserSession
    from pettui.tui.wording.text_runs import Fact, Section

TO_CHOOSE = (Phase.READY, Phase.OVER)


class PetImportScreen(StoreScreen[int]):
    """Nothing is sent before Enter. Esc stops what is under way, and then leaves.

    It returns how many animals were added.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_IMPORT,
        lines_up="scroll_lines(-1)",
        lines_down="scroll_lines(1)",
        lines_page_up="scroll_pages(-1)",
        lines_page_down="scroll_pages(1)",
    )
    TITLE_TEXT = "Import"
    STOPS: ClassVar[str] = "close"

    def __init__(self, session: UserSession, job: ImportJob) -> None:
        """Take a job, which is closed when the screen goes."""
        super().__init__(session)
        self._job = job
        self.lines = ImportLines(session.look)
        self.scroll = VerticalScroll(self.lines, id="import-lines", can_focus=False)
        self.bar = ImportBar(session.look)

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        yield self.header
        yield self.strip
        yield self.notice_bar
        yield self.scroll
        yield self.bar
        yield self.status_line
        yield self.key_bar

    def on_mount(self) -> None:
        """Look for duplicates at once: it is part of what is to be seen before anything is sent."""
        self._show()
        self.request.send(self._look_for_duplicates)

    async def on_unmount(self) -> None:
        """Stop what is under way, and let the journal go.

        It waits a moment for the answers that are on their way; behind it the client is closed.
        """
        self.request.cancel()
        await self._job.close()

    # What is shown

    def _show(self) -> None:
        leave_out = key_of(self, "leave_out_bad")
        self.lines.show(tuple(job_facts(self._job, leave_out)), job_rows(self._job))
        self.notice_bar.give(self.warnings, self._job.notices)
        self.bar.progress = self._job.progress if self._job.phase is Phase.SENDING else None
        self.show_facts()
        self.refresh_bindings()

    def show_facts(self) -> None:
        """Say what is under way, or what to press."""
        if self.request.waiting_for:
            facts: tuple[Fact, ...] = ((self.request.waiting_for, "accent"),)
        elif self._job.phase is Phase.OVER:
            facts = (("what was added is never sent twice", "muted"),)
        else:
            facts = (("nothing is sent yet", "muted"),)
        self.status_line.facts = facts
        self.status_line.keys = self.short_keys() or tuple(hints("{send_lines} Send", self))

    def cut_sections(self) -> list[Section]:
        """Return what is cut, of the lines too."""
        return [*super().cut_sections(), *self.lines.cut_sections()]

    # What can be done

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what there is something for."""
        job = self._job
        if action in ("scroll_lines", "scroll_pages"):
            return self.scroll.max_scroll_y > 0
        if action == "close":
            return True
        is_free = job.phase in TO_CHOOSE and not self.request.is_out
        match action:
            case "send_lines":
                return is_free and not job.is_held_by_bad_lines and job.to_send > 0
            case "leave_out_bad":
                return is_free and bool(job.file.preview.bad_lines)
            case "leave_out_duplicates":
                return is_free and job.duplicates is not None and bool(job.duplicates.names)
            case "look_for_unknown" | "send_unknown":
                return is_free and job.count(OutcomeKind.UNKNOWN) > 0
            case "send_earlier":
                return is_free and job.count(OutcomeKind.ADDED_EARLIER) > 0
            case "refresh":
                return self.strip.failure is not None and not self.request.is_out
        return super().check_action(action, parameters)

    def action_leave_out_bad(self) -> None:
        """Send the others without the bad lines, or nothing while there are any."""
        self._job.leaves_out_bad = not self._job.leaves_out_bad
        self._show()

    def action_leave_out_duplicates(self) -> None:
        """Leave duplicates out, or send them too."""
        job = self._job
        job.leave_out_duplicates(are_left_out=not job.leaves_out_duplicates)
        self._show()

    def action_send_unknown(self) -> None:
        """Send lines again that may have been added, or do not."""
        options = self._job.options
        self._job.choose(replace(options, retry_unknown=not options.retry_unknown))
        self._show()

    def action_send_earlier(self) -> None:
        """Send lines again that an earlier import added, or do not."""
        self._job.choose(replace(self._job.options, again=not self._job.options.again))
        self._show()

    def action_send_lines(self) -> None:
        """Send what is to be sent."""
        self.request.send(self._send)

    def action_look_for_unknown(self) -> None:
        """Look for unknown lines in the service's list."""
        self.request.send(self._look_for_unknown)

    def action_refresh(self) -> None:
        """Try again what failed."""
        work = self._look_for_duplicates if self._job.phase is Phase.LOOKING else self._send
        self.clear_failure()
        if self._job.phase is Phase.LOOKING or self.check_action("send_lines", ()):
            self.request.send(work)

    def action_close(self) -> None:
        """Stop what is under way, take the error away, or leave."""
        if self.request.is_out:
            self.request.cancel()
        elif self.strip.failure is not None:
            self.clear_failure()
        else:
            self.dismiss(self._job.added)

    def action_scroll_lines(self, by: int) -> None:
        """Look at other lines."""
        self.scroll.scroll_relative(y=by, animate=False)

    def action_scroll_pages(self, by: int) -> None:
        """Look at lines that are a page away."""
        self.scroll.scroll_relative(y=by * max(self.scroll.size.height - 1, 1), animate=False)

    # What happens in the background

    async def _look_for_duplicates(self) -> None:
        looked_at = 0

        def words() -> str:
            count = f": {looked_at:,} animals" if looked_at else ""
            return f"looking for duplicates in the list{count}{self.session.look.ellipsis}"

        def on_page(count: int) -> None:
            nonlocal looked_at
            looked_at = count

        with self.request.waiting(words):
            await self._try(self._job.look_for_duplicates(self.request.count_down, on_page))
        self.call_later(self._show)  # when this is over: what can be done next depends on it

    async def _look_for_unknown(self) -> None:
        with self.request.waiting("looking for unknown ones in the list"):
            await self._try(
                self._job.look_for_unknown(self.request.count_down, lambda _: self.request.came())
            )
        self.call_later(self._show)

    async def _send(self) -> None:
        self.clear_failure()
        self.scroll.scroll_home(animate=False)

        def on_progress() -> None:
            self.request.came()
            if self.bar.progress is None:
                self._show()  # that it is sent by now
            self.bar.progress = self._job.progress

        key = key_of(self, self.STOPS)
        try:
            with self.request.waiting(f"sending, {key} stops", says_after=0):
                await self._try(self._job.send(on_progress, self.request.count_down))
        finally:
            if self.is_running:
                self.call_later(self._show)

    async def _try(self, work: Awaitable[None]) -> None:
        """Do something, and put on the strip why it failed."""
        try:
            await work
        except PetClientError as error:
            self.show_failure(error)
        except TransferError as error:
            self.tell("The import stopped", str(error))
