"""CheckedFile: a file to import, read and checked."""

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
    """A file whose lines were all read."""

    path: Path
    result: Path  # the file for the results
    preview: ImportPreview


def checked_file(path: Path, categories: Mapping[int, str]) -> CheckedFile:
    """Read and check a whole file; it blocks, for seconds if the file is large.

    Raises:
        TransferError: it can't be read, it has no animals, or the results can't be written.
    """
    with open_import(path) as source:
        result = result_path(path)
        check_result(result)
        preview = check_import(source, str(path), categories)
    if not preview.lines and not preview.bad_lines:
        raise failure("read", path, "there is no animal in it")
    return CheckedFile(path, result, preview)
