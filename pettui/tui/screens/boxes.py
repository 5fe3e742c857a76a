"""The boxes: modal screens with a title, and hints of keys at their foot.

Textual's own command palette (8.2.8) searches in the background: Enter typed quickly runs the first
command of an older search, and keys pressed while it closes end the app. The one here searches
synchronously.
"""

from __future__ import annotations

from itertools import chain, zip_longest
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

from rich.cells import cell_len
from textual import events
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.screen import ModalScreen

from pettui import actions
from pettui.columns import COLUMNS
from pettui.finding import fold, folded_words
from pettui.outbox import EntryState
from pettui.tui.appearance import fit_size
from pettui.tui.keys import bindings, hints, key_of
from pettui.tui.runs import cut_runs, width_of
from pettui.tui.session import on_the_way, reasons_not_to_switch, reasons_to_stay, unsent
from pettui.tui.widgets.command_list import Command, CommandList
from pettui.tui.widgets.form_input import FormInput
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording import fitting, too_long, whole_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Key, Paste, Resize
    from textual.widget import Widget
    from textual.widgets import Input

    from pettui.glyphs import GlyphSet
    from pettui.outbox import Entry
    from pettui.settings import Profile
    from pettui.tui.keys import HelpSection
    from pettui.tui.runs import Run, Section
    from pettui.tui.session import EntryChanged, PasteRefused, Reason, UserSession


class ScrolledBox(VerticalScroll, inherit_bindings=False):
    """Scrolls at once: Textual's animation starts over with each of several quick keys."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.SCROLLED_BOX,
        box_up="scroll_rows(-1)",
        box_down="scroll_rows(1)",
        box_page_up="scroll_pages(-1)",
        box_page_down="scroll_pages(1)",
        box_half_page_up="scroll_pages(-0.5)",
        box_half_page_down="scroll_pages(0.5)",
        box_top="scroll_to_top",
        box_end="scroll_to_end",
    )

    def action_scroll_rows(self, rows: int) -> None:
        """Scroll by rows."""
        self.scroll_relative(y=rows, animate=False, immediate=True)

    def action_scroll_pages(self, pages: float) -> None:
        """Scroll by pages, or by half of one."""
        self.action_scroll_rows(round(pages * self.size.height))

    def action_scroll_to_top(self) -> None:
        """Scroll to the first row."""
        self.scroll_to(y=0, animate=False, immediate=True)

    def action_scroll_to_end(self) -> None:
        """Scroll to the last row."""
        self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True)


class BoxScreen(ModalScreen[str | None]):
    """Stays open until a key closes it; returns what was chosen, where something was."""

    BOX: ClassVar[type[Widget]] = ScrolledBox
    BINDINGS: ClassVar[list[BindingType]] = bindings((actions.ENTER_KEY,))
    HINT: ClassVar[str] = ""  # keys by the names of their bindings

    def __init__(self, glyphs: GlyphSet, title: str, content: Sequence[Widget]) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.box = self.BOX(*content, classes="box")
        self.show_title(title)

    def compose(self) -> ComposeResult:
        """Lay out the box."""
        yield self.box

    def on_mount(self) -> None:
        """Show the hints."""
        self.show_message("")

    def on_resize(self, event: Resize) -> None:
        """Lay out for the current size only, and not for earlier ones."""
        fit_size(self, event)

    def show_title(self, title: str) -> None:
        """Show a raw title."""
        # Content, since a plain string would be parsed as markup.
        self.box.border_title = Content(self.glyphs.line(title, 60))

    def show_message(self, text: str) -> None:
        """Show a message at the foot of the box; "" shows the hints."""
        foot = text or "  ".join(hints(self.HINT, self))
        if str(self.box.border_subtitle or "") != foot:
            self.box.border_subtitle = Content(foot)

    def show_unbound(self, key: str) -> None:
        """Show that a key does nothing, and how to close the box: the bar below names its keys."""
        texts = (f"{key} does nothing here", *hints(self.HINT, self)[-1:])
        self.show_message(fitting(texts, self.box.size.width, gap="  "))

    async def before_key(self, event: Key | Paste) -> bool:  # noqa: ARG002 - for subclasses
        """Prepare for a key or a paste; return False where it comes too early to be handled."""
        return True

    async def action_history(self) -> None:
        """Show what happened over this box."""
        screens = [screen for screen in self.app.screen_stack if not screen.is_modal]
        await screens[-1].run_action("history")

    def on_paste_refused(self, event: PasteRefused) -> None:
        """Show that the terminal driver refused a paste."""
        self.show_message(too_long(event.size, event.maximum))

    async def action_enter_key(self) -> None:
        """Close, and let the screen below ask for another API key, or say why it doesn't."""
        self.dismiss()
        for action in ("enter_key", "explain_no_key"):
            await self.app.screen.run_action(action)


