"""PetApp: one person's session on one store."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pettui import actions
from pettui.glyphs import glyphs_for
from pettui.outbox import MemoryEntryStore, Outbox
from pettui.transfer.last_lists import SeenLists, ThemeChoice
from pettui.tui.appearance.app_appearance import AppAppearance
from pettui.tui.appearance.breakpoints import TALL, WIDE, set_room
from pettui.tui.base_app import BaseApp
from pettui.tui.keys import bindings
from pettui.tui.outbox_events import OutboxEvents
from pettui.tui.screens.pet_list import PetListScreen
from pettui.tui.user_session import Clock, SystemClock, UserSession

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.binding import BindingType
    from textual.filter import LineFilter
    from textual.screen import Screen

    from pettui.client import PetClient
    from pettui.settings import Colours, Settings
    from pettui.transfer.journal import Journal
    from pettui.tui.user_session import Demo

DRAFT_SECONDS = 1.0  # for which quitting waits until what was typed last is kept


class PetApp(BaseApp):
    """The app; its caller opens the client before ``run`` and closes it afterwards."""

    TITLE = "pettui"
    CSS_PATH = str(Path(__file__).with_name("pettui.tcss"))  # also for a subclass in another folder
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 - as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.APP, quit_anywhere="app.quit", suspend="app.suspend_process"
    )

    def __init__(
        self,
        client: PetClient,
        settings: Settings,
        *,
        clock: Clock | None = None,
        outbox: Outbox | None = None,
        theme_choice: ThemeChoice | None = None,
        seen: SeenLists | None = None,
        open_journal: Callable[[], Journal] | None = None,
    ) -> None:
        """Build a session from its parts.

        Args:
            client: of the service.
            settings: what was configured.
            clock: the time that is shown; by default the machine's.
            outbox: started here; by default one in memory.
            theme_choice: the theme that was chosen before.
            seen: the last lists.
            open_journal: opens the journal of imports; it blocks. None: imports are not offered.
        """
        glyphs = glyphs_for(settings.glyphs, has_latin_1=settings.has_latin_1)
        self._appearance = AppAppearance(self, settings, glyphs, theme_choice or ThemeChoice())
        super().__init__()
        self.animation_level = "none"  # a key takes effect at once
        self.session = UserSession(
            client=client,
            outbox=outbox or Outbox(MemoryEntryStore(), client),
            settings=settings,
            glyphs=glyphs,
            clock=clock or SystemClock(),
            key_queue=self.key_queue,
            seen=seen or SeenLists(),
            open_journal=open_journal,
        )
        self._subscriptions = ExitStack()
        self._appearance.begin()
        self.rebind_keys(settings.keys)

    def get_default_screen(self) -> Screen[Any]:
        """Return the list, already styled for the terminal's size: no second layout is needed."""
        screen = PetListScreen(self.session)
        set_room(screen, self.size, update=False)
        return screen

    def draw_in(self, colours: Colours) -> None:
        """Draw with this many colours from now on."""
        self._appearance.draw_in(colours)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return our variables, for Textual's own themes too."""
        return self._appearance.variables

    def get_css_variables(self) -> dict[str, str]:
        """Return the variables of the theme; all apps of a process share those of our themes."""
        variables = self._appearance.css_variables(self.theme)
        if variables is None:
            return super().get_css_variables()
        self.theme_variables = variables
        return variables

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return filters that remove what the terminal cannot draw."""
        return self._appearance.line_filters(super().get_line_filters)

    def on_mount(self) -> None:
        """Start the outbox and, in a demo, show its welcome."""
        if (demo := self.session.demo) is not None:
            self._begin_demo(demo)
        self.session.outbox.start()
        self._subscriptions.callback(OutboxEvents(self, self.session).close)

    def _begin_demo(self, demo: Demo) -> None:
        from pettui.tui.staging import Staging  # not for the first frame of others

        self._subscriptions.callback(Staging(self, demo.faults).close)
        if demo.welcome:
            from pettui.tui.screens.boxes import WelcomeScreen

            self.push_screen(WelcomeScreen(self.session.glyphs, demo.welcome))

    async def on_unmount(self) -> None:
        """Close the outbox; its entries stay for the next start.

        A demo waits for no response: nothing of it is kept.
        """
        self._subscriptions.close()
        if self.session.demo is not None:
            await self.session.outbox.close(grace=0.0)
        else:
            await self.session.outbox.close()

    @property
    def farewell(self) -> str:
        """What was not sent, in one raw line, once the app has ended; "" for nothing."""
        from pettui.tui.quitting import farewell

        return farewell(self.session)

    async def action_open_form(self) -> None:
        """Open the form on the current draft."""
        from pettui.tui.screens.adding.form_opening import open_form

        first = self.screen_stack[0]
        listing = first.listing if isinstance(first, PetListScreen) else None
        await open_form(self, self.session, listing.pets if listing else ())

    async def action_open_form_like(self) -> None:
        """Open the form with the category and status of the animal that is shown."""
        from pettui.tui.screens.adding.form_opening import open_form_like

        await open_form_like(self.screen)

    # Keys of every screen

    async def action_quit(self) -> None:
        """Quit, or ask first where something would be lost or left unsent."""
        from pettui.tui.quitting import reasons_to_stay
        from pettui.tui.screens.boxes import QuitScreen

        await self.session.outbox.drafts.retry(DRAFT_SECONDS)
        if isinstance(self.screen, QuitScreen) or not reasons_to_stay(self.session):
            self.exit()
        else:
            await self.push_screen(QuitScreen(self.session))

    async def action_help(self) -> None:
        """Show the keys of this screen."""
        from pettui.tui.keys import help_sections
        from pettui.tui.screens.boxes import HelpScreen

        sections = help_sections(self.screen, self.session.settings.keys)
        await self.push_screen(HelpScreen(self.session.glyphs, sections))

    async def action_commands(self) -> None:
        """Open the command palette."""
        from pettui.tui.palette_commands import commands_of
        from pettui.tui.screens.boxes import CommandScreen, QuitScreen

        if not isinstance(self.screen, CommandScreen | QuitScreen):
            commands = commands_of(self.screen, self._appearance.use_theme, self.session.demo)
            await self.push_screen(CommandScreen(self.session.glyphs, commands))

    action_command_palette = action_commands  # type: ignore[assignment]
