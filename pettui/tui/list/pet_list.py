"""PetListScreen: the home screen, with the animals that the service lists.

From ``/`` to the rows that are found:

1. ``PetPanes.action_find`` opens a ``FindLine``, whose field tells it each letter at once.
2. ``FindLine.text_changed`` calls ``PetPanes.find``, which wants a ``RowView`` with other words.
3. ``ShownList.use`` finds and sorts the loaded rows by it, and ``PetTable`` gets them.

From ``M`` to the rows of all pages:

1. ``ListLoader.all_pages`` returns what is wanted, a ``Fetch``; ``_load`` starts it as a request.
2. ``_request`` iterates over ``ListLoader.pages``, which asks ``PetClient`` for one page at a time.
3. ``_show_response`` has the panes show the rows of each; ``request_failed`` says why one failed.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.events import Mount, Resize, ScreenResume
from textual.widgets import Input

from pettui.client import PetClientError, PetPage, UnreadablePet
from pettui.keyboard import actions
from pettui.keyboard.key_names import shared_keys
from pettui.models.pets import Pet, PetStatus
from pettui.models.statuses import status_word
from pettui.outbox.entries import Entry, EntryState
from pettui.rows.shown import id_of, pets_of
from pettui.settings.settings import StoreKind
from pettui.transfer.files import TransferError
from pettui.tui.deferred_imports import are_preloaded, preload
from pettui.tui.detail.marked import Targets
from pettui.tui.detail.pet_screen import PetScreen
from pettui.tui.detail.pet_view import WantedPet
from pettui.tui.list.list_loading import Extent, Fetch, ListLoader, Refreshing
from pettui.tui.list.list_state import ListState
from pettui.tui.list.listing import Listing, ListQuery, larger, smaller
from pettui.tui.list.pet_panes import PetPanes
from pettui.tui.list.shown_list import ShownList
from pettui.tui.screens.app_screen import asks
from pettui.tui.session.session import SHORTEST_TIMER, EntryChanged, Samples, UserSession
from pettui.tui.session.wording import SERVICE_IS_BACK, adds_wait_texts, counts_of, undecided_texts
from pettui.tui.widgets.appearance import read_styles_of_other_screens
from pettui.tui.widgets.bindings import bindings, hints
from pettui.tui.widgets.failures import Failure, is_away
from pettui.tui.widgets.find import FindLine
from pettui.tui.widgets.fitting import as_many_as_fit
from pettui.tui.widgets.header import FILTERS, StatusTabs
from pettui.tui.widgets.prompt import PromptLine

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Sequence

    from textual.app import ComposeResult
    from textual.binding import ActiveBinding, BindingType
    from textual.timer import Timer

    from pettui.tui.list.number_lines import IdLine, LimitLine
    from pettui.tui.list.pet_table import PetTable
    from pettui.tui.transfer.import_line import ImportLine
    from pettui.tui.transfer.importing import Imported

ALL: Final = "that is all the service lists"
CONTINUES: Final = "{all_pages} continues"
TOO_MANY: Final = 429  # requests, says the service
LIMIT_PAUSE: Final = 0.15  # seconds after the last + or - until the request
EMPTY_MARGINS: Final = 6  # cells beside the text of an empty table, a scroll bar included
# Seconds from the first key that waits for rows: a slow service holds up no others, while that of
# this process is only slow where many start at once, and it fails by itself.
LONGEST_WAIT = 2.0
LONGEST_WAIT_HERE: Final = 10.0


class PetListScreen(PetScreen[None]):
    """Tabs, table and preview of what is loaded, filtered and sorted by a view.

    The keys that need no service (find, sort, marks, preview) are those of ``PetPanes``.
    """

    CSS_PATH = None  # its styles are the app's
    RUNS_COMMANDS = True
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        [each for each in actions.PET_LIST if each not in actions.PET_PANES],
        filter_all="filter('')",
        limit_up="change_limit(1)",
        limit_down="change_limit(-1)",
        **{f"filter_{status}": f"filter('{status}')" for status in PetStatus},
    )
    DECLARED = actions.PET_LIST
    SHOWS_NOTICES_ONCE: ClassVar[bool] = False  # they stay until Esc

    def __init__(self, session: UserSession) -> None:
        super().__init__(session)
        self.tabs = StatusTabs(session.glyphs)
        self.loader = ListLoader(session)
        self.list = self.exported = ShownList(session, self.loader)
        self.panes = PetPanes(session, self.list, self.request, self.prompt)
        self.table = self.panes.table
        self.cutting += (self.panes,)
        self.first_rows = asyncio.Event()  # they came, or will not: no key waits for them any more
        self._warnings = [each.sentence for each in shared_keys(session.settings.keys)]
        self.refreshing = Refreshing(session.pace)  # without the clerk
        self._waking: Timer | None = None  # when that is due, or counts down
        self._typed_before = ""  # the newest entry as another screen came on top of this one
        # The entry, or else the ids, to which the cursor goes from this one; see ``_go_to_added``
        self._awaited: tuple[str, Collection[int], int | None] | None = None

    # Textual calls a handler (``on_…``) of this class first, and then that of the base class too.

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        yield self.header
        yield self.tabs
        yield self.error_banner
        yield self.notice_bar
        yield self.panes
        yield self.status_line
        yield self.key_bar

    @property
    def is_key_missing(self) -> bool:
        """Whether there is no API key, and the prompt for it has not been opened yet."""
        return not self.session.client.has_key and not self.key_prompt.opened.is_set()

    @on(Mount)
    async def ask_for_missing_key(self) -> None:
        """Open the prompt for an API key where there is none; before ``on_mount``."""
        if self.is_key_missing:
            await self.action_enter_key()

    def on_mount(self) -> None:
        """Load the list."""
        self.call_after_refresh(read_styles_of_other_screens, self.app)
        self.key_prompt.focus_later(self.table)
        self._load(self.loader.load(self.loader.query._replace(limit=self.limit)))

    async def wait_for_rows(self) -> None:
        """Wait for the first rows with a key that acts on them, never for long, and only once."""
        is_service = self.session.settings.profile.kind is StoreKind.SERVICE
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_WAIT if is_service else LONGEST_WAIT_HERE):
                await self.first_rows.wait()
        self.first_rows.set()

    def on_resize(self, event: Resize) -> None:  # noqa: ARG002 - Textual gives it
        """Show the preview where it adds something at this size."""
        self.panes.place()

    def on_screen_suspend(self) -> None:
        """End the range: what moves the cursor next is another screen."""
        self.panes.end_range()
        self._typed_before = max(self.session.outbox.typed_here, default="")

    def on_screen_resume(self, event: ScreenResume) -> None:  # noqa: ARG002 - as the base has it
        """Show what changed meanwhile."""
        self.panes.place()
        outbox = self.session.outbox
        typed = (each.entry_id for each in outbox.entries if each.entry_id in outbox.typed_here)
        if (newest := max(typed, default="")) > self._typed_before:
            self._typed_before = newest
            self._awaited = newest, (), id_of(self.table.highlighted)
            self._go_to_added()
        self._catch_up()
        self.refresh_if_due()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there is something to open, import or undo."""
        if action == "open":
            return self.table.highlighted is not None
        if action == "import_file":
            return self.session.open_journal is not None and not self.session.is_read_only
        has_more = action == "put_away" and (
            self.prompt.line is not None
            or self.list.view.is_narrowed
            or self.list.marked.count > 0
            or self.notice_bar.display
        )
        return has_more or super().check_action(action, parameters)

    async def action_put_away(self) -> None:
        """Undo one thing: the request, the line, the range, the find, "only the marked ones".

        After them come the marks, the banner and the notices.
        """
        if self.request.is_shown:
            if loaded := self.loader.stop():
                self.request.cancel()
                self.refreshing.plan()  # all pages may have cancelled its request
                self.remark = "  ".join([f"stopped after {loaded}", *hints(CONTINUES, self)])
            else:
                await super().action_put_away()
        elif (line := self.prompt.line) is not None:
            await line.undo()
        elif self.list.marked.has_range:
            self.panes.end_range(keeps=False)
        elif self.list.view.is_narrowed:
            self.panes.show_view(self.list.view.widened())
        elif self.list.marked.count:
            self.panes.clear_marks()
        elif self.error_banner.failure is not None:
            await super().action_put_away()
            if not self.request.is_running:
                self.loader.give_up()  # the banner offered to retry it
        else:
            self.session.greeting = ""
            self.notice_bar.put_away()

    # Loading: a key wants something, and this is the one way to it and back

    @property
    def listing(self) -> Listing | None:
        """What is loaded; None before the first response."""
        return self.loader.listing

    def _load(self, fetch: Fetch) -> None:
        """Request what is wanted, in place of what is on its way; show what is known of it."""
        if self.list.is_outdated:
            self.panes.show_loaded()
        if not self.loader.is_automatic:
            self.remark = ""
        self.request.start(self._request, fetch)
        self.changed()

    async def _request(self, fetch: Fetch) -> None:
        """Show the rows of each page that arrives, or why none did."""
        await asyncio.sleep(fetch.after)
        await self.session.recall_import()
        loader, is_all = self.loader, fetch.extent is Extent.ALL
        try:
            with self.request.busy(loader.begin(fetch), is_shown_at_once=is_all):
                if self.listing is not None and self.listing.is_last_list:
                    # First these rows are drawn: a thread that loads the client would slow it down.
                    await self.wait_for_refresh()
                async with aclosing(loader.pages(fetch, self.request.count_down)) as arriving:
                    async for new_pages in arriving:
                        self.request.end_if_closed()
                        self.request.end_countdown()
                        if new_pages:
                            self._show_response(new_pages)
        except PetClientError as error:
            self.request_failed(error)
        else:
            if loader.remark:
                self.remark = loader.remark
            self.call_later(self._catch_up)
        if not are_preloaded():  # once the rows are drawn: the thread would slow that down
            self.call_after_refresh(self.app.run_worker, preload, group="preload")

    def _show_response(self, new_pages: Sequence[PetPage]) -> None:
        """Close the banner, and draw the rows that are loaded now; find, order and cursor stay."""
        is_automatic = self.loader.is_automatic
        if self.request_succeeded(is_automatic=is_automatic):
            self.remark = SERVICE_IS_BACK
        self.refreshing.succeeded()
        self.list.marked.update(pet for page in new_pages for pet in page.pets)
        self.panes.show_loaded(is_automatic=is_automatic)
        self.table.move_on()
        self._go_to_added()
        self.changed()

    def request_failed(self, error: PetClientError | Failure) -> None:
        """Show why in the banner, and plan the next attempt; the rows stay, with their time."""
        is_known = False  # a service that is still away is not shown again without the clerk
        if isinstance(error, PetClientError):
            is_tried = is_away(error) or error.status == TOO_MANY  # again, by itself
            is_known = self.loader.is_automatic and self.refreshing.has_failed and is_tried
            self.refreshing.failed(is_tried=is_tried, retry_after=error.retry_after)
        else:
            self.refreshing.plan()
        if not is_known or self.error_banner.failure is not None:
            super().request_failed(error)

    def action_refresh(self) -> None:
        """Load what is shown or what failed again; then no row counts as new or changed."""
        self._load(self.loader.refresh(self.limit))

    def action_filter(self, status: str) -> None:
        """Show the animals of one status, or all."""
        self.panes.end_range()
        self._load(self.loader.filter(status or None, self.limit))

    def on_status_tabs_picked(self, message: StatusTabs.Picked) -> None:
        """Show the animals of the clicked status."""
        self.action_filter(message.status or "")

    def action_more(self) -> None:
        """Load the next page, or with a larger limit; or show that there is no more."""
        self._load_further(self.loader.more())

    def action_all_pages(self) -> None:
        """Load all pages, one after the other, or show that all are loaded."""
        self._load_further(self.loader.all_pages())

    def _load_further(self, fetch: Fetch | None) -> None:
        if fetch is not None:
            self._load(fetch)
        elif self.loader.has_all and self.listing is not None and not self.listing.is_at_maximum:
            self.remark = ALL

    async def load_rest(self) -> bool:
        """Load what is missing, for an export; return whether all is there, or show why not."""
        if (fetch := self.loader.all_pages()) is not None:
            self._load(fetch)
        if not self.loader.has_all:
            await self._wait_for_pages()
        return self.loader.has_all

    async def _wait_for_pages(self) -> None:
        """Wait for the request; they are given up with who waits, and then the watch goes on."""
        try:
            await self.request.wait()
        except asyncio.CancelledError:
            self.loader.give_up()
            self.refreshing.plan()  # they may have cancelled its request
            self.changed()
            raise

    # The limit

    @property
    def limit(self) -> int:
        """The limit of the next list."""
        return self.loader.limit(self.app.size.height)

    def action_change_limit(self, by: int) -> None:
        """Choose a larger or smaller limit; the request waits for further key presses."""
        limit = self.loader.query.limit
        self._use_limit(larger(limit) if by > 0 else smaller(limit), after=LIMIT_PAUSE)

    async def action_set_limit(self) -> None:
        """Open the prompt for a limit."""
        from pettui.tui.list.number_lines import LimitLine

        unchosen = self.loader.unchosen_limit(self.app.size.height)
        await self.prompt.ask(LimitLine(self.session.glyphs, self.loader.query.limit, unchosen))

    async def on_limit_line_chosen(self, message: LimitLine.Chosen) -> None:
        """Use the limit that was typed, or say which one is used without any."""
        await self.prompt.close()
        self._use_limit(message.limit)
        if message.limit is None:
            why = "automatic" if self.session.settings.limit is None else "the setting"
            self.remark = f"limit {self.limit}: {why}"

    def _use_limit(self, chosen: int | None, *, after: float = 0) -> None:
        query = self.loader.query
        self.loader.choose_limit(chosen)
        if self.limit != query.limit:
            self._load(self.loader.load(ListQuery(query.status, self.limit), after=after))

    # Past the last row

    def on_pet_table_past_end(self, message: PetTable.PastEnd) -> None:
        """Load more, then move the cursor on; a key that is held loads once."""
        if not self.list.can_go_on:
            return
        self.table.await_rows(message.rows)
        if not (self.request.is_running and self.loader.wants_more):
            self.action_more()

    async def _more_pets(self) -> list[Pet]:
        """Load the next page, if it belongs after the last row, and return all animals."""
        if self.list.can_go_on:
            self.action_more()
            await self._wait_for_pages()
        return pets_of(self.table.rows)

    # Refreshing without the clerk. It pauses while another screen is on top, something is typed,
    # another request is running, or a later page has failed, which F5 retries.

    def refresh_first_page(self) -> None:
        """Load the first page and merge it, unless a request is running: that looks again."""
        if not self.request.is_running:
            self._load(self.loader.refresh_first_page())

    def _catch_up(self) -> None:
        """Refresh if animals were added since the list was requested."""
        if self.is_on_top and self.loader.is_behind and not self._is_add_first:
            self.refresh_first_page()

    def action_watch(self) -> None:
        """Turn automatic refreshing on or off."""
        every = self.session.settings.watch if self.refreshing.every is None else None
        self.refreshing.watch(every)
        off = "no longer watching"
        self.remark = off if every is None else f"watching: refreshing every {every:g} s"

    def refresh_if_due(self) -> None:
        """Refresh if that is due; what is drawn then counts down to the next time."""
        if self.refreshing.next_in == 0.0 and not self._is_refresh_paused:
            self.refreshing.begin()
            self.refresh_first_page()
        self.changed()

    @property
    def _is_refresh_paused(self) -> bool:
        return (
            not self.is_on_top
            or isinstance(self.focused, Input)
            or self.request.is_running
            or self.loader.is_interrupted
            or self._is_add_first
        )

    @property
    def _is_add_first(self) -> bool:
        """Whether a list that nobody asked for would take the place of an add."""
        outbox = self.session.outbox
        return outbox.sending.is_about_to_go and bool(outbox.on_the_way)

    def on_entry_changed(self, message: EntryChanged) -> None:
        """Load an animal that was just added, or what was while others had to go first."""
        if message.entry.state is EntryState.ADDED or not self.session.outbox.on_the_way:
            self._catch_up()
            self._go_to_added()

    # What the form added last, or an import that is marked: the cursor goes there as soon as it is
    # listed, unless a key was pressed since, or the cursor moved.

    def _go_to_added(self) -> None:
        if self._awaited is None:
            return
        (entry_id, ids, here), entry = self._awaited, self._awaited_entry
        if entry is not None:
            ids = [entry.pet_id] if entry.pet_id is not None else ()
        listed = next((each for row in self.table.rows if (each := id_of(row)) in ids), None)
        is_moved = id_of(self.table.highlighted) != here
        is_lost = entry is None and entry_id
        if is_moved or is_lost or (listed is not None and self.table.go_to(listed)):
            self.await_nothing()

    def await_nothing(self) -> None:
        """Leave the cursor where it is from now on, as after each key."""
        if self._awaited is not None:
            self._awaited = None
            self.changed()

    @property
    def _awaited_entry(self) -> Entry | None:
        """What is awaited, as long as it can still be added."""
        entries = self.session.outbox.entries if self._awaited else ()
        found = (each for each in entries if self._awaited and each.entry_id == self._awaited[0])
        entry = next(found, None)
        may_come = (EntryState.WAITING, EntryState.SENDING, EntryState.ADDED)
        return entry if entry is not None and entry.state in may_come else None

    @property
    def _awaited_text(self) -> str:
        """Why the cursor is not there yet, in a few words; "" where it only has to be loaded."""
        entry, listing = self._awaited_entry, self.listing
        if entry is None:
            return ""
        if entry.state is not EntryState.ADDED:
            return f"{entry.label} not added yet"
        if listing is not None and any(pet.id == entry.pet_id for pet in listing.pets):
            return f"{entry.label} is hidden by what is found"
        status = self.loader.query.status
        if status is not None and entry.status != status:
            return f"{entry.label} is hidden by the filter: it is {status_word(entry.status)}"
        return ""

    # What is shown

    def on_pet_panes_changed(self, message: PetPanes.Changed) -> None:
        """Show what follows from other rows, marks or another order."""
        self.remark = self.remark if message.remark is None else message.remark
        self.changed()

    def explain(self, action: str) -> bool:
        """Show why a key does nothing or, for a full text, what the row cuts or what shows it."""
        reason = self.why_not(action)
        if action != "view_full_text" or reason is None:
            return super().explain(action)
        whole = self.table.cut_texts(self.target) if self.target is not None else ()
        shows = hints(f"{reason}: {{open}} shows the animal", self)
        self.show_remark(f" {self.session.glyphs.dot} ".join(whole or shows or [reason]))
        return True

    def on_row_table_highlighted(self, message: PetTable.Highlighted) -> None:
        """Let the preview and a range go with the cursor."""
        self.panes.highlight(message.row)

    # What stands around the rows

    @property
    def state(self) -> ListState:
        """All that is shown now."""
        return ListState(
            self.loader,
            self.list,
            self.request,
            is_finding=isinstance(self.prompt.line, FindLine),
            remark=self.remark,
            awaited=self._awaited_text,
            adds_wait=adds_wait_texts(self.session.outbox),
            watch=self.refreshing.remark(is_typing=isinstance(self.focused, Input)),
        )

    @property
    def idle_actions(self) -> Collection[str]:
        """The key for more, too, where all is loaded."""
        return (*super().idle_actions, *([] if self.loader.goes_on else ["more"]))

    def draw(self) -> None:
        """Draw what stands around the rows; called after each handler that changed something."""
        session, state, glyphs = self.session, self.state, self.session.glyphs
        now, active = session.clock.now(), self.active_bindings.values()
        if (listing := self.listing) is not None:
            self.header.age = session.age(listing.answered_at, listing.elapsed)
        if not self.first_rows.is_set() and (listing is not None or self.loader.is_stale):
            self.app.call_later(self.first_rows.set)  # after the table got the focus
        self.tabs.active, self.tabs.wanted = state.status, state.wanted_status
        self.tabs.counts = tuple(map(self.loader.count_of, FILTERS))
        self.tabs.remarks = state.remarks(glyphs)
        has_banner = self.error_banner.failure is not None
        self.panes.side.set_class(has_banner, "-crowded")  # which needs their room
        line = self.status_line
        line.texts = state.texts(glyphs, now)
        # That rows are missing is said at every width; more keys would cut how long adds wait.
        own = f"{state.loading_keys}  {state.view_keys}"
        keys = (*hints(own, self, active), *self.short_keys())
        tries = tuple(hints("{outbox}, {refresh}: try now", self, active))
        line.keys = keys if state.adds_wait is None else tries
        line.counts = counts_of(session.outbox, session.receipt.count)
        line.undecided = undecided_texts(glyphs, session.outbox, session.open_imports.all)
        self._show_notices(active)
        room = self.app.size.width - EMPTY_MARGINS
        self.table.empty_text = as_many_as_fit(glyphs, hints(state.empty_text, self, active), room)
        if self._waking is not None:
            self._waking.stop()
        seconds = self.refreshing.wakes_in(is_paused=self._is_refresh_paused)
        self._waking = None
        if seconds is not None:
            self._waking = self.set_timer(max(SHORTEST_TIMER, seconds), self.refresh_if_due)

    def _show_notices(self, active: Collection[ActiveBinding]) -> None:
        greeting = " ".join(hints(self.session.greeting, self, active))
        profile = self.session.settings.profile
        lines = (*filter(None, [greeting]), *self._warnings, *profile.warnings)
        remarks = self.listing.remarks if self.listing is not None else ()
        self.notice_bar.show(lines, self.loader.notices, remarks)

    @on(PromptLine.Closed, "#find-line, #limit-line, #id-line, #file-line")
    async def _undo_in_line(self) -> None:
        """Undo one thing, as Esc does outside the line."""
        await self.action_put_away()

    # Go to

    async def action_go_to(self) -> None:
        """Open the prompt for an id."""
        from pettui.tui.list.number_lines import IdLine

        await self.prompt.ask(IdLine(self.session.glyphs))

    async def on_id_line_chosen(self, message: IdLine.Chosen) -> None:
        """Go to the animal if its row is shown, or open it, even if the find hides its row."""
        await self.prompt.close()
        pet_id = message.pet_id
        if pet_id is not None and not self.table.go_to(pet_id):
            pets = self.listing.pets if self.listing is not None else ()
            known = next((pet for pet in pets if id_of(pet) == pet_id), None)
            await self._show_pets([known or WantedPet(pet_id)])

    # Marks, copying, export and import

    @property
    def target(self) -> Pet | None:
        """The animal under the cursor; None on an unreadable row."""
        return self.table.highlighted_pet

    @property
    def has_targets(self) -> bool:
        """Whether any are marked, or one is under the cursor."""
        return self.list.marked.count > 0 or super().has_targets

    @property
    def targets(self) -> Targets:
        """The marked animals, or else the one under the cursor."""
        marked = self.list.marked.in_order(self.list.shown)
        return Targets(marked, self.list.hidden) if marked else super().targets

    async def action_import_file(self) -> None:
        """Open the prompt for a file to import."""
        from pettui.tui.transfer.import_line import ImportLine

        if (open_journal := self.session.open_journal) is not None:
            await self.prompt.ask(ImportLine(self.session, open_journal, self.key_prompt))

    async def import_file(self, path: str) -> None:
        """Read a file for an import, as if its name had been typed."""
        await self.action_import_file()
        if (line := self.prompt.line) is not None:
            line.text = path
            await line.action_submit()

    async def on_import_line_opened(self, message: ImportLine.Opened) -> None:
        """Show the lines of a file that was read and checked."""
        from pettui.tui.transfer.importing import PetImportScreen

        await self.prompt.close()
        screen = PetImportScreen(self.session, message.path, message.importing, message.reading)
        await self.app.push_screen(screen, self._imported)
        if not screen.is_mounted:  # the app is ending
            await message.importing.close()

    def _imported(self, imported: Imported | None) -> None:
        if imported is not None and imported.added:
            self.refresh_first_page()
        if imported is not None and imported.to_mark:
            self.panes.mark(imported.to_mark)
            ids = [pet.id for pet in imported.to_mark]
            self._awaited = "", ids, id_of(self.table.highlighted)
            self._go_to_added()

    # The samples of a new store

    async def count_samples(self) -> int:
        """Return how many there are where the store has nothing else; 0 where that is not known."""
        if (samples := self.session.samples) is None:
            return 0
        try:
            return await asyncio.to_thread(samples.count)
        except TransferError:  # the list says why the store can't be read
            return 0

    @asks
    async def action_begin_empty(self) -> None:
        """Ask whether the samples go."""
        from pettui.tui.transfer.importing import may_empty

        samples, count = self.session.samples, await self.count_samples()
        if samples is not None and count and await may_empty(self, count):
            self.request.start(self._empty, samples)

    async def _empty(self, samples: Samples) -> None:
        from pettui.tui.transfer.importing import empty_store

        try:
            with self.request.busy("emptying the store"):
                await empty_store(samples, self.app)
        except TransferError as error:
            self.error_banner.show_problem("Not emptied", str(error))

    def on_store_emptied(self) -> None:
        """Show nothing of the samples any more."""
        self.action_refresh()

    # Other screens

    async def action_add(self) -> None:
        """Open the form; it is ready for the next key when this returns."""
        await self.app.run_action("app.open_form")

    async def action_open(self) -> None:
        """Open the animal under the cursor, or show the text of an unreadable row."""
        row = self.table.highlighted
        if isinstance(row, UnreadablePet):
            from pettui.tui.screens.boxes import TextViewScreen

            section = (f"Row {row.index + 1} is not an animal", f"{row.reason}\n\n{row.excerpt}")
            await self.app.push_screen(TextViewScreen(self.session.glyphs, [section]))
        elif row is not None:
            pets = pets_of(self.table.rows)
            index = next(i for i, each in enumerate(pets) if each is row)
            await self._show_pets(pets, index, more=self._more_pets)

    async def on_row_table_opened(self) -> None:
        """Open the animal that was double-clicked."""
        await self.action_open()

    async def _show_pets(
        self,
        pets: Sequence[Pet | WantedPet],
        index: int = 0,
        more: Callable[[], Awaitable[Sequence[Pet]]] | None = None,
    ) -> None:
        from pettui.tui.detail.pet_detail import PetDetailScreen

        listing, now = self.listing, self.session.clock.now()
        at = now if listing is None else listing.answered_at
        detail = PetDetailScreen(self.session, pets, index, at, more=more)
        await self.app.push_screen(detail, self.table.follow)
