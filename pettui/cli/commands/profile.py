"""``pettui profile``: the profiles of the configuration file, and where their API keys are."""

from __future__ import annotations

import asyncio
import re
import sys
from dataclasses import replace
from getpass import GetPassWarning, getpass
from typing import TYPE_CHECKING
from warnings import catch_warnings, simplefilter

from pettui.cli.exit_codes import OK
from pettui.cli.one_shot import Call
from pettui.cli.output import Characters, StandardError, check_output, write_output
from pettui.cli.table import write_rows
from pettui.composition.store import opened_client, owners_of, with_path
from pettui.configuration.api_keys import KEY_FILE_MAXIMUM
from pettui.configuration.editing import add_profile, check_name, remove_profile
from pettui.configuration.errors import ConfigurationError, require_extras
from pettui.configuration.reading import all_profiles, configuration_path, read_settings
from pettui.settings.settings import SHORTEST_KEY, ApiKey, StoreKind, is_bearer_token

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from pathlib import Path

    from pettui.client import PetClient, PetPage
    from pettui.outbox.entries import EntryState
    from pettui.settings.settings import Profile, Settings

ASKED_SECONDS = 5.0
VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
_NEEDED = (
    "is needed, and standard input is no terminal and has none; pipe it in, or name the environment"
    " variable that has it: --key-env"
)
_FIELDS = ("name", "label", "colour", "address", "key", "unsent")


def add(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Add a profile, say whether its service answers, and return the exit code.

    Raises:
        ConfigurationError: a setting, the key or a file cannot be used.
    """
    path = _file(arguments, environment)
    check_name(arguments.name)
    if arguments.keyring:
        require_extras("--keyring", ["keyring"])
    if arguments.key_env is not None and not re.fullmatch(VARIABLE, arguments.key_env):
        raise ConfigurationError("--key-env", "must be the name of an environment variable")
    values = {
        "base_url": arguments.address,
        "api_key_env": arguments.key_env,
        "label": arguments.label,
        "colour": arguments.colour,
    }
    key = None if arguments.key_env is not None else _typed_key()
    given = {name: value for name, value in values.items() if value is not None}
    add_profile(path, arguments.name, given, key, in_keyring=arguments.keyring)
    return _asked(arguments, path, environment)


def remove(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Remove a profile, and return the exit code.

    Raises:
        ConfigurationError: animals wait in its outbox, or a file cannot be used.
    """
    path = _file(arguments, environment)
    profiles = {each.profile.name: each for each in all_profiles(arguments.config, environment)}
    known = profiles.get(arguments.name)
    unsent = 0 if known is None or arguments.force else _unsent_of(known.profile, environment)
    if unsent:
        are = "animal is" if unsent == 1 else "animals are"
        reason = f"{unsent} {are} in its outbox, not added; --force removes the profile, and not"
        raise ConfigurationError("profile remove", f"{reason} them")
    remove_profile(path, arguments.name)
    return OK


def _file(arguments: argparse.Namespace, environment: Mapping[str, str]) -> Path:
    path = configuration_path(arguments.config, environment)
    if path is None:
        raise ConfigurationError("configuration file", "there is no home for it; name it: --config")
    return path


def _asked(arguments: argparse.Namespace, path: Path, environment: Mapping[str, str]) -> int:
    """Say whether a profile that was added works; the key is sent to nobody else's address."""
    options = {"config": str(path), "profile": arguments.name}
    settings = read_settings(options, environment, needs_key=False, has_keyboard=False)
    limits = replace(settings.limits, tries=0, deadline=ASKED_SECONDS)
    stderr = StandardError(is_quiet=arguments.quiet, kind=environment.get("TERM", ""))
    works, text = asyncio.run(_answer(replace(settings, limits=limits)))
    (stderr.notice if works else stderr.warn)(f"{arguments.name} is added; {text}")
    return OK


async def _answer(settings: Settings) -> tuple[bool, str]:
    from pettui.client import PetClientError

    async with opened_client(settings) as client:
        try:
            if not await client.wants_key():
                return False, "its address answers without a key, which was not sent to it"
        except PetClientError as error:
            return False, f"its service was not found, and the key not sent: {error}"
        try:
            page = await client.list_pets(1)
        except PetClientError as error:
            return False, f"its service does not take the key: {error}"
    return True, answer_text(page)


def _typed_key() -> ApiKey:
    """Return the key that is typed at the terminal, which does not show it, or piped in."""
    if sys.stdin is not None and not sys.stdin.isatty():
        text = sys.stdin.readline(KEY_FILE_MAXIMUM)
        if not text.strip():
            raise ConfigurationError("API key", _NEEDED)
    else:
        with catch_warnings():
            simplefilter("error", GetPassWarning)  # rather than show it
            try:
                text = getpass("API key (it is not shown): ")
            except (GetPassWarning, EOFError, OSError):
                reason = "cannot be typed without a terminal; pipe it into standard input"
                raise ConfigurationError("API key", reason) from None
    # A longer one would be cut, and its file be too large to be read.
    is_whole = len(text) < KEY_FILE_MAXIMUM
    text = text.strip()
    if not (is_whole and is_bearer_token(text)):
        raise ConfigurationError("API key", "must be one word of visible ASCII characters")
    if len(text) < SHORTEST_KEY:
        raise ConfigurationError("API key", f"must have at least {SHORTEST_KEY} characters")
    return ApiKey(text)


def list_profiles(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Write the profiles of the configuration file, and return the exit code.

    Raises:
        ConfigurationError: the file or an outbox cannot be read.
    """
    check_output()
    rows = [
        {
            "name": each.profile.name,
            "label": each.profile.label,
            "colour": each.profile.colour,
            "address": each.profile.place,
            "key": each.key_place,
            "unsent": _unsent_of(each.profile, environment),
            "default": each.is_default,
        }
        for each in all_profiles(arguments.config, environment)
    ]
    write_rows(_FIELDS, rows, Characters.of(environment), as_json=arguments.json)
    return OK


def counts_of(profile: Profile, environment: Mapping[str, str]) -> Mapping[EntryState, int]:
    """Return how many animals of each state the outbox of a profile holds.

    Raises:
        ConfigurationError: its outbox cannot be read.
    """
    from pettui.outbox.entries import EntryState, OutboxError
    from pettui.outbox.owners import LOCAL

    if profile.kind is StoreKind.DEMO:
        return {}
    try:
        counts = owners_of(with_path(profile, environment)).of(LOCAL).summary().entries
    except OutboxError as error:
        raise ConfigurationError("outbox", str(error)) from None
    return {state: counts[state.value] for state in EntryState if counts.get(state.value)}


def _unsent_of(profile: Profile, environment: Mapping[str, str]) -> int:
    """Return how many animals in the outbox of a profile were not added yet."""
    from pettui.outbox.entries import EntryState

    counts = counts_of(profile, environment)
    return sum(count for state, count in counts.items() if state is not EntryState.ADDED)


def test(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Ask the service for one animal, and say how long it took."""
    arguments.profile = arguments.name
    call = Call(arguments, environment)

    async def ask(client: PetClient) -> int:
        page = await client.list_pets(1, on_wait=call.stderr.retry)
        call.stderr.notices(page.notices)
        write_output(f"{arguments.name}: {answer_text(page)}\n".encode())
        return OK

    return call.run(ask)


def answer_text(page: PetPage) -> str:
    """Return that a service answers, and how quickly."""
    return f"the service answers, in {page.elapsed * 1000:.0f} ms"
