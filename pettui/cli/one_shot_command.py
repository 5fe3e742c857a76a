"""OneShotCommand: the interface of every command for scripts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from pettui.cli.output import StandardError
    from pettui.client import PetClient
    from pettui.settings import Settings


@dataclass(frozen=True, slots=True)
class OneShotCall:
    """The arguments of a command, and what it works with."""

    arguments: argparse.Namespace
    settings: Settings  # with the store of a built-in profile
    environment: Mapping[str, str]
    stderr: StandardError


class OneShotCommand(Protocol):
    """A command whose arguments are valid."""

    @property
    def settings(self) -> Settings:
        """The settings for its client."""

    @property
    def maybe_sent(self) -> bool:
        """Whether an add was sent whose outcome is not reported yet."""

    async def run(self, client: PetClient) -> int:
        """Run it, and return the exit code. The data is on standard output then, or in its file.

        Raises:
            PetClientError: a call failed.
            ClosedPipeError: standard output has no reader any more.
            ConfigurationError: standard output or a file cannot be written.
        """
