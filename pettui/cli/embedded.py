"""The store that pettui brings along: the service itself, in this process, behind no port."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pettui.cli.demo.demo_service import DemoService
from pettui.configuration import (
    DATA_DIRECTORY,
    DATABASE,
    ConfigurationError,
    check_writable,
    data_directory,
    make_directory,
)
from pettui.settings import Profile, StoreKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import httpx

    from pettui.cli.demo.demo_options import DemoOptions
    from pettui.models import NewPet
    from pettui.service.stores.sqlite_store import SqliteStore


class EmbeddedService:
    """The service on a store of its own; whoever opens it closes it."""

    def __init__(self, profile: Profile, store: SqliteStore) -> None:
        self._profile = profile
        self._store = store

    def transport(self) -> httpx.AsyncBaseTransport:
        """Give the way to the service, which has the bearer check that any other service has.

        The first question asks for it, in a thread: importing Starlette holds up no frame.
        """
        import httpx

        from pettui.service.http.app import create_app

        app = create_app(self._store, [self._profile.api_key.reveal()])
        return httpx.ASGITransport(app, raise_app_exceptions=False)

    async def aclose(self) -> None:
        """Finish what is being written, and close the store; after the client."""
        await self._store.close()


def checked_database(environment: Mapping[str, str]) -> Path:
    """Give the path of the store's file, once it is known that it can be used; nothing is written.

    Raises:
        ConfigurationError: it is another program's, or it cannot be written, or not made.
    """
    from pettui.service.stores.sqlite_file import refuse_unusable
    from pettui.service.stores.store import StoreError

    directory = data_directory(environment)
    check_writable(directory, DATA_DIRECTORY)
    path = directory / DATABASE
    try:
        refuse_unusable(path)
    except OSError as error:
        reason = f"cannot be read: {error.strerror}; name another directory"
        raise ConfigurationError(DATA_DIRECTORY, reason, value=str(directory)) from error
    except StoreError as error:
        raise ConfigurationError(DATA_DIRECTORY, str(error)) from error
    return path


def open_embedded(
    profile: Profile, demo: DemoOptions | None = None
) -> EmbeddedService | DemoService:
    """Open the store of an embedded profile, filled with samples at its first start; or a demo's.

    Args:
        profile: no service's.
        demo: the options of a demo.

    Raises:
        ConfigurationError: the file cannot be used.
    """
    if profile.database is None:
        return DemoService(profile.api_key, demo)
    from pettui.service.stores.sqlite_store import SqliteStore
    from pettui.service.stores.store import StoreError

    make_directory(profile.database.parent, DATA_DIRECTORY)
    try:
        # A store that is empty may be a shop's, which pettui serve has open: no place for samples.
        store = SqliteStore.open(profile.database, _samples(), only_new=True)
        return EmbeddedService(profile, store)
    except StoreError as error:
        raise ConfigurationError(DATA_DIRECTORY, str(error)) from error


def with_store(profile: Profile, environment: Mapping[str, str]) -> Profile:
    """Give a profile that is built in with its database and the names of the samples' categories.

    Raises:
        ConfigurationError: its database cannot be used.
    """
    from pettui.service.stores.samples import SAMPLE_CATEGORIES

    database = checked_database(environment) if profile.kind is StoreKind.EMBEDDED else None
    return replace(profile, database=database, categories=profile.categories or SAMPLE_CATEGORIES)


def _samples() -> Iterator[NewPet]:
    # Asked for only when the store is empty, and so not imported before.
    from pettui.service.stores.samples import sample_pets

    yield from sample_pets()