STYLED_ROWS = 6  # of one text, at most


class StyledLines(LineWidget):
    """Raw texts, each in its style and wrapped between words."""

    texts: reactive[Sequence[Run]] = reactive((), layout=True)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines."""
        return [
            [(row, style)]
            for text, style in self.texts
            for row in self.glyphs.wrap(self.glyphs.line(text), width, STYLED_ROWS)
        ]


class ConfirmationScreen(BoxScreen):
    """One key confirms; every other key cancels, and does nothing else.

    Unless nothing that was typed can be lost, a key that came before the question does neither.
    """

    HINT = "{confirm} Yes  any other key: No"
    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.CONFIRMATION)

    def __init__(
        self,
        glyphs: GlyphSet,
        title: str,
        text: str,
        act: Callable[[], Any],
        *,
        takes_keys_ahead: bool = False,
    ) -> None:
        super().__init__(glyphs, title, [TextLines(glyphs, text)])
        self._act = act
        self._takes_keys_ahead = takes_keys_ahead
        self._asked_at = -inf if takes_keys_ahead else inf  # in the time of events

    def on_mount(self) -> None:
        """Let later keys answer; Textual calls the base's handler too."""
        if not self._takes_keys_ahead:
            self._asked_at = Message().time

    async def before_key(self, event: events.Key | events.Paste) -> bool:
        """Handle only what was typed after the question was asked, and the key for an API key.

        Behind that one comes a key, which must not be taken for anything else.
        """
        is_for_key = isinstance(event, events.Key) and self._name_of(event) == "enter_key"
        return is_for_key or event.time > self._asked_at

    def _name_of(self, event: events.Key) -> str | None:
        active = self.active_bindings.get(event.key)
        return None if active is None else active.binding.id

    def action_confirm(self) -> None:
        """Run the action."""
        self.dismiss()
        self._act()

    def on_key(self, event: events.Key) -> None:
        """Cancel on every key but those that bindings handle."""
        if self._name_of(event) in ("confirm", "enter_key"):
            return
        event.stop()
        event.prevent_default()
        self.dismiss()


UNDER_WAY = (EntryState.WAITING, EntryState.SENDING)


