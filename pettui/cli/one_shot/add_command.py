"""``pettui add``: sends an animal to the service, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.cli.exit_codes import OK
from pettui.cli.one_shot.pet_output import PetOutput
from pettui.cli.parsers.one_shot_parsers import one_of
from pettui.configuration import ConfigurationError
from pettui.models import STATUSES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.cli.one_shot.one_shot_command import OneShotCall
    from pettui.client import PetClient


class AddCommand:
    """Adds an animal, and prints it as the service stored it."""

    def __init__(self, call: OneShotCall) -> None:
        self.settings = call.settings
        self._name = _name(call.arguments.name)
        self._category = _category_id(call.arguments.category, call.settings.profile.categories)
        self._status = one_of(STATUSES, "--status", call.arguments.status)
        self._output = PetOutput(call)
        self._stderr = call.stderr
        self.maybe_sent = False

    async def run(self, client: PetClient) -> int:
        """Add it, and return the exit code."""
        from pettui.models import NewPet, PetStatus

        status = None if self._status is None else PetStatus(self._status)
        new_pet = NewPet(name=self._name, category_id=self._category, status=status)
        self.maybe_sent = True
        created = await client.create_pet(new_pet, on_wait=self._stderr.retry)
        self.maybe_sent = False
        self._stderr.notices(created.notices)
        for remark in created.remarks:
            self._stderr.warn(remark)
        try:
            self._output.write([created.pet])
            self._output.finish()
        except ConfigurationError:
            self._stderr.error(f"the animal was added, with id {created.pet.id}")
            raise
        return OK


def _name(text: str) -> str:
    if not text.strip():  # such as an unset variable in a script
        raise ConfigurationError("NAME", "is empty")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigurationError("NAME", "is not UTF-8") from None
    return text


def _category_id(text: str, names: Mapping[int, str]) -> int:
    from pettui.transfer.reading.category_names import CategoryNames
    from pettui.transfer.reading.import_lines import FaultError

    try:
        return CategoryNames(names).number_of(text)
    except FaultError as error:
        raise ConfigurationError("CATEGORY", str(error.reason)) from None
