"""API keys from the environment and from files that nobody else can read."""

from __future__ import annotations

import errno
import re
import stat
import sys
from secrets import token_urlsafe
from typing import TYPE_CHECKING

from pettui.configuration.errors import (
    ConfigurationError,
    MissingKeyError,
    because,
)
from pettui.files import read_regular_file
from pettui.settings import SHORTEST_KEY, ApiKey, is_bearer_token

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

KEY_FILE_MAXIMUM = 16_384  # bytes
ONE_WORD = "must be one API key: one word of visible ASCII characters"
_VARIABLE = r"[A-Z]+(_[A-Z0-9]+)*"  # safe to show: words, not a key


def key_of_variable(name: str, environment: Mapping[str, str], setting: str) -> ApiKey:
    """Return the API key in an environment variable.

    Args:
        name: of the variable.
        environment: where to look.
        setting: what the error names.

    Raises:
        MissingKeyError: the variable is not set.
        ConfigurationError: it is not a key. A name that does not look
            like a variable's is not shown: it may be the key itself.
    """
    shown = None if name == setting or not re.fullmatch(_VARIABLE, name) else name
    text = environment.get(name, "").strip()
    if not text:
        reason = "is not set in the environment; export it with the API key of the service"
        raise MissingKeyError(setting, reason, value=shown)
    if not is_bearer_token(text):
        raise ConfigurationError(setting, ONE_WORD, value=shown)
    return ApiKey(text)


def key_of_file(path: Path, setting: str) -> ApiKey:
    """Return the API key in a file; blanks around it do not count.

    Raises:
        MissingKeyError: there is no such file.
        ConfigurationError: the file cannot be read, others can read it, or it is not a key.
    """
    try:
        file = read_regular_file(path, KEY_FILE_MAXIMUM)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise ConfigurationError(setting, ONE_WORD, value=path) from None
        # The name of a missing file may be a key that was written there by mistake.
        shown = None if error.errno in (errno.ENOENT, errno.ENAMETOOLONG, errno.ENOTDIR) else path
        reason = f"cannot read the key file: {because(error)}"
        kind = MissingKeyError if error.errno == errno.ENOENT else ConfigurationError
        raise kind(setting, reason, value=shown) from None
    mode = stat.S_IMODE(file.status.st_mode)
    if mode & 0o077 and sys.platform != "win32":
        reason = f"others can read or write this key file (mode {mode:04o}); run: chmod 600 {path}"
        raise ConfigurationError(setting, reason, value=path)
    text = file.content.decode("utf-8", "replace").strip()
    if not is_bearer_token(text):
        raise ConfigurationError(setting, ONE_WORD, value=path)
    return ApiKey(text)


def new_key() -> ApiKey:
    """Return a new random key: 256 bits, as text that fits into a header."""
    return ApiKey(token_urlsafe(32))


def service_keys(environment: Mapping[str, str]) -> tuple[ApiKey, ...]:
    """Return the keys in PETTUI_SERVICE_KEYS, which ``pettui serve`` accepts.

    Raises:
        ConfigurationError: one of them is not a key, or there is none between the commas.
    """
    setting = "PETTUI_SERVICE_KEYS"
    text = environment.get(setting, "")
    words = [word.strip() for word in text.split(",") if word.strip()]
    if text and not words:
        raise ConfigurationError(setting, "contains no key; unset it to have one made")
    if not all(is_bearer_token(word) for word in words):
        reason = "must be API keys, separated by commas: each one word of visible ASCII characters"
        raise ConfigurationError(setting, reason)
    if any(len(word) < SHORTEST_KEY for word in words):
        reason = f"contains a key of fewer than {SHORTEST_KEY} characters, which anybody can guess"
        raise ConfigurationError(setting, reason)
    return tuple(ApiKey(word) for word in words)
