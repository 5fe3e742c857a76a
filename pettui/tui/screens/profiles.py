"""The profiles that can be opened in place of this one."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual.containers import Vertical

from pettui.keyboard import actions
from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.screens.boxes import TextViewScreen
from pettui.tui.session.wording import OUTBOX, counts_by_state
from pettui.tui.widgets.bindings import bindings
from pettui.tui.widgets.fitting import first_that_fits
from pettui.tui.widgets.row_table import RowTable
from pettui.tui.widgets.runs import Run, width_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.binding import BindingType
    from textual.events import Key, Paste
    from textual.worker import Worker

    from pettui.outbox.entries import EntryState
    from pettui.settings.settings import Profile
    from pettui.tui.session.session import Profiles, UserSession

LONGEST_WAIT: Final = 2.0  # seconds that a key waits until they are read
FOOT_MARGINS: Final = 4  # cells beside the remark at the foot of the box
LABEL_WIDTH: Final = 14  # cells, at least
RIGHT_WIDTH: Final = 12


class ProfileList(RowTable["tuple[Profile, Mapping[EntryState, int] | None]"]):
    """One profile a row: label, address, and what its outbox holds that was not added."""

    HEADER_ROWS: ClassVar[int] = 0
    CLICKS: ClassVar[int] = 1
    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.PROFILE_ROWS, moves="profile_")

    def __init__(self, session: UserSession) -> None:
        super().__init__(session.glyphs)
        self._current = session.settings.profile.name

    def empty_lines(self) -> Sequence[Sequence[Run]]:
        """Return that the profiles are being read."""
        return [[(f" reading the profiles{self.glyphs.ellipsis}", "muted")]]

    def runs_of(
        self, row: tuple[Profile, Mapping[EntryState, int] | None], sign: str, width: int
    ) -> list[Run]:
        """Return a profile; what its outbox holds has its room before the address."""
        profile, counts = row
        is_current = profile.name == self._current
        label = f" {self.glyphs.line(profile.label, 24)} "
        left: list[Run] = [
            (f"{sign}{self.glyphs.done if is_current else ' '} ", ""),
            (label, f"label-{profile.colour}"),
        ]
        room = max(width - width_of(left) - 2, 0)
        parts = [f"{OUTBOX}?"] if counts is None else counts_by_state(counts)
        style, dot = "notice" if parts else "muted", f" {self.glyphs.dot} "
        texts = [dot.join((*parts, "open now"))] if is_current else []
        right = first_that_fits(self.glyphs, [*texts, dot.join(parts)], room)
        right = right.rjust(RIGHT_WIDTH) if room >= RIGHT_WIDTH else right
        gap = " " * min(max(LABEL_WIDTH - cell_len(label), 1), room - cell_len(right) + 1)
        room = max(width - width_of([*left, (gap, ""), (right, "")]) - 2, 0)
        place = self.glyphs.fit(profile.place, room)
        return [*left, (f"{gap}{place} ", ""), (right, style)]


class ProfilesScreen(BoxScreen):
    """Enter opens the profile under the cursor in place of this one; Esc closes the box."""

    BOX = Vertical
    HINT = "{switch_profile} Switch  {test_profile} Test  {close_profiles} Close"
    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.PROFILES_BOX, close_profiles="dismiss")

    def __init__(self, session: UserSession, profiles: Profiles) -> None:
        self._session = session
        self._profiles = profiles
        self._work: Worker[None] | None = None  # the newest
        self._is_read = asyncio.Event()  # the profiles are, or cannot be
        self.list = ProfileList(session)
        super().__init__(session.glyphs, "Profiles", [self.list])

    def on_mount(self) -> None:
        """Read the profiles; Textual calls the base's handler too."""
        self.set_focus(self.list)
        self._work = self.run_worker(self._read, exclusive=True)

    async def before_key(self, event: Key | Paste) -> bool:
        """Wait for the profiles, for a moment: what is typed ahead is for them."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_WAIT):
                await self._is_read.wait()
        return await super().before_key(event)

    async def _read(self) -> None:
        try:
            listed = await asyncio.to_thread(self._profiles.listed)
        except ValueError as error:
            if self.is_current:  # otherwise it was closed meanwhile
                self.dismiss()
                self._show_problem("The profiles cannot be read", str(error))
        else:
            names = [profile.name for profile, _ in listed]
            current = self._session.settings.profile.name
            self.list.put_rows(listed, names.index(current) if current in names else 0)
        finally:
            self._is_read.set()

    def action_test_profile(self) -> None:
        """Ask the service under the cursor for an animal."""
        if self.list.highlighted is not None:
            profile, _ = self.list.highlighted
            self._work = self.run_worker(partial(self._test, profile), exclusive=True)

    async def _test(self, profile: Profile) -> None:
        label = self.glyphs.line(profile.label, 24)
        self.show_remark(f"asking {label}{self.glyphs.ellipsis}")
        outcome = await self._profiles.test(profile.name)
        if self.glyphs.shown(outcome, self.box.size.width - FOOT_MARGINS, 1)[1]:
            self.show_remark("")
            self._show_problem(label, outcome)
            return
        self.show_remark(self.glyphs.line(outcome))

    async def action_switch_profile(self) -> None:
        """Open the profile under the cursor, if it can be; keys typed meanwhile wait."""
        if self.list.highlighted is None:
            return
        profile, _ = self.list.highlighted
        if profile.name == self._session.settings.profile.name:
            self.show_remark("it is open now")
            return
        if problem := await self._problem(profile):
            self._show_problem(f"{profile.label} cannot be opened", problem)
            return
        self._session.next_profile = profile
        self.dismiss()
        await self.app.run_action("switch")  # before the next key, which is for its question

    async def on_row_table_opened(self) -> None:
        """Open the profile that was clicked."""
        await self.action_switch_profile()

    async def _problem(self, profile: Profile) -> str:
        try:
            async with asyncio.timeout(LONGEST_WAIT):
                return await asyncio.to_thread(self._profiles.problem, profile.name)
        except TimeoutError:
            return "its settings cannot be read: the disk does not respond"

    def _show_problem(self, title: str, text: str) -> None:
        self.app.push_screen(TextViewScreen(self.glyphs, [(title, text)]))
