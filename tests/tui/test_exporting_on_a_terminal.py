"""Files that were exported on a real terminal are read back with the csv and json modules."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

from tests.tui.pseudo_terminal import opened

if TYPE_CHECKING:
    from pathlib import Path

NAME = "=R\x1b[31me\u202ex, \"\r\n👨‍👩‍👧 ハチ e\u0301 '"


def test_exports_of_shown_and_marked_rows_are_read_back_exactly(tmp_path: Path) -> None:
    table, lines = tmp_path / "pets.csv", tmp_path / "pets.jsonl"
    with opened(NAME, tmp_path) as terminal:
        terminal.press("", "4 shown")
        terminal.press(f"e\x15{table}\r", "wrote")
        terminal.press(f"j e\x15{lines}\r", "wrote")
        terminal.press("q", "ended None")
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3  # the fourth cannot be read
    assert any(row["name"] == "'" + NAME * 3 for row in rows)
    [pet] = map(json.loads, lines.read_text(encoding="utf-8").splitlines())
    assert pet["id"] == 3
    assert pet["name"] == NAME * 3
