"""What a store keeps of an entry and of a draft: small JSON objects, in UTF-8.

What is typed stays as it is, lone surrogates too: so it is bytes, and no text of a database.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from types import NoneType
from typing import Any, Final

from pettui.client import is_store_id
from pettui.outbox.entries import Author, Draft, Entry, EntryState, Refusal

LARGEST_NUMBER: Final = 2**64  # as a float too; of an int64 typed wrongly there is room to tell
_OWN_KEY: Final = "own_key"
ENTRY: Final = "entry"  # the content of what is for a key of the user's own
WRAPPED: Final = f'{{"{_OWN_KEY}": '.encode()  # how such a content begins
HAS_STORE: Final = b'"store_id": "'  # stands in the content of an entry that has a store alone
_FIELDS: Final[dict[str, tuple[type, ...]]] = {
    "name": (str,),
    "category_id": (int,),
    "status": (str, NoneType),
    "due": (int, float),
    "pet_id": (int, NoneType),
    "sent_at": (int, float, NoneType),
    "store_id": (str, NoneType),
    "unanswered_by": (str, NoneType),
    "service": (str, NoneType),
    "moving_to": (str, NoneType),
    "moved_to": (str, NoneType),
}
_REFUSAL: Final[dict[str, tuple[str, tuple[type, ...]]]] = {  # the fields of a Refusal
    "text": ("error", (str, NoneType)),
    "code": ("error_code", (str, NoneType)),
    "message": ("error_message", (str, NoneType)),
    "status": ("error_status", (int, NoneType)),
    "excerpt": ("error_excerpt", (str, NoneType)),
}
_AUTHOR: Final = "author"
_AUTHOR_FIELDS: Final[dict[str, tuple[type, ...]]] = {
    **dict.fromkeys(("user", "key", "fingerprint", "address", "account"), (str, NoneType)),
    "session": (int, NoneType),
}


class DamagedContentError(Exception):
    """What pettui did not write like this; the text says why."""


def entry_content(entry: Entry) -> dict[str, Any]:
    """Return what is kept of an entry; its id and its state stand beside it.

    What is for an API key of the user's own is wrapped: an earlier version cannot read it, rather
    than send it with another key.
    """
    refusal = {name: getattr(entry.refusal, field, None) for field, (name, _) in _REFUSAL.items()}
    content = {field: getattr(entry, field) for field in _FIELDS} | refusal
    if entry.author is not None:
        content[_AUTHOR] = entry.author._asdict()
    return content if entry.own_key is None else {_OWN_KEY: entry.own_key, ENTRY: content}


def entry_text(entry: Entry) -> bytes:
    """Return the content of an entry."""
    return _text(entry_content(entry))


def parsed_entry(text: bytes, entry_id: str) -> Entry:
    """Parse the content of an entry; its state is not in it, and set to WAITING.

    A field that is not listed above is ignored: earlier versions wrote ``after_id``, the highest id
    of an animal that was seen before the entry was typed, and ``replaces``, the id of the refused
    entry that it corrects, which stayed and is listed beside it.

    Raises:
        DamagedContentError: it is none.
    """
    content, own_key = _unwrapped(_parsed(text))
    values = {field: _value(content, field, *types) for field, types in _FIELDS.items()}
    if values["store_id"] is not None and not is_store_id(values["store_id"]):
        raise DamagedContentError("its store_id is none")
    refusal = {field: _value(content, name, *types) for field, (name, types) in _REFUSAL.items()}
    refused = Refusal(**refusal) if refusal["text"] is not None else None
    author = _value(content, _AUTHOR, dict, NoneType)
    if author is not None:
        fields = _AUTHOR_FIELDS.items()
        author = Author(**{each: _value(author, each, *types) for each, types in fields})
    return Entry(
        entry_id=entry_id, state=EntryState.WAITING, refusal=refused, own_key=own_key,
        author=author, **values,
    )  # fmt: skip


def draft_text(draft: Draft) -> bytes:
    """Return the content of a draft."""
    content = asdict(draft)
    del content["is_copy"]
    return _text(content)


def parsed_draft(text: bytes, written_at: float) -> Draft:
    """Parse the content of a draft, or of an entry that became one; raises DamagedContentError.

    An earlier version made a refused entry a draft once it was edited, and marked that
    (``is_refused``): it is a draft like any other.

    Args:
        text: the content.
        written_at: when it was typed, if it does not say so.
    """
    content, _ = _unwrapped(_parsed(text))
    if is_entry := "category_id" in content:
        content["category"] = str(_value(content, "category_id", int))
    return Draft(
        _value(content, "name", str),
        _value(content, "category", str),
        _value(content, "status", str, NoneType) or "",
        lines=_value(content, "lines", str, NoneType) or "",
        is_kept=content.get("is_kept") is True,
        is_taken_back=is_entry or content.get("is_taken_back") is True,
        copy_of=_value(content, "copy_of", str, NoneType) or "",
        typed_at=_value(content, "typed_at", int, float, NoneType) or written_at,
    )


def _text(content: dict[str, Any]) -> bytes:
    # Kept as typed, surrogates too: escaped, two of them would come back as one character.
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        content = json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise DamagedContentError("it is not JSON") from error
    if not isinstance(content, dict):
        raise DamagedContentError("it is not a JSON object")
    return content


def _unwrapped(content: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Return the content of an entry, and what it records of a key of the user's own."""
    inner = content.get(ENTRY)
    if not isinstance(inner, dict):
        return content, None
    return inner, _value(content, _OWN_KEY, str)


def _value(content: dict[str, Any], field: str, *types: type) -> Any:
    value = content.get(field)
    if isinstance(value, bool) or not isinstance(value, types):
        raise DamagedContentError(f"its {field} is missing or of a wrong type")
    if isinstance(value, (int, float)) and not abs(value) <= LARGEST_NUMBER:
        raise DamagedContentError(f"its {field} is not a number that pettui writes")  # NaN neither
    return value
