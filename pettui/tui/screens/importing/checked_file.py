"""CheckedFile: a file that is to be imported, read whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pettui.transfer.errors import failure
from pettui.transfer.importing.import_preview import check_import
from pettui.transfer.importing.result_file import check_result, result_path
from pettui.transfer.reading.import_source import open_import

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pettui.transfer.importing.import_preview import ImportPreview


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file whose every line was read."""

    path: Path
    result: Path  # where what becomes of the lines is written
    preview: ImportPreview


def checked_file(path: Path, categories: Mapping[int, str]) -> CheckedFile:
    """Read a file whole. It blocks, for seconds where the file is large.

    Raises:
        TransferError: it cannot be read or is no file of animals, or the result cannot be written.
    """
    with open_import(path) as source:
        result = result_path(path)
        check_result(result)
        preview = check_import(source, str(path), categories)
    if not preview.lines and not preview.bad_lines:
        raise failure("read", path, "there is no animal in it")
    return CheckedFile(path, result, preview)