class LeavingScreen(BoxScreen):
    """A question before the app ends; other keys than its own do nothing."""

    THEN: ClassVar[str]  # what follows once everything is sent

    def __init__(self, session: UserSession, title: str) -> None:
        self._session = session
        self._lines = StyledLines(session.glyphs)
        super().__init__(session.glyphs, title, [self._lines])
        # Keys of the entries to wait for.
        self._awaited = {entry.key for entry in unsent(session.outbox)}
        self._sends_first = False  # the clerk asked for it

    def on_mount(self) -> None:
        """Show the reasons, or leave if none is left; Textual calls the base's handler too."""
        if self._reasons():
            self._show()
        else:  # all was added since the key was pressed
            self.app.exit()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there is anything to send first."""
        if action == "send_first":
            return bool(unsent(self._session.outbox))
        return super().check_action(action, parameters)

    def on_entry_changed(self, message: EntryChanged) -> None:  # noqa: ARG002
        """Show what is left, or leave once all entries are added."""
        is_added = bool(self._awaited) and not self._left() and not self._failed()
        if is_added and not self._reasons():
            self.app.exit()
            return
        self._show()

    def _reasons(self) -> list[Reason]:
        return reasons_to_stay(self._session)

    def _left(self) -> int:
        entries = self._session.outbox.entries
        return sum(e.key in self._awaited and e.state in UNDER_WAY for e in entries)

    def _failed(self) -> list[str]:
        """Return the entries that were sent but not added; raw names."""
        done = (*UNDER_WAY, EntryState.ADDED)
        entries = [e for e in self._session.outbox.entries if e.key in self._awaited]
        return [f"{e.label} is {e.state.value}" for e in entries if e.state not in done]

    def _show(self) -> None:
        """Show the reasons to stay, and the progress of sending."""
        texts: list[Run] = []
        for reason in self._reasons():
            texts += [(reason.title, "strong"), *((line, "") for line in reason.lines)]
        if progress := self._progress():
            texts.append((progress, "accent"))
        self._lines.texts = tuple(texts) or (("Everything has been sent.", "good"),)

    def _progress(self) -> str:
        failed = self._failed()
        problems = f"{', '.join(failed)}: see the outbox" if failed else ""
        left = self._left()
        total = len(self._awaited)
        sent = f"sent {total - left} of {total}, then {self.THEN}{self.glyphs.ellipsis}"
        return "; ".join(filter(None, [sent if left and self._sends_first else "", problems]))

    def show_unbound(self, key: str) -> None:
        """Show nothing: no other key means anything in a question."""

    def action_leave(self) -> None:
        """End the app; unsent entries are kept as the box says."""
        self.app.exit()

    def action_send_first(self) -> None:
        """Send everything now, and end the app once it is added."""
        waiting = unsent(self._session.outbox)
        self._awaited |= {entry.key for entry in waiting}
        self._sends_first = True
        self._session.outbox.hurry()
        self._show()

    def action_stay(self) -> None:
        """Go back; sending continues."""
        self._session.next_profile = None
        self.dismiss()


class QuitScreen(LeavingScreen):
    """The question before the app quits."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.QUIT_BOX, quit_now="leave")
    HINT = "{quit_now} Quit  {send_first} Send first  {stay} Stay"
    THEN = "pettui quits"

    def __init__(self, session: UserSession) -> None:
        super().__init__(session, "Quit?")


class SwitchScreen(LeavingScreen):
    """The question before another profile is opened, about what is half typed too."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.SWITCH_BOX, switch_now="leave")
    HINT = "{switch_now} Switch  {send_first} Send first  {stay} Stay"
    THEN = "it is opened"

    def __init__(self, session: UserSession, profile: Profile) -> None:
        super().__init__(session, f"Switch to {profile.label}?")
        self._awaited |= {entry.key for entry in on_the_way(session.outbox)}

    def _reasons(self) -> list[Reason]:
        return reasons_not_to_switch(self._session)


class SortScreen(BoxScreen):
    """Returns the name of the column that was chosen, or "" for none; other keys do nothing."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.SORT_BOX,
        **{f"by_{column.name}": f"choose('{column.name}')" for column in COLUMNS},
        unsorted="choose('')",
        close_sort="dismiss",
    )
    HINT = "{close_sort} Close"

    def __init__(self, glyphs: GlyphSet, title: str, none: str, signs: Mapping[str, str]) -> None:
        """Offer the columns.

        Args:
            glyphs: of the terminal.
            title: of the box.
            none: what no column means.
            signs: of the directions in which rows are sorted now, by name.
        """
        self._none, self._signs = none, signs
        self._lines = ChoiceLines(glyphs)
        super().__init__(glyphs, title, [self._lines])
        self.box.id = "sort-box"

    def on_mount(self) -> None:
        """Show a line for each key; Textual calls the base's handler too."""
        self._lines.choices = [
            *(
                (key_of(self, f"by_{each.name}"), each.titles[0], self._signs.get(each.name, ""))
                for each in COLUMNS
            ),
            (key_of(self, "unsorted"), self._none, ""),
        ]

    def action_choose(self, column: str) -> None:
        """Return what was chosen."""
        self.dismiss(column)


