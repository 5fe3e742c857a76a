"""RecentTerminals: which terminals the next users probably have."""

from __future__ import annotations

from pettui.capabilities import Colours, Glyphs
from pettui.ssh.apps.app_pool import REMEMBERED, USUAL, RecentTerminals
from pettui.ssh.client_terminal import ClientTerminal


def terminal(columns: int, kind: str = "xterm-256color") -> ClientTerminal:
    return ClientTerminal(kind, (columns, 30), Colours.MANY, Glyphs.UNICODE)


def test_the_first_apps_are_for_the_usual_terminal() -> None:
    assert RecentTerminals().next([]) == USUAL


def test_apps_are_shared_out_as_the_users_terminals_are() -> None:
    recent = RecentTerminals()
    for columns in (100, 120, 100, 100, 120, 100):
        recent.add(terminal(columns))
    ready: list[ClientTerminal] = []
    for _ in range(6):
        ready.append(recent.next(ready))
    assert sorted(each.size[0] for each in ready) == [100] * 4 + [120] * 2


def test_terminals_that_draw_alike_share_their_apps() -> None:
    recent = RecentTerminals()
    recent.add(terminal(100, "xterm-256color"))
    recent.add(terminal(100, "alacritty"))
    recent.add(terminal(120))
    ready = [terminal(100)]
    assert recent.next(ready).size == (120, 30)


def test_nothing_is_outdated_while_all_terminals_differ() -> None:
    recent = RecentTerminals()
    for columns in (100, 101, 102):
        recent.add(terminal(columns))
    assert not recent.is_outdated(USUAL)


def test_terminals_are_forgotten_for_those_of_later_users() -> None:
    recent = RecentTerminals()
    recent.add(terminal(100))
    for _ in range(REMEMBERED):
        recent.add(terminal(120))
    assert recent.is_outdated(terminal(100))
    assert recent.next([]).size == (120, 30)
