"""The bytes of a file → pieces of text: UTF-8, or UTF-16 as Excel writes it.

A byte that is not UTF-8 becomes a lone surrogate (PEP 383), so that it costs only its line.
"""

from __future__ import annotations

import codecs
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.models import is_encodable
from pettui.transfer.errors import failure, transfer_errors
from pettui.transfer.formats import EXPORT_HEADER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import BinaryIO

PIECE: Final = 65_536  # bytes
_EXAMINED: Final = 8_192  # bytes, to recognize what is not text
_UTF_8: Final = "utf-8"
_MARKS: Final[Mapping[bytes, str]] = MappingProxyType(
    {codecs.BOM_UTF8: _UTF_8, codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
)
_KINDS: Final[Mapping[bytes, str]] = MappingProxyType(
    {
        b"PK\x03\x04": "it is a spreadsheet or a ZIP file; save it as CSV",
        b"\xd0\xcf\x11\xe0": "it is a spreadsheet; save it as CSV",
        b"\x1f\x8b": "it is compressed; unpack it first",
        codecs.BOM_UTF32_LE: "it is UTF-32; save it as UTF-8",
        codecs.BOM_UTF32_BE: "it is UTF-32; save it as UTF-8",
    }
)
_EXPORT: Final = ",".join(EXPORT_HEADER).encode()
_CONTROL: Final = re.compile(rb"[\x01-\x08\x0e-\x19\x1c-\x1f]")
_BINARY: Final = re.compile("[\x00-\x08\x0e-\x19\x1c-\x1f]")
_BYTE: Final = re.compile("[\udc80-\udcff]")


def text_pieces(source: BinaryIO, name: str, maximum: int) -> Iterator[str]:
    """Return a file's text, without its byte order mark.

    Args:
        source: read from its current position to its end.
        name: for errors.
        maximum: bytes.

    Raises:
        TransferError: it is not text, is larger, or cannot be read.
    """
    head = piece = _read(source, name)
    while piece and len(head) < _EXAMINED:  # a pipe may return less
        piece = _read(source, name)
        head += piece
    if (reason := _why_binary(head)) is not None:
        raise failure("read", name, reason)
    mark, encoding = _encoding(head)
    is_utf_8 = encoding == _UTF_8
    errors = "surrogateescape" if is_utf_8 else "surrogatepass"
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    piece, size = head, 0
    while piece:
        size += len(piece)
        if size > maximum:
            raise failure("read", name, f"it is larger than {_megabytes(maximum)}")
        yield decoder.decode(piece.removeprefix(mark) if piece is head else piece)
        piece = _read(source, name)
    if is_utf_8:
        yield decoder.decode(b"", final=True)
    elif decoder.getstate()[0]:
        yield "\udfff"  # an incomplete character at the end


def why_not_text(text: str) -> str | None:
    """Return why a text cannot be sent as UTF-8; None if it can."""
    if text.isascii():
        return None
    if byte := _BYTE.search(text):
        number = ord(byte[0]) - 0xDC00
        return f"it is not UTF-8 (byte 0x{number:02X}); save the file as UTF-8"
    return None if is_encodable(text) else "it contains an incomplete character"


def _read(source: BinaryIO, name: str) -> bytes:
    with transfer_errors("read", name):
        return source.read(PIECE)


def _encoding(head: bytes) -> tuple[bytes, str]:
    """Return the byte order mark and the encoding."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return mark, encoding
    # Without a mark: the first character of any real import is ASCII.
    if len(head) > 1 and (head[0] == 0) != (head[1] == 0):
        return b"", "utf-16-be" if head[0] == 0 else "utf-16-le"
    return b"", _UTF_8


def _why_binary(head: bytes) -> str | None:
    for signature, reason in _KINDS.items():
        if head.startswith(signature):
            return reason
    mark, encoding = _encoding(head)
    content = head[:_EXAMINED].removeprefix(mark)
    if encoding != _UTF_8:  # without a mark the encoding was a guess
        text = "" if mark else content.decode(encoding, "replace")
        return "it is not text" if _BINARY.search(text) else None
    if content.startswith(_EXPORT):
        return None
    has_control = _CONTROL.search(content) is not None
    return "it is not text" if b"\0" in content or (has_control and _is_broken(content)) else None


def _is_broken(content: bytes) -> bool:
    try:
        codecs.getincrementaldecoder(_UTF_8)().decode(content)  # the end may be incomplete
    except UnicodeDecodeError:
        return True
    return False


def _megabytes(count: int) -> str:
    return f"{count // 1_000_000} MB" if count >= 1_000_000 else f"{count} bytes"
