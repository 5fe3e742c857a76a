"""Small JSON files, each written whole or not at all."""

from __future__ import annotations

import errno
import json
from typing import TYPE_CHECKING, Any, Final

from pettui.files import complete_file, read_regular_file
from pettui.outbox.entries import Draft, Entry, EntryState

if TYPE_CHECKING:
    from pathlib import Path

LARGEST: Final = 64 * 1024 * 1024  # bytes that are read of a file
LARGEST_NUMBER: Final = 2**64  # as a float too; of an int64 typed wrongly there is room to tell
_DAMAGE: Final = {
    errno.ELOOP: "it is a link, not a file",
    errno.EISDIR: "it is not a file",
    errno.EINVAL: "it is not a file",
    errno.EFBIG: "it is too large",
}
_FIELDS: Final = (
    "name",
    "category_id",
    "status",
    "due",
    "pet_id",
    "error",
    "error_code",
    "error_message",
    "error_status",
    "error_excerpt",
    "after_id",
    "replaces",
)


class DamagedFileError(Exception):
    """A file that this version of the app did not write like this; the text says why."""


def write_entry(path: Path, entry: Entry, temporary: Path) -> None:
    """Write an entry's file, as ``write`` does; its state stands in its name alone."""
    write(path, _content(entry), temporary)


def rewrite_entry(path: Path, entry: Entry, temporary: Path) -> None:
    """Write an entry's file again, unless another instance renames it meanwhile."""
    write(path, _content(entry), temporary, is_new=False)


def same_content(one: Entry, other: Entry) -> bool:
    """Whether two entries have the same file content."""
    return _content(one) == _content(other)


def read_entry(path: Path, key: str) -> Entry:
    """Read an entry's file; its state is not in it, and set to WAITING.

    Raises:
        DamagedFileError: it does not hold an entry.
        OSError: it cannot be read.
    """
    content = read(path)
    former_excerpt = _value(content, "error_beginning", str, None)  # its name in older versions
    return Entry(
        key=key,
        name=_value(content, "name", str),
        category_id=_value(content, "category_id", int),
        status=_value(content, "status", str, None),
        state=EntryState.WAITING,
        due=_value(content, "due", int, float),
        pet_id=_value(content, "pet_id", int, None),
        error=_value(content, "error", str, None),
        error_code=_value(content, "error_code", str, None),
        error_message=_value(content, "error_message", str, None),
        error_status=_value(content, "error_status", int, None),
        error_excerpt=_value(content, "error_excerpt", str, None) or former_excerpt,
        after_id=_value(content, "after_id", int, None),
        replaces=_value(content, "replaces", str, None),
    )


def write_draft(path: Path, draft: Draft, temporary: Path) -> None:
    """Write a draft's file, as ``write`` does."""
    content = {
        "name": draft.name,
        "category": draft.category,
        "status": draft.status,
        "is_kept": draft.is_kept,
        "copy_of": draft.copy_of,
        "is_refused": draft.is_refused,
        "typed_at": draft.typed_at,
    }
    write(path, content, temporary)


def read_draft(path: Path) -> Draft:
    """Read a draft's file, or an entry's that became the draft; raises as ``read_entry``."""
    content = read(path)
    if "category_id" in content:
        content["category"] = str(_value(content, "category_id", int))
        content["copy_of"] = content.get("replaces")
        content["is_refused"] = content.get("error") is not None
    return Draft(
        _value(content, "name", str),
        _value(content, "category", str),
        _value(content, "status", str, None) or "",
        is_kept=content.get("is_kept") is True,
        copy_of=_value(content, "copy_of", str, None) or "",
        is_refused=content.get("is_refused") is True,
        typed_at=_value(content, "typed_at", int, float, None) or path.stat().st_mtime,
    )


def write(path: Path, content: dict[str, Any], temporary: Path, *, is_new: bool = True) -> None:
    """Write a JSON object through a temporary file beside it. Raises OSError.

    It survives a power failure once the directory is synced. A file that is not new, and is gone
    once the temporary one is on the disk, is not created again.
    """
    # Kept as typed, surrogates too: escaped, two of them would come back as one character.
    text = json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")
    with complete_file(path, [text], temporary=temporary):
        if is_new or path.exists():
            temporary.rename(path)
        else:
            temporary.unlink()


def read(path: Path) -> dict[str, Any]:
    """Read a JSON object; raises as ``read_entry``."""
    try:
        text = read_regular_file(path, LARGEST, follow_links=False).content
    except OSError as error:
        if error.errno in _DAMAGE:
            raise DamagedFileError(_DAMAGE[error.errno]) from error
        raise
    try:
        content = json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise DamagedFileError("it is not JSON") from error
    if not isinstance(content, dict):
        raise DamagedFileError("it is not a JSON object")
    return content


def _content(entry: Entry) -> dict[str, Any]:
    return {field: getattr(entry, field) for field in _FIELDS}


def _value(content: dict[str, Any], field: str, *types: type | None) -> Any:
    value = content.get(field)
    if value is None and None in types:
        return None
    if isinstance(value, bool) or not any(kind and isinstance(value, kind) for kind in types):
        raise DamagedFileError(f"its {field} is missing or of a wrong type")
    if isinstance(value, int | float) and not abs(value) <= LARGEST_NUMBER:
        raise DamagedFileError(f"its {field} is not a number that pettui writes")  # NaN neither
    return value
