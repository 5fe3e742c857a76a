"""``pettui``: the app on the store of a profile, from before the first frame to after the last."""

from __future__ import annotations

import asyncio
import gc
import os
import select
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pettui.cli.declarations import SETTINGS
from pettui.cli.exit_codes import BUG
from pettui.cli.output import bug_hook, discard, report_bug, write_error_line
from pettui.composition import FRAMES
from pettui.composition.demo import DemoService, read_demo_options
from pettui.composition.store import (
    client_of,
    open_embedded,
    open_imports_of,
    own_samples,
    with_store,
)
from pettui.composition.threads import APP_THREADS, check_threads, use_loop_threads
from pettui.configuration.directories import state_directory
from pettui.configuration.editing import keep_mapping, name_categories
from pettui.configuration.errors import ConfigurationError
from pettui.configuration.reading import all_profiles, configuration_path, read_settings
from pettui.keyboard.own_commands import LEFT_OUT
from pettui.settings.settings import ApiKey, Profile, Settings, StoreKind
from pettui.system.capabilities import PLAIN, Colours
from pettui.system.signals import die_of_signals, end_at_signals, ignore_signals

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from pathlib import Path

    from pettui.composition.local_app import LocalApp
    from pettui.composition.store import EmbeddedService
    from pettui.outbox.entries import EntryState

START = 2.0  # seconds until garbage is collected
LISTS_SECONDS = 1.0  # that the end waits for the last lists to be saved


