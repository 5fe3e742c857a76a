"""``pettui doctor``: shows what is configured, and where, and checks it; changes nothing."""

from __future__ import annotations

import asyncio
import os
import platform
import sqlite3
import stat
import sys
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pettui.build import build
from pettui.cli.exit_codes import OK, PROBLEMS
from pettui.cli.output import (
    Characters,
    ClosedPipeError,
    bug_hook,
    check_output,
    json_line,
    without_keys,
    write_output,
    write_records,
)
from pettui.composition.crash_reports import installed_version
from pettui.composition.kept import LISTS, theme_choice
from pettui.composition.state_database import state_address
from pettui.composition.store import (
    IMPORTS,
    imports_directory,
    opened_client,
    owners_of,
    with_path,
    with_store,
)
from pettui.composition.users import lines_on_elsewhere, waiting_elsewhere
from pettui.configuration.directories import (
    DATA_DIRECTORY,
    DATABASE,
    SERVICE_KEYS,
    check_locks,
    data_directory,
    state_directory,
)
from pettui.configuration.errors import ConfigurationError
from pettui.configuration.reading import configuration_path, read_settings, setting_sources
from pettui.keyboard.key_names import shared_keys
from pettui.keyboard.own_commands import LEFT_OUT, without_key
from pettui.outbox.entries import OutboxError
from pettui.outbox.owners import LOCAL
from pettui.outbox.stores.directory_owners import OUTBOXES
from pettui.settings.settings import LIMIT_MINIMUM, Profile, Settings, StoreKind
from pettui.system.files import reason_of, why_refused
from pettui.text.amounts import counted
from pettui.text.safe import safe

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping


_PACKAGES: Final = (
    "textual", "rich", "httpx", "pydantic", "uvicorn", "asyncssh", "psycopg",
)  # fmt: skip
_STATE_ENTRIES: Final = (OUTBOXES, IMPORTS, LISTS, "reports")  # in the state directory
_STREAMS: Final = ("stdin", "stdout", "stderr")


