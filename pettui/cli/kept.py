"""What this machine keeps of the app for its next start: theme, last lists, outbox."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from pettui.cli.crash_reports import write_report
from pettui.cli.store import open_journal
from pettui.configuration import ConfigurationError, make_directory, state_directory
from pettui.files import read_regular_file, replace_file
from pettui.outbox import MemoryEntryStore, Outbox
from pettui.settings import StoreKind
from pettui.tui.appearance.theme_choice import ThemeChoice
from pettui.tui.lists.seen_lists import SeenLists

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.client import PetClient
    from pettui.outbox import EntryStore
    from pettui.settings import Profile, Settings
    from pettui.transfer.importing.journals.journal import Journal

THEME = "theme"  # in the state directory: a file with the theme's name on a line
LISTS = "lists"  # likewise: a directory with a file for each base address
LOCAL = "local"  # the outbox's owner on this machine; users over SSH have others
_NAME_MAXIMUM = 60  # bytes
_NAME = re.compile(r"[a-z0-9-]+")


class KeptTheme(ThemeChoice):
    """The choice in a file. If it cannot be read or written, nothing is kept."""

    def __init__(self, path: Path, *, takes_kept: bool = True) -> None:
        """Start with the kept theme, unless an option takes precedence."""
        super().__init__(_read_theme(path) if takes_kept else None)
        self._path = path

    def keep(self, theme: str | None) -> None:
        """Keep a theme for the next start; None forgets it."""
        super().keep(theme)
        with suppress(OSError, ConfigurationError):
            if theme is None:
                self._path.unlink(missing_ok=True)
            else:
                make_directory(self._path.parent, "state directory")
                replace_file(self._path, f"{theme}\n".encode(), durably=False)


def theme_choice(*, takes_kept: bool, is_demo: bool) -> ThemeChoice:
    """Return the user's choice of a theme, in a file if there is a state directory.

    What is chosen in a demo is for that demo alone.
    """
    try:
        path = state_directory() / THEME
    except ConfigurationError:  # a demo runs without a home
        return ThemeChoice()
    if is_demo:
        return ThemeChoice(_read_theme(path) if takes_kept else None)
    return KeptTheme(path, takes_kept=takes_kept)


def _read_theme(path: Path) -> str | None:
    try:
        name = read_regular_file(path, _NAME_MAXIMUM).content.decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return name if _NAME.fullmatch(name) else None


def seen_lists(settings: Settings, *, takes_limit: bool) -> SeenLists:
    """Read the kept lists of a profile's store; nothing is kept of a demo.

    Args:
        settings: of the profile; the state directory can be used.
        takes_limit: whether the kept limit takes precedence.
    """
    profile = settings.profile
    if profile.kind is StoreKind.DEMO or not settings.keep_list:
        return SeenLists()
    from pettui.transfer.last_lists_file import LastListsFile
    from pettui.transfer.last_lists_writer import LastListsWriter

    address = str(profile.database or profile.base_url)
    file = LastListsFile(state_directory() / LISTS, address, profile.api_key)
    writer = LastListsWriter(file, lambda error: write_report(error, profile.api_key))
    return SeenLists(file.read(), writer, takes_limit=takes_limit)


def without_kept_lists(settings: Settings) -> Settings:
    """Delete all kept lists if the settings say so; a failure becomes a warning."""
    profile = settings.profile
    if settings.keep_list or profile.kind is StoreKind.DEMO:
        return settings
    from pettui.transfer.errors import TransferError
    from pettui.transfer.last_lists_file import forget_all

    try:
        forget_all(state_directory() / LISTS)
    except TransferError as error:
        warned = replace(profile, warnings=(*profile.warnings, f"keep_list is false: {error}"))
        return replace(settings, profile=warned)
    return settings


def local_outbox(settings: Settings, client: PetClient) -> Outbox:
    """Return the outbox of a profile; the app starts it, and closes it before its screens go."""

    def report(error: BaseException) -> None:
        write_report(error, settings.profile.api_key, outbox.client.api_key)

    outbox = Outbox(_entry_store(settings.profile), client, delay=settings.delay, report=report)
    return outbox


def _entry_store(profile: Profile) -> EntryStore:
    """Return the store of entries and drafts: in memory for a demo, otherwise on disk."""
    if profile.kind is StoreKind.DEMO:
        return MemoryEntryStore()
    from pettui.outbox import DirectoryEntryStore, outbox_directory

    store = str(profile.database or profile.base_url)
    return DirectoryEntryStore(outbox_directory(state_directory(), LOCAL, profile.name, store))


def journal_of_app(profile: Profile) -> Journal:
    """Open the journal of imports; every failure is a TransferError."""
    from pettui.transfer.errors import TransferError

    try:
        return open_journal(profile)
    except ConfigurationError as error:
        raise TransferError(str(error)) from error