def open_app(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Run the app until it ends, and return the exit code.

    The theme and the limit that were chosen in the app last take precedence over the settings,
    unless the command line has an option for them.

    Raises:
        ConfigurationError: a setting, the store or a demo's options cannot be used, or there is no
            terminal.
    """
    try:
        settings = read_settings(vars(arguments), environment, needs_key=False)
        if settings.commands and settings.commands_file is None:
            warned = settings.profile._replace(warnings=(*settings.profile.warnings, LEFT_OUT))
            settings = replace(settings, profile=warned)
        name_colours(settings.colours)
        profile, service = _opened_service(settings, environment, arguments)
        sys.excepthook = bug_hook(profile.api_key)
        settings = replace(settings, profile=profile)
        app, last_key = asyncio.run(_run(settings, service, arguments, environment))
        if app.farewell and select.select([], [sys.stderr], [], 0)[1]:  # the terminal is there
            write_error_line(f"pettui: {app.farewell}")
        release_lost_terminal()
        die_of_signals()
        if app.failure is not None:
            report_bug(app.failure, profile.api_key, last_key)
            return BUG
        if app.next_profile:
            open_profile(app.next_profile, arguments)
        return 0
    finally:
        from pettui.terminal.echo import restore_echo

        restore_echo()


def open_profile(name: str, arguments: argparse.Namespace) -> None:
    """Start the program anew on another profile, in place of this process.

    Nothing of the old one is left: neither its API key nor its connections, nor what was typed.
    """
    options = [  # each one word, so that a value may begin with a dash
        f"{option}={value}"
        for option in ("--config", *SETTINGS)
        if (value := getattr(arguments, option.removeprefix("--"), None)) is not None
    ]
    if arguments.no_samples:
        options.append("--no-samples")
    program = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]
    os.execv(sys.executable, [*program, *options, f"--profile={name}"])  # noqa: S606


class OtherProfiles:
    """The profiles of the configuration file, for the app; see ``Profiles`` of ``tui``."""

    def __init__(self, arguments: argparse.Namespace, environment: Mapping[str, str]) -> None:
        self._options = {**vars(arguments), "demo": False, "base_url": None}
        self._environment = environment

    def listed(self) -> list[tuple[Profile, Mapping[EntryState, int] | None]]:
        """Return each but the demo, and how many animals of each state its outbox holds."""
        try:
            found = all_profiles(self._options["config"], self._environment)
        except ConfigurationError as error:
            raise ValueError(str(error)) from None
        profiles = [each.profile for each in found if each.profile.kind is not StoreKind.DEMO]
        return [(profile, self._counts_of(profile)) for profile in profiles]

    def _counts_of(self, profile: Profile) -> Mapping[EntryState, int] | None:
        from pettui.cli.commands.profile import counts_of

        try:
            return counts_of(profile, self._environment)
        except ConfigurationError:  # the reason is shown when that profile is opened
            return None

    def problem(self, name: str) -> str:
        """Return why a profile cannot be opened; "" where it can."""
        try:
            profile = self._settings_of(name).profile
            if profile.kind is not StoreKind.SERVICE:
                with_store(profile, self._environment)
        except ConfigurationError as error:
            return str(error)
        return ""

    async def test(self, name: str) -> str:
        """Ask the service of a profile for an animal, and return how that went."""
        from pettui.cli.commands.profile import answer_text
        from pettui.client import PetClientError

        try:
            settings = await asyncio.to_thread(self._settings_of, name)
        except ConfigurationError as error:
            return str(error)
        if settings.profile.kind is not StoreKind.SERVICE:
            return f"{settings.profile.label} is on this machine"
        client = client_of(settings, None)
        try:
            page = await client.list_pets(1)
        except PetClientError as error:
            return f"{settings.profile.label}: {error}"
        finally:
            await client.aclose()
        return f"{settings.profile.label}: {answer_text(page)}"

    def _settings_of(self, name: str) -> Settings:
        return read_settings({**self._options, "profile": name}, self._environment, needs_key=False)


def _opened_service(
    settings: Settings, environment: Mapping[str, str], arguments: argparse.Namespace
) -> tuple[Profile, EmbeddedService | DemoService | None]:
    """Return the embedded service of a profile, None for a remote one, once the app can run.

    The profile is returned with the store that it has on this machine.
    """
    profile = settings.profile
    is_embedded = profile.kind is not StoreKind.SERVICE
    if is_embedded:
        profile = with_store(profile, environment)
    demo = read_demo_options(arguments, profile)
    if profile.kind is not StoreKind.DEMO:
        state_directory()  # fails here, before anything is created or drawn
    check_terminal(environment)
    check_threads(APP_THREADS)
    if profile.database is not None and not profile.database.exists():
        # On the terminal as it was before the app, and as it is after it.
        write_error_line(f"pettui: the store {profile.database} is new")
    if not is_embedded:
        return profile, None
    with_samples = settings.samples and not arguments.no_samples
    return profile, open_embedded(profile, demo, with_samples=with_samples)


async def _run(
    settings: Settings,
    service: EmbeddedService | DemoService | None,
    arguments: argparse.Namespace,
    environment: Mapping[str, str],
) -> tuple[LocalApp, ApiKey]:
    """Open what the app needs, run it on our own driver, and close what was opened.

    Returns:
        The app as it ended, and the API key that it used last.
    """
    os.environ.setdefault(*FRAMES)
    from pettui.composition.kept import (
        demo_lists,
        journal_of_app,
        local_outbox,
        seen_lists,
        theme_choice,
        without_kept_lists,
    )
    from pettui.composition.local_app import LocalApp, drive_terminal

    use_loop_threads()
    loop = asyncio.get_running_loop()
    async with AsyncExitStack() as opened:
        settings = without_kept_lists(settings)
        if isinstance(service, DemoService):
            seen = demo_lists(service, settings.limit)
        else:
            seen = seen_lists(settings, takes_limit=arguments.limit is None)
        opened.callback(seen.write_rest, LISTS_SECONDS)
        if service is not None:
            opened.push_async_callback(service.aclose)
        client = client_of(settings, service)
        opened.push_async_callback(client.aclose)
        outbox = local_outbox(settings, client)
        app = LocalApp(
            client,
            settings,
            outbox=outbox,
            theme_choice=theme_choice(
                takes_kept=arguments.theme is None,
                is_demo=settings.profile.kind is StoreKind.DEMO,
            ),
            seen=seen,
            open_journal=partial(journal_of_app, settings.profile),
            open_imports=open_imports_of(settings.profile),
        )
        drive_terminal(app, settings.colours, environment.get("TERM", ""))
        end_at_signals(loop, app.end_at_signal)
        app.session.samples = own_samples(settings.profile)
        if isinstance(service, DemoService):
            app.session.demo = service.demo
        elif not environment.get("TEXTUAL_DRIVER"):  # not for who sits at a browser
            app.session.profiles = OtherProfiles(arguments, environment)
            path = configuration_path(arguments.config, environment)
            app.session.keep_mapping = partial(_keep_mapping, path, settings.profile)
            if settings.commands and settings.commands_file is not None:  # no others wrote them
                from pettui.tui.detail.command_runs import OwnCommands

                own = OwnCommands(settings.commands, environment, settings.key_variables)
                app.run_commands(own)
        loop.call_later(START, _collect_garbage_again)
        await app.run_async(mouse=settings.mouse)
    ignore_signals(loop)
    return app, outbox.client.api_key


def _keep_mapping(
    path: Path | None,
    profile: Profile,
    name: str,
    values: Mapping[str, Any],
    categories: Mapping[int, str],
) -> None:
    """Keep the mapping of a file, and names of categories; see ``KeepMapping`` of ``tui``."""
    if path is None:
        raise ValueError("there is no home directory to keep it in")
    try:
        keep_mapping(path, name, values)
        if categories:
            name_categories(path, profile.name, {**profile.categories, **categories})
    except ConfigurationError as error:
        raise ValueError(str(error)) from None


def _collect_garbage_again() -> None:
    """Collect garbage from now on, without the objects of the start, which stay until the end."""
    gc.freeze()
    gc.enable()


# Textual's names; by itself it recognizes few terminals.
_COLOUR_SYSTEMS = MappingProxyType(
    {Colours.TRUE: "truecolor", Colours.MANY: "256", Colours.SIXTEEN: "standard"}
)


def check_terminal(environment: Mapping[str, str]) -> None:
    """Make sure that keys can be read and screens drawn. Textual draws on standard error.

    A driver that the environment names, as Textual has it, needs no terminal: such as in a browser.

    Raises:
        ConfigurationError: they cannot.
    """
    if environment.get("TEXTUAL_DRIVER"):
        return
    for stream, name in ((sys.__stdin__, "standard input"), (sys.__stderr__, "standard error")):
        if stream is None or stream.closed or not stream.isatty():
            reason = "is not a terminal; run pettui in one, without redirecting its input or errors"
            raise ConfigurationError(name, reason)
    kind = environment.get("TERM", "")
    if kind in PLAIN:
        reason = "cannot draw screens; set it to your terminal's type, such as xterm-256color"
        raise ConfigurationError("TERM", reason, value=kind)


def name_colours(colours: Colours) -> None:
    """Set the variables by which Textual, once imported, knows how many colours there are."""
    if colours is Colours.NONE:
        os.environ["NO_COLOR"] = "1"
        return
    os.environ.pop("NO_COLOR", None)  # empty, which means not set
    os.environ.setdefault("TEXTUAL_COLOR_SYSTEM", _COLOUR_SYSTEMS[colours])


def release_lost_terminal() -> None:
    """Redirect streams whose terminal is gone, so that Python's flush at exit does not fail."""
    for stream in filter(None, (sys.stdout, sys.stderr)):  # None if it was closed
        try:
            stream.flush()
        except OSError:
            discard(stream)
