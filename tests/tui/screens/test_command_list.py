"""Which commands are found by words, and in which order."""

from __future__ import annotations

from unittest.mock import AsyncMock

from pettui.tui.screens.command_list import PaletteCommand, found


def test_commands_that_start_with_the_word_come_first() -> None:
    names = ("Show all", "Add", "Add and next", "Larger limit", "Refresh")
    commands = [PaletteCommand(name, "", AsyncMock()) for name in names]
    assert [each.name for each in found(commands, "")] == list(names)
    assert [each.name for each in found(commands, "ADD")] == ["Add", "Add and next"]
    assert [each.name for each in found(commands, "al")] == ["Show all"]
    assert [each.name for each in found(commands, "l")] == ["Larger limit", "Show all"]
    assert [each.name for each in found(commands, "next add")] == ["Add and next"]
    assert [each.name for each in found(commands, "lgrl")] == ["Larger limit"]
    assert found(commands, "xyz") == []
