"""The installed pettui on a hostile service, in a real pseudo-terminal: what reaches the terminal."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.client.hostile.server import http, stall
from tests.client.hostile.texts import STEERING
from tests.client.hostile.usual import UsualService
from tests.peers.hostile_services import Services, assert_no_controls_of
from tests.peers.terminal import ENTER, ESCAPE, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.client.hostile.server import HostileServer, Seen

    Open = Callable[..., Terminal]

PROGRAM = str(Path(sys.executable).with_name("pettui"))
KEY, OTHER_KEY = "sesame-open-4711", "sesame-again-0815"
F6, F7 = "\x1b[17~", "\x1b[18~"
PROXIES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
CONFIGURATION = """
profile = "hostile"
delay = 0
[profiles.hostile]
base_url = "{base_url}"
api_key_env = "STORE_KEY"
[limits]
deadline = {deadline}
silence = {silence}
"""


@pytest.fixture
def services() -> Iterator[Services]:
    services = Services()
    yield services
    services.close()


@pytest.fixture
def server(services: Services) -> HostileServer:
    """The service of the profile: a good one, until a test changes it."""
    return services.open()


@pytest.fixture
def open_pettui(
    environment: Mapping[str, str], tmp_path: Path, server: HostileServer
) -> Iterator[Open]:
    """Open pettui with the profile, and the key in the environment."""
    configuration = tmp_path / "config.toml"
    terminals: list[Terminal] = []

    def open_pettui(deadline: int = 2, silence: int = 1, **more: str) -> Terminal:
        text = CONFIGURATION.format(base_url=server.base_url, deadline=deadline, silence=silence)
        configuration.write_text(text)
        own = {"PETTUI_CONFIG": str(configuration), "STORE_KEY": KEY}
        terminals.append(Terminal([PROGRAM], {**environment, **own, **more}))
        return terminals[-1]

    yield open_pettui
    for terminal in terminals:
        terminal.close()


@pytest.fixture
def terminal(open_pettui: Open) -> Terminal:
    """pettui with a good list on its screen."""
    terminal = open_pettui()
    terminal.wait_for("Usual 112", "Usual 101", "12 shown")
    return terminal


def recover_and_quit(terminal: Terminal, server: HostileServer) -> None:
    """Refresh, now that the service is good again, and quit with ``q``."""
    server.turn_to(UsualService(server))
    terminal.press("r")
    terminal.wait_until(
        lambda: "✖" not in terminal.text and "Usual 101" in terminal.text, "a good list again"
    )
    quit_app(terminal)


def quit_app(terminal: Terminal) -> None:
    """Quit with ``q``; the terminal is restored, and saw neither API key."""
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()
    assert terminal.after_screen() == ""
    for key in (KEY, OTHER_KEY):
        assert key.encode() not in terminal.written


def keys_of(seen: list[Seen]) -> list[str]:
    return [value for request in seen for value in request.header("authorization")]


def test_the_app_can_quit_while_a_service_is_silent_from_the_start(
    open_pettui: Open, server: HostileServer
) -> None:
    server.turn_to(stall())
    terminal = open_pettui(deadline=60, silence=60)
    terminal.wait_for("loading all animals")
    terminal.wait_until(lambda: bool(server.seen), "the request arrives")
    quit_app(terminal)
    assert len(server.seen) == 1


def test_control_sequences_in_names_reach_the_terminal_as_text(
    terminal: Terminal, server: HostileServer
) -> None:
    """In the rows, the preview, and on the animal's own screen."""
    texts = [text[:2_000] for text, _ in STEERING.values()]
    pets = [
        {"id": index, "name": text, "categoryId": 3, "status": text, text: text}
        for index, text in enumerate(texts)
    ]
    server.turn_to(http(200, json.dumps(pets)), http(200, json.dumps(pets[0])))
    terminal.press("r")
    terminal.wait_for("R␛[2J␛[31mex", "R␛]52;c;aGFja2Vk␇ex", "<U+009B>2J", "R[red]b[/red]")
    terminal.press(*"gjjjjjjj", "G", "g", ENTER)
    terminal.wait_for("confirmed")
    terminal.press(ESCAPE)
    assert_no_controls_of(terminal, texts)
    recover_and_quit(terminal, server)


def test_control_sequences_in_errors_reach_the_terminal_as_text(
    terminal: Terminal, server: HostileServer
) -> None:
    """Code and message in the error banner, and a page that can be viewed."""
    text, shown = STEERING["CSI"]
    error = json.dumps({"code": text, "message": text, "status": 400})
    server.turn_to(http(400, error), http(400, f"<p>{text}".encode(), content_type=text[:3]))
    terminal.press("r")
    terminal.wait_for(f"✖ 400 {shown}")
    terminal.press("r")
    terminal.wait_for("✖ No Error body")
    terminal.press(F6)
    terminal.wait_for(f"<p>{shown}", "esc Close")
    terminal.press(ESCAPE)
    assert_no_controls_of(terminal, [text])
    recover_and_quit(terminal, server)


def test_another_api_key_can_be_entered_and_nothing_is_lost(
    terminal: Terminal, server: HostileServer
) -> None:
    refusal = {"code": "unauthorized", "message": f"{KEY} is no key", "status": 401}
    server.turn_to(http(401, json.dumps(refusal)), UsualService(server))
    terminal.press("a")
    terminal.wait_for("Add an animal")
    terminal.press("Castor", "\t", "3", ENTER, "Pol")
    terminal.wait_for("✖ 401 unauthorized", "*** is no key", "F7 Change API key", "Pol")
    terminal.press(F7, OTHER_KEY)
    terminal.wait_for("•" * len(OTHER_KEY))
    terminal.press(ENTER)
    terminal.wait_for("✔ 1001 Castor", "Pol")
    assert keys_of(server.seen)[:2] == [f"Bearer {KEY}", f"Bearer {OTHER_KEY}"]
    assert set(keys_of(server.seen)[1:]) == {f"Bearer {OTHER_KEY}"}
    terminal.press(ESCAPE)
    recover_and_quit(terminal, server)
