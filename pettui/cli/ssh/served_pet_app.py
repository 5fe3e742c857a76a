"""ServedPetApp: the app of animals, as one of many that ``pettui.ssh`` serves in a process."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pettui import actions
from pettui.ssh.apps.served_app import ServedApp
from pettui.tui import app as app_module
from pettui.tui.app import PetApp
from pettui.tui.keys.bindings import bindings
from pettui.tui.screens.boxes.confirmation import ConfirmationScreen
from pettui.tui.screens.listing_screen import ListingScreen

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.screen import Screen

    from pettui.cli.ssh.app_dependencies import Dependencies

GREETING = (
    "A demo, for you alone: it is gone when you leave.  {reset_demo} starts over,"
    "  {put_away} puts this away."
)
LOST = "Everything here starts anew; what was added is lost."
RESTART = 75  # the return code of an app whose user asked to start the demo over
SOON = 0.05  # seconds until the first picture, where there are no animals by then
FRESH = timedelta(seconds=10)  # how old a list may be when somebody logs in


class ServedPetApp(ServedApp[None], PetApp):
    """One user's app of animals; in a demo it can be started over."""

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
        self.session.greeting = GREETING if dependencies.demo is not None else ""

    @property
    def pending_events(self) -> int:
        """How many keys and the like the app was given and has not come to yet."""
        return len(self.session.key_queue) + super().pending_events

    def request_end(self) -> None:
        """Have the app end once what was typed before has taken effect."""
        self.end()

    @property
    def wants_restart(self) -> bool:
        """Whether the user asked to start the demo over."""
        return self.return_code == RESTART and self.bug is None

    def welcome(self) -> None:
        """Refresh a list that was loaded a while before its user logged in."""
        screen = self.screen_stack[0]  # whatever the demo says before it
        if not isinstance(screen, ListingScreen) or screen.listing is None:
            return
        age = self.session.clock.now() - screen.listing.answered_at
        if age > FRESH:
            screen.action_refresh()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to start the demo over where there is a demo."""
        if action == "reset_demo":
            return self.session.demo is not None
        return super().check_action(action, parameters)

    async def action_reset_demo(self) -> None:
        """Ask, and then start the demo over."""
        await self.push_screen(
            ConfirmationScreen(self.session.look, "Start the demo over?", LOST, self._restart)
        )

    def _restart(self) -> None:
        self.exit(return_code=RESTART)

    def get_default_screen(self) -> Screen[Any]:
        """Return the list, drawn first with the animals in it where they come soon.

        An empty list, its bars and its first size would be three pictures more, and a third of the
        time that an app takes to begin.
        """
        screen = super().get_default_screen()
        release = self.hold_frames(screen, SOON)

        def came(age: str) -> None:
            if age:  # of the animals; a watcher is told of the beginning too
                release()

        if isinstance(screen, ListingScreen):
            self.watch(screen.header, "age", came, init=False)
        return screen
