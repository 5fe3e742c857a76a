"""The last lists of a service, kept for the next start."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pettui.cli.crash_reports import write_report
from pettui.configuration import state_directory
from pettui.settings import StoreKind
from pettui.tui.lists.seen_lists import SeenLists

if TYPE_CHECKING:
    from pettui.settings import Settings

DIRECTORY = "lists"  # in the state directory; a file for each base address


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
    file = LastListsFile(state_directory() / DIRECTORY, address, profile.api_key)
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
        forget_all(state_directory() / DIRECTORY)
    except TransferError as error:
        warned = replace(profile, warnings=(*profile.warnings, f"keep_list is false: {error}"))
        return replace(settings, profile=warned)
    return settings