class ChoiceLines(LineWidget):
    """A line for each choice: its key, what it is, and a sign."""

    choices: reactive[Sequence[tuple[str, str, str]]] = reactive((), layout=True)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:  # noqa: ARG002
        """Return the lines."""
        return [
            [(f" {key}  ", "key"), (f"{what} ", ""), (sign, "accent")]
            for key, what, sign in self.choices
        ]


STATE = "It was sent, and no response says whether it was added."
KEYS = (
    "{look_for} looks for it in the list  {send_again} sends it again  "
    "{edit_copy} copies it into the form  {forget} forgets it"
)


class UnknownEntryScreen(BoxScreen):
    """Returns the name of the action that was chosen; other keys do nothing."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.ENTRY_BOX,
        look_for="choose('look_for')",
        send_again="choose('send_again')",
        edit_copy="choose('edit_copy')",
        forget="choose('forget')",
        close_entry="dismiss",
    )
    HINT = "{close_entry} Close"

    def __init__(self, glyphs: GlyphSet, entry: Entry, kind: str) -> None:
        title, text = whole_of(entry)
        self._lines, self._kind = StyledLines(glyphs), kind
        content = [self._lines, TextLines(glyphs, " "), TextLines(glyphs, text, title)]
        super().__init__(glyphs, entry.name or "(no name)", content)

    def on_mount(self) -> None:
        """Show what the entry is, and a line for each key; Textual calls the base's handler too."""
        keys = ((hint, "") for hint in hints(KEYS, self))
        self._lines.texts = ((self._kind, "muted"), (STATE, "notice"), *keys)

    def action_choose(self, action: str) -> None:
        """Return what was chosen."""
        self.dismiss(action)


COLUMN_LEAST = 36  # cells of a column of keys and what they do
COLUMNS_MOST = 3


