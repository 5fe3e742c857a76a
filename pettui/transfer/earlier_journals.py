"""Records of versions 1 and 2 of the journal's format, as records of version 3.

A record was words with a space between them, and a text in it was a JSON text without spaces. Only
this module knows that: such a file is read once, and is version 3 from when it is opened.

Version 1 has no secret and no stores: nobody promised anything. Its lines are not of a file, so
they are of the first run, which has no record of its own in either version.

Two records have a word that is ignored: the highest id that was listed as the import began.
"""

from __future__ import annotations

import json
import secrets
from typing import Any, Final

from pettui.transfer.runs import Run

VERSIONS: Final = (1, 2)
PLAN_BEGINS: Final = b" plan "  # in no other record: texts in them have no spaces
_NONE: Final = "-"


def record_of(text: bytes) -> list[Any]:
    """Return the record of version 3 for one of an earlier version.

    The first one of a file is followed by the first run.

    Raises:
        ValueError: it is damaged.
    """
    match text.decode("ascii").split(" "):
        case ["pettui-imports", "1", *words]:
            return _header(1, *words, secrets.token_hex(16))
        case ["pettui-imports", "2", *words, secret]:
            return _header(2, *words, secret)
        case ["known-run", began, again, is_again, is_finished, paths, digests]:
            readings = dict(each.split(":") for each in digests.split(","))
            last = (is_finished == "1", int(again), is_again == "1")
            return ["known-run", int(began), _text(paths).split("\0"), readings, *last]
        case ["known-added", line_id, pet_id, again]:
            return ["known-added", line_id, int(pet_id), int(again)]
        case ["known-lost", line_id, since, _, reason]:
            return ["known-lost", line_id, int(since), _text(reason), None]
        case ["known-lost", line_id, since, _, reason, store_id, planned_at, again]:
            promise = (store_id, int(planned_at), int(again))
            return ["known-lost", line_id, int(since), _text(reason), promise]
        case words:
            return _change(words)


def _header(version: int, *words: str) -> list[Any]:
    known, boot, address, again, is_again, secret = words
    boot_or_none = None if boot == _NONE else boot
    header = ("pettui-imports", version, int(known), boot_or_none, _text(address), secret)
    return [*header, Run(again_count=int(again), is_again=is_again == "1")]


def _change(words: list[str]) -> list[Any]:
    """Return a record of what happened after the file was opened."""
    match words:
        case ["begin", since, _, *store_ids]:
            return ["begin", int(since), *(store_ids or (None,))]
        case ["clock", milliseconds]:
            return ["clock", int(milliseconds)]
        case ["run", index, began, path, digest, reading]:
            return ["run", int(index), int(began), _text(path), digest, reading]
        case ["result", path, digest]:
            return ["result", _text(path), digest]
        case ["plan", number, *line_ids]:
            return ["plan", int(number), *line_ids]
        case ["added", line_id, pet_id]:
            return ["added", line_id, int(pet_id)]
        case ["lost", line_id, reason]:
            return ["lost", line_id, _text(reason)]
        case [_] | [_, _]:  # what happened, and to which line
            return words
        case _:
            raise ValueError("it is unknown")


def _text(word: str) -> str:
    text = json.loads(word)
    if not isinstance(text, str):
        raise ValueError("a text was expected")  # noqa: TRY004 - one kind of damage
    return text
