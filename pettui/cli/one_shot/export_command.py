"""``pettui export``: writes animals to a file, completely or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.cli.exit_codes import OK
from pettui.cli.one_shot.pet_query import counted, pages, pet_query, with_more_pages
from pettui.configuration import ConfigurationError, user_path
from pettui.transfer.errors import TargetExistsError, TransferError
from pettui.transfer.formats import WRITTEN_SUFFIXES, written_format
from pettui.transfer.whole_files import check_target, write_whole

if TYPE_CHECKING:
    from pettui.cli.one_shot.one_shot_command import OneShotCall
    from pettui.client import PetClient
    from pettui.models import Pet


class ExportCommand:
    """Loads all animals, and then writes them."""

    maybe_sent = False

    def __init__(self, call: OneShotCall) -> None:
        self._query = pet_query(call, takes_all_by_default=True)
        self._path = user_path(call.arguments.file, "FILE")
        self._overwrites = call.arguments.force
        self._stderr = call.stderr
        self.settings = with_more_pages(call.settings)
        file_format = written_format(self._path.name)
        if file_format is None:
            reason = f"must end in {', '.join(WRITTEN_SUFFIXES)}, which chooses the format"
            raise ConfigurationError("FILE", reason, value=call.arguments.file)
        self._format = file_format
        try:
            check_target(self._path, overwrite=self._overwrites)
        except TargetExistsError as error:
            raise ConfigurationError("FILE", f"{error}; --force overwrites it") from None
        except TransferError as error:
            raise ConfigurationError("FILE", str(error)) from None

    async def run(self, client: PetClient) -> int:
        """Write them, and return the exit code; if a page fails, there is no file.

        Raises:
            TransferError: the file cannot be written.
        """
        from pettui.transfer.pet_writers import pet_file

        received: list[Pet] = []
        async for pets in pages(client, self._query, self._stderr):
            received.extend(pets)
        chosen = tuple(self._query.chosen(received, self.settings))
        write_whole(self._path, pet_file(chosen, self._format), overwrite=self._overwrites)
        self._stderr.notice(f"{counted(len(chosen))} written to {self._path}")
        return OK
