"""LineKey: identifies a line in the journal, whatever file it is in."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING, NewType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.transfer.reading.import_lines import GoodLine

LineKey = NewType("LineKey", str)  # 32 hexadecimal digits
_DIGEST_SIZE = 16  # bytes


def numbered_lines(lines: Iterable[GoodLine]) -> list[tuple[LineKey, GoodLine]]:
    """Return the lines of a whole file, each with its key.

    A key is a hash of name, category and status, and of the line's number among equal ones. So it
    stays the same when other lines are changed, added or removed; two equal lines are
    interchangeable.
    """
    numbers: Counter[str] = Counter()
    numbered = []
    for line in lines:
        pet = line.new_pet
        content = json.dumps([pet.name, pet.category_id, pet.status], ensure_ascii=False)
        numbers[content] += 1
        numbered.append((_key(content, numbers[content]), line))
    return numbered


def _key(content: str, number: int) -> LineKey:
    text = f"{number} {content}".encode()
    return LineKey(hashlib.blake2b(text, digest_size=_DIGEST_SIZE).hexdigest())
