"""What this machine keeps of the app for its next start: theme, last lists, outbox."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from functools import partial
from time import time
from types import MappingProxyType
from typing import TYPE_CHECKING

from pettui.composition.crash_reports import write_report
from pettui.composition.store import open_journal, owners_of, receipts_of, service_of
from pettui.composition.users import waiting_elsewhere
from pettui.configuration.directories import state_directory
from pettui.configuration.errors import ConfigurationError
from pettui.outbox.outbox import Outbox
from pettui.outbox.owners import LOCAL
from pettui.outbox.stores.memory import MemoryEntryStore
from pettui.remembered.last_lists import (
    LastList,
    LastLists,
    LastListsFile,
    LastListsWriter,
    forget_all,
)
from pettui.remembered.seen_lists import SeenLists
from pettui.remembered.theme_choice import ThemeChoice
from pettui.settings.settings import Profile, Settings, StoreKind
from pettui.transfer.files import TransferError

if TYPE_CHECKING:
    from pettui.client import PetClient
    from pettui.composition.demo import DemoService
    from pettui.transfer.journal import Journal

THEME = "theme"  # in the state directory: a file with the theme's name on a line
LISTS = "lists"  # likewise: a directory with a file for each base address
STDERR = 2  # where Textual draws, and asks for the size


def theme_choice(*, takes_kept: bool, is_demo: bool) -> ThemeChoice:
    """Return the user's choice of a theme, in a file if there is a state directory.

    What is chosen in a demo is for that demo alone.
    """
    try:
        path = state_directory() / THEME
    except ConfigurationError:  # a demo runs without a home
        return ThemeChoice()
    return ThemeChoice(path, takes_kept=takes_kept, is_kept=not is_demo)


def seen_lists(settings: Settings, *, takes_limit: bool) -> SeenLists:
    """Read the kept lists of a profile's store; nothing is kept of a demo.

    Args:
        settings: of the profile; the state directory can be used.
        takes_limit: whether the kept limit takes precedence.
    """
    profile = settings.profile
    if profile.kind is StoreKind.DEMO or not settings.keep_list:
        return SeenLists()
    address = str(profile.database or profile.base_url)
    file = LastListsFile(state_directory() / LISTS, address, profile.api_key)
    writer = LastListsWriter(file, lambda error: write_report(error, profile.api_key))
    return SeenLists(file.read(), writer, takes_limit=takes_limit)


def demo_lists(service: DemoService, limit: int | None) -> SeenLists:
    """Return what a demo's first frame shows; nothing of a demo is kept.

    Args:
        service: not called yet.
        limit: of the first page; None for that of the screen.
    """
    from pettui.tui.list.listing import limit_for

    rows = 0
    with suppress(OSError):  # another driver than ours needs no terminal
        rows = os.get_terminal_size(STDERR).lines
    pets = service.newest(limit or limit_for(rows))
    return SeenLists(LastLists(MappingProxyType({None: LastList(pets, time())})))


def without_kept_lists(settings: Settings) -> Settings:
    """Delete all kept lists if the settings say so; a failure becomes a warning."""
    profile = settings.profile
    if settings.keep_list or profile.kind is StoreKind.DEMO:
        return settings
    try:
        forget_all(state_directory() / LISTS)
    except TransferError as error:
        warned = profile._replace(warnings=(*profile.warnings, f"keep_list is false: {error}"))
        return replace(settings, profile=warned)
    return settings


def local_outbox(settings: Settings, client: PetClient) -> Outbox:
    """Return the outbox of a profile; the app starts it, and closes it before its screens go."""

    def report(error: BaseException) -> None:
        write_report(error, settings.profile.api_key, outbox.client.api_key)

    profile = settings.profile
    make = partial(Outbox, delay=settings.delay, report=report, receipts=receipts_of(profile))
    if profile.kind is StoreKind.DEMO:
        outbox = make(MemoryEntryStore(), client)
        return outbox
    owners = owners_of(profile)
    outbox = make(
        owners.of(LOCAL).open(),
        client,
        service=service_of(profile),
        find_elsewhere=partial(waiting_elsewhere, profile, owners, LOCAL),
    )
    return outbox


def journal_of_app(profile: Profile) -> Journal:
    """Open the journal of imports; every failure is a TransferError."""
    try:
        return open_journal(profile)
    except ConfigurationError as error:
        raise TransferError(str(error)) from error
