"""The options of a demo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pettui.configuration import ConfigurationError, user_path
from pettui.settings import StoreKind

if TYPE_CHECKING:
    import argparse

    from pettui.models import NewPet
    from pettui.settings import Profile


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """What a demo shows and accepts."""

    animals: tuple[NewPet, ...] | None = None  # the newest last; None means the samples
    welcome: tuple[str, ...] = ()  # raw lines, shown before the list
    is_read_only: bool = False


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
    return DemoOptions(
        _animals(arguments.animals, profile), _welcome(arguments.welcome), arguments.read_only
    )


def _animals(text: str | None, profile: Profile) -> tuple[NewPet, ...] | None:
    if text is None:
        return None
    from pettui.cli.demo.animals_file import read_animals  # pydantic, if asked for
    from pettui.service.stores.samples import SAMPLE_CATEGORIES

    categories = profile.categories or SAMPLE_CATEGORIES
    return read_animals(user_path(text, "--animals"), categories)


def _welcome(text: str | None) -> tuple[str, ...]:
    if text is None:
        return ()
    from pettui.cli.demo.welcome_file import read_welcome

    return read_welcome(user_path(text, "--welcome"))
