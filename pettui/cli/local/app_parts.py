"""The parts of the app that are on this machine: its outbox, and the journal of its imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.cli.crash_reports import write_report
from pettui.cli.import_journals import open_journal
from pettui.configuration import ConfigurationError, state_directory
from pettui.outbox import MemoryEntryStore, Outbox
from pettui.settings import StoreKind

if TYPE_CHECKING:
    from pettui.client import PetClient
    from pettui.outbox import EntryStore
    from pettui.settings import Profile, Settings
    from pettui.transfer.importing.journals.journal import Journal

LOCAL = "local"  # the outbox's owner on this machine; users over SSH have others


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
