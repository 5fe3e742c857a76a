"""ImportTasks: runs a job's tasks for its screen, with their progress, and why they failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.client import PetClientError
from pettui.transfer.errors import TransferError
from pettui.tui.keys import key_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pettui.tui.screens.importing.import_job import ImportJob
    from pettui.tui.screens.store_screen import StoreScreen
    from pettui.tui.widgets.import_view import ImportBar


class ImportTasks:
    """Each is sent as the screen's request; the job runs one at a time."""

    def __init__(
        self, screen: StoreScreen[int], job: ImportJob, bar: ImportBar, show: Callable[[], None]
    ) -> None:
        """Start none yet.

        Args:
            screen: has the request, the banner and the keys.
            job: what is run.
            bar: shows the progress of sending.
            show: shows the job as it is now.
        """
        self._screen = screen
        self._request = screen.request
        self._job = job
        self._bar = bar
        self._show = show
        self._is_stopping = False

    def stop(self) -> None:
        """Stop what is running; requests that are under way have a moment to finish."""
        self._is_stopping = True
        self._request.cancel()

    @property
    def _ellipsis(self) -> str:
        return self._screen.session.glyphs.ellipsis

    async def look_for_duplicates(self) -> None:
        """Look for duplicates, and count the animals of the list meanwhile."""
        searched = 0

        def words() -> str:
            count = f": {searched:,} animals" if searched else ""
            return f"looking for duplicates in the list{count}{self._ellipsis}"

        def on_page(count: int) -> None:
            nonlocal searched
            searched = count

        with self._request.busy(words):
            await self._try(self._job.look_for_duplicates(self._request.count_down, on_page))
        self._screen.call_later(self._show)  # after this task: the keys depend on its end

    async def look_for_unknown(self) -> None:
        """Look for unknown lines in the service's list."""
        with self._request.busy("looking for unknown lines in the list"):
            await self._try(
                self._job.look_for_unknown(
                    self._request.count_down, lambda _: self._request.progressed()
                )
            )
        self._screen.call_later(self._show)

    async def send(self) -> None:
        """Send the chosen lines."""
        self._screen.clear_failure()

        def on_progress() -> None:
            self._request.progressed()
            if self._bar.progress is None:
                self._show()  # it has changed to sending
            self._bar.progress = self._job.progress

        key = key_of(self._screen, self._screen.STOPS)
        self._is_stopping = False

        def words() -> str:
            what = "stopping: waiting for the last responses"
            return f"{what if self._is_stopping else f'sending, {key} stops'}{self._ellipsis}"

        try:
            with self._request.busy(words, is_shown_at_once=True):
                await self._try(self._job.send(on_progress, self._request.count_down))
        finally:
            if self._screen.is_running:
                self._screen.call_later(self._show)

    async def _try(self, work: Awaitable[None]) -> None:
        """Run a task, and show in the banner why it failed."""
        try:
            await work
        except PetClientError as error:
            self._screen.show_failure(error)
        except TransferError as error:
            self._screen.show_problem("The import stopped", str(error))
