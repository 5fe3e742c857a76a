"""The store of a profile: its client, the service itself if it is embedded, and its journal."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from pettui.composition.threads import use_loop_threads
from pettui.configuration.directories import (
    DATA_DIRECTORY,
    DATABASE,
    check_writable,
    data_directory,
    state_directory,
)
from pettui.configuration.errors import ConfigurationError
from pettui.settings.settings import Profile, Settings, StoreKind
from pettui.system.addresses import same_address
from pettui.system.files import make_directory, reason_of
from pettui.transfer.files import TransferError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from pathlib import Path

    import httpx

    from pettui.client import PetClient
    from pettui.composition.demo import DemoOptions, DemoService
    from pettui.outbox.receipts import Receipts
    from pettui.outbox.stores.directory_owners import DirectoryOwners
    from pettui.service.stores.sqlite import SqliteStore
    from pettui.transfer.journal import Journal
    from pettui.transfer.open_imports import OpenImports

IMPORTS: Final = "imports"  # in the state directory


def client_of(settings: Settings, service: EmbeddedService | DemoService | None) -> PetClient:
    """Return the client of a profile, which opens no connection before its first call."""
    from pettui.client import PetClient

    profile = settings.profile
    return PetClient(
        profile.base_url,
        profile.api_key,
        transport=None if service is None else service.transport,
        limits=settings.limits,
        proxy=profile.proxy,
        ca_file=profile.ca_file,
        why_no_key=profile.missing_key,
    )


@asynccontextmanager
async def opened_client(settings: Settings) -> AsyncIterator[PetClient]:
    """Open the client of a profile and its store; the block's end closes both.

    Raises:
        ConfigurationError: its store's file cannot be used.
    """
    use_loop_threads()
    is_service = settings.profile.kind is StoreKind.SERVICE
    service = None if is_service else open_embedded(settings.profile)
    client = client_of(settings, service)
    try:
        yield client
    finally:
        await client.aclose()
        if service is not None:
            await service.aclose()


class EmbeddedService:
    """The service on a SQLite store; its opener closes it."""

    def __init__(self, profile: Profile, store: SqliteStore) -> None:
        self._profile = profile
        self._store = store

    def transport(self) -> httpx.AsyncBaseTransport:
        """Return a transport to the service, which checks the API key like any other.

        The client calls this with its first request, in a thread, where importing the service
        delays no frame.
        """
        import httpx

        from pettui.service.app import create_app

        app = create_app(self._store, [self._profile.api_key.reveal()])
        return httpx.ASGITransport(app, raise_app_exceptions=False)

    async def aclose(self) -> None:
        """Finish running writes, and close the store; the client is closed before."""
        await self._store.close()


def checked_database(environment: Mapping[str, str]) -> Path:
    """Return the path of the store's file, after checking that it can be used. Nothing is written.

    Raises:
        ConfigurationError: it is another program's, or cannot be written or created.
    """
    from pettui.service.stores.sqlite_files import refuse_unusable
    from pettui.service.stores.store import StoreError

    directory = data_directory(environment)
    check_writable(directory, DATA_DIRECTORY)
    path = directory / DATABASE
    try:
        refuse_unusable(path)
    except (OSError, StoreError) as error:
        raise _unusable(error) from error
    return path


def open_embedded(
    profile: Profile, demo: DemoOptions | None = None, *, with_samples: bool = False
) -> EmbeddedService | DemoService:
    """Open the store of an embedded profile, which is made if there is none, or that of a demo.

    Args:
        profile: of an embedded store or a demo.
        demo: the options of a demo.
        with_samples: whether samples go into a store that this makes.

    Raises:
        ConfigurationError: the file cannot be used.
    """
    if profile.database is None:
        from pettui.composition.demo import DemoService

        return DemoService(profile.api_key, demo)
    from pettui.service.stores.sqlite import SqliteStore
    from pettui.service.stores.store import StoreError

    try:
        make_directory(profile.database.parent)
        # An empty store may be a shop's that pettui serve has open, so only a new one gets samples.
        if with_samples:
            from pettui.service.stores.samples import sample_pets

            store = SqliteStore.open(profile.database, sample_pets(), only_new=True)
        else:
            store = SqliteStore.open(profile.database)
        return EmbeddedService(profile, store)
    except (OSError, StoreError) as error:
        raise _unusable(error) from error


def _unusable(error: Exception) -> ConfigurationError:
    reason = f"cannot be used: {reason_of(error)}" if isinstance(error, OSError) else str(error)
    return ConfigurationError(DATA_DIRECTORY, reason)


def with_path(profile: Profile, environment: Mapping[str, str]) -> Profile:
    """Return a profile with the path of its database, if any, whether or not it can be used."""
    if profile.kind is not StoreKind.EMBEDDED:
        return profile
    return profile._replace(database=data_directory(environment) / DATABASE)


def with_store(profile: Profile, environment: Mapping[str, str]) -> Profile:
    """Return a built-in profile with its database and the names of the samples' categories.

    Raises:
        ConfigurationError: its database cannot be used.
    """
    from pettui.service.stores.samples import SAMPLE_CATEGORIES

    database = checked_database(environment) if profile.kind is StoreKind.EMBEDDED else None
    return profile._replace(database=database, categories=profile.categories or SAMPLE_CATEGORIES)


class OwnSamples:
    """The samples that plain pettui made a store of one's own with, while nothing else is in it."""

    def __init__(self, database: Path) -> None:
        self._database = database

    def count(self) -> int:
        """Return how many there are while the store has nothing else; 0 otherwise. It blocks.

        Raises:
            TransferError: the store can't be read.
        """
        from pettui.service.stores.own_samples import count_samples

        return self._counted(count_samples)

    def remove(self) -> int:
        """Empty the store, unless it has something else by now; return how many went. It blocks.

        Raises:
            TransferError: the store can't be written; it is as it was.
        """
        from pettui.service.stores.own_samples import remove_samples

        return self._counted(remove_samples)

    def _counted(self, count: Callable[[Path], int]) -> int:
        from pettui.service.stores.store import StoreError

        try:
            return count(self._database)
        except StoreError as error:
            raise TransferError(str(error)) from error


