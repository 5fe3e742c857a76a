"""OneShotCommand: what every command for scripts has in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from pettui.cli.one_shot.standard_error import StandardError
    from pettui.client import PetClient
    from pettui.settings import Settings


@dataclass(frozen=True, slots=True)
class OneShotCall:
    """What a command was called with."""

    arguments: argparse.Namespace
    settings: Settings  # with the store of a profile that is built in
    environment: Mapping[str, str]
    stderr: StandardError


class OneShotCommand(Protocol):
    """A command whose arguments are known to be right, and that has not called anybody yet."""

    @property
    def settings(self) -> Settings:
        """What its client is opened with."""

    @property
    def maybe_sent(self) -> bool:
        """Whether an add was begun whose outcome nobody was told of yet."""

    async def run(self, client: PetClient) -> int:
        """Do it, and return the exit code; the data is on standard output then, or in its file.

        Raises:
            PetClientError: a call failed.
            ClosedPipeError: nobody reads standard output any more.
            ConfigurationError: standard output, or a file, takes nothing.
        """
