"""PetScreen: a screen that points at one animal, which its keys copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from pettui.tui.exports import CLIPBOARD_MAXIMUM
from pettui.tui.screens.store_screen import StoreScreen
from pettui.tui.wording.failures import Failure, is_away

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.client import PetClientError
    from pettui.models import Pet
    from pettui.tui.user_session import UserSession

ADDING = ("add", "add_alike")  # actions

Result = TypeVar("Result")


class PetScreen(StoreScreen[Result], Generic[Result]):
    """It says what was done and what came back on its status line.

    Copies go to the terminal's own clipboard (OSC 52), over SSH to that of the client.
    A terminal may take no copies, and says nothing then: that it may is all that can be told.
    """

    def __init__(self, session: UserSession) -> None:
        super().__init__(session)
        self.remark = ""  # said once, until the next question
        self._was_away = False  # the service could not be reached when it was asked last

    @property
    def pointed_at(self) -> Pet | None:
        """Give the animal that the keys are about; None where there is none."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to add where that can be; elsewhere the same key says why not."""
        if action in ADDING or action == "tell_read_only":
            return self.session.is_read_only == (action == "tell_read_only")
        return super().check_action(action, parameters)

    def action_tell_read_only(self) -> None:
        """Say why nothing can be added, before it is typed."""
        self.tell_remark("read-only: this demo takes no new animals")

    def tell_remark(self, remark: str) -> None:
        """Say something on the status line, until the next question."""
        self.remark = remark
        self.show_facts()

    def show_failure(self, error: PetClientError | Failure) -> None:
        """Put a failure on the strip, and remember whether the service was there at all."""
        super().show_failure(error)
        if not isinstance(error, Failure):
            self._was_away = is_away(error)

    def answered(self) -> None:
        """Take the strip away, and say where the service is back."""
        self.session.is_key_refused = False
        self.clear_failure()
        if self._was_away:
            self._was_away = False
            self.tell_remark("the service answers again")

    # Copying

    @property
    def chosen(self) -> Sequence[Pet]:
        """The animals that are copied: the one that is pointed at, unless others are marked."""
        return () if self.pointed_at is None else (self.pointed_at,)

    def action_copy_id(self) -> None:
        """Copy the animal's id; of several one a line."""
        if pets := self._to_copy():
            what = f"id {pets[0].id}" if len(pets) == 1 else f"{len(pets):,} ids"
            self._copy("\n".join(str(pet.id) for pet in pets), what)

    def action_copy_json(self) -> None:
        """Copy the animal as one line of JSON: the fields that were sent, exactly.

        Several are JSON Lines, which one is too.
        """
        if pets := self._to_copy():
            one = f"animal {pets[0].id} as JSON"
            what = one if len(pets) == 1 else f"{len(pets):,} animals as JSON Lines"
            self._copy("\n".join(pet.as_json for pet in pets), what)

    def _to_copy(self) -> Sequence[Pet]:
        pets = self.chosen
        if not pets:
            self.tell_remark("there is no animal here to copy")
        return pets

    def _copy(self, text: str, what: str) -> None:
        size = len(text.encode())
        if size > CLIPBOARD_MAXIMUM:
            self.tell_remark(f"too long to copy: {size:,} bytes, of at most {CLIPBOARD_MAXIMUM:,}")
            return
        self.app.copy_to_clipboard(text)
        self.tell_remark(f"copied {what}, if this terminal allows it")
