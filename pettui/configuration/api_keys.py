"""API keys from the environment and from files that nobody else can read."""

from __future__ import annotations

import errno
import stat
from queue import Empty, Queue
from secrets import token_urlsafe
from threading import Thread
from typing import TYPE_CHECKING

from pettui.configuration.errors import (
    ConfigurationError,
    MissingKeyError,
)
from pettui.settings.settings import (
    SERVICE_KEYS_VARIABLE,
    SHORTEST_SERVICE_KEY,
    ApiKey,
    is_bearer_token,
)
from pettui.system.files import WatchedFile, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pettui.settings.settings import Profile

KEY_FILE_MAXIMUM = 16_384  # bytes
ONE_WORD = "must be one API key: one word of visible ASCII characters"


def key_of_variable(name: str, environment: Mapping[str, str], setting: str) -> ApiKey:
    """Return the API key in an environment variable.

    Args:
        name: of the variable.
        environment: where to look.
        setting: what the error names.

    Raises:
        MissingKeyError: the variable is not set.
        ConfigurationError: it is not a key.
    """
    shown = None if name == setting else name
    text = environment.get(name, "").strip()
    if not text:
        reason = "is not set in the environment; export it with the API key of the service"
        raise MissingKeyError(setting, reason, value=shown)
    return _key(text, setting, shown)


def key_of_file(watched: WatchedFile, setting: str) -> ApiKey:
    """Return the API key in a file; blanks around it and a byte order mark do not count.

    Raises:
        MissingKeyError: there is no such file.
        ConfigurationError: the file cannot be read, others can read it, or it is not a key.
    """
    path = watched.path
    try:
        file = watched.read()
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise ConfigurationError(setting, ONE_WORD, value=path) from None
        reason = f"cannot read the key file: {reason_of(error)}"
        kind = MissingKeyError if error.errno == errno.ENOENT else ConfigurationError
        raise kind(setting, reason, value=str(path)) from None
    mode = stat.S_IMODE(file.status.st_mode)
    if mode & 0o077:
        reason = f"others can read or write this key file (mode {mode:04o}); run: chmod 600 {path}"
        raise ConfigurationError(setting, reason, value=path)
    return _key(file.content.decode("utf-8-sig", "replace").strip(), setting, path)


def _key(text: str, setting: str, shown: object = None) -> ApiKey:
    """Return a text as a key; an error shows where it was, and not the text."""
    if not is_bearer_token(text):
        raise ConfigurationError(setting, ONE_WORD, value=shown)
    return ApiKey(text)


class RenewedKey:
    """The API key of a profile that goes on being served, which somebody may replace in its file.

    One that can't be used leaves the key before: that may still be accepted.
    """

    def __init__(self, profile: Profile, path: Path, tell: Callable[[str], None]) -> None:
        """Begin with the key of the profile.

        Args:
            profile: whose key it is.
            path: of the file that has it.
            tell: is told, once, why another key can't be used.
        """
        self.key = profile.api_key
        self._file = WatchedFile(path, KEY_FILE_MAXIMUM)
        self._setting = f"profiles.{profile.name}.api_key_file"
        self._tell = tell
        self._problem = ""

    def is_another(self, *, is_asked: bool = False) -> bool:
        """Read the file if it has changed, or somebody asked; return whether the key is another."""
        if not (is_asked or self._file.has_changed):
            return False
        before, problem = self.key, ""
        try:
            self.key = key_of_file(self._file, self._setting)
        except ConfigurationError as error:
            problem = f"{error}; the API key read before stays"
        if problem and problem != self._problem:
            self._tell(problem)
        self._problem = problem
        return self.key != before


KEYRING_SERVICE = "pettui"  # under which the keyring has the keys, by the profiles' names
KEYRING_SECONDS = 20.0  # it may ask its user for a password, or wait for a desktop for ever


def key_of_keyring(name: str, setting: str) -> ApiKey:
    """Return the API key of a profile in the system's keyring.

    Raises:
        MissingKeyError: the keyring has none.
        ConfigurationError: there is no keyring, or it does not answer.
    """
    text = asked_keyring("get_password", setting, name)
    if not text:
        raise MissingKeyError(
            setting, f"the keyring has no key of {name}; remove the profile and add it again"
        )
    return _key(text, setting)


def asked_keyring(function: str, setting: str, *arguments: str) -> str | None:
    """Call a function of the system's keyring in a thread, for a bounded time.

    Raises:
        ConfigurationError: there is none, it raised, or it does not answer. What it raised is not
            shown: it may quote the key.
    """
    try:
        import keyring  # noqa: PLC0415 - an extra, and slow to import
    except ImportError:
        reason = "needs the module keyring, an extra of pettui"
        raise ConfigurationError(setting, reason) from None
    answers: Queue[tuple[str | None, str]] = Queue()

    def ask() -> None:
        try:
            answers.put((getattr(keyring, function)(KEYRING_SERVICE, *arguments), ""))
        except Exception as error:  # noqa: BLE001 - each keyring has errors of its own
            answers.put((None, type(error).__name__))

    Thread(target=ask, daemon=True, name="keyring").start()
    try:
        answer, problem = answers.get(timeout=KEYRING_SECONDS)
    except Empty:
        problem = f"no answer within {KEYRING_SECONDS:g} s"
    if problem:
        reason = f"the system's keyring cannot be used ({problem}); keep the key in a file instead"
        raise ConfigurationError(setting, reason)
    return answer


def new_key() -> ApiKey:
    """Return a new random key: 256 bits, as text that fits into a header."""
    return ApiKey(token_urlsafe(32))


def service_keys(environment: Mapping[str, str]) -> tuple[ApiKey, ...]:
    """Return the keys in PETTUI_SERVICE_KEYS, which ``pettui serve`` accepts.

    Raises:
        ConfigurationError: one of them is not a key, or there is none between the commas.
    """
    setting = SERVICE_KEYS_VARIABLE
    text = environment.get(setting, "")
    words = [word.strip() for word in text.split(",") if word.strip()]
    if text and not words:
        raise ConfigurationError(setting, "contains no key; unset it to have one made")
    if not all(is_bearer_token(word) for word in words):
        reason = "must be API keys, separated by commas: each one word of visible ASCII characters"
        raise ConfigurationError(setting, reason)
    if any(len(word) < SHORTEST_SERVICE_KEY for word in words):
        fewest = f"a key of fewer than {SHORTEST_SERVICE_KEY} characters"
        reason = f"contains {fewest}, which can be guessed; pettui key add makes one"
        raise ConfigurationError(setting, reason)
    return tuple(ApiKey(word) for word in words)
