"""PetDetailScreen: one animal, first as it is known, then as getPet returns it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import VerticalScroll

from pettui import actions
from pettui.client import UnreadablePet
from pettui.columns import COLUMNS
from pettui.tui.keys import bindings
from pettui.tui.lists.listing import WantedPet
from pettui.tui.screens.pet_loader import PetLoader
from pettui.tui.screens.pet_stepping import PetStepping
from pettui.tui.screens.selected_pet_screen import PetScreen
from pettui.tui.widgets.pet_view import PetView
from pettui.tui.wording import time_text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from datetime import datetime

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from pettui.client import Notice
    from pettui.models import Pet
    from pettui.tui.runs import Section
    from pettui.tui.user_session import UserSession


class PetDetailScreen(PetScreen[int]):
    """Returns the id of the animal that was shown last, for the list's cursor to follow."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_DETAIL,
        add_alike=("add_alike", "explain_read_only"),
        next_animal="step(1)",
        previous_animal="step(-1)",
        first_animal="show_first",
        last_animal="show_last",
        detail_page_up="scroll(-1)",
        detail_page_down="scroll(1)",
    )

    STOPS: ClassVar[str] = "close"

    def __init__(
        self,
        session: UserSession,
        pets: Sequence[Pet | WantedPet],
        index: int,
        at: datetime,
        origin: str = "the list",
        *,
        more: Callable[[], Awaitable[Sequence[Pet]]] | None = None,
    ) -> None:
        """Show one of some animals.

        Args:
            session: has their store.
            pets: in the order of the list.
            index: of the one to be shown first.
            at: when they were listed.
            origin: where they were listed.
            more: loads further ones, and returns all.
        """
        super().__init__(session)
        self._stepping = PetStepping(self, pets, index, more, self._show_other)
        self._listed = f"from {origin}, {time_text(at, session.clock.now())}"
        self._loader = PetLoader(session, self.request, self)
        self.pet_view = PetView(session.glyphs, session.category_name, id="facts")

    @property
    def known(self) -> list[Pet]:
        """The animals to step through, as far as they are known."""
        return self._stepping.known

    @property
    def pet(self) -> Pet | WantedPet:
        """The animal as it was listed."""
        return self._stepping.pet

    @property
    def selected_pet(self) -> Pet | None:
        """The animal as it is shown."""
        element = self.pet_view.element
        return None if isinstance(element, UnreadablePet | WantedPet) else element

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        yield self.header
        yield self.error_banner
        with VerticalScroll(id="body", can_focus=False):
            yield self.pet_view
            yield self.notice_bar
        yield self.status_line
        yield self.key_bar

    def on_mount(self) -> None:
        """Show the animal and the notices of getPet, and load it."""
        self.show_notices()
        self._show_listed()

    def _show_listed(self) -> None:
        self.clear_failure()
        self._show_pet(self.pet, self._listed)
        self.header.age = ""
        self.remark = ""
        self.update_status()
        self._loader.load(self.pet)

    def _show_pet(self, pet: Pet | WantedPet, source: str, remark: str = "") -> None:
        listed = self.pet
        self.pet_view.changed = frozenset(
            column.name
            for column in COLUMNS
            if not isinstance(pet, WantedPet)
            and not isinstance(listed, WantedPet)
            and column.value(pet) != column.value(listed)
        )
        self.pet_view.element = pet
        self.pet_view.source = "" if isinstance(pet, WantedPet) else source
        self.pet_view.remark = remark
        self.pet_view.refresh(layout=True)

    def update_status(self) -> None:
        """Show what is loading, and which animal of how many this is."""
        texts = ((self.request.busy_text, "accent"), (self.remark, "notice"))
        self.status_line.texts = tuple(text for text in texts if text[0])[:1]
        self.status_line.keys = self.short_keys()
        if position := self._stepping.position:
            self.status_line.counts = (position,)

    def show_loaded(self, pet: Pet | WantedPet, source: str, age: str, remark: str = "") -> None:
        """Show the animal as it was loaded."""
        self.request_succeeded()
        self._show_pet(pet, source, remark)
        self.header.age = age

    def show_missing(self) -> None:
        """Show that the service has no such animal; what is known of it stays."""
        is_listed = not isinstance(self.pet, WantedPet)
        remark = "no longer there" if is_listed else "there is no such animal"
        self._show_pet(self.pet, self._listed, remark)

    def show_notices(self, more: Iterable[Notice] = (), remarks: Iterable[str] = ()) -> None:
        """Show the notices of getPet, further ones, and remarks on the response."""
        self.notice_bar.show(self.warnings, (*self._loader.notices, *more), remarks)

    def cut_sections(self) -> list[Section]:
        """Return the full texts that are cut, of the animal too."""
        return [*super().cut_sections(), *self.pet_view.cut_sections()]

    def action_step(self, by: int) -> None:
        """Go to the next or previous animal of the list; after the last one, load more."""
        self._stepping.step(by)

    def action_show_first(self) -> None:
        """Go to the first animal of the list."""
        self._stepping.go_to(0)

    def action_show_last(self) -> None:
        """Go to the last animal that is loaded."""
        self._stepping.go_to(-1)

    def _show_other(self) -> None:
        self.notice_bar.count_as_seen()
        self.show_notices()
        self._show_listed()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there are other animals, and whether one like this can be added."""
        if action == "step":
            return self._stepping.has_others
        if action == "add_alike" and self.selected_pet is None:
            return False
        return super().check_action(action, parameters)

    async def action_add_alike(self) -> None:
        """Open the form with this category and status; the app does, as forms open animals."""
        await self.run_action("app.open_form_like")

    def action_scroll(self, pages: int) -> None:
        """Scroll by pages."""
        body = self.query_one("#body", VerticalScroll)
        body.scroll_relative(y=pages * body.size.height, animate=False, immediate=True)

    def action_refresh(self) -> None:
        """Load the animal again."""
        self.remark = ""
        self._loader.load(self.pet)

    async def action_close(self) -> None:
        """Stop waiting for another attempt, or go back."""
        if self.request.pending_retry is not None:
            await self.action_put_away()
        else:
            self.dismiss(self.pet.id)