def own_samples(profile: Profile) -> OwnSamples | None:
    """Return the samples of a store on this machine; None for a service and a demo."""
    return None if profile.database is None else OwnSamples(profile.database)


def service_of(profile: Profile) -> str:
    """Return where the animals of a profile are, whose store is known: an address, or a file."""
    return str(profile.database or profile.base_url)


def owners_of(profile: Profile) -> DirectoryOwners:
    """Return what belongs to the owners of a profile whose store is known."""
    from pettui.outbox.stores.directory_owners import DirectoryOwners

    return DirectoryOwners(state_directory(), profile.name, service_of(profile))


def receipts_of(profile: Profile) -> Receipts:
    """Return what the user of this machine added on a profile, by day; of a demo nothing is kept.

    Raises:
        ConfigurationError: there is no directory for it.
    """
    from pettui.outbox.owners import LOCAL
    from pettui.outbox.receipts import MemoryReceipts

    if profile.kind is StoreKind.DEMO:
        return MemoryReceipts()
    return owners_of(profile).of(LOCAL).receipts()


def imports_directory() -> Path:
    """Return the directory of all journals. Raises ConfigurationError if there is no home."""
    return state_directory() / IMPORTS


def open_imports_of(profile: Profile) -> OpenImports:
    """Return the files whose import into a profile's store has open lines.

    Raises:
        ConfigurationError: there is no directory for it.
    """
    from pettui.transfer.open_imports import OpenImports

    if profile.kind is StoreKind.DEMO:
        return OpenImports()
    return OpenImports(imports_directory(), same_address(service_of(profile)))


def open_journal(profile: Profile, *, is_read_only: bool = False) -> Journal:
    """Open the journal of a profile's store, in memory for a demo. It blocks.

    Args:
        profile: of the store.
        is_read_only: whether its file stays as it is, whatever is changed.

    Raises:
        ConfigurationError: there is no directory for it.
        JournalError: it cannot be used, or another import to the same store is running.
    """
    from pettui.transfer.journal import Journal

    if profile.kind is StoreKind.DEMO:
        return Journal.in_memory()
    open_it = Journal.read if is_read_only else Journal.open
    return open_it(imports_directory(), service_of(profile))
