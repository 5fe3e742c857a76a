"""``pettui list``: the animals of a query, for a terminal or a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.cli.exit_codes import OK, REFUSED
from pettui.cli.one_shot import Call
from pettui.cli.output import is_pipe, is_terminal
from pettui.cli.pet_output import PetOutput
from pettui.cli.pet_query import UnreadableRows, chosen_pets, pages, pet_query

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from pettui.client import PetClient


def list_pets(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Print the animals of a query, page by page if the format allows, and return the exit code.

    Pages before a failed one are printed, too, and so is what can be read of the others.
    """
    call = Call(arguments, environment)
    query = pet_query(call, is_page=is_terminal())
    output = PetOutput(call)
    if is_pipe():
        call.stderr.shows_progress = False  # a pager at its other end draws on the same terminal

    async def run(client: PetClient) -> int:
        from pettui.client import PetClientError

        is_empty, unreadable = True, UnreadableRows()
        try:
            listed = pages(client, query, call.stderr, unreadable)
            async for pets in chosen_pets(listed, query, call.settings):
                is_empty = False
                call.stderr.clear_progress()
                call.unfinished = "the list is incomplete"
                output.write(pets)
        except PetClientError:
            if not is_empty:
                output.write_missing_header()
            raise
        output.write_missing_header()
        call.unfinished = ""
        if unreadable.count:
            call.stderr.error(f"the list is incomplete: {unreadable.sentence}")
            return REFUSED
        return OK

    return call.run(run)
