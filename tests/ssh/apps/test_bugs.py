"""A bug ends one app: it is reported, without local variables, and prints nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.css.stylesheet import Stylesheet, StylesheetParseError

from pettui.ssh.apps.any_app import AnyApp
from pettui.ssh.apps.bugs import bug_fields
from tests.ssh.conftest import serving
from tests.ssh.counter import BUG, UP, Counter, CounterFactory, user


async def test_a_bug_ends_one_app_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    async with (
        serving(CounterFactory(), name="counter") as running,
        user(running) as first,
        user(running, "ben") as second,
    ):
        first.press(BUG)
        assert await first.end() == 1
        assert b"a bug in counter ended this session" in first.errors
        assert [type(bug) for bug in running.bugs] == [ZeroDivisionError]
        second.press(UP)
        await second.wait_for("1 times")
    printed = capfd.readouterr()
    assert printed.out + printed.err == ""


async def test_nobody_looks_at_the_local_variables_of_a_bug() -> None:
    looked_at: list[object] = []

    class Local:
        def __repr__(self) -> str:
            looked_at.append(self)
            return "a secret"

    class Failing(Counter):
        def action_fail(self) -> None:
            local = Local()
            raise ZeroDivisionError if local else AssertionError

    async with serving(AnyApp(Failing)) as running, running.opened() as screen:
        await screen.wait_for("0 times")
        screen.press(BUG)
        assert await screen.end() == 1
    assert looked_at == []


def test_the_reason_of_a_bug_in_styles_is_where_it_is() -> None:
    styles = Stylesheet()
    styles.add_source("Label {\n  colour: red;\n}", read_from=("prices.tcss", ""))
    with pytest.raises(StylesheetParseError) as caught:
        styles.parse()
    reason = bug_fields(caught.value)["reason"]
    assert reason == f"StylesheetParseError: Error at {Path.cwd() / 'prices.tcss'}:2:3"
