"""PetApp: one person's session on one store.

All private names that this room uses are in this module. If one of them goes,
``tests/tui/test_private_names.py`` fails, and this breaks:

- ``App._handle_exception`` is called for each bug. Without it a bug ends the app without a report.
  A traceback, which may hold API keys, is not printed even then: its console is quiet.
- ``App._exception`` and ``_exception_event``: ``App.run_test`` raises the app's errors from them.
- ``App._return_code``: the exit code after a bug.
- ``App._exit``: whether the app is exiting; without it a screen that was still opening looks like
  a bug.
- ``App._driver``: whether there is a terminal yet, a shell that Ctrl+Z can return to, and what
  Ctrl+L draws again.
- ``App._register_child`` is called for each screen and widget, and ``_bindings`` holds the keys of
  one: without them keys cannot be rebound.
- ``App._disable_notifications`` and ``_disable_tooltips``: without them each screen has two more
  widgets, which show nothing here, a tenth of what it takes to open.
- ``App._check_bindings`` runs a key's action, and returns whether it had one: without it an unbound
  key is silent.
- ``App._message_queue``, and in it ``Event._waiters`` of asyncio: each widget waits for its queue
  while it has nothing to do. Without them a key of the table may overtake an earlier message.
- ``Timer._skip``: a timer that is late leaves its turn out. One that has a single turn would never
  fire, and after a resize that is lost so the app follows no other.
"""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rich.console import Console
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.css.query import NoMatches
from textual.dom import DOMNode, NoScreen
from textual.widgets import Input
from textual.worker import WorkerFailed

from pettui.appearance.glyphs import glyphs_for
from pettui.keyboard import actions
from pettui.keyboard.actions import NEED_ANIMALS
from pettui.keyboard.key_names import keys_in_form
from pettui.keyboard.own_commands import WITHOUT_KEY
from pettui.models.statuses import COLOURED
from pettui.outbox.entries import Entry, EntryState
from pettui.outbox.outbox import Outbox
from pettui.outbox.stores.memory import MemoryEntryStore
from pettui.remembered.seen_lists import SeenLists
from pettui.remembered.theme_choice import ThemeChoice
from pettui.settings.settings import Colours, Settings
from pettui.transfer.open_imports import OpenImports
from pettui.tui.detail.pet_screen import PetScreen
from pettui.tui.list.pet_list import PetListScreen
from pettui.tui.list.pet_table import PetTable
from pettui.tui.outbox.entry_decisions import added_pet
from pettui.tui.screens.app_screen import AppScreen, asks
from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.session.alert import Alert
from pettui.tui.session.key_order import OrderedKeysApp
from pettui.tui.session.session import (
    EntryChanged,
    FaultsChanged,
    OutboxChanged,
    SystemClock,
    UserSession,
)
from pettui.tui.widgets.appearance import (
    STYLES,
    TALL,
    WIDE,
    AsciiFilter,
    ColourlessFilter,
    css_variables,
    set_room,
    themes,
)
from pettui.tui.widgets.bindings import (
    Explains,
    ScreenPart,
    bindings,
    bound_actions,
    help_sections,
    is_declared,
    key_of,
    normal_keys,
)
from pettui.tui.widgets.failures import whole_of
from pettui.tui.widgets.line_widget import LineStyles
from pettui.tui.widgets.row_table import RowTable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.actions import ActionParseResult
    from textual.filter import LineFilter
    from textual.geometry import Offset
    from textual.message import Message
    from textual.screen import Screen
    from textual.timer import Timer, TimerCallback
    from textual.types import CSSPathType
    from textual.widget import Widget

    from pettui.client import PetClient
    from pettui.models.pets import Pet
    from pettui.transfer.journal import Journal
    from pettui.tui.detail.command_runs import OwnCommands
    from pettui.tui.session.key_order import Wait
    from pettui.tui.session.session import Clock

