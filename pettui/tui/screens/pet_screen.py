"""PetScreen: a screen whose animals are copied and exported, its prompts and its remarks.

It also tells the outbox when the service responded, and the clerk when it is back.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, Generic, TypeVar

from textual import on

from pettui import actions
from pettui.capabilities import CLIPBOARD_MAXIMUM
from pettui.tui.export import (
    NOTHING,
    Export,
    PromptError,
    Selection,
    copied,
    copied_ids,
    copied_json,
    next_format,
)
from pettui.tui.failures import Failure, is_away
from pettui.tui.keys import bindings
from pettui.tui.screens.screen import AppScreen
from pettui.tui.widgets.prompt import FILE_NAME, FILE_WAIT, PromptLine
from pettui.tui.wording import ALLOWED

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import Any

    from textual.binding import BindingType

    from pettui.client import PetClientError
    from pettui.glyphs import GlyphSet
    from pettui.models import Pet
    from pettui.tui.session import UserSession

ADDING = ("add", "add_alike")  # actions
PAGES_WAIT: Final = 0.3  # seconds that the next key waits for pages to be loaded; Esc stops that
READ_ONLY: Final = "read-only: this demo accepts no new animals"
NOT_EXPORTED: Final = "stopped: nothing was exported"

Result = TypeVar("Result")


class ExportLine(PromptLine):
    """The prompt of an export, with further keys."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.EXPORT_LINE, to_clipboard="screen.to_clipboard", other_rows="screen.other_rows"
    )

    def __init__(self, glyphs: GlyphSet, export: Export, text: str) -> None:
        super().__init__(
            glyphs,
            "Export" if export.writes_files else "Copy as",
            id="export-line",
            text=text,
            placeholder=FILE_NAME if export.writes_files else "csv, json or jsonl",
            takes_tab=True,
        )
        self.export = export

    def text_changed(self, text: str) -> None:
        """Overwrite no file for another text."""
        self.export.typed()
        super().text_changed(text)

    async def complete(self) -> None:
        """Complete a path as a shell does or, if files can't be written, the format."""
        if self.export.writes_files:
            await super().complete()
        else:
            self.text = next_format(self.text)


