"""PetImportScreen: shows the checked lines of a file, and sends them on Enter."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.containers import VerticalScroll

from pettui import actions
from pettui.transfer.importing.import_duplicates import DuplicateChoice
from pettui.transfer.importing.line_states import OutcomeKind
from pettui.tui.keys import bindings, hints, key_of
from pettui.tui.screens.importing.import_job import Phase
from pettui.tui.screens.importing.import_tasks import ImportTasks
from pettui.tui.screens.importing.job_texts import job_rows, job_texts
from pettui.tui.screens.store_screen import StoreScreen
from pettui.tui.widgets.import_view import ImportBar, ImportLines

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from pettui.tui.screens.importing.import_job import ImportJob
    from pettui.tui.user_session import UserSession
    from pettui.tui.wording.text_runs import Section, StyledText

TO_CHOOSE = (Phase.READY, Phase.OVER)
NAMED = ("view_lines", "leave_out_bad", "leave_out_duplicates", "send_duplicates")
DUPLICATE_RISK = "The service may already have them, and can't change or delete what is added."


class PetImportScreen(StoreScreen[int]):
    """Enter sends; Esc stops what is running, then closes the screen.

    Returns how many animals were added.
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
        """Show a job, and close it with the screen."""
        super().__init__(session)
        self._job = job
        self.lines = ImportLines(session.glyphs)
        self.scroll = VerticalScroll(self.lines, id="import-lines", can_focus=False)
        self.bar = ImportBar(session.glyphs)
        self._tasks = ImportTasks(self, job, self.bar, self._show)

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        yield self.header
        yield self.error_banner
        yield self.notice_bar
        yield self.scroll
        yield self.bar
        yield self.status_line
        yield self.key_bar

    def on_mount(self) -> None:
        """Look for duplicates, to show them before anything is sent."""
        self._show()
        self.request.send(self._tasks.look_for_duplicates)

    async def on_unmount(self) -> None:
        """Stop what is running, and close the journal.

        This waits a moment for responses, since the client is closed next.
        """
        self.request.cancel()
        await self._job.close()

    # What is shown

    def _show(self) -> None:
        keys = {name: key_of(self, name) for name in NAMED}
        self.lines.show(tuple(job_texts(self._job, keys)), job_rows(self._job))
        self.notice_bar.show(self.warnings, self._job.notices)
        self.bar.progress = self._job.progress if self._job.phase is Phase.SENDING else None
        self.update_status()
        self.refresh_bindings()

    def update_status(self) -> None:
        """Show what is running, or what to press."""
        if self.request.busy_text:
            texts: tuple[StyledText, ...] = ((self.request.busy_text, "accent"),)
        elif self._job.choice.options.again:
            texts = (("animals already added are sent again", "notice"),)
        elif self._job.phase is Phase.OVER:
            texts = (("animals already added are never sent twice", "muted"),)
        else:
            texts = (("nothing has been sent yet", "muted"),)
        self.status_line.texts = texts
        self.status_line.keys = (*hints("{send_lines} Send", self), *self.short_keys())

    def cut_sections(self) -> list[Section]:
        """Return the full texts that are cut, of lines too."""
        return [*super().cut_sections(), *self.lines.cut_sections()]

    # What can be done

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether the action would do something now."""
        choice = self._job.choice
        if action in ("scroll_lines", "scroll_pages"):
            return self.scroll.max_scroll_y > 0
        if action == "close":
            return True
        if action == "refresh":
            return self.error_banner.failure is not None and not self.request.is_out
        is_before, is_held = self._job.phase is Phase.READY, choice.is_held_by_duplicates
        is_sent = choice.duplicate_choice is DuplicateChoice.SENT
        unknown = choice.count_of(OutcomeKind.UNKNOWN)
        offered = {
            "send_lines": not choice.is_held and choice.count,
            "view_lines": choice.count,
            "leave_out_bad": is_before and choice.can_leave_out_bad,
            "leave_out_duplicates": is_held or (is_before and choice.has_duplicates),
            "send_duplicates": choice.has_duplicates and not is_sent,
            "look_for_unknown": unknown,
            "send_unknown": unknown,
            "send_earlier": choice.count_of(OutcomeKind.ADDED_EARLIER),
        }
        if action in offered:
            is_idle = self._job.phase in TO_CHOOSE and not self.request.is_out
            return is_idle and bool(offered[action])
        return super().check_action(action, parameters)

    def action_leave_out_bad(self) -> None:
        """Leave bad lines out, or send nothing while there are any."""
        choice = self._job.choice
        choice.leaves_out_bad = not choice.leaves_out_bad
        self._show()

    def action_leave_out_duplicates(self) -> None:
        """Leave duplicates out, or send nothing while there are any."""
        is_left_out = self._job.choice.duplicate_choice is DuplicateChoice.LEFT_OUT
        other = DuplicateChoice.UNDECIDED if is_left_out else DuplicateChoice.LEFT_OUT
        self._choose_duplicates(other)

    def _choose_duplicates(self, choice: DuplicateChoice) -> None:
        self._job.choice.choose_duplicates(choice)
        self._show()

    async def action_send_duplicates(self) -> None:
        """Send duplicates too, after a question."""
        from pettui.tui.screens.boxes import ConfirmationScreen

        count = self._job.choice.duplicates_to_send
        what = "1 duplicate" if count == 1 else f"{count:,} duplicates"
        send = partial(self._choose_duplicates, DuplicateChoice.SENT)
        await self.app.push_screen(
            ConfirmationScreen(self.session.glyphs, f"Send {what} too?", DUPLICATE_RISK, send)
        )

    async def action_view_lines(self) -> None:
        """Show the lines that would be sent."""
        from pettui.tui.screens.line_view import LineViewScreen

        session, lines = self.session, self._job.choice.to_send
        await self.app.push_screen(LineViewScreen(session.glyphs, lines, session.categories))

    def action_send_unknown(self) -> None:
        """Choose whether to send unknown lines again."""
        choice = self._job.choice
        retry = not choice.options.retry_unknown
        choice.choose(replace(choice.options, retry_unknown=retry))
        self._show()

    def action_send_earlier(self) -> None:
        """Choose whether to send lines again that an earlier import added."""
        choice = self._job.choice
        choice.choose(replace(choice.options, again=not choice.options.again))
        self._show()

    def action_send_lines(self) -> None:
        """Send the chosen lines."""
        self.scroll.scroll_home(animate=False)
        self.request.send(self._tasks.send)

    def action_look_for_unknown(self) -> None:
        """Look for unknown lines in the service's list."""
        self.request.send(self._tasks.look_for_unknown)

    def action_refresh(self) -> None:
        """Retry what failed."""
        self.clear_failure()
        if self._job.phase is Phase.LOOKING:
            self.request.send(self._tasks.look_for_duplicates)
        elif self.check_action("send_lines", ()):
            self.action_send_lines()

    def action_close(self) -> None:
        """Stop what is running, close the banner, or close the screen."""
        if self.request.is_out:
            self._tasks.stop()
        elif self.error_banner.failure is not None:
            self.clear_failure()
        else:
            self.dismiss(self._job.added)

    def action_scroll_lines(self, by: int) -> None:
        """Scroll by lines."""
        self.scroll.scroll_relative(y=by, animate=False)

    def action_scroll_pages(self, by: int) -> None:
        """Scroll by pages."""
        self.scroll.scroll_relative(y=by * max(self.scroll.size.height - 1, 1), animate=False)
