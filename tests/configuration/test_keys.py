"""Programs on keys of their own, as the configuration file has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.configuration.reading import read_settings
from tests.configuration.refusals import COMMAND, refusal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.configuration.conftest import Configure


def test_a_key_that_an_action_came_to_later_is_free_for_a_command(configure: Configure) -> None:
    settings = read_settings({"config": str(configure(f"[commands]\nf = {COMMAND}"))}, {})
    assert [command.key for command in settings.commands] == ["f"]


def test_a_key_that_the_user_gave_to_such_an_action_is_not_free(configure: Configure) -> None:
    text = f'[keys]\nfind_category = "f"\n[commands]\nf = {COMMAND}'
    said = refusal({"config": str(configure(text))})
    assert "commands.f: the key is not free: Only its category, or all" in said


@pytest.mark.parametrize("table", ['[keys]\nad = "F"', f"[commands]\na = {COMMAND}", "keys = 3"])
def test_wrong_keys_are_nothing_to_what_has_no_keyboard(configure: Configure, table: str) -> None:
    options = {"config": str(configure(table))}
    assert refusal(options)
    settings = read_settings(options, {}, has_keyboard=False)
    assert (settings.keys, settings.commands) == ({}, ())


def test_a_key_that_was_given_away_is_free_for_a_command(configure: Configure) -> None:
    text = f'[keys]\nwatch = "W"\n[commands]\nw = {COMMAND}\npercent_sign = {COMMAND}'
    settings = read_settings({"config": str(configure(text))}, {})
    assert [command.key for command in settings.commands] == ["w", "percent_sign"]
    assert settings.commands[0].run == ("label-printer", "--", "{id}")


@pytest.mark.parametrize(("mode", "is_taken"), [(0o600, True), (0o644, True), (0o664, False)])
def test_a_file_that_others_may_write_has_no_commands(
    configure: Configure, mode: int, is_taken: bool
) -> None:
    path = configure(f"[commands]\nb = {COMMAND}")
    path.chmod(mode)
    settings = read_settings({"config": str(path)}, {})
    assert settings.commands_file == (path if is_taken else None)


@pytest.mark.parametrize(("mode", "is_taken"), [(0o755, True), (0o775, False), (0o1777, True)])
def test_a_file_in_whose_place_others_may_put_another_has_no_commands(
    configure: Configure, tmp_path: Path, mode: int, is_taken: bool
) -> None:
    path = configure(f"[commands]\nb = {COMMAND}")
    link = tmp_path / "elsewhere" / "config.toml"
    link.parent.mkdir()
    link.symlink_to(path)
    path.parent.chmod(mode)
    for named in (path, link):
        found = read_settings({"config": str(named)}, {}).commands_file
        assert found == (named if is_taken else None)
