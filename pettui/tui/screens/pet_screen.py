"""PetScreen: a screen whose keys copy animals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from pettui.tui.screens.screen import AppScreen
from pettui.tui.wording import Failure, is_away

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.client import PetClientError
    from pettui.models import Pet
    from pettui.tui.user_session import UserSession

ADDING = ("add", "add_alike")  # actions

Result = TypeVar("Result")

CLIPBOARD_MAXIMUM: Final = 74_994
"""Bytes. In base64, framed by OSC 52, they are the 100,000 bytes that terminals accept."""


class PetScreen(AppScreen[Result], Generic[Result]):
    """Shows remarks on its status line, and copies to the clipboard.

    Copies go to the terminal's own clipboard (OSC 52), over SSH to that of the client. A terminal
    may ignore them without a word, hence "if this terminal allows it".
    """

    def __init__(self, session: UserSession) -> None:
        super().__init__(session)
        self.remark = ""  # shown until the next key or failure
        self._was_away = False  # the newest request did not reach the service

    @property
    def target(self) -> Pet | None:
        """The animal that the keys apply to; None if there is none."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether adding is possible; if not, the same key explains why."""
        if action in ADDING or action == "explain_read_only":
            return self.session.is_read_only == (action == "explain_read_only")
        return super().check_action(action, parameters)

    def action_explain_read_only(self) -> None:
        """Show why nothing can be added."""
        self.show_remark("read-only: this demo accepts no new animals")

    def show_remark(self, remark: str) -> None:
        """Show a remark on the status line, beside what stands there, until the next key."""
        self.remark = remark
        self.update_status()

    def show_message(self, text: str) -> None:
        """Show a message in place of the remark too."""
        super().show_message(text)
        if self.remark:
            self.show_remark("")

    def show_failure(self, error: PetClientError | Failure) -> None:
        """Show a failure in the banner, and remember whether the service was reached."""
        self.remark = ""  # on a narrow screen it would hide that the rows are older
        super().show_failure(error)
        if not isinstance(error, Failure):
            self._was_away = is_away(error)

    def request_succeeded(self, *, is_automatic: bool = False) -> None:
        """Close the banner, and show that the service is back if it was away.

        It also sends the animals that wait for the service and, if the clerk asked for it, those
        that wait for a key.
        """
        self.session.is_key_refused = False
        self.session.outbox.sending.service_responded(is_automatic=is_automatic)
        self.clear_failure()
        if self._was_away:
            self._was_away = False
            self.show_remark("the service is back")

    # Copying

    @property
    def targets(self) -> Sequence[Pet]:
        """The animals to be copied: the target, unless others are marked."""
        return () if self.target is None else (self.target,)

    @property
    def not_shown_text(self) -> str:
        """How many of them are not on the screen; "" for none."""
        return ""

    def action_copy_id(self) -> None:
        """Copy the animal's id; several go on a line each."""
        if pets := self._to_copy():
            what = f"id {pets[0].id}" if len(pets) == 1 else f"{len(pets):,} ids"
            self._copy("\n".join(str(pet.id) for pet in pets), what)

    def action_copy_json(self) -> None:
        """Copy the animal as one line of JSON with exactly the fields that were sent.

        Several become JSON Lines.
        """
        if pets := self._to_copy():
            one = f"animal {pets[0].id} as JSON"
            what = one if len(pets) == 1 else f"{len(pets):,} animals as JSON Lines"
            self._copy("\n".join(pet.as_json for pet in pets), what)

    def _to_copy(self) -> Sequence[Pet]:
        pets = self.targets
        if not pets:
            self.show_remark("there is no animal here to copy")
        return pets

    def _copy(self, text: str, what: str) -> None:
        size = len(text.encode())
        if size > CLIPBOARD_MAXIMUM:
            self.show_remark(f"too long to copy: {size:,} bytes, of at most {CLIPBOARD_MAXIMUM:,}")
            return
        self.app.copy_to_clipboard(text)
        self.show_remark(f"copied {what}{self.not_shown_text}, if this terminal allows it")
