"""CommandScreen: the command palette.

Textual's own (8.2.8) searches in the background: Enter typed quickly runs the first command of an
older search, and keys pressed while it closes end the app. The one here searches synchronously.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from textual.containers import Vertical
from textual.reactive import reactive

from pettui.appearance.themes import THEMES
from pettui.keyboard import actions
from pettui.keyboard.actions import NEED_ANIMALS, OTHER_WORDS, OUTSIDE_PALETTE
from pettui.models.staged_faults import Fault, StagedFaults
from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.widgets.bindings import Explains, bindings, idle_bindings, offers
from pettui.tui.widgets.form_input import FormInput
from pettui.tui.widgets.row_table import RowTable
from pettui.tui.widgets.runs import Run, beside

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence

    from textual.binding import BindingType
    from textual.screen import Screen
    from textual.widgets import Input

    from pettui.appearance.glyphs import GlyphSet
    from pettui.tui.session.session import Demo


PLACEHOLDER = "search for a command"
NO_ANIMAL = "there is no animal here for it"
NOTHING = "there is nothing for it to do here now"


class PaletteCommand(NamedTuple):
    """A command of the palette."""

    name: str
    keys: str  # that run it without the palette; "" for none
    run: Callable[[], Awaitable[Any]]
    words: str = ""  # what it is called elsewhere
    can_run: bool = True  # False: ``run`` says why not


def commands_on(
    screen: Screen[Any],
    rebound: Mapping[str, str],
    demo: Demo | None,
    use_theme: Callable[[str | None], Coroutine[Any, Any, None]],
) -> Iterator[PaletteCommand]:
    """Yield the actions of a screen, those that do nothing now last, a demo's faults and themes."""
    for offer in offers(screen):
        if (name := offer.binding.id or "") not in OUTSIDE_PALETTE:
            run = partial(screen.app.run_action, offer.binding.action, offer.node)
            keys, words = " ".join(offer.keys), OTHER_WORDS.get(name, "")
            yield PaletteCommand(offer.description, keys, run, words)
    for binding, keys in idle_bindings(screen, rebound):
        if (name := binding.id or "") not in OUTSIDE_PALETTE:
            why, words = partial(_explain, screen, name), OTHER_WORDS.get(name, "")
            yield PaletteCommand(binding.description, keys, why, words, can_run=False)
    if demo is not None:
        for fault in Fault:
            if not (demo.is_read_only and fault is Fault.ADD_REFUSED):
                yield _fault_command(demo.faults, fault)
    for theme in THEMES:
        yield PaletteCommand(f"Theme: {theme.title}", "", partial(use_theme, theme.textual_name))
    yield PaletteCommand("Theme: as configured", "", partial(use_theme, None))


async def _explain(screen: Screen[Any], name: str) -> None:
    """Say on a screen why an action of it does nothing now."""
    if isinstance(screen, Explains) and not screen.explain(name):
        screen.app.notify(NO_ANIMAL if name in NEED_ANIMALS else NOTHING)


def _fault_command(faults: StagedFaults, fault: Fault) -> PaletteCommand:
    """Return what stages a fault, or ends it where it is staged."""
    is_staged = faults.is_staged(fault)
    verb, change = ("End", faults.end) if is_staged else ("Stage", faults.stage)

    async def run() -> None:
        change(fault)

    return PaletteCommand(f"{verb}: {fault.title}", "", run)


class CommandScreen(BoxScreen):
    """A field, and the commands that match it; Enter runs the one under the cursor."""

    BOX = Vertical
    HINT = "{run_command} Run  {close_commands} Close"
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PALETTE,
        moves="command_",
        run_command="run",
        close_commands="dismiss",
        help="help",
    )

    def __init__(self, glyphs: GlyphSet, commands: Sequence[PaletteCommand]) -> None:
        self.line = FormInput(glyphs, id="command", placeholder=PLACEHOLDER)
        self.command_list = CommandList(glyphs, commands)
        super().__init__(glyphs, "Commands", [self.line, self.command_list])
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
        self.command_list.action_move(commands)

    def action_move_page(self, pages: float) -> None:
        """Move the cursor by pages."""
        self.command_list.action_move_page(pages)

    async def action_run(self) -> None:
        """Close the palette, and run the command."""
        self.command_list.text = self.line.value  # the last letters may not have been posted yet
        command = self.command_list.highlighted
        if command is not None:
            self.dismiss()
            await command.run()

    async def on_row_table_opened(self) -> None:
        """Run the command that was clicked."""
        await self.action_run()


def found(commands: Sequence[PaletteCommand], text: str) -> list[PaletteCommand]:
    """Return the commands that match a text, the best first.

    Each word of the text must occur in the name, or begin one of its other words. If that matches
    nothing, its letters must occur in their order: ``lmt`` finds ``Larger limit``.
    """
    typed = text.casefold()
    words = typed.split()
    by_name: list[PaletteCommand] = []
    by_others: list[PaletteCommand] = []
    by_letters: list[PaletteCommand] = []
    for command in commands:
        name = command.name.casefold()
        if all(word in name for word in words):
            by_name.append(command)
        elif all(word in name or _other_words(command, [word]) for word in words):
            by_others.append(command)
        elif all(_has_letters(name, word) for word in words):
            by_letters.append(command)
    by_name.sort(key=lambda each: not each.name.casefold().startswith(typed.strip()))
    return [*by_name, *by_others] or by_letters


def _other_words(command: PaletteCommand, words: Sequence[str]) -> list[str]:
    """Return the other words of a command that one of some words begins."""
    return [each for each in command.words.split() if any(map(each.startswith, words))]


def _has_letters(name: str, word: str) -> bool:
    """Whether a name has the letters of a word in their order."""
    letters = iter(name)
    return all(letter in letters for letter in word)


class CommandList(RowTable[PaletteCommand], can_focus=False):
    """The commands that match what is typed, the best first."""

    HEADER_ROWS: ClassVar[int] = 0
    CLICKS: ClassVar[int] = 1

    text: reactive[str] = reactive("")

    def __init__(self, glyphs: GlyphSet, commands: Sequence[PaletteCommand]) -> None:
        super().__init__(glyphs)
        self._commands = commands

    def watch_text(self, text: str) -> None:
        """Find what matches, and move the cursor to the best."""
        self.put_rows(found(self._commands, text), 0)

    def empty_lines(self) -> Sequence[Sequence[Run]]:
        """Return that nothing matches."""
        return [[(" no command matches", "muted")]]

    def runs_of(self, row: PaletteCommand, sign: str, width: int) -> list[Run]:
        """Return a command with its keys at the right."""
        others = _other_words(row, self.text.casefold().split())
        name: list[Run] = [(f"{sign} ", ""), (row.name, "")]
        if others:
            name.append((f"  {', '.join(others)}", "muted"))
        runs = beside(self.glyphs, name, row.keys, width) if row.keys else name
        return runs if row.can_run else [(text, "muted") for text, _ in runs]
