"""Commands are found by the words of their names."""

from __future__ import annotations

from pettui.tui.widgets.command_list import Command, found


def test_commands_that_start_with_the_word_come_first() -> None:
    async def nothing() -> None:
        """Do nothing."""

    names = ("Show all", "Add", "Add and next", "Larger limit", "Refresh")
    commands = [Command(name, "", nothing) for name in names]
    assert [each.name for each in found(commands, "")] == list(names)
    assert [each.name for each in found(commands, "ADD")] == ["Add", "Add and next"]
    assert [each.name for each in found(commands, "al")] == ["Show all"]
    assert [each.name for each in found(commands, "l")] == ["Larger limit", "Show all"]
    assert [each.name for each in found(commands, "next add")] == ["Add and next"]
    assert found(commands, "xyz") == []