class KeyTable(LineWidget):
    """Keys and what they do, in groups and by the field that they work in."""

    words: reactive[tuple[str, ...]] = reactive((), layout=True)  # of a find, folded

    def __init__(self, glyphs: GlyphSet, sections: Sequence[HelpSection]) -> None:
        super().__init__(glyphs)
        self._sections = sections

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return a line for each action that contains the words or, if none does, of its group.

        Where there is room, the groups stand in columns, and are read down each.
        """
        groups = self._groups(width // self._count(width))
        if not groups:
            return [[("no key matches", "muted")]]
        columns = in_columns(groups, self._count(width))
        return [
            self._row(row, width // len(columns)) for row in zip_longest(*columns, fillvalue=())
        ]

    def _count(self, width: int) -> int:
        return max(1, min(width // COLUMN_LEAST, COLUMNS_MOST))

    def _row(self, cells: Sequence[Sequence[Run]], width: int) -> list[Run]:
        *before, last = cells
        padded = (
            (*runs, (" " * (width - width_of(runs)), ""))
            for runs in (cut_runs(self.glyphs, each, width - 1) for each in before)
        )
        return [*chain.from_iterable(padded), *last]

    def _groups(self, width: int) -> list[list[list[Run]]]:
        """Return the lines of each group, its title first."""
        longest = max(cell_len(key) for _, keys in self._sections for key, _ in keys)
        column = min(longest + 2, width // 2)
        groups: list[list[list[Run]]] = []
        has_any = any(self._contains_words(*each) for _, keys in self._sections for each in keys)
        for title, keys in self._sections:
            found = [each for each in keys if self._contains_words(*each)]
            if not found and not has_any and self._contains_words(title):
                found = keys
            if found:
                rows = [[(self.glyphs.fit(key, column), "key"), (what, "")] for key, what in found]
                groups.append([[(title, "strong")], *rows])
        return groups

    def _contains_words(self, *texts: str) -> bool:
        text = fold("\n".join(texts))
        return all(word in text for word in self.words)


def in_columns(groups: Sequence[list[list[Run]]], count: int) -> list[list[list[Run]]]:
    """Return groups of lines in at most so many columns, as low as their order allows.

    No group is divided; there is an empty line between two.
    """
    height = 0
    while True:
        columns: list[list[list[Run]]] = [[]]
        for group in groups:
            if columns[-1] and len(columns[-1]) + 1 + len(group) > height:
                columns.append([])
            columns[-1] += [*([[]] if columns[-1] else []), *group]
        if len(columns) <= count:
            return columns
        height += 1


class HelpScreen(BoxScreen):
    """The keys, and a field that finds among them; Esc ends the find, and then closes the box."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.HELP_BOX, find_key="find", close_help="close"
    )
    HINT = "{find_key} Find  {close_help} Close"

    def __init__(self, glyphs: GlyphSet, sections: Sequence[HelpSection]) -> None:
        self.line = FormInput(glyphs, id="find-key", placeholder="key, or what it does")
        self.line.display = False
        self._table = KeyTable(glyphs, sections)
        super().__init__(glyphs, "Keys", [self.line, self._table])
        self.box.id = "help"

    def action_find(self) -> None:
        """Open the field; the box keeps its height."""
        self.box.styles.min_height = self.box.outer_size.height
        self.line.display = True
        self.set_focus(self.line)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show the keys that contain the words."""
        self._table.words = folded_words(event.value)
        self.box.scroll_home(animate=False)

    async def before_key(self, event: Key | Paste) -> bool:
        """Let Enter go back to the keys that were found, before the key that was typed next."""
        if self.focused is self.line and isinstance(event, events.Key) and event.key == "enter":
            self.set_focus(self.box)
            return False
        return await super().before_key(event)

    def action_close(self) -> None:
        """End the find, or close the box."""
        if not self.line.display:
            self.dismiss()
            return
        self.line.value = ""
        self.line.display = False
        self.set_focus(self.box)


CHARACTERS = 4000
TEXT_ROWS = 200
TITLE = "Full text"  # of several


class TextLines(LineWidget):
    """A text in its own lines, below its title if it has one."""

    def __init__(self, glyphs: GlyphSet, text: str, title: str = "") -> None:
        super().__init__(glyphs)
        self._title = title
        self._text = text[:CHARACTERS] + (glyphs.ellipsis if len(text) > CHARACTERS else "")

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines, long ones wrapped."""
        rows = [
            row
            for line in self._text.splitlines()
            for row in self.glyphs.wrap(self.glyphs.safe(line), width, TEXT_ROWS)
        ]
        if len(rows) > TEXT_ROWS:
            rows[TEXT_ROWS - 1 :] = [self.glyphs.ellipsis]
        title = [[(self.glyphs.line(self._title), "strong")]] if self._title else []
        return [*title, *([(row, "")] for row in rows)]


