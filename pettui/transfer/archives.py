"""The files in a tar file, one after the other, from a file or a pipe of which nothing is known.

What tarfile writes for regular files is understood, and nothing else (POSIX.1-2001, pax): with its
own reader links, sparse files and sizes lead elsewhere, grow without end, or go back.
"""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Read = Callable[[int], bytes]  # at most so many bytes; none at the end

_PIECE: Final = 1 << 20  # bytes
_LONGEST_HEADER: Final = 100_000  # bytes, of what a member's own block has no room for
_DIGITS: Final = 15  # of a size


def members(read: Read) -> Iterator[tuple[str, int]]:
    """Return name and size of each file, whose content is to be read before the next one.

    Raises:
        tarfile.TarError: it is none, is cut, or has something else than files.
    """
    more: dict[str, str] = {}
    is_empty = True
    while any(block := _exactly(read, tarfile.BLOCKSIZE)):
        member = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        if member.type == tarfile.XHDTYPE and not more and 0 < member.size <= _LONGEST_HEADER:
            more = _extended(_exactly(read, _whole_blocks(member.size))[: member.size])
            continue
        size = more.get("size", str(member.size))
        is_regular = member.type in (tarfile.REGTYPE, tarfile.AREGTYPE)
        if not (is_regular and size.isdecimal() and len(size) <= _DIGITS):
            raise tarfile.ReadError(f'it has "{member.name}", which is no file')
        is_empty = False
        yield more.get("path", member.name), int(size)
        more = {}
    if is_empty:
        raise tarfile.ReadError("it has nothing")
    _check_end(read)


def _check_end(read: Read) -> None:
    """Make sure that only padding follows the end: what a disk lost of a file reads as zeros."""
    left = tarfile.RECORDSIZE
    while piece := read(_PIECE):
        left -= len(piece)
        if left < 0 or any(piece):
            raise tarfile.ReadError("it ends in the middle")


def _extended(header: bytes) -> dict[str, str]:
    """Return the members of an extended header (POSIX.1-2001, pax): "30 mtime=1700000000.5"."""
    found = {}
    while header:
        length, _, _ = header.partition(b" ")
        count = int(length) if length.isdigit() and len(length) <= _DIGITS else 0
        name, equals, value = header[len(length) + 1 : count].partition(b"=")
        if not (equals and value.endswith(b"\n") and count <= len(header)):
            raise tarfile.ReadError("its header is not one")
        header = header[count:]
        found[name.decode(errors="replace")] = value[:-1].decode("utf-8", "surrogateescape")
    return found


def copy_content(read: Read, file: BinaryIO, size: int) -> None:
    """Copy a member's content, and read up to the next header."""
    padding = _whole_blocks(size) - size
    while size:
        piece = _exactly(read, min(size, _PIECE))
        file.write(piece)
        size -= len(piece)
    _exactly(read, padding)


def _whole_blocks(size: int) -> int:
    return -(-size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE


def _exactly(read: Read, count: int) -> bytes:
    pieces = []
    while count:
        if not (piece := read(count)):
            raise tarfile.ReadError("it ends in the middle")
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)
