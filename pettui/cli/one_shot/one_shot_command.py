"""OneShotCommand: what every command for scripts has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pettui.client import PetClient
    from pettui.settings import Settings


class OneShotCommand(Protocol):
    """A command whose arguments are known to be right, and that has not called anybody yet."""

    @property
    def maybe_sent(self) -> bool:
        """Whether an add was begun whose outcome nobody was told of yet."""

    async def run(self, client: PetClient, settings: Settings) -> None:
        """Do it; the data is on standard output then, or in its file.

        Raises:
            PetClientError: a call failed.
            ClosedPipeError: nobody reads standard output any more.
            ConfigurationError: standard output, or a file, takes nothing.
        """