def run_doctor(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Check everything, print the findings, and return the exit code.

    Raises:
        ConfigurationError: standard output cannot be written.
    """
    check_output()
    findings = Findings()
    _find_versions(findings)
    _find_paths(findings, arguments.config, environment)
    _find_terminal(findings, environment)
    options = vars(arguments)
    with findings.problem():
        settings = None
        with findings.problem():  # of its keys, perhaps, which nothing else needs
            settings = read_settings(options, environment)
        settings = settings or read_settings(options, environment, has_keyboard=False)
        sys.excepthook = bug_hook(settings.profile.api_key)
        _find_settings(findings, options, environment, settings)
        for shared in shared_keys(settings.keys):
            findings.add_problem(shared.sentence)
        if settings.commands and settings.commands_file is None:
            findings.add_problem(LEFT_OUT)
        for action, command in without_key(settings.commands, settings.keys):
            text = f"in the palette; its key {command.key} stays with {command.title}"
            findings.add("commands", action.name, text)
        _find_outbox(findings, settings.profile, environment)
        state = state_address("doctor", arguments, environment)
        if settings.profile.kind is not StoreKind.DEMO:
            for line in lines_on_elsewhere(with_path(settings.profile, environment), state):
                findings.add_problem(line)
        _find_users(findings, state)
        _find_imports(findings)
        _find_service(findings, settings, environment)
    with suppress(ClosedPipeError):
        if arguments.json:
            text = without_keys(findings.as_json().decode(), environment)
            write_records([text.encode()], Characters.of(environment))
        else:
            text = without_keys(findings.as_text(), environment)
            write_output(text.encode(errors="backslashreplace"))
    return PROBLEMS if findings.problems else OK


def _find_versions(findings: Findings) -> None:
    findings.add("versions", "pettui", build())
    findings.add("versions", "Python", f"{platform.python_version()} ({sys.executable})")
    findings.add("versions", "system", platform.platform())
    findings.add("versions", "SQLite", sqlite3.sqlite_version)
    for name in _PACKAGES:
        findings.add("versions", name, installed_version(name))


def _find_paths(findings: Findings, option: str | None, environment: Mapping[str, str]) -> None:
    from pettui.service.keys import KeyFileError, key_warnings

    with findings.problem():
        if (file := configuration_path(option, environment)) is not None:
            _find_path(findings, "configuration file", file)
        data = data_directory(environment)
        _find_path(findings, "data directory", data)
        _find_path(findings, "store", data / DATABASE)
        _find_path(findings, "service's keys", data / SERVICE_KEYS)
        with findings.problem(KeyFileError):
            for warning in key_warnings(data / SERVICE_KEYS):
                findings.add_problem(warning)
        state = state_directory()
        _find_path(findings, "state directory", state)
        for name in _STATE_ENTRIES:
            _find_path(findings, name, state / name)
        for directory, cost in zip((state, data), _WITHOUT_LOCKS, strict=True):
            with findings.problem():
                check_locks(directory, cost)


def _find_path(findings: Findings, name: str, path: Path) -> None:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError as error:
        findings.add("paths", name, f"{path}, {reason_of(error)}")
    else:
        findings.add("paths", name, f"{path}, mode {mode:04o}")
        if mode & 0o022:
            findings.add_problem(f"others can write to {path}; run: chmod go-w {path}")


_WITHOUT_LOCKS: Final = (  # and what they cost in the state directory, and in that of the data
    (
        "the app keeps no animal to be sent, and pettui import refuses; set XDG_STATE_HOME to a"
        " directory on a local disk"
    ),
    (
        "no store of your own can be there, and no key of pettui serve be added; set"
        f" {DATA_DIRECTORY} to a directory on a local disk"
    ),
)


def _find_terminal(findings: Findings, environment: Mapping[str, str]) -> None:
    from pettui.system.capabilities import colours_of, glyphs_of

    kind = environment.get("TERM", "")
    findings.add("terminal", "TERM", kind or "not set")
    streams = {name: getattr(sys, name) for name in _STREAMS}
    terminals = {name: each for name, each in streams.items() if each is not None and each.isatty()}
    findings.add("terminal", "terminals", ", ".join(terminals) or "none")
    findings.add("terminal", "size", "unknown")
    with suppress(OSError, StopIteration):
        columns, rows = os.get_terminal_size(next(iter(terminals.values())).fileno())
        findings.add("terminal", "size", f"{columns} columns, {rows} rows")
    findings.add("terminal", "colours", colours_of(kind, environment).value)
    findings.add("terminal", "characters", glyphs_of(kind, environment).value)


def _find_settings(
    findings: Findings,
    options: Mapping[str, Any],
    environment: Mapping[str, str],
    settings: Settings,
) -> None:
    profile = settings.profile
    chosen = theme_choice(takes_kept=True, is_demo=profile.kind is StoreKind.DEMO).theme
    for each in setting_sources(options, environment, settings):
        is_chosen = each.name == "theme" and chosen is not None
        value = f"{chosen} (chosen in pettui)" if is_chosen else f"{each.value} ({each.source})"
        findings.add("settings", each.name, value)
    for warning in profile.warnings:
        findings.add("settings", "warning", warning)


def _find_service(findings: Findings, settings: Settings, environment: Mapping[str, str]) -> None:
    profile = settings.profile
    if profile.kind is StoreKind.SERVICE:
        findings.add("service", "address", profile.base_url)
    else:
        profile = with_store(profile, environment)
        findings.add("service", "address", f"in this process, {profile.database or 'in memory'}")
        if profile.database is not None and not profile.database.exists():
            findings.add("service", "test call", "none: the first start creates the store")
            return
    once = replace(settings, profile=profile, limits=replace(settings.limits, tries=0))
    asyncio.run(_call(findings, once))


async def _call(findings: Findings, settings: Settings) -> None:
    from pettui.client import PetClientError

    async with opened_client(settings) as client:
        try:
            if trusted := await client.trusted():
                findings.add("service", "trusts", trusted)
            page = await client.list_pets(LIMIT_MINIMUM)
        except PetClientError as error:
            findings.add("service", "test call", "failed")
            findings.add_problem(str(error))
            return
    findings.add("service", "test call", f"answered in {page.elapsed * 1000:.0f} ms")
    for remark in page.remarks:
        findings.add_problem(remark)


def _find_outbox(findings: Findings, profile: Profile, environment: Mapping[str, str]) -> None:
    """Add what a profile's outbox contains."""
    if profile.kind is StoreKind.DEMO:
        findings.add("outbox", "entries", "in memory")
        return
    profile = with_path(profile, environment)
    owners = owners_of(profile)
    with findings.problem(OutboxError):
        summary = owners.of(LOCAL).summary()
        states = ", ".join(f"{count} {state}" for state, count in summary.entries.items())
        findings.add("outbox", "directory", summary.place)
        findings.add("outbox", "entries", states or "none")
        findings.add("outbox", "drafts", str(summary.drafts))
        if why := why_refused(Path(summary.place)):
            findings.add_problem(f"outbox {summary.place}: nothing can be kept there: {why}")
        if summary.damaged:
            findings.add_problem(f"damaged files: {summary.damaged}, in {summary.place}")
        if line := waiting_elsewhere(profile, owners, LOCAL):
            findings.add_problem(line)


def _find_users(findings: Findings, state: str | None) -> None:
    """Add what did not go out of the outboxes of users who log in over SSH, by user."""
    from pettui.composition.users import NAME_SHOWN, not_gone_out

    left: dict[str, list[str]] = {}  # one user may have several profiles, and two one name
    if state is not None:
        from pettui.system import postgres

        findings.add("outboxes over SSH", "database", postgres.shown(state))
    for user in not_gone_out(state=state):  # which raises where the database is away
        counts = ", ".join(f"{count} {state}" for state, count in user.not_added.items())
        whose = ", for a key of the user's own" if user.has_own_key else ""
        left.setdefault(safe(user.name, NAME_SHOWN), []).append(f"{counts} ({user.profile}{whose})")
    for name, texts in left.items():
        findings.add("outboxes over SSH", name, "; ".join(texts))


def _find_imports(findings: Findings) -> None:
    """Add what the journals of imports contain."""
    from pettui.transfer.journal import journal_counts

    journals = journal_counts(imports_directory())
    if not journals:
        findings.add("imports", "journals", "none")
    for journal in journals:
        if journal.problem is not None:
            findings.add_problem(f"{journal.path}: {journal.problem}")
            continue
        lines = f"{counted(journal.added, 'line')} added, {journal.unknown:,} unknown"
        findings.add("imports", journal.address, f"{lines}; {journal.path}")


_NAME_WIDTH: Final = 22  # cells


class Findings:
    """Values by section and name, and problems."""

    def __init__(self) -> None:
        self._sections: dict[str, dict[str, str]] = {}
        self.problems: list[str] = []

    def add(self, section: str, name: str, value: str) -> None:
        """Add a value."""
        self._sections.setdefault(section, {})[name] = value

    def add_problem(self, text: str) -> None:
        """Add a problem, unless it was found before, on another way."""
        if text not in self.problems:
            self.problems.append(text)

    @contextmanager
    def problem(self, kind: type[Exception] = ConfigurationError) -> Iterator[None]:
        """Add what the block raises of this kind, and go on behind it."""
        try:
            yield
        except kind as error:
            self.add_problem(str(error))

    def as_text(self) -> str:
        """Return them as lines, made safe for a terminal."""
        return "".join(f"{line}\n" for line in self._lines())

    def as_json(self) -> bytes:
        """Return them as one line of JSON."""
        return json_line({**self._sections, "problems": self.problems})

    def _lines(self) -> Iterator[str]:
        for section, values in self._sections.items():
            yield section
            for name, value in values.items():
                yield f"  {safe(name).ljust(_NAME_WIDTH)}  {safe(value)}"
            yield ""
        for problem in self.problems:
            yield f"problem: {safe(problem)}"
        if not self.problems:
            yield "no problems found"
