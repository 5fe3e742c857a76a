"""ServedPetApp: PetApp as one of many that ``pettui.ssh`` serves in a process."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.events import Key, Paste

from pettui import actions
from pettui.ssh.apps.served_app import ServedApp
from pettui.tui import app as app_module
from pettui.tui.app import PetApp
from pettui.tui.keys.bindings import bindings
from pettui.tui.screens.boxes.confirmation import ConfirmationScreen
from pettui.tui.screens.listing_screen import ListingScreen

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.message import Message
    from textual.screen import Screen

    from pettui.cli.ssh.app_dependencies import Dependencies

CLOSES = "{put_away} closes this notice."
GREETING = (
    f"A demo, for you alone: it is gone when you leave.  {{reset_demo}} starts over.  {CLOSES}"
)
LOST = "The demo starts over, and the animals that you added are lost."
RESTART = 75  # return code of an app whose demo starts over
FRESH = timedelta(seconds=10)  # maximum age of a list when its user logs in


def sent_text(count: int) -> str:
    """Return what the server sent since the user's last session; "" for nothing."""
    if not count:
        return ""
    animals = "1 animal" if count == 1 else f"{count} animals"
    were = "was" if count == 1 else "were"
    return f"Since your last login, {animals} that you left {were} added.  {CLOSES}"


class ServedPetApp(ServedApp[None], PetApp):
    """One user's app; a demo can be started over."""

    CSS_PATH = str(Path(app_module.__file__).with_name("pettui.tcss"))  # not beside this module
    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.DEMO)

    def __init__(self, dependencies: Dependencies) -> None:
        settings = dependencies.settings
        super().__init__(dependencies.client, settings, outbox=dependencies.outbox)
        self.takes_mouse = settings.mouse
        self.close_dependencies = dependencies.close
        self.session.user = dependencies.shown_name
        self.session.writes_files = False
        self.session.demo = dependencies.demo
        self.session.before_own_key = dependencies.before_own_key
        self.session.greeting = (
            GREETING if dependencies.demo is not None else sent_text(dependencies.sent_meanwhile)
        )

    @property
    def pending_events(self) -> int:
        """How many events the app received and has not processed yet."""
        return len(self.session.key_queue) + super().pending_events

    def request_end(self) -> None:
        """End the app after the keys typed before have taken effect."""
        self.end()

    @property
    def wants_restart(self) -> bool:
        """Whether the user asked to start the demo over."""
        return self.return_code == RESTART and self.bug is None

    def welcome(self) -> None:
        """Refresh a list that was loaded a while before its user logged in."""
        screen = self.screen_stack[0]  # below a welcome
        if not isinstance(screen, ListingScreen) or screen.listing is None:
            return
        age = self.session.clock.now() - screen.listing.answered_at
        if age > FRESH:
            screen.action_refresh()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Start the demo over only if there is one."""
        if action == "reset_demo":
            return self.session.demo is not None
        return super().check_action(action, parameters)

    async def action_reset_demo(self) -> None:
        """Ask whether to start the demo over."""
        await self.push_screen(
            ConfirmationScreen(
                self.session.glyphs,
                "Start the demo over?",
                LOST,
                self._restart,
                takes_keys_ahead=True,
            )
        )

    def _restart(self) -> None:
        self.session.key_queue.hold()
        if self.channel_driver is not None:
            self.channel_driver.disable_input()  # Esc may be the begin of a sequence
        self.exit(return_code=RESTART)

    @property
    def unhandled_input(self) -> list[Message]:
        """What was typed behind the key that starts the demo over."""
        return [
            Key(event.key, event.character) if isinstance(event, Key) else Paste(event.text)
            for event in self.session.key_queue.waiting
        ]

    def get_default_screen(self) -> Screen[Any]:
        """Return the list, whose first frame waits for its animals if they come soon.

        An empty list, its bars and its first size would be three more frames, and a third of the
        time that an app takes to start.
        """
        screen = super().get_default_screen()
        release = self.hold_frames(screen)

        def on_age(age: str) -> None:
            if age:  # set with the first animals
                release()

        if isinstance(screen, ListingScreen):
            self.watch(screen.header, "age", on_age, init=False)
        return screen
