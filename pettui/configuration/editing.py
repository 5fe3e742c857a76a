"""Profiles and mappings added to the configuration file, or removed: all other lines stay.

The lines are found by the names that begin them, and what they come to is parsed before it is
written: a file that is written in a way that this does not know is refused.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from pettui.configuration.api_keys import asked_keyring
from pettui.configuration.errors import ConfigurationError
from pettui.configuration.profiles import BUILT_IN, CATEGORIES, profiles
from pettui.configuration.reading import mappings
from pettui.configuration.tables import Table, named_lines, read_table
from pettui.system import files
from pettui.system.files import read_regular_file, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pettui.configuration.tables import Names
    from pettui.settings.settings import ApiKey

KEYS: Final = "keys"  # beside the configuration file: a directory with a file for each key
NAME_RULE: Final = "must be at most 40 letters, digits, dots, dashes and underscores"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_OTHERWISE: Final = "has these tables in a form that cannot be changed here; change them by hand"


def add_profile(
    path: Path, name: str, values: Mapping[str, str], key: ApiKey | None, *, in_keyring: bool
) -> None:
    """Add a profile of a service, and keep its key where nobody else can read it.

    Args:
        path: of the configuration file, which may be missing.
        name: of the profile.
        values: its settings, as they are written there.
        key: to be kept; None where the settings name its variable.
        in_keyring: keep it in the system's keyring, and not in a file (0600).

    Raises:
        ConfigurationError: the name is taken, a setting cannot be used, or something cannot be
            written; then nothing is changed.
    """
    check_name(name)
    with _locked(path):
        text, before = _read(path)
        known = before.table("profiles").values
        if name in known:
            raise ConfigurationError("name", "is taken; remove that profile first", value=name)
        settings: dict[str, str | bool] = dict(values)
        if key is not None and in_keyring:
            settings["api_key_keyring"] = True
        elif key is not None:
            settings["api_key_file"] = f"{KEYS}/{name}"
        text = _with_table(text, ("profiles", name), settings)
        _check(text, before, profiles={**known, name: settings})
        if key is not None:
            _keep_key(path, name, key, in_keyring=in_keyring)
        try:
            _write(path, text)
        except ConfigurationError:
            if key is not None:
                _forget_key(path, name, in_keyring=in_keyring)
            raise


def remove_profile(path: Path, name: str) -> None:
    """Remove a profile, and the key that ``add_profile`` kept for it.

    Raises:
        ConfigurationError: there is none of this name, or something cannot be written.
    """
    check_name(name)
    with _locked(path):
        text, before = _read(path)
        known = dict(before.table("profiles").values)
        table = before.table("profiles").table(name)
        if not table.values:
            raise ConfigurationError("name", f"is no profile of {path}", value=name)
        del known[name]
        text, chosen = _without_table(text, ("profiles", name)), before.values.get("profile")
        if chosen == name:
            text, chosen = _without_lines(text, [("profile",)]), None
        _check(text, before, profiles=known, profile=chosen)
        _write(path, text)
        is_own = table.values.get("api_key_file") == f"{KEYS}/{name}"
        if table.values.get("api_key_keyring") or is_own:
            try:
                _forget_key(path, name, in_keyring=not is_own)
            except ConfigurationError as error:
                reason = f"the profile is removed, but not its key: {error}"
                raise ConfigurationError("profile remove", reason) from None


def keep_mapping(path: Path, name: str, values: Mapping[str, Any]) -> None:
    """Keep a mapping of a file under a name, in place of one that has it.

    Args:
        path: of the configuration file, which may be missing.
        name: of the mapping.
        values: what ``MAPPING_SETTINGS`` declares.

    Raises:
        ConfigurationError: it cannot have this name, or cannot be written; nothing is changed.
    """
    check_mapping_name(name)
    with _locked(path):
        text, before = _read(path)
        text = _with_table(_without_table(text, ("mappings", name)), ("mappings", name), values)
        _check(text, before, mappings={**before.table("mappings").values, name: {**values}})
        _write(path, text)


def name_categories(path: Path, profile: str, names: Mapping[int, str]) -> None:
    """Give categories of a profile their names, in place of those that they have.

    Args:
        path: of the configuration file, which may be missing.
        profile: of the file, or one that is built in.
        names: by number.

    Raises:
        ConfigurationError: there is no such profile, or it cannot be written; nothing is changed.
    """
    with _locked(path):
        text, before = _read(path)
        known = before.table("profiles").values
        if profile not in known and profile not in BUILT_IN:
            raise ConfigurationError("profile", f"is no profile of {path}", value=profile)
        table, own = ("profiles", profile, CATEGORIES), known.get(profile, {})
        added = {str(number): name for number, name in names.items()}
        all_names = {**own.get(CATEGORIES, {}), **added}
        text = _without_lines(text, [(*table, number) for number in added])
        headers = [line for line, named in named_lines(text) if named == table]
        lines = text.split("\n")
        if headers and lines[headers[0] - 1].lstrip().startswith("["):
            lines[headers[0] : headers[0]] = _written(added)
            text = "\n".join(lines)
        else:
            text = _with_table(_without_table(text, table), table, all_names)
        _check(text, before, profiles={**known, profile: {**own, CATEGORIES: all_names}})
        _write(path, text)


def check_mapping_name(name: str, setting: str = "name") -> None:
    """Check the name of a mapping. Raises ConfigurationError."""
    if not _NAME.fullmatch(name):
        raise ConfigurationError(setting, NAME_RULE, value=name)


def check_name(name: str) -> None:
    """Check the name of a profile of a service; it is not shown, since it may be a key.

    Raises:
        ConfigurationError: it cannot be one.
    """
    if not _NAME.fullmatch(name):
        raise ConfigurationError("name", NAME_RULE)
    if name in BUILT_IN:
        raise ConfigurationError("name", "is built in; choose another", value=name)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Make the directory of the file, and keep others from changing it during the block."""
    with _writing("configuration file", path):
        files.make_directory(path.parent)
    with files.locked_directory(path.parent, is_required=False):
        yield


