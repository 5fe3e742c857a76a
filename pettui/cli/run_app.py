"""``pettui``: the app on the store of a profile, from before the first frame to after the last."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pettui.cli.client_opening import client_of
from pettui.cli.crash_reports import bug_hook, keep_report, tell_of_bug
from pettui.cli.demo.demo_options import read_demo_options
from pettui.cli.demo.demo_service import DemoService
from pettui.cli.embedded import open_embedded, with_store
from pettui.cli.exit_codes import BUG
from pettui.cli.import_journals import open_journal
from pettui.cli.local.ending_signals import die_of_signals, end_at_signals, ignore_signals
from pettui.cli.local.terminal import (
    check_terminal,
    name_colours,
    release_lost_terminal,
    write_farewell,
)
from pettui.cli.threads import APP_THREADS, check_threads, use_loop_threads
from pettui.configuration import ConfigurationError, state_directory
from pettui.settings import Settings, StoreKind

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from pettui.cli.embedded import EmbeddedService
    from pettui.outbox import EntryStore
    from pettui.settings import ApiKey, Profile
    from pettui.transfer.importing.journals.journal import Journal
    from pettui.tui.app import PetApp

LOCAL = "local"  # who types on this machine, beside those who come over SSH
START = 2.0  # seconds, after which the start is over
LISTS_SECONDS = 1.0  # for which the end waits until the last lists are kept


def open_app(
    settings: Settings,
    environment: Mapping[str, str],
    arguments: argparse.Namespace,
    *,
    takes_kept_theme: bool = True,
    takes_kept_limit: bool = True,
) -> int:
    """Run the app until it ends, and return the exit code.

    Args:
        settings: what to open, and how.
        environment: the user's variables.
        arguments: of the command line, for the options of a demo.
        takes_kept_theme: the theme that was chosen in the app counts before that of the settings.
        takes_kept_limit: the limit that was chosen in the app counts before that of the settings.

    Raises:
        ConfigurationError: its store or a demo's options cannot be used, or no terminal is there.
    """
    # pydantic would look through the metadata of every installed package for plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    name_colours(settings.colours)
    profile = settings.profile
    is_embedded = profile.kind is not StoreKind.SERVICE
    if is_embedded:
        profile = with_store(profile, environment)
    demo = read_demo_options(arguments, profile)
    if profile.kind is not StoreKind.DEMO:
        state_directory()  # refused here, before anything is made or drawn
    check_terminal(environment)
    check_threads(APP_THREADS)
    service = open_embedded(profile, demo) if is_embedded else None
    sys.excepthook = bug_hook(profile.api_key)
    failure, farewell, last_key = asyncio.run(
        _run(
            replace(settings, profile=profile),
            service,
            takes_kept_theme=takes_kept_theme,
            takes_kept_limit=takes_kept_limit,
            kind=environment.get("TERM", ""),
        )
    )
    write_farewell(farewell)
    release_lost_terminal()
    die_of_signals()
    if failure is None:
        return 0
    tell_of_bug(failure, profile.api_key, last_key)
    return BUG


async def _run(
    settings: Settings,
    service: EmbeddedService | DemoService | None,
    *,
    takes_kept_theme: bool,
    takes_kept_limit: bool,
    kind: str,
) -> tuple[Exception | None, str, ApiKey]:
    """Open what the app needs, run it, close what was opened.

    Returns:
        The bug that ended it, if one did, a line on what did not go out, and the key that was sent
        last, which may have been typed in the app.
    """
    from pettui.cli.local.kept_lists import seen_lists, without_kept_lists
    from pettui.cli.local.kept_theme import theme_choice
    from pettui.outbox import Outbox
    from pettui.tui.app import PetApp

    use_loop_threads()
    async with AsyncExitStack() as opened:
        settings = without_kept_lists(settings)
        seen = seen_lists(settings, takes_limit=takes_kept_limit)
        opened.callback(seen.finish, LISTS_SECONDS)
        if service is not None:
            opened.push_async_callback(service.aclose)
        client = client_of(settings, service)
        opened.push_async_callback(client.aclose)

        def report(error: BaseException) -> None:
            keep_report(error, settings.profile.api_key, outbox.client.api_key)

        # The app starts the outbox, and closes it while its screens still stand.
        outbox = Outbox(
            _entry_store(settings.profile),
            client,
            delay=settings.delay,
            report=report,
        )
        choice = theme_choice(takes_kept=takes_kept_theme)
        journal = partial(_open_journal, settings.profile)
        app_class: type[PetApp] = PetApp
        if sys.platform != "win32":  # where Textual's driver draws: ours knows POSIX's terminals
            from pettui.cli.local.local_app import LocalApp, drive_terminal

            app_class = LocalApp
        app = app_class(
            client,
            settings,
            outbox=outbox,
            theme_choice=choice,
            seen=seen,
            open_journal=journal,
        )
        if sys.platform != "win32":
            drive_terminal(app, settings.colours, kind)
            end_at_signals(app)
        if isinstance(service, DemoService):
            app.session.demo = service.demo
        asyncio.get_running_loop().call_later(START, _collect_garbage_again)
        await app.run_async(mouse=settings.mouse)
    ignore_signals()
    return app.failure, app.farewell, outbox.client.api_key


def _open_journal(profile: Profile) -> Journal:
    """Open the journal of imports, as the app expects it: every failure is a TransferError."""
    from pettui.transfer.errors import TransferError

    try:
        return open_journal(profile)
    except ConfigurationError as error:
        raise TransferError(str(error)) from error


def _entry_store(profile: Profile) -> EntryStore:
    """Give what keeps entries and drafts: on disk, but for the demo, which keeps nothing."""
    from pettui.outbox import MemoryEntryStore

    if profile.kind is StoreKind.DEMO:
        return MemoryEntryStore()
    from pettui.outbox import DirectoryEntryStore, find_directory

    store = str(profile.database or profile.base_url)
    return DirectoryEntryStore(find_directory(state_directory(), LOCAL, profile.name, store))


def _collect_garbage_again() -> None:
    """Begin to collect what becomes garbage from now on; what there is by now stays to the end."""
    gc.freeze()
    gc.enable()
