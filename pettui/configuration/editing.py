"""Profiles and mappings added to the configuration file, or removed; comments and order stay."""

from __future__ import annotations

import os
import re
import tomllib
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from pettui.configuration.api_keys import asked_keyring
from pettui.configuration.errors import ConfigurationError
from pettui.configuration.profiles import BUILT_IN, CATEGORIES, profiles
from pettui.configuration.reading import mappings
from pettui.configuration.tables import Table, read_table
from pettui.system import files
from pettui.system.files import read_regular_file, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import tomlkit

    from pettui.settings.settings import ApiKey

KEYS: Final = "keys"  # beside the configuration file: a directory with a file for each key
NAME_RULE: Final = "must be at most 40 letters, digits, dots, dashes and underscores"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


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
            written; then no profile is added.
    """
    check_name(name)
    with _locked(path):
        document, before = _read(path)
        if name in before.table("profiles").values:
            raise ConfigurationError("name", "is taken; remove that profile first", value=name)
        settings: dict[str, str | bool] = dict(values)
        if key is not None and in_keyring:
            settings["api_key_keyring"] = True
        elif key is not None:
            settings["api_key_file"] = f"{KEYS}/{name}"
        text = _checked(_with_table(document, "profiles", name, settings), path)
        if key is not None:
            _keep_key(path, name, key, in_keyring=in_keyring)
        _write(path, text)


def remove_profile(path: Path, name: str) -> None:
    """Remove a profile, and the key that ``add_profile`` kept for it.

    Raises:
        ConfigurationError: there is none of this name, or something cannot be written.
    """
    check_name(name)
    with _locked(path):
        document, before = _read(path)
        table = before.table("profiles").table(name)
        if not table.values:
            raise ConfigurationError("name", f"is no profile of {path}", value=name)
        _take_out(document, "profiles", name)
        if before.values.get("profile") == name:
            del document["profile"]
        text = _checked(document.as_string(), path)
        is_own = table.values.get("api_key_file") == f"{KEYS}/{name}"
        if table.values.get("api_key_keyring") or is_own:
            _forget_key(path, name, in_keyring=not is_own)
        _write(path, text)


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
        document, before = _read(path)
        if name in before.table("mappings").values:
            _take_out(document, "mappings", name)
        _write(path, _checked(_with_table(document, "mappings", name, values), path))


def name_categories(path: Path, profile: str, names: Mapping[int, str]) -> None:
    """Give categories of a profile their names, in place of those that they have.

    Args:
        path: of the configuration file, which may be missing.
        profile: of the file, or one that is built in.
        names: by number.

    Raises:
        ConfigurationError: there is no such profile, or it cannot be written; nothing is changed.
    """
    import tomlkit  # noqa: PLC0415 - needed to change the file alone

    added = {str(number): name for number, name in names.items()}
    with _locked(path):
        document, before = _read(path)
        table = before.table("profiles").table(profile)
        if CATEGORIES in table.values:
            document["profiles"][profile][CATEGORIES].update(added)
        elif table.values:
            # In one line, which stands between dotted keys, too.
            document["profiles"][profile][CATEGORIES] = tomlkit.inline_table()
            document["profiles"][profile][CATEGORIES].update(added)
        elif profile in BUILT_IN:
            text = _with_table(document, "profiles", profile, {CATEGORIES: added})
            _write(path, _checked(text, path))
            return
        else:
            raise ConfigurationError("profile", f"is no profile of {path}", value=profile)
        _write(path, _checked(document.as_string(), path))


def check_mapping_name(name: str, setting: str = "name") -> None:
    """Check the name of a mapping. Raises ConfigurationError."""
    if not _NAME.fullmatch(name):
        raise ConfigurationError(setting, NAME_RULE, value=name)


def check_name(name: str) -> None:
    """Check the name of a profile of a service. Raises ConfigurationError."""
    check_mapping_name(name)
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


def _read(path: Path) -> tuple[tomlkit.TOMLDocument, Table]:
    """Return the file as it is written, and as tables."""
    import tomlkit  # noqa: PLC0415 - needed to change the file alone

    table = read_table(path, "configuration file", must_exist=False)
    with suppress(FileNotFoundError):
        return tomlkit.parse(read_regular_file(path).content.decode("utf-8-sig")), table
    return tomlkit.document(), table


def _with_table(
    document: tomlkit.TOMLDocument, kind: str, name: str, settings: Mapping[str, Any]
) -> str:
    """Return the text with one more table at its end.

    tomlkit puts a table beside the others of its kind. Between dotted keys, such as
    ``profiles.shop.label``, it would cut off those that follow.
    """
    import tomlkit  # noqa: PLC0415 - needed to change the file alone

    added = tomlkit.document()
    added[kind] = tomlkit.table(is_super_table=True)
    added[kind][name] = tomlkit.table()
    added[kind][name].update(settings)
    before = document.as_string()
    if before and not before.endswith("\n"):
        before += "\n"
    return before + ("\n" if before else "") + added.as_string()


def _take_out(document: tomlkit.TOMLDocument, kind: str, name: str) -> None:
    """Take a table out of the document, but not the comments above what comes next.

    tomlkit has all that stands below a table within it. Tables of one name may stand apart, with
    others between them.
    """
    from tomlkit.items import Table as Written  # noqa: PLC0415 - needed to change the file alone
    from tomlkit.items import Whitespace  # noqa: PLC0415

    found = False
    for key, tables in document.body:
        if key is None or key.key != kind or not isinstance(tables, Written):
            continue
        body = tables.value.body
        for index, (own, table) in enumerate(body):
            if own is not None and own.key == name and isinstance(table, Written):
                body[index] = (None, Whitespace(_of_the_next(table)))
                found = True
    if not found:  # all of them in one line, or by dotted keys
        del document[kind][name]


def _of_the_next(table: tomlkit.items.Table) -> str:
    """Return the lines at the end of a table that are about what comes next.

    Those are what stands below the first blank line; without one, all of them: none is lost.
    """
    from tomlkit.items import Comment, Null, Whitespace  # noqa: PLC0415 - as above
    from tomlkit.items import Table as Written  # noqa: PLC0415

    lines: list[str] = []
    for _, item in reversed(table.value.body):
        if isinstance(item, Written) and not lines:
            return _of_the_next(item)
        if not isinstance(item, Comment | Null | Whitespace):
            break
        lines[:0] = item.as_string().splitlines(keepends=True)
    blank = next((index for index, line in enumerate(lines) if not line.strip()), -1)
    return "".join(lines[blank + 1 :]).rstrip(" \t")


def _checked(text: str, path: Path) -> str:
    """Return the text of a file whose profiles and mappings can all be used."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        reason = "has its tables in a form that cannot be added to; write [profiles.NAME] tables"
        raise ConfigurationError("configuration file", reason, value=path) from None
    profiles(Table(path, values).table("profiles"))
    mappings(Table(path, values).table("mappings"))
    return text


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
