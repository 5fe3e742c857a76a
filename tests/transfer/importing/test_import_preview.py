"""A whole file, checked before anything is sent."""

from __future__ import annotations

import io

from pettui.transfer.lines import ImportLimits, ImportPreview, check_import


def preview(content: str, limits: ImportLimits | None = None) -> ImportPreview:
    return check_import(io.BytesIO(content.encode()), "a.csv", {}, limits)


def test_good_and_bad_lines_are_in_the_files_order() -> None:
    found = preview("name,category,legs\nRex,3,4\nMimi,cats,4\nTiny,7,4\n,7,4\n")
    assert [(line.position.line, line.new_pet.name) for line in found.lines] == [
        (2, "Rex"),
        (4, "Tiny"),
    ]
    assert [(line.position.line, line.field) for line in found.bad_lines] == [
        (3, "category"),
        (5, "name"),
    ]
    assert found.ignored_columns == ("legs",)
