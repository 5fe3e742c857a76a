"""PetDetailScreen: one animal, first as it is known, then as getPet returns it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Container

from pettui.client import (
    ANNOUNCED,
    NOT_FOUND,
    ErrorBodyError,
    PetClientError,
    UnreadablePet,
    is_gone,
)
from pettui.keyboard import actions
from pettui.models.pets import Pet, PetStatus
from pettui.outbox.entries import OutboxError
from pettui.rows.columns import COLUMNS
from pettui.settings.settings import LIMIT_MAXIMUM
from pettui.text.amounts import time_text
from pettui.tui.detail.pet_screen import PetScreen
from pettui.tui.detail.pet_view import AddedHere, PetKnown, PetView, WantedPet
from pettui.tui.screens.app_screen import why_not_on_the_list
from pettui.tui.session.wording import LIST, RECEIPT_NOT_READ, SERVICE_IS_BACK
from pettui.tui.widgets.bindings import bindings
from pettui.tui.widgets.scrolling import Scrolled

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from datetime import datetime

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.worker import Worker

    from pettui.client import Notice
    from pettui.tui.session.session import Age, UserSession

FIRST: Final = "this is the first animal"
ON_THE_LIST: Final = ("find", "go_to", "import_file")  # what goes back there
LAST: Final = "this is the last animal"


class PetDetailScreen(PetScreen[int]):
    """Returns the id of the animal that was shown last, for the list's cursor to follow."""

    RUNS_COMMANDS = True
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_DETAIL,
        moves="detail_",
        next_animal="step(1)",
        previous_animal="step(-1)",
        first_animal="go_to(0)",
        last_animal="go_to(-1)",
        find="app.on_the_list('find')",
        go_to="app.on_the_list('go_to')",
        import_file="app.on_the_list('import_file')",
    )

    STOPS: ClassVar[str] = "close"

    def __init__(
        self,
        session: UserSession,
        pets: Sequence[Pet | WantedPet],
        index: int,
        at: datetime,
        origin: str = f"the {LIST}",
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
        self._pets = pets
        self._index = index
        self._more = more
        self._loading_more: Worker[None] | None = None
        self._notices: tuple[Notice, ...] = (ANNOUNCED,)  # of getPet: they hold for every animal
        self._receipt_of: tuple[int, str, int] | None = None  # id, name and category
        self._reading: Worker[None] | None = None  # the receipt
        self._listed = f"from {origin}, {time_text(at, session.clock.now())}"
        self.pet_view = PetView(session, id="facts")
        self.pet_known = PetKnown(session, id="known")
        self.cutting += (self.pet_view, self.pet_known)

    @property
    def known(self) -> list[Pet]:
        """The animals to step through, as far as they are known."""
        return [pet for pet in self._pets if not isinstance(pet, WantedPet)]

    @property
    def pet(self) -> Pet | WantedPet:
        """The animal as it was listed."""
        return self._pets[self._index]

    @property
    def target(self) -> Pet | None:
        """The animal as it is shown."""
        element = self.pet_view.element
        return None if isinstance(element, UnreadablePet | WantedPet) else element

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        yield self.header
        yield self.error_banner
        with Scrolled(id="body", can_focus=False):
            yield Container(self.pet_view, self.notice_bar, id="own")
            yield self.pet_known
        yield self.status_line
        yield self.key_bar

    def on_mount(self) -> None:
        """Show the animal and the notices of getPet, and load it."""
        self._show_notices()
        self._show_listed()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there are other animals, and whether one like this can be added."""
        if action == "step":
            return len(self._pets) > 1 or self._more is not None
        if action == "add_alike" and self.target is None:
            return False
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str | None:
        """Return why the list cannot be gone back to, nor a file be imported there, too."""
        if action in ON_THE_LIST and (reason := why_not_on_the_list(self)) is not None:
            return reason
        if action == "import_file" and (
            self.session.open_journal is None or self.session.is_read_only
        ):
            return "no file can be imported here"
        return super().why_not(action)

    # What is shown

    def _show_listed(self) -> None:
        self.error_banner.close()
        self._show_pet(self.pet, self._listed)
        self.header.age = None
        self.remark = ""
        self.request.start(self._load, self.pet)

    def _show_pet(self, pet: Pet | WantedPet, source: str, remark: str = "") -> None:
        """Show an animal, where it is from, and in ``remark`` if it was not found."""
        listed = self.pet
        self.pet_view.changed = frozenset(
            column.name
            for column in COLUMNS
            if not isinstance(pet, WantedPet)
            and not isinstance(listed, WantedPet)
            and column.value(pet) != column.value(listed)
        )
        self._look_into_receipt(pet)
        self.pet_view.element = pet
        self.pet_view.source = "" if isinstance(pet, WantedPet) else source
        self.pet_view.remark = remark
        self.pet_known.element = pet
        for view in (self.pet_view, self.pet_known):
            view.refresh(layout=True)

    def _look_into_receipt(self, pet: Pet | WantedPet) -> None:
        """Forget what the receipt has of another animal, and look for this one."""
        of = None if isinstance(pet, WantedPet) else (pet.id, pet.name, pet.category_id)
        if of != self._receipt_of:
            self._receipt_of, self.pet_known.added_here = of, None
            if not isinstance(pet, WantedPet):
                read = partial(self._read_receipt, pet)
                self._reading = self.run_worker(read, group="receipt", exclusive=True)

    async def _read_receipt(self, pet: Pet) -> None:
        """Show who added the animal, when and how; nothing where that is not known."""
        outbox = self.session.outbox
        try:
            added = await outbox.store_thread.run(outbox.receipts.added, pet)
        except OutboxError as error:
            self.session.record_once(RECEIPT_NOT_READ, str(error))
            return
        if added is not None and self._receipt_of == (pet.id, pet.name, pet.category_id):
            entry = next((each for each in outbox.entries if each.entry_id == added.key), None)
            self.pet_known.added_here = AddedHere(added, entry)
            self.changed()  # it may be cut

    def draw(self) -> None:
        """Draw what is loading, and which animal of how many this is."""
        texts = ((self.request.text, "accent"), (self.remark, "notice"))
        self.status_line.texts = tuple(text for text in texts if text[0])[:1]
        self.status_line.keys = self.short_keys()
        if len(self._pets) > 1:
            self.status_line.counts = (f"{self._index + 1} of {len(self._pets)}",)

    def _show_notices(self, more: Iterable[Notice] = (), remarks: Iterable[str] = ()) -> None:
        """Show the notices of getPet, further ones, and remarks on the response."""
        self.notice_bar.show((), (*self._notices, *more), remarks)

    # Loading: by getPet or, once that is gone, by its replacement

    def action_refresh(self) -> None:
        """Load the animal again."""
        self.remark = ""
        self.request.start(self._load, self.pet)

    async def _load(self, pet: Pet | WantedPet) -> None:
        try:
            with self.request.busy(f"loading animal {pet.id}"):
                response = await self.session.client.get_pet(
                    pet.id, on_wait=self.request.count_down
                )
        except PetClientError as error:
            # Announced notices stay anyway.
            own = tuple(each for each in error.notices if not each.announced)
            self._notices = own or self._notices
            self._show_notices()
            if is_gone(error, self.session.clock.now().date()):
                await self._look_up(pet)
                return
            self.request_failed(error)
            if isinstance(error, ErrorBodyError) and error.status == NOT_FOUND:
                self._show_missing()
            return
        age = self.session.age(self.session.clock.now(), response.elapsed)
        self._notices = response.notices
        self._show_loaded(response.pet, f"confirmed {''.join(age)}", age)
        self._show_notices(remarks=response.remarks)

    async def _look_up(self, pet: Pet | WantedPet) -> None:
        """Look the animal up by the stated replacement of getPet: the list of its status.

        A list of at most 100 cannot prove that an animal is gone.
        """
        status = pet.status if isinstance(pet.status, PetStatus) else None
        try:
            with self.request.busy(f"looking for animal {pet.id} in the {LIST}"):
                page = await self.session.client.list_pets(
                    LIMIT_MAXIMUM, status, on_wait=self.request.count_down
                )
        except PetClientError as error:
            self._show_notices(error.notices)
            self.request_failed(error)
            return
        found = next((each for each in page.pets if each.id == pet.id), None)
        age = self.session.age(self.session.clock.now(), page.elapsed)
        source = f"getPet is gone; looked up by GET /pets?status, {''.join(age)}"
        remark = "" if found is not None else "not among the animals that the service lists"
        self._show_loaded(found or pet, source, age, remark)
        self._show_notices(page.notices)

    def _show_loaded(self, pet: Pet | WantedPet, source: str, age: Age, remark: str = "") -> None:
        if self.request_succeeded():
            self.remark = SERVICE_IS_BACK
        self._show_pet(pet, source, remark)
        self.header.age = age

    def _show_missing(self) -> None:
        """Show that the service has no such animal; what is known of it stays."""
        is_listed = not isinstance(self.pet, WantedPet)
        remark = "no longer there" if is_listed else "there is no such animal"
        self._show_pet(self.pet, self._listed, remark)

    # The other animals of the list

    def action_step(self, by: int) -> None:
        """Go to the next or previous animal of the list; after the last one, load more."""
        if 0 <= self._index + by < len(self._pets):
            self.action_go_to(self._index + by)
        elif by < 0:
            self.show_remark(FIRST)
        elif self._more is None:
            self.show_remark(LAST)
        elif self._loading_more is None or self._loading_more.is_finished:
            self._loading_more = self.run_worker(partial(self._load_more, self._more))

    def action_go_to(self, index: int) -> None:
        """Go to an animal of the list; -1 is the last that is loaded."""
        if (index := index % len(self._pets)) != self._index:
            self._index = index
            self.notice_bar.count_as_seen()
            self._show_notices()
            self._show_listed()

    async def _load_more(self, more: Callable[[], Awaitable[Sequence[Pet]]]) -> None:
        """Load more animals, then go to the next one, unless the clerk went elsewhere."""
        shown, count = self.pet.id, len(self._pets)
        with self.request.busy("loading the next page"):
            pets = await more()
        index = next((i for i, pet in enumerate(pets) if pet.id == shown), None)
        if index is None or len(pets) <= count:
            if self.pet.id == shown:
                self.show_remark(LAST)
            return
        is_still_shown = self.pet.id == shown
        self._pets, self._index = pets, index if is_still_shown else self._index
        if is_still_shown and index + 1 < len(pets):
            self.action_step(1)

    # Further keys

    async def action_add_alike(self) -> None:
        """Open the form with this category and status; the app does, as forms open animals."""
        await self.run_action("app.open_form_like")

    def action_move_page(self, pages: int) -> None:
        """Scroll by pages."""
        body = self.query_one("#body", Scrolled)
        body.scroll_relative(y=pages * body.size.height, animate=False, immediate=True)

    async def action_close(self) -> None:
        """Stop waiting for another attempt, or go back."""
        if self.request.pending_retry is not None:
            await self.action_put_away()
        else:
            self.dismiss(self.pet.id)
