"""Every one-shot command is found by its name."""

from __future__ import annotations

import pytest

from pettui.cli.one_shot import run_one_shot
from pettui.cli.parsers.one_line_parser import ONE_SHOT_COMMANDS


@pytest.mark.parametrize("name", ONE_SHOT_COMMANDS)
def test_each_name_runs_its_own_command(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run_one_shot(name, ["--help"], {})
    assert capsys.readouterr().out.startswith(f"usage: pettui {name} ")


def test_a_name_that_no_command_has_is_a_bug_and_never_an_export() -> None:
    with pytest.raises(ValueError, match="describe"):
        run_one_shot("describe", ["pets.csv"], {})
