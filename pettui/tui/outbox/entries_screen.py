"""EntriesScreen: a screen about the outbox, which shows why entries are not sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.text.amounts import counted
from pettui.tui.screens.app_screen import AppScreen
from pettui.tui.session.wording import adds_wait_texts
from pettui.tui.widgets.bindings import key_of
from pettui.tui.widgets.failures import CHANGE_KEY, RETRY, failure_of

if TYPE_CHECKING:
    from pettui.outbox.outbox import Outbox

BRIEF_BELOW: Final = 60  # columns


class EntriesScreen(AppScreen[None]):
    """Entries may be waiting for the service, for the disk, or for another API key."""

    NAMES_REFUSED = True

    @property
    def outbox(self) -> Outbox:
        """The session's outbox."""
        return self.session.outbox

    @property
    def delay_reason(self) -> str:
        """Why entries are not sent, in one raw line; "" if nothing delays them."""
        store_error, waiting_for = self.outbox.store_state.error, self.outbox.sending.waiting_for
        waits = any(entry.waits_here for entry in self.outbox.entries)
        if store_error is not None:
            return store_error
        if waiting_for is None or not waits:
            return self._waiting_for_own_keys()
        key = key_of(self, "refresh")
        tries = f", {key} tries now" if key else ""
        if (texts := adds_wait_texts(self.outbox)) is None:
            return f"waiting{tries}: {waiting_for}"
        return f"{texts[self.app.size.width < BRIEF_BELOW]}{tries}"

    def _waiting_for_own_keys(self) -> str:
        """Return how many entries wait for the API keys that they were typed with; "" for none."""
        waiting = list(filter(self.outbox.waits_for_own_key, self.outbox.entries))
        if not waiting:
            return ""
        count = len(waiting)
        key = key_of(self, "enter_key")
        which = "it was" if count == 1 else "they were"
        verb = "waits" if count == 1 else "wait"
        with_key = f": {key}" if key else ""
        which_key = f"the API key that {which} typed with"
        if not any(entry.own_key for entry in waiting):  # which the service refused
            which_key = "an API key that the service accepts"
        return f"{counted(count)} {verb} for {which_key}{with_key}"

    def short_keys(self) -> tuple[str, ...]:
        """Return no hints while the line says how long adds wait: they would cut it."""
        return super().short_keys() if adds_wait_texts(self.outbox) is None else ()

    def show_notices(self) -> None:
        """Show the problems and notices of the outbox."""
        notices = self.outbox.sending.notices
        self.notice_bar.show(self.outbox.problems, notices)

    def show_key_refusal(self) -> None:
        """Show in the banner that sending needs another API key, unless it shows something else."""
        error = self.outbox.sending.api_key_error
        if error is not None and self.error_banner.failure is None:
            self.error_banner.show(failure_of(error)._replace(hint=f"{CHANGE_KEY}  {RETRY}"))

    def send_now(self) -> None:
        """Send what waits now, and close the banner."""
        self.error_banner.close()
        self.outbox.sending.resume()

    def dismiss_banner(self) -> bool:
        """Close the banner, and show what it hid; return whether it was open."""
        failure = self.error_banner.failure
        if failure is None:
            return False
        self.error_banner.close()
        if not failure.is_unauthorized:
            self.show_key_refusal()
        return True