DRAFT_SECONDS: Final = 1.0  # for which quitting waits until what was typed last is kept
UNBOUND_MAXIMUM: Final = 100  # different unbound keys that get a message
COUNTED_EVERY: Final = 1.0  # seconds
FAULT_MARGIN: Final = 0.01  # seconds; an early timer must not find the fault still there
ADDS_WAIT: Final = "adds wait for an API key"
OPENING: Final = 0.1  # seconds for which a first frame waits for an outbox that is kept elsewhere


class PetApp(OrderedKeysApp, LineStyles):
    """The app; its caller opens the client before ``run`` and closes it afterwards."""

    TITLE = "pettui"
    CSS_PATH: ClassVar[CSSPathType | None] = STYLES
    CSS = "".join(
        f".{name} {{ color: $pt-{name}; }}\n"
        for look in COLOURED.values()
        for name in (look.style, look.sign_style, look.bar_style)
    ) + "".join(
        f".{look.tile_style} {{ color: $pt-background; background: $pt-{look.bar_style}; "
        "text-style: $pt-cursor-style; }\n"
        for look in COLOURED.values()
    )
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 - as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.APP,
        quit_anywhere="app.quit",
        suspend="app.suspend_process",
        redraw="app.redraw",
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
        open_imports: OpenImports | None = None,
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
            open_imports: of the same store.
        """
        glyphs = glyphs_for(settings.glyphs, has_latin_1=settings.has_latin_1)
        self._colours = settings.colours  # Textual reads variables while the app is constructed
        self._theme_choice = theme_choice or ThemeChoice()
        super().__init__()
        self.error_console = Console(quiet=True)
        self._disable_notifications = self._disable_tooltips = True
        self.animation_level = "none"  # a key takes effect at once
        self.failure: Exception | None = None  # a bug of ours that ended the app
        self.rebound: Mapping[str, str] = {}  # keys by binding id
        self.is_asked_to_end = False  # by a signal, or since the terminal is gone
        self._alert = Alert(rings=settings.bell)
        self._unbound: set[str] = set()  # unbound keys that were reported
        self._waits_for = ""  # what adds wait for, as it was recorded
        self._counting: Timer | None = None  # while adds wait though the service responds
        self._fault_end: Timer | None = None  # of the staged fault that ends next
        self.session = UserSession(
            client=client,
            outbox=outbox or Outbox(MemoryEntryStore(), client),
            settings=settings,
            glyphs=glyphs,
            clock=clock or SystemClock(),
            key_queue=self.key_queue,
            seen=seen or SeenLists(),
            open_journal=open_journal,
            open_imports=open_imports or OpenImports(),
        )
        self.own_commands: OwnCommands | None = None  # none in demos and over SSH
        self._subscriptions = ExitStack()
        self._set_first_theme()
        self.rebind_keys(settings.keys)

    def get_default_screen(self) -> Screen[Any]:
        """Return the list, already styled for the terminal's size: no second layout is needed."""
        screen = PetListScreen(self.session)
        set_room(screen, self.size, update=False)
        return screen

    async def on_mount(self) -> None:
        """Start the outbox and, in a demo, show its welcome."""
        outbox, demo = self.session.outbox, self.session.demo
        if demo is not None:
            self._subscriptions.callback(demo.faults.subscribe(self._faults_changed))
            if demo.welcome:
                from pettui.tui.screens.boxes import WelcomeScreen

                self.push_screen(WelcomeScreen(self.session.glyphs, demo.welcome))
        outbox.start()
        await outbox.opened(OPENING)
        self._subscriptions.callback(outbox.subscribe(self._entry_changed))
        self._subscriptions.callback(outbox.subscribe_to_status(self._outbox_changed))
        self._record_wait()  # it may be known since before
        # What came meanwhile is not drawn before the app has started, and no message says then that
        # it waits.
        self.call_later(self.screen.check_idle)

    async def on_unmount(self) -> None:
        """Close the outbox; its entries stay for the next start.

        A demo waits for no response: nothing of it is kept.
        """
        self._subscriptions.close()
        self._write_to_terminal(self._alert.stop())
        if self.own_commands is not None:
            await self.own_commands.stop()
        if self.session.demo is not None:
            await self.session.outbox.close(grace=0.0)
        else:
            await self.session.outbox.close()

    @property
    def farewell(self) -> str:
        """What was not sent, in one raw line, once the app has ended; "" for nothing."""
        from pettui.tui.outbox.leaving import farewell

        return farewell(self.session)

    # What changes, for the session and for every screen

    def _post_to_screens(self, message: type[Message], *values: Any) -> None:
        for screen in self.screen_stack:
            screen.post_message(message(*values))

    def _entry_changed(self, entry: Entry) -> None:
        session, state, is_own = self.session, entry.state, not entry.owned_elsewhere
        if state is EntryState.ADDED and entry in session.outbox.entries:
            session.added_entry_ids.add(entry.entry_id)
        if state is EntryState.ADDED and entry.entry_id in session.outbox.added_here:
            session.receipt.add(entry.entry_id, added_pet(entry))
        if state in (EntryState.REFUSED, EntryState.UNKNOWN) and is_own:
            session.record_once(f"{state.value.capitalize()}: {entry.label}", whole_of(entry)[1])
        self._count_down()
        is_refused = state is EntryState.REFUSED and is_own
        if self._alert.is_news(entry.entry_id, holds=is_refused):
            self._call_attention(f"{entry.label} was refused")
        self._tell_of_outbox(EntryChanged, entry)

    def _outbox_changed(self) -> None:
        self._tell_of_outbox(OutboxChanged)

    def _tell_of_outbox(self, message: type[Message], *values: Any) -> None:
        self.session.heed_api_key_error()
        self._record_wait()
        self._post_to_screens(message, *values)
        self._look_for_key()

    def _record_wait(self) -> None:
        """Record what adds wait for once it is known, and again only when it is something else."""
        outbox = self.session.outbox
        waits = any(entry.waits_here for entry in outbox.entries)
        reason = outbox.store_state.error or (outbox.sending.waiting_for if waits else None) or ""
        if reason and reason != self._waits_for:
            self.session.record("Adds wait", reason)
        self._waits_for = reason

    def _look_for_key(self) -> None:
        """Say once that adds wait for an API key."""
        outbox = self.session.outbox
        is_refused = outbox.sending.api_key_error is not None
        waiting = (entry for entry in outbox.entries if entry.waits_here)
        is_needed = any(is_refused or outbox.waits_for_own_key(entry) for entry in waiting)
        if self._alert.is_news(ADDS_WAIT, holds=is_needed):
            self._call_attention(ADDS_WAIT)

    def _call_attention(self, text: str) -> None:
        """Say something once, and ring and mark the title, but in a demo: there all is staged."""
        screen = self.screen_stack[-1] if self.screen_stack else None
        if isinstance(screen, AppScreen) and not screen.NAMES_REFUSED:
            screen.show_remark(text)
        if self.session.demo is None:
            self._write_to_terminal(self._alert.ring(self.session.clock.now()))

    def _write_to_terminal(self, text: str) -> None:
        if text and self._driver is not None:
            self._driver.write(text)

    def _count_down(self) -> None:
        """Update the screen each second while it says how long adds wait, or one for its turn."""
        outbox = self.session.outbox
        is_counting = outbox.sending.adds_wait > 0 or any(map(outbox.goes_again_in, outbox.entries))
        if is_counting and self._counting is None:
            self._counting = self.set_interval(COUNTED_EVERY, self._counted)
        elif not is_counting and self._counting is not None:
            self._counting.stop()
            self._counting = None

    def _counted(self) -> None:
        self.screen.post_message(OutboxChanged())
        self._count_down()

    def _faults_changed(self) -> None:
        """Notify the screens that a fault was staged or ended, and again once its time is over."""
        self._post_to_screens(FaultsChanged)
        if self._fault_end is not None:
            self._fault_end.stop()
        if (demo := self.session.demo) is not None:
            times = (demo.faults.seconds_left(fault) for fault in demo.faults.staged)
            if (soonest := min(times, default=inf)) < inf:
                self._fault_end = self.set_timer(soonest + FAULT_MARGIN, self._faults_changed)

    # Keys of every screen

    def action_redraw(self) -> None:
        """Draw everything again, over what other programs wrote, or where something was lost."""
        # Textual's own drivers do not know what their terminal shows.
        getattr(self._driver, "redraw", self.screen.refresh)()

    async def action_quit(self) -> None:
        """Quit, or ask first where something would be lost or left unsent."""
        from pettui.tui.outbox.leaving import LeavingScreen, QuitScreen, reasons_to_stay

        self.session.next_profile = None
        await self.session.outbox.drafts.retry(DRAFT_SECONDS)
        if isinstance(self.screen, LeavingScreen) or not any(reasons_to_stay(self.session)):
            self.exit()
        else:
            await self.push_screen(QuitScreen(self.session))

    async def action_switch(self) -> None:
        """End, for the next profile to be opened; ask first where something stays behind."""
        from pettui.tui.outbox.leaving import reasons_not_to_switch

        await self.session.outbox.drafts.retry(DRAFT_SECONDS)
        profile = self.session.next_profile
        if profile is not None and any(reasons_not_to_switch(self.session)):
            from pettui.tui.outbox.leaving import SwitchScreen

            await self.push_screen(SwitchScreen(self.session, profile))
        else:
            self.exit()

    async def action_help(self) -> None:
        """Show the keys of this screen."""
        from pettui.tui.screens.help import HelpScreen

        sections = help_sections(self.screen, self.rebound)
        await self.push_screen(HelpScreen(self.session.glyphs, sections))

    async def action_commands(self) -> None:
        """Open the command palette."""
        from pettui.tui.outbox.leaving import LeavingScreen
        from pettui.tui.screens.palette import CommandScreen, PaletteCommand, commands_on

        if not isinstance(self.screen, CommandScreen | LeavingScreen):
            commands = [*commands_on(self.screen, self.rebound, self.session.demo, self.use_theme)]
            if isinstance(self.screen, PetListScreen) and await self.screen.count_samples():
                run = self.screen.action_begin_empty
                commands.append(PaletteCommand("Begin empty", "", run))
            await self.push_screen(CommandScreen(self.session.glyphs, commands))

    action_command_palette = action_commands  # type: ignore[assignment]

    async def action_on_the_list(self, name: str) -> None:
        """Go back to the list from an animal, and do something there, such as open its line."""
        from pettui.tui.detail.pet_detail import PetDetailScreen

        shown = self.screen.pet.id if isinstance(self.screen, PetDetailScreen) else None
        listed = self._back_to_the_list()
        listed.table.follow(shown)
        await self.run_action(name, listed.panes if name == "find" else listed)

    async def action_go_on_importing(self) -> None:
        """Read the file again whose import was left with open lines, and show it."""
        imports = self.session.open_imports.all
        if imports:
            await self._back_to_the_list().import_file(imports[0].path)

    async def action_look_for_unknown_lines(self) -> None:
        """Show the animals that the unknown lines of an import could be."""
        from pettui.tui.outbox.candidates_screen import CandidatesScreen
        from pettui.tui.transfer.importing import PetImportScreen

        if isinstance(screen := self.screen, PetImportScreen):
            candidates = CandidatesScreen(self.session, screen.undecided)
            await self.push_screen(candidates, screen.show_decision)

    def _back_to_the_list(self) -> PetListScreen:
        while not isinstance(self.screen, PetListScreen):
            self.pop_screen()
        return self.screen

    async def action_open_form(self, is_empty: bool = True) -> None:
        """Open the form: empty, or on the draft that an entry of the outbox became."""
        from pettui.tui.form.pet_create import open_form

        known, knows_all = self._listed
        await open_form(self, self.session, known, knows_all=knows_all, is_empty=is_empty)

    async def action_open_form_like(self) -> None:
        """Open the form with the category and status of the animal that is shown."""
        from pettui.tui.form.pet_create import open_form_like

        known, knows_all = self._listed
        await open_form_like(self.screen, known, knows_all=knows_all)

    @property
    def _listed(self) -> tuple[tuple[Pet, ...], bool]:
        """The animals that are loaded, and whether these surely are all that are there."""
        first = self.screen_stack[0]
        listing = first.listing if isinstance(first, PetListScreen) else None
        if listing is None:
            return (), False
        return listing.pets, listing.is_whole and listing.query.status is None

    # The other screens

    async def action_outbox(self) -> None:
        """Open the outbox."""
        from pettui.tui.outbox.outbox import OutboxScreen

        await self.push_screen(OutboxScreen(self.session))

    async def action_receipt(self) -> None:
        """Show what was added in this session."""
        from pettui.tui.outbox.receipt import ReceiptScreen

        await self.push_screen(ReceiptScreen(self.session))

    async def action_history(self) -> None:
        """Show the errors and notices of this session, over a box too."""
        from pettui.tui.screens.requests import HistoryScreen

        await self.push_screen(HistoryScreen(self.session))

    async def action_requests(self) -> None:
        """Show the last requests."""
        from pettui.tui.screens.requests import RequestsScreen

        await self.push_screen(RequestsScreen(self.session))

    async def action_profiles(self) -> None:
        """Offer to open another profile in place of this one."""
        from pettui.tui.screens.profiles import ProfilesScreen

        if (profiles := self.session.profiles) is not None:
            await self.push_screen(ProfilesScreen(self.session, profiles))

    # Commands of the user's own

    @asks
    async def action_own_command(self, index: int) -> None:
        """Run one of them for the animals of this screen."""
        if self.own_commands is not None and isinstance(self.screen, PetScreen):
            await self.own_commands.start(self.screen, index, self._driver)

    def action_stop_own_command(self) -> None:
        """End the one that runs; the next key does not wait for that."""
        if self.own_commands is not None:
            self.own_commands.cancel()

    # Appearance

    def _set_first_theme(self) -> None:
        """Set the theme without the change of theme that would parse the stylesheet twice.

        A theme of the terminal's own colours needs that change, or Textual replaces its colours.
        """
        if self.no_color:  # Textual has read NO_COLOR
            self._colours = Colours.NONE
        self._apply_colours()
        ours = {theme.name: theme for theme in themes(self._colours)}
        chosen = self._theme_choice.theme or ""
        theme = chosen if chosen in ours else self.session.settings.theme
        if not ours[theme].ansi:
            self.set_reactive(App.theme, theme)
            self.stylesheet.set_variables(self.get_css_variables())
        else:
            self.theme = theme

    def draw_in(self, colours: Colours) -> None:
        """Draw with this many colours from now on."""
        if colours is not self._colours:
            self._colours = colours
            self._apply_colours()
            self.mutate_reactive(App.theme)

    def _apply_colours(self) -> None:
        for theme in themes(self._colours):
            self.register_theme(theme)
        is_colourless = self._colours is Colours.NONE
        classes = {"-ascii": self.session.glyphs.ascii_only, "-colourless": is_colourless}
        self.update_classes(classes, update=False)

    async def use_theme(self, name: str | None) -> None:
        """Switch to a theme, for later starts too; None is the configured one."""
        self.theme = name or self.session.settings.theme
        await asyncio.to_thread(self._theme_choice.keep, name)

    def get_css_variables(self) -> dict[str, str]:
        """Return the variables of the theme; all apps of a process share them."""
        ours = [each.name for each in themes(self._colours)]
        theme = self.theme if self.theme in ours else ours[0]  # Textual's own is never shown
        self.theme_variables = css_variables(theme, self._colours)
        return self.theme_variables

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return filters that remove what the terminal cannot draw.

        For a terminal without colours, Textual's own filter would draw greys on a background of
        its own.
        """
        is_colourless, glyphs = self._colours is Colours.NONE, self.session.glyphs
        filters = [ColourlessFilter()] if is_colourless else [*super().get_line_filters()]
        return [*filters, AsciiFilter(glyphs.also)] if glyphs.ascii_only else filters

    @property
    def cursor_position(self) -> Offset:
        """Where the terminal's own cursor goes: what reads or magnifies the screen follows it."""
        focused = self.focused
        if isinstance(focused, RowTable):
            return focused.cursor_screen_offset
        return self._field_cursor

    @cursor_position.setter
    def cursor_position(self, position: Offset) -> None:
        """Keep where a field has it; Textual's fields say so."""
        self._field_cursor = position

    # A key whose turn has come

    def wait_for(self, event: events.Key | events.Paste) -> Wait | None:
        """Return what waits for a question, a request to stop, a missing key's prompt, animals.

        What is typed before the prompt is there may be the key.
        """
        screen = self.screen
        if not self.key_queue.settled.is_set():
            return self.key_queue.settled.wait
        if isinstance(screen, AppScreen) and screen.request.is_stopping:
            return screen.request.wait
        if not isinstance(screen, PetListScreen):
            return None
        if screen.is_key_missing:
            return screen.key_prompt.opened.wait
        return self._wait_for_rows(screen, event.key) if isinstance(event, events.Key) else None

    def _wait_for_rows(self, screen: PetListScreen, key: str) -> Wait | None:
        """Return what waits for the first animals, if a key acts on one before there is any."""
        if screen.first_rows.is_set():
            return None
        bound = self.bound_to(key, priority=False)
        # While the screen opens, nothing has the focus, and the table's keys have no binding.
        is_early = bound[0][1].id in NEED_ANIMALS if bound else self.focused is None
        is_early = is_early or (bool(bound) and bound[0][1].action.startswith("app.own_command"))
        return screen.wait_for_rows if is_early else None

    def before_key(self, event: events.Key | events.Paste) -> None:
        """Draw what is due; clear the remark before a key, unless that shows the whole of it."""
        self._write_to_terminal(self._alert.stop())
        if isinstance(self.screen, AppScreen):
            self.screen.draw_if_due()
        if isinstance(self.screen, PetListScreen):
            self.screen.await_nothing()
        bound = self.bound_to(event.key, priority=False) if isinstance(event, events.Key) else []
        if not any(binding.action == "view_full_text" for _, binding in bound):
            self._show_remark("")

    async def run_at_once(self, key: str) -> bool:
        """Run the action of a key that is the table's own, unless something is under way.

        The way through the screen and back is a third of what a move of the cursor costs. Nothing
        is overtaken: all messages that were posted before are handled.
        """
        table = self.focused
        if not isinstance(table, PetTable) or table.request.is_running or self.message_queue_size:
            return False
        bound = self.bound_to(key, priority=False)
        if not bound or bound[0][0] is not table or self.bound_to(key, priority=True):
            return False
        if not self.is_at_rest:
            return False
        return self.app_focus and await self.run_action(bound[0][1].action, table)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action, then draw what the screen knows.

        A move of a table's cursor changes nothing else, and an input says itself what changed.
        """
        has_run = await super().run_action(action, default_namespace, namespaces)
        screen = self.screen_stack[-1] if self.screen_stack else None
        if isinstance(screen, AppScreen) and not isinstance(default_namespace, RowTable | Input):
            screen.changed()
        return has_run

    async def forward(self, event: events.Key | events.Paste) -> None:
        """Let Textual handle an event, unless it is a key that the screen does not take yet."""
        if (
            not event.is_forwarded
            and isinstance(screen := self.screen, AppScreen | BoxScreen)
            and not await screen.before_key(event)
        ):
            return
        await super().forward(event)

    def report_unbound(self, key: str) -> None:
        """Show that a key does nothing: in a box each time, on a screen the first."""
        screen, name = self.screen, self.get_key_display(Binding(key, ""))
        if is_declared(screen, key, self.rebound):
            return
        if key == "ctrl+c":  # Textual's own binding does not work in a box
            self.action_help_quit()
        elif isinstance(screen, BoxScreen):
            screen.show_unbound(name)
        elif key not in self._unbound and len(self._unbound) < UNBOUND_MAXIMUM:
            self._unbound.add(key)
            self._show_remark(f"{name} does nothing here")

    def action_focus_next(self) -> None:
        """Go to the next field, or report that there is none."""
        self._move_focus("tab", self.screen.focus_next)

    def action_focus_previous(self) -> None:
        """Go to the field before, or report that there is none."""
        self._move_focus("shift+tab", self.screen.focus_previous)

    def _move_focus(self, key: str, move: Callable[[], object]) -> None:
        before = self.focused
        move()
        if self.focused is before:
            self.report_unbound(key)

    def get_key_display(self, binding: Binding) -> str:
        """Return a key as it is shown: F5, esc, the arrows."""
        glyphs = self.session.glyphs
        if binding.key.startswith(WITHOUT_KEY):
            return ""
        if binding.key in glyphs.keys:
            return glyphs.keys[binding.key]
        if binding.key[0] == "f" and binding.key[1:].isdigit():
            return binding.key.upper()
        return glyphs.safe(super().get_key_display(binding))

    # Bindings

    def rebind_keys(self, keys: Mapping[str, str]) -> None:
        """Bind actions to other keys; call it before there is a screen.

        Textual (8.2.8) applies its own keymap only after removing the keys that a field types: a
        letter would run an action in the middle of a name, and F10 in place of a colon would do
        nothing there.

        Args:
            keys: by binding id.
        """
        self.rebound = {name: normal_keys(each) for name, each in keys.items()}
        self._bindings.apply_keymap(self.rebound)

    def run_commands(self, commands: OwnCommands) -> None:
        """Run commands of the user's own by their keys; call it before there is a screen."""
        self.own_commands = commands
        self.rebind_keys(commands.keys_beside(self.session.settings.keys))

    def _register_child(
        self, parent: DOMNode, child: Widget, before: int | None, after: int | None
    ) -> None:
        if self.rebound:
            is_form = isinstance(child, AppScreen) and child.HAS_FIELDS
            keys = keys_in_form(self.rebound) if is_form else self.rebound
            child._bindings.apply_keymap(keys)  # noqa: SLF001 - it has no public name
            if isinstance(child, ScreenPart):
                self._free_keys(child, parent.screen)
        own = self.own_commands
        if own is not None and isinstance(child, AppScreen) and child.RUNS_COMMANDS:
            bound = child._bindings.key_to_bindings  # noqa: SLF001 - as above
            for binding in own.bindings():  # its lists are those of the class
                bound[binding.key] = [binding, *bound.get(binding.key, ())]
        super()._register_child(parent, child, before, after)

    def _free_keys(self, part: Widget, screen: Screen[Any]) -> None:
        """Take from a part of a screen the keys that the configuration gives the screen itself."""
        declared = getattr(screen, "DECLARED", ())
        names = {each.name for each in (*declared, *actions.EVERY_SCREEN)}
        own = part._bindings.key_to_bindings  # noqa: SLF001 - as above
        for name in names & self.rebound.keys():
            for key in self.rebound[name].split(","):
                own[key] = [each for each in own.get(key, ()) if each.id == name]

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        for node, binding in self.bound_to(key, priority=priority):
            if await self.run_action(binding.action, node):
                return True
            if isinstance(node, Explains) and node.explain(binding.id or ""):
                return True
        if not priority:
            self.report_unbound(key)
        return False

    def bound_to(self, key: str, *, priority: bool) -> list[tuple[DOMNode, Binding]]:
        """Return the bindings of a key, each with its widget, from the focused one upwards."""
        focused = self.focused
        nodes = (self.screen, self) if focused is None else focused.ancestors_with_self
        chain = ((node, node._bindings) for node in nodes)  # noqa: SLF001 - as above
        return bound_actions(key, chain, priority=priority)

    @property
    def is_at_rest(self) -> bool:
        """Whether the screen and its widgets have handled all messages that were posted."""
        return all(map(self._waits, self.screen.walk_children(with_self=True)))

    @staticmethod
    def _waits(widget: DOMNode) -> bool:
        """Whether a widget has handled all its messages, and waits for the next."""
        posted: Any = widget._message_queue.ready_event  # noqa: SLF001 - as above
        return bool(posted._waiters) and not posted.is_set()  # noqa: SLF001 - asyncio's

    # The terminal, and the end

    def set_timer(
        self, delay: float, callback: TimerCallback | None = None, **options: Any
    ) -> Timer:
        """Call a function after a delay in seconds, however late the process gets its turn.

        Textual (8.2.8) forgets it if the process stands still for that long while the timer starts;
        it waits 8 ms for more of a resize.
        """
        timer = super().set_timer(delay, callback, **options)
        timer._skip = False  # noqa: SLF001 - it has no public name
        return timer

    def end(self) -> None:
        """End the app once the keys typed so far have taken effect, or after some seconds.

        A signal, or a terminal that goes away, would otherwise overtake keys that wait for a screen
        to open.
        """
        self.is_asked_to_end = True
        if self._driver is None or not self.screen_stack:  # no key was handled yet
            self.exit()
        else:
            self.exit_after_keys()

    @property
    def next_profile(self) -> str:
        """The name of what is to be opened once the app has ended; "" for nothing."""
        profile = self.session.next_profile
        return "" if profile is None or self.is_asked_to_end or self.failure else profile.name

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a shell can continue the program, and whether there are profiles."""
        if action == "suspend_process":
            return self._driver is not None and self._driver.can_suspend
        if action == "own_command":
            return (isinstance(self.screen, PetScreen) and self.screen.has_targets) or None
        if action == "stop_own_command":
            own = self.own_commands
            return own is not None and own.is_running
        if action == "profiles":
            return self.session.profiles is not None
        if action == "go_on_importing":
            return self.screen.check_action("open_import", ())
        if action == "on_the_list":
            return self.screen.check_action(str(parameters[0]), ())
        return super().check_action(action, parameters)

    def action_help_quit(self) -> None:
        """Show how to quit in the screen's own line; Textual would show a toast over it."""
        key = self.session.settings.keys.get("quit_anywhere", "ctrl+q").partition(",")[0]
        anywhere = key.upper() if key[0] == "f" and key[1:].isdigit() else key  # boxes included
        self._show_remark(f"{key_of(self.screen, 'quit') or anywhere} quits")

    # Notifications

    def notify(self, message: str, *, markup: bool = True, **_: object) -> None:
        """Show in the screen's own line what Textual would show in a toast."""
        self._show_remark(Content.from_markup(message).plain if markup else message)

    def _show_remark(self, text: str) -> None:
        if isinstance(self.screen, AppScreen | BoxScreen):
            self.screen.show_remark(self.session.glyphs.line(text))

    # Bugs

    def _handle_exception(self, error: Exception) -> None:
        """Close the app, and keep the error for its caller.

        Textual would print a traceback with the values of variables, API keys among them. A screen
        that is still opening while the app exits, or is cancelled, finds its widgets gone: that is
        no bug.
        """
        if (self._exit or not self.is_running) and isinstance(error, NoScreen | NoMatches):
            return
        self._return_code = 1
        if isinstance(error, WorkerFailed):
            error.__cause__ = error.error  # Textual never raises it "from" the worker's own error
        if self._exception is None:
            self._exception = self.failure = error
            self._exception_event.set()
        self.panic()
