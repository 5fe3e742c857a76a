"""What an export takes, names and overwrites, without a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.appearance.glyphs import glyphs_for
from pettui.models.pets import Pet
from pettui.settings.settings import Glyphs
from pettui.transfer.files import TransferError
from pettui.transfer.writing import FileFormat
from pettui.tui.transfer.export import Export
from pettui.tui.transfer.selection import Selection

if TYPE_CHECKING:
    from pathlib import Path

PETS = (Pet(id=1, name="Rex", category_id=3),)
GLYPHS = glyphs_for(Glyphs.UNICODE)


def test_the_name_follows_the_rows_until_another_is_typed() -> None:
    export = Export(GLYPHS, writes_files=True)
    sold, marked = Selection(PETS, "as shown", "sold.csv"), Selection(PETS, "marked", "marked.csv")
    name = export.text_for(sold)
    assert name == "sold.csv"
    assert export.text_for(marked, name) == "marked.csv"
    assert export.text_for(sold, "mine.json") == "mine.json"
    assert export.text_for(sold, "") == ""


async def test_only_the_same_text_once_more_overwrites_a_file(tmp_path: Path) -> None:
    export, path = Export(GLYPHS, writes_files=True), tmp_path / "pets.csv"
    path.write_text("precious")
    with pytest.raises(TransferError, match="again overwrites"):
        await export.write(str(path), PETS)
    export.typed()
    with pytest.raises(TransferError, match="again overwrites"):
        await export.write(str(path), PETS)
    assert "wrote 1 row to" in await export.write(str(path), PETS)
    assert "Rex" in path.read_text()


def test_a_copy_has_the_format_of_the_name_or_of_what_was_typed() -> None:
    writes, copies = Export(GLYPHS, writes_files=True), Export(GLYPHS, writes_files=False)
    assert writes.format_of("pets.jsonl") is FileFormat.JSON_LINES
    assert writes.format_of("pets") is FileFormat.CSV
    assert copies.format_of(".json") is FileFormat.JSON
    with pytest.raises(TransferError, match="csv, json or jsonl"):
        copies.format_of("xml")
