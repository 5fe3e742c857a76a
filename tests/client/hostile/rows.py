"""Lists that are lists, and odd."""

from __future__ import annotations

import json

from tests.client.hostile.bodies import NO_PETS, PET, REX

BAD_ROWS = ("null", "no name", "an id above int64", "an id twice", "half a character as name")
BAD_INDEX = 13  # of twenty, from 0
IDS = (0, -1, 2**63 - 1, -(2**63), 2**53 + 1)
STATUSES = ("available", "pending", "sold", "on loan", "", "AVAILABLE", None)
BROKEN_COMMAS = ("[,]", "[1,]", "[1 2]", "[1", "[1]]", "[}")
RUBBISH = '[null, 1, "a", [], {}]'


def pets(*changes: dict[str, object]) -> str:
    """Return a list of animals, each with what is different about it; their ids are their indexes."""
    return json.dumps([{**PET, "id": place, **change} for place, change in enumerate(changes)])


def one_bad(name: str) -> bytes:
    """Return twenty elements, the one at ``BAD_INDEX`` of which is no animal, but one of NO_PETS."""
    rows = [REX.replace("7", str(100 + place)).encode() for place in range(19)]
    rows.insert(BAD_INDEX, NO_PETS[name][0])
    return b"[" + b" ,\n".join(rows) + b"]"


# Animals of which three are of another status than "available".
STRANGERS = pets({"status": "sold"}, {"status": "available"}, {"status": None}, {"status": "new"})

# name → (a list, what is remarked upon where 20 were asked for)
REMARKABLE: dict[str, tuple[str, str]] = {
    "more than asked for": (pets(*[{}] * 35), "the service sent 35 animals instead of at most 20"),
    "an id twice": (pets({"id": 5}, {"id": 6}, {"id": 5}), "id 5 occurs more than once"),
    "many ids twice": (
        pets({"id": 5}, {"id": 6}, {"id": 5, "name": "Tiny"}, {"id": 6}),
        "id 5 occurs more than once, and others",
    ),
    "far more": (
        pets(*[{}] * 1_200),
        "the service sent 1200 animals instead of at most 20",
    ),
}
