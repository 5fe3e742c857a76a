"""PetDetailScreen: one animal, at once from what is known, then confirmed by getPet."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from pettui.client import ErrorBodyError, NoErrorBodyError, PetClientError
from pettui.client.notices import ANNOUNCED
from pettui.models import PetStatus
from pettui.settings import LIMIT_MAXIMUM
from pettui.tui.listing import Row
from pettui.tui.notices import sentence
from pettui.tui.screens.store_screen import StoreScreen
from pettui.tui.widgets.pet_facts import PetFacts
from pettui.tui.widgets.status_line import StatusLine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from textual.app import ComposeResult

    from pettui.client import Notice, PetAnswer
    from pettui.models import Pet
    from pettui.tui.session import Session

GONE_STATUSES = (405, 410, 501)  # of an operation that is no longer served
FIELDS = ("name", "category_id", "status")


class PetDetailScreen(StoreScreen[int]):
    """Gives the id of the animal that was shown last, for the list's cursor to follow."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Back", id="close"),
        Binding("j,down,right", "step(1)", "Next", id="next_animal"),
        Binding("k,up,left", "step(-1)", "Previous", id="previous_animal"),
        Binding("r,f5", "refresh", "Refresh", id="refresh"),
        Binding("pageup", "scroll(-1)", "Page up", show=False, id="detail_page_up"),
        Binding("pagedown,space", "scroll(1)", "Page down", show=False, id="detail_page_down"),
        Binding("colon", "app.commands", "Commands", id="commands"),
        Binding("f1,question_mark", "app.help", "Help", id="help"),
    ]

    STOPS: ClassVar[str] = "close"

    def __init__(
        self,
        session: Session,
        pets: Sequence[Pet],
        place: int,
        at: datetime,
        origin: str = "the list",
    ) -> None:
        super().__init__(session)
        self._pets = pets
        self._place = place
        self._listed = f"from {origin}, {at:%H:%M:%S}"
        self.facts = PetFacts(session.look, session.category_name, id="facts")
        self.status_line = StatusLine(session.look)

    @property
    def pet(self) -> Pet:
        """Give the animal as the list knew it."""
        return self._pets[self._place]

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        yield self.header
        yield self.strip
        with VerticalScroll(id="body", can_focus=False):
            yield self.facts
            yield self.notice_bar
        yield self.status_line
        yield self.key_bar

    def on_mount(self) -> None:
        """Show the animal and what is announced of getPet, and ask for it."""
        self._show_notices((ANNOUNCED,))
        self._show_listed()

    def _show_listed(self) -> None:
        self.clear_failure()
        self._show_pet(self.pet, self._listed)
        self.header.age = ""
        self.show_facts()
        self.ask(self._load_pet, self.pet)

    def _show_pet(self, pet: Pet, source: str, remark: str = "") -> None:
        listed = self.pet
        self.facts.changed = frozenset(
            field for field in FIELDS if getattr(pet, field) != getattr(listed, field)
        )
        self.facts.row = Row(pet)
        self.facts.source = source
        self.facts.remark = remark
        self.facts.refresh(layout=True)

    def show_facts(self) -> None:
        """Say what is waited for, and which animal of how many this is."""
        look = self.session.look
        waits = self.waiting_for
        self.status_line.facts = ((f"{waits}{look.ellipsis}", "accent"),) if waits else ()
        if len(self._pets) > 1:
            self.status_line.counts = f"{self._place + 1} of {len(self._pets)}"

    async def _load_pet(self, pet: Pet) -> None:
        """Ask for the animal by getPet; where that is gone, by its replacement."""
        try:
            with self.waiting(f"asking for animal {pet.id}"):
                answer = await self.session.client.get_pet(pet.id, on_wait=self.pause)
        except PetClientError as error:
            if error.notices:
                self._show_notices(error.notices)
            if self._is_operation_gone(error):
                await self._look_up(pet, error.notices)
                return
            self.show_failure(error)
            if isinstance(error, ErrorBodyError) and error.status == 404:
                self._show_pet(pet, self._listed, "no longer there")
            return
        self._show_answer(answer)

    def _show_answer(self, answer: PetAnswer) -> None:
        now = self.session.clock.now()
        age = self.session.age(now, answer.elapsed)
        self.clear_failure()
        self._show_notices(answer.notices, answer.remarks)
        self._show_pet(answer.pet, f"read by getPet {age}")
        self.header.age = age

    def _show_notices(self, notices: Sequence[Notice], remarks: Sequence[str] = ()) -> None:
        today = self.session.clock.now().date()
        sentences = (sentence(notice, today) for notice in notices)
        self.notice_bar.notices = (*self.warnings, *sentences, *remarks)

    def _is_operation_gone(self, error: PetClientError) -> bool:
        """Say whether getPet itself is gone; after its removal date a 404 means that too."""
        if not isinstance(error, ErrorBodyError | NoErrorBodyError):
            return False
        if error.status in GONE_STATUSES:
            return True
        today = self.session.clock.now().date()
        removed = any(n.sunset is not None and n.sunset <= today for n in error.notices)
        return error.status == 404 and removed

    async def _look_up(self, pet: Pet, notices: Sequence[Notice]) -> None:
        """Look the animal up among those of its status (listPets, the stated replacement)."""
        status = PetStatus(pet.status) if isinstance(pet.status, PetStatus) else None
        try:
            with self.waiting(f"looking for animal {pet.id} in the list"):
                page = await self.session.client.list_pets(
                    LIMIT_MAXIMUM, status, on_wait=self.pause
                )
        except PetClientError as error:
            self.show_failure(error)
            return
        self.clear_failure()
        age = self.session.age(self.session.clock.now(), page.elapsed)
        self._show_notices((*notices, *page.notices))
        self.header.age = age
        found = next((each for each in page.pets if each.id == pet.id), None)
        way = "getPet is gone; looked up by GET /pets with the status filter"
        if found is not None:
            self._show_pet(found, f"{way}, {age}")
        else:
            remark = "not among the animals that the service lists"
            self._show_pet(pet, f"{way}, {age}", remark)

    def action_step(self, places: int) -> None:
        """Go to the next or previous animal of the list."""
        place = max(0, min(self._place + places, len(self._pets) - 1))
        if place != self._place:
            self._place = place
            self._show_listed()

    def action_scroll(self, pages: int) -> None:
        """Scroll by what is in sight."""
        body = self.query_one("#body", VerticalScroll)
        body.scroll_relative(y=pages * body.size.height, animate=False, immediate=True)

    def action_refresh(self) -> None:
        """Ask again."""
        self.ask(self._load_pet, self.pet)

    def action_close(self) -> None:
        """Stop waiting for another try, or go back."""
        if self.pause_between_tries is not None:
            self.action_put_away()
        else:
            self.dismiss(self.pet.id)