@contextmanager
def _writing(setting: str, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = f"cannot be written: {reason_of(error)}"
        raise ConfigurationError(setting, reason, value=path) from None


def _read(path: Path) -> tuple[str, Table]:
    """Return the file as it is written, and as tables."""
    table = read_table(path, "configuration file", must_exist=False)
    with suppress(FileNotFoundError):
        return read_regular_file(path).content.decode("utf-8-sig"), table
    return "", table


def _with_table(text: str, names: Names, values: Mapping[str, Any]) -> str:
    """Return the text with a table more, at its end."""
    header = ".".join(map(_key, names))
    before = f"{text.rstrip()}\n\n" if text.strip() else ""
    return before + "\n".join((f"[{header}]", *_written(values), ""))


def _written(values: Mapping[str, Any]) -> list[str]:
    """Return values as lines; all that TOML has of texts, numbers and lists, JSON writes alike."""
    return [
        f"{_key(name)} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f")
        for name, value in values.items()
    ]


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _without_lines(text: str, keys: Sequence[Names]) -> str:
    """Return the text without the lines that set these."""
    found = {number for number, names in named_lines(text) if names in keys}
    lines = enumerate(text.split("\n"), 1)
    return "\n".join(line for number, line in lines if number not in found)


def _without_table(text: str, table: Names) -> str:
    """Return the text without a table, and those within it, wherever they stand.

    Of the lines behind it which may be about what comes next, those below a blank one stay; without
    one, all of them: no comment of another table is lost.
    """
    names = dict(named_lines(text))
    kept: list[str] = []
    behind: list[str] = []  # blank lines and comments at the end of the table
    is_inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if number in names:
            is_inside = names[number][: len(table)] == table
            if not is_inside:
                kept += _of_the_next(behind)
            behind.clear()
        if not is_inside:
            kept.append(line)
        elif number not in names and line.strip()[:1] in ("", "#"):
            behind.append(line)
        else:  # a value may have several lines
            behind.clear()
    return "\n".join([*kept, *_of_the_next(behind)])


def _of_the_next(lines: Sequence[str]) -> Sequence[str]:
    blank = next((index for index, line in enumerate(lines) if not line.strip()), -1)
    return lines[blank + 1 :]


def _check(text: str, before: Table, **changed: Any) -> None:
    """Check that a changed text has what it had, but for some tables, which can be used."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        values = {}
    wanted = {name: value for name, value in {**before.values, **changed}.items() if value}
    if {name: value for name, value in values.items() if value} != wanted:
        raise ConfigurationError("configuration file", _OTHERWISE, value=before.file)
    table = Table(before.file, values)
    profiles(table.table("profiles"))
    mappings(table.table("mappings"))


def _write(path: Path, text: str) -> None:
    """Write the file, with line ends as it had them all. Raises ConfigurationError."""
    with _writing("configuration file", path):
        with suppress(FileNotFoundError):
            before = read_regular_file(path).content
            if before.count(b"\r\n") == before.count(b"\n") > 0:
                text = re.sub("\r?\n", "\r\n", text)
        # A link, such as one into a repository of such files, stays one.
        files.replace_file(path.resolve(), text.encode())


def _keep_key(path: Path, name: str, key: ApiKey, *, in_keyring: bool) -> None:
    if in_keyring:
        # That of a profile in another configuration file.
        if asked_keyring("get_password", "--keyring", name) is not None:
            reason = "has a key of this name already; remove it there, or choose another name"
            raise ConfigurationError("keyring", reason, value=name)
        asked_keyring("set_password", "--keyring", name, key.reveal())
        return
    directory = path.parent / KEYS
    if os.path.lexists(directory / name):  # another profile may name it
        reason = "is there already; remove it, or choose another name"
        raise ConfigurationError("key file", reason, value=directory / name)
    with _writing("key file", directory):
        files.make_directory(directory)
        files.replace_file(directory / name, f"{key.reveal()}\n".encode())


def _forget_key(path: Path, name: str, *, in_keyring: bool) -> None:
    if in_keyring:
        if asked_keyring("get_password", "api_key_keyring", name) is not None:
            asked_keyring("delete_password", "api_key_keyring", name)
        return
    with _writing("key file", path.parent / KEYS / name):
        (path.parent / KEYS / name).unlink(missing_ok=True)