class PetScreen(AppScreen[Result], Generic[Result]):
    """Shows remarks and prompts, copies to the clipboard, and exports to files.

    Copies go to the terminal's own clipboard (OSC 52), over SSH to that of the client. A terminal
    may ignore them without a word, hence "if this terminal allows it".
    """

    def __init__(self, session: UserSession) -> None:
        super().__init__(session)
        self.remark = ""  # shown until the next key or failure
        self._was_away = False  # the newest request did not reach the service

    @property
    def target(self) -> Pet | None:
        """The animal that the keys apply to; None if there is none."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether adding is possible."""
        if action in ADDING:
            return not self.session.is_read_only or None
        if action == "to_clipboard":
            return self.session.writes_files
        if action == "other_rows":
            return self._export is not None and bool(self._other_rows(self._export))
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str | None:
        """Return why nothing can be added, too."""
        is_refused = action in ADDING and self.session.is_read_only
        return READ_ONLY if is_refused else super().why_not(action)

    def show_remark(self, remark: str) -> None:
        """Show a remark on the status line, beside what stands there, until the next key."""
        self.remark = remark
        self.changed()

    def show_message(self, text: str) -> None:
        """Show a message in place of the remark too."""
        super().show_message(text)
        if self.remark:
            self.show_remark("")

    def show_failure(self, error: PetClientError | Failure) -> None:
        """Show a failure in the banner, and remember whether the service was reached."""
        self.remark = ""  # on a narrow screen it would hide that the rows are older
        super().show_failure(error)
        if not isinstance(error, Failure):
            self._was_away = is_away(error)

    def request_succeeded(self, *, is_automatic: bool = False) -> None:
        """Close the banner, and show that the service is back if it was away.

        It also sends the animals that wait for the service and, if the clerk asked for it, those
        that wait for a key.
        """
        self.session.is_api_key_refused = False
        self.session.outbox.sending.service_responded(is_automatic=is_automatic)
        self.clear_failure()
        if self._was_away:
            self._was_away = False
            self.show_remark("the service is back")

    # Copying

    @property
    def targets(self) -> Sequence[Pet]:
        """The animals to be copied: the target, unless others are marked."""
        return () if self.target is None else (self.target,)

    @property
    def not_shown_text(self) -> str:
        """How many of them are not on the screen; "" for none."""
        return ""

    def action_copy_id(self) -> None:
        """Copy the animal's id; several go on a line each."""
        self._copy(copied_ids)

    def action_copy_json(self) -> None:
        """Copy the animal as one line of JSON; several become JSON Lines."""
        self._copy(copied_json)

    def _copy(self, copied: Callable[[Sequence[Pet]], tuple[str, str]]) -> None:
        if not (pets := self.targets):
            self.show_remark("there is no animal here to copy")
            return
        text, what = copied(pets)
        size = len(text.encode())
        if size > CLIPBOARD_MAXIMUM:
            self.show_remark(f"too long to copy: {size:,} bytes, of at most {CLIPBOARD_MAXIMUM:,}")
            return
        self.app.copy_to_clipboard(text)
        self.show_remark(f"copied {what}{self.not_shown_text}{ALLOWED}")

    # Exporting: the rows that are shown, or all of them, whichever the clerk chose last

    def selection(self, *, is_everything: bool) -> Selection:
        """Return the rows that are shown, or all of them, as far as they are loaded."""
        raise NotImplementedError

    @property
    def everything(self) -> str:
        """A name for all of the rows; "" if those are the ones that are shown."""
        return ""

    async def load_rest(self) -> bool:
        """Load the rest of the rows; return False if that failed or was stopped, and show why."""
        return True

    @property
    def _export(self) -> Export | None:
        """The export whose prompt is open."""
        return self.open_line.export if isinstance(self.open_line, ExportLine) else None

    def _other_rows(self, export: Export) -> str:
        """Return which other rows a key chooses; "" for none."""
        return self.selection(is_everything=False).words if export.takes_all else self.everything

    async def action_export(self) -> None:
        """Ask for a file's name or, if files can't be written, for a format."""
        selection = self.selection(is_everything=False)
        if not selection.pets and not self.everything:
            self.show_remark(NOTHING)
            return
        self.show_remark("")
        glyphs = self.session.glyphs
        export = Export(glyphs, writes_files=self.session.writes_files)
        await self.ask(ExportLine(glyphs, export, export.text_for(selection)))
        self.describe_line()

    def describe_line(self) -> None:
        """Describe what follows from the rows, in the line of an export which of them it takes."""
        super().describe_line()
        line, export = self.open_line, self._export
        if line is None or line.is_busy or export is None:
            return
        selection = self.selection(is_everything=export.takes_all)
        name = export.text_for(selection, line.text)
        if name != line.text:
            line.text = name
        keys = export.keys(self._other_rows(export))
        line.describe(selection.text, selection.short_text, keys=keys)

    @on(PromptLine.Closed, "#export-line")
    async def _stop_export(self) -> None:
        await self.stop_line()

    @on(PromptLine.Submitted, "#export-line")
    async def _submit_export(self, message: PromptLine.Submitted) -> None:
        """Write the file or, if files can't be written, copy."""
        if self.session.writes_files:
            await self._do_export(message.text, self._write)
        else:
            await self._do_export(message.text, self._to_clipboard)

    async def action_to_clipboard(self) -> None:
        """Copy in the format of the file's name, or as CSV if it has none."""
        if self.open_line is not None:
            await self._do_export(self.open_line.text, self._to_clipboard)

    def action_other_rows(self) -> None:
        """Switch between all rows and those that are shown."""
        line, export = self.open_line, self._export
        if line is not None and not line.is_busy and export is not None:
            export.switch()
            self.describe_line()
            line.describe_again()

    async def _do_export(
        self, text: str, work: Callable[[Export, str], Coroutine[Any, Any, None]]
    ) -> None:
        if (line := self.open_line) is not None and (export := self._export) is not None:
            seconds = PAGES_WAIT if export.takes_all else FILE_WAIT
            await line.do(partial(work, export, text), seconds=seconds, stopped=NOT_EXPORTED)

    async def _write(self, export: Export, text: str) -> None:
        await export.check(text)
        await self._exported(await export.write(text, await self._load_pets(export)))

    async def _to_clipboard(self, export: Export, text: str) -> None:
        file_format = export.format_of(text)
        content, remark = copied(await self._load_pets(export), file_format)
        self.app.copy_to_clipboard(content)
        await self._exported(remark)

    async def _exported(self, remark: str) -> None:
        await self.close_line()
        self.show_remark(remark)

    async def _load_pets(self, export: Export) -> tuple[Pet, ...]:
        """Return the animals to export, once they are loaded; at least one."""
        if export.takes_all and not await self.load_rest():
            short = "not all pages were loaded"
            raise PromptError(f"{short}, so nothing was exported", short)
        pets = self.selection(is_everything=export.takes_all).pets
        if not pets:
            raise PromptError(NOTHING, "nothing to export")
        return pets