class TextViewScreen(BoxScreen):
    """The box; Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.TEXT_BOX, close_text="dismiss")
    HINT = "{close_text} Close"

    def __init__(self, glyphs: GlyphSet, sections: Sequence[Section]) -> None:
        if len(sections) == 1:
            title, text = sections[0]
            super().__init__(glyphs, title, [TextLines(glyphs, text)])
            return
        lines = [
            [TextLines(glyphs, text, title), TextLines(glyphs, " ")] for title, text in sections
        ]
        super().__init__(glyphs, TITLE, [line for pair in lines for line in pair][:-1])


CONTINUES = "any key continues"
MORE = "any key shows more"
WELCOME_ROWS = 100  # of one line, wrapped


class WelcomeLines(LineWidget):
    """The lines of a file, wrapped between words."""

    def __init__(self, glyphs: GlyphSet, text: Sequence[str]) -> None:
        super().__init__(glyphs)
        self._text = text

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines."""
        return [[(row, "")] for line in self._text for row in self._rows(line, width)]

    def _rows(self, line: str, width: int) -> list[str]:
        """Return one line, wrapped; a line that fits keeps its indent."""
        shown = self.glyphs.safe(line)
        is_whole = self.glyphs.cut(shown, width) == shown
        return [shown] if is_whole else self.glyphs.wrap(shown.strip(), width, WELCOME_ROWS)


class WelcomeScreen(BoxScreen):
    """Any key continues to the rest of the text, then to the list, and does nothing else."""

    def __init__(self, glyphs: GlyphSet, text: Sequence[str]) -> None:
        super().__init__(glyphs, "Welcome", [WelcomeLines(glyphs, text)])

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        """Update the hint; Textual calls the base's handler too."""
        self.call_after_refresh(self.show_message, "")

    def show_message(self, text: str) -> None:
        """Show a message at the foot, or else what any key does."""
        super().show_message(text or (MORE if self._has_more else CONTINUES))

    @property
    def _has_more(self) -> bool:
        return self.box.scroll_offset.y < self.box.max_scroll_y

    def on_key(self, event: events.Key) -> None:
        """Continue, except on ctrl+c, which shows how to quit."""
        if event.key != "ctrl+c":
            event.stop()
            event.prevent_default()
            self._continue()

    def on_paste(self, event: events.Paste) -> None:
        """Continue, as a key does."""
        event.stop()
        self._continue()

    def on_click(self) -> None:
        """Continue, as a key does."""
        self._continue()

    def _continue(self) -> None:
        if self._has_more:
            rows = max(self.box.scrollable_content_region.height, 1)
            self.box.scroll_relative(y=rows, animate=False, immediate=True)
            self.show_message("")
        else:
            self.dismiss()


PLACEHOLDER = "search for a command"


class CommandScreen(BoxScreen):
    """A field, and the commands that match it; Enter runs the one under the cursor."""

    BOX = Vertical
    HINT = "{run_command} Run  {close_commands} Close"
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PALETTE,
        run_command="run",
        close_commands="dismiss",
        command_up="move(-1)",
        command_down="move(1)",
        command_page_up="move(-10)",
        command_page_down="move(10)",
        help="help",
    )

    def __init__(self, glyphs: GlyphSet, commands: Sequence[Command]) -> None:
        self.line = FormInput(glyphs, id="command", placeholder=PLACEHOLDER)
        self.command_list = CommandList(glyphs, commands)
        super().__init__(glyphs, "Commands", [self.line, self.command_list])
        self.box.id = "commands"
        # Textual's CommandPalette.is_open looks for this class.
        self.add_class("--textual-command-palette")

    def on_mount(self) -> None:
        """Focus the field."""
        self.set_focus(self.line)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what matches."""
        self.command_list.text = event.value

    async def action_help(self) -> None:
        """Show the keys of the screen below in place of its commands."""
        self.dismiss()
        await self.app.run_action("help")

    def action_move(self, commands: int) -> None:
        """Move the cursor."""
        self.command_list.cursor += commands

    async def action_run(self) -> None:
        """Close the palette, and run the command."""
        self.command_list.text = self.line.value  # the last letters may not have been posted yet
        command = self.command_list.highlighted
        if command is not None:
            self.dismiss()
            await command.run()

    async def on_cursor_list_picked(self) -> None:
        """Run the command that was clicked."""
        await self.action_run()
