"""Demos: their options, and the service that each session has for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.configuration.directories import user_path
from pettui.configuration.errors import ConfigurationError
from pettui.models.staged_faults import StagedFaults
from pettui.settings.settings import ApiKey, Profile, StoreKind
from pettui.system.files import read_regular_file, reason_of
from pettui.transfer.files import TransferError, failure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import httpx

    from pettui.models.pets import NewPet, Pet
    from pettui.service.stores.sqlite import SqliteStore
    from pettui.tui.session.session import Demo

# Each session keeps all animals in memory.
_ANIMALS_BYTES: Final = 1_000_000
_ANIMALS_MAXIMUM: Final = 10_000
_ANIMAL_CHARACTERS: Final = 100_000
_LINES_MAXIMUM: Final = 20
_BYTES_MAXIMUM: Final = 32_768
_TAB: Final = 4  # cells


class DemoOptions(NamedTuple):
    """What a demo shows and accepts."""

    animals: tuple[NewPet, ...] | None = None  # the newest last; None means the samples
    welcome: tuple[str, ...] = ()  # raw lines, shown before the list
    is_read_only: bool = False


class DemoService:
    """Created with the first request; its opener closes it."""

    def __init__(self, api_key: ApiKey, options: DemoOptions | None = None) -> None:
        self.options = options or DemoOptions()
        self.faults = StagedFaults()
        self._api_key = api_key
        self._store: SqliteStore | None = None

    def transport(self) -> httpx.AsyncBaseTransport:
        """Return a transport to the service, which checks the API key like any other.

        The client calls this with its first request, in a thread, where importing the service
        delays no frame.
        """
        import httpx

        from pettui.service.demo import StagedService
        from pettui.service.stores.sqlite import DEMO_BOUNDS, SqliteStore

        if self._store is None:
            self._store = SqliteStore.open_in_memory(self._animals, DEMO_BOUNDS)
        app = StagedService(
            self._store,
            self._api_key.reveal(),
            self.faults,
            is_read_only=self.options.is_read_only,
        )
        return httpx.ASGITransport(app, raise_app_exceptions=False)

    @property
    def _animals(self) -> Sequence[NewPet]:
        """What the store starts with, the newest last."""
        if self.options.animals is not None:
            return self.options.animals
        from pettui.service.stores.samples import sample_pets

        return tuple(sample_pets())

    def newest(self, limit: int) -> tuple[Pet, ...]:
        """Return the first page as it will be listed, long before the store is open.

        The client and the service take longer to load than the first frame does.
        """
        from pettui.models.pets import Pet

        numbered = enumerate(self._animals, start=1)  # as SQLite gives ids
        pets = [
            Pet(id=pet_id, name=pet.name, category_id=pet.category_id, status=pet.status)
            for pet_id, pet in numbered
        ]
        return tuple(pets[: -limit - 1 : -1])

    @property
    def demo(self) -> Demo:
        """What the app shows of the demo."""
        from pettui.tui.session.session import Demo

        options = self.options
        return Demo(self.faults, options.welcome, is_read_only=options.is_read_only)

    async def aclose(self) -> None:
        """Close the store; the client is closed before."""
        if self._store is not None:
            await self._store.close()


def read_demo_options(arguments: argparse.Namespace, profile: Profile) -> DemoOptions:
    """Return the values of ``--animals``, ``--welcome`` and ``--read-only``.

    Args:
        arguments: of the command line.
        profile: the one to open.

    Raises:
        ConfigurationError: a file cannot be used, or the profile is not a demo.
    """
    named = {
        "--animals": arguments.animals,
        "--welcome": arguments.welcome,
        "--read-only": arguments.read_only,
    }
    if profile.kind is not StoreKind.DEMO and any(named.values()):
        option = next(option for option, value in named.items() if value)
        raise ConfigurationError(option, "is for a demo; add --demo")
    text = arguments.welcome
    welcome = () if text is None else _read_welcome(user_path(text, "--welcome"))
    animals = None
    if arguments.animals is not None:
        animals = _read_animals(user_path(arguments.animals, "--animals"), profile.categories)
    return DemoOptions(animals, welcome, arguments.read_only)


def _read_animals(path: Path, categories: Mapping[int, str]) -> tuple[NewPet, ...]:
    """Return a file's animals in reverse, so that the first one is the newest, on top of the list.

    Args:
        path: of a CSV, JSON or JSON Lines file.
        categories: names by number, which the file may use; without any, those of the samples.

    Raises:
        ConfigurationError: it cannot be read, a line is bad, or there is no animal in it.
    """
    # With pydantic, so only if asked for.
    from pettui.service.stores.samples import SAMPLE_CATEGORIES
    from pettui.transfer.files import open_file
    from pettui.transfer.lines import ImportLimits, check_import
    from pettui.transfer.survey import UnmappedError

    limits = ImportLimits(_ANIMALS_BYTES, _ANIMALS_MAXIMUM, _ANIMAL_CHARACTERS)
    try:
        with open_file(path) as source:
            found = check_import(source, str(path), categories or SAMPLE_CATEGORIES, limits)
        if found.bad_lines:
            first, others = found.bad_lines[0], len(found.bad_lines) - 1
            more = f" (and {others:,} more bad lines)" if others else ""
            raise failure("read", path, f"{first.position.label}: {first.sentence}{more}")
    except TransferError as error:
        own = "; call its columns name, category and status"
        reason = f"{error}{own if isinstance(error, UnmappedError) else ''}"
        raise ConfigurationError("--animals", reason) from error
    pets = tuple(line.new_pet for line in reversed(found.lines))
    if not pets:
        raise ConfigurationError("--animals", "it contains no animal", value=str(path))
    return pets


def _read_welcome(path: Path) -> tuple[str, ...]:
    """Return the raw lines of a text.

    Raises:
        ConfigurationError: it cannot be read, is not text, or is too long.
    """
    try:
        content = read_regular_file(path, _BYTES_MAXIMUM).content.decode("utf-8-sig")
    except OSError as error:
        raise _unusable(path, reason_of(error)) from error
    except UnicodeDecodeError as error:
        raise _unusable(path, "it is not text; save it as UTF-8") from error
    lines = content.expandtabs(_TAB).strip("\r\n").splitlines()
    if len(lines) > _LINES_MAXIMUM:
        raise _unusable(path, f"it has {len(lines)} lines; at most {_LINES_MAXIMUM} are allowed")
    return tuple(line.rstrip() for line in lines)


def _unusable(path: Path, reason: str) -> ConfigurationError:
    return ConfigurationError("--welcome", reason, value=str(path))
