"""Keyrings that the program is given by PYTHON_KEYRING_BACKEND: one in a file, one that hangs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from threading import Event

from keyring.backend import KeyringBackend
from keyring.errors import KeyringError


class FileKeyring(KeyringBackend):
    """Keeps its passwords in the file that KEYRING_OF_TESTS names."""

    priority = 1.0

    def get_password(self, service: str, username: str) -> str | None:
        return self._read().get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._write({**self._read(), f"{service}/{username}": password})

    def delete_password(self, service: str, username: str) -> None:
        passwords = self._read()
        del passwords[f"{service}/{username}"]
        self._write(passwords)

    @property
    def _path(self) -> Path:
        return Path(os.environ["KEYRING_OF_TESTS"])

    def _read(self) -> dict[str, str]:
        return json.loads(self._path.read_text()) if self._path.exists() else {}

    def _write(self, passwords: dict[str, str]) -> None:
        self._path.write_text(json.dumps(passwords))


class LockedKeyring(FileKeyring):
    """Refuses everything, and quotes what it was given, as some do."""

    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringError(f"{service} of {username} is locked: {password}")

    def delete_password(self, service: str, username: str) -> None:
        raise KeyringError(f"{service} of {username} is locked")


class HangingKeyring(FileKeyring):
    """Never answers."""

    def get_password(self, service: str, username: str) -> str | None:
        Event().wait()
        return super().get_password(service, username)
