"""A test's user of an app: real connections in a thread, keys in, screen out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Input, Label, Static

from pettui.ssh import Admitted, Refused, User, test_session
from pettui.ssh.testing import TextScreen
from pettui.terminal.keys import KeyParser, sequence_of
from pettui.terminal.tokenizer import Tokenizer
from tests.ssh.conftest import KEY, OTHER, KeyFile, line

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Shop(App[None]):
    """Says who its user is, and echoes what is typed."""

    BINDINGS: ClassVar = [("f2", "fail"), ("f3", "print"), ("f4", "leave")]
    takes_command = True

    def __init__(self, user: User) -> None:
        super().__init__()
        self.user = user

    def compose(self) -> ComposeResult:
        words = [self.user.name, self.user.command, dict(self.user.environment), self.user.data]
        yield Static(f"for {words}", markup=False)
        yield Label(id="size")
        yield Input()

    def on_resize(self, event: events.Resize) -> None:
        self.query_one("#size", Label).update(f"{event.size.width} by {event.size.height} 猫 ok")

    def on_input_changed(self, event: Input.Changed) -> None:
        self.query_one("#size", Label).update(f"typed {event.value}!")

    def action_fail(self) -> None:
        raise ZeroDivisionError("at night")

    def action_print(self) -> None:
        print("of the app")
        self.query_one("#size", Label).update("printed")

    def action_leave(self) -> None:
        self.exit(return_code=7, message="Goodbye\nfor now")


def test_a_users_keys_go_in_and_the_screen_comes_out() -> None:
    with test_session(Shop, size=(40, 10)) as anna:
        anna.wait_for("for ['anna', '', {}, None]", "40 by 10 猫 ok")
        anna.type("a cät")
        anna.wait_for("typed a cät!")
        anna.press("backspace", "left", "x", "full_stop")
        anna.wait_for("typed a cx.ä!")
        anna.paste(" pasted")
        anna.wait_for("typed a cx. pastedä!")
        anna.resize(60, 12)
        anna.wait_for("60 by 12 猫 ok")
        assert anna.exit_code is None
        anna.press("f4")
        assert anna.wait_for_end() == 7
        assert anna.said == "Goodbye\nfor now\n"


async def test_a_coroutine_may_have_one_too_and_prints_as_usual(
    capsys: pytest.CaptureFixture[str],
) -> None:
    usual = sys.stdout
    with test_session(Shop) as anna:
        anna.wait_for("for ['anna'")
        print("of the test")
        anna.press("f3")
        anna.wait_for("printed")
    assert capsys.readouterr().out == "of the test\n"
    assert sys.stdout is usual
    assert not [each for each in threading.enumerate() if each.name == "test session"]


def test_the_documented_test_of_the_documented_app_passes(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs/own-app.md").read_text()
    shown = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "hello.py").write_text(shown[0])
    [test] = [each for each in shown if "def test_" in each]
    (tmp_path / "test_hello.py").write_text(test)
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    without_plugins = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    tested = subprocess.run(
        words, cwd=tmp_path, env=without_plugins, capture_output=True, text=True, check=False
    )
    assert "1 passed" in tested.stdout, tested.stdout


def test_a_user_sends_a_command_and_variables_and_has_data() -> None:
    options: dict[str, Any] = {
        "login": "ben", "command": "cats only", "env": {"TZ": "UTC"}, "accept_env": ["TZ"],
        "authorize": lambda user: Admitted(user.fingerprint[:6]), "banner": "Open\nat noon",
    }  # fmt: skip
    with test_session(Shop, **options) as ben:
        ben.wait_for("for ['ben', 'cats only', {'TZ': 'UTC'}, 'SHA256']")
        assert ben.banner == "Open\nat noon\n"


def test_who_is_refused_gets_an_error_that_says_why() -> None:
    with (
        pytest.raises(PermissionError, match=r"^closed on Mondays\Z"),
        test_session(Shop, authorize=lambda _user: Refused("closed on Mondays")),
    ):
        pass


def test_an_app_that_holds_up_the_loop_fails_its_test() -> None:
    held = threading.Event()

    class Busy(Shop):
        def action_fail(self) -> None:
            held.wait()

    def use() -> None:
        with test_session(Busy, patience=0.5) as anna:
            anna.wait_for("for ")
            anna.press("f2")

    with pytest.raises(AssertionError, match="holds up the event loop"):
        use()
    held.set()
    for each in threading.enumerate():
        if each.name == "test session":
            each.join()


def test_a_bug_of_the_app_is_raised_at_the_end_of_its_test() -> None:
    def use() -> None:
        with test_session(Shop) as anna:
            anna.wait_for("for ")
            anna.press("f2")
            assert anna.wait_for_end() == 1

    with pytest.raises(ZeroDivisionError, match="at night"):
        use()


def test_what_never_comes_fails_with_the_screen() -> None:
    with test_session(Shop, patience=0.1) as anna:
        with pytest.raises(AssertionError, match="no 'never'; it never came; the screen is"):
            anna.wait_for("never")
        with pytest.raises(AssertionError, match="it never ended; the screen is"):
            anna.wait_for_end()


def test_the_documented_app_takes_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (Path(__file__).parents[2] / "docs/own-app.md").read_text()
    hello, *shown = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    [weather] = [each for each in shown if "takes_command" in each]
    (tmp_path / "weather.py").write_text(hello.partition("class")[0] + weather)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    with test_session("weather:Weather", command="berlin") as anna:
        anna.wait_for("The weather in berlin")


def test_several_users_have_one_server_and_what_lifespan_opens() -> None:
    said: list[str] = []

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        said.append("opened")
        yield
        said.append("closed")

    with test_session(Shop, lifespan=lifespan) as anna, anna.another("ben", size=(30, 5)) as ben:
        anna.wait_for("for ['anna'")
        ben.wait_for("for ['ben'", "30 by 5")
        assert said == ["opened"]
    assert said == ["opened", "closed"]


@pytest.mark.parametrize(
    "key",
    ["enter", "tab", "shift+tab", "escape", "space", "up", "ctrl+a", "f1", "f12", "delete", "home",
     "ctrl+left", "alt+s", "a", "Z", "é", "full_stop", "question_mark"],
)  # fmt: skip
def test_each_key_arrives_under_its_name(key: str) -> None:
    tokenizer = Tokenizer()
    tokens = [*tokenizer.feed(sequence_of(key).encode()), *tokenizer.time_out()]
    [pressed] = KeyParser().messages(tokens)
    assert isinstance(pressed, events.Key)
    assert pressed.key == key


def test_a_screen_is_drawn_from_bytes_in_any_parts() -> None:
    output = "\x1b[?1049h\x1b[2J\x1b[2;3Hcät 猫!\x1b]8;;https://x\x1b\\link\x1b[3X\x1b[1Gab\x1b[2Ccd\x1b[5;1Hx\x1b[4H\x1b[J"
    whole, parts = TextScreen(20, 5), TextScreen(20, 5)
    whole.feed(output.encode())
    for byte in output.encode():
        parts.feed(bytes([byte]))
    assert whole.text == parts.text == "\nabcäcd猫!link\n\n\n"


def test_a_file_of_keys_says_who_may_log_in(tmp_path: Path) -> None:
    path = KeyFile(tmp_path / "keys", line(KEY)).path
    with test_session(Shop, authorized_keys=path, client_key=KEY) as anna:
        anna.wait_for("for ['anna'")
    refused = test_session(Shop, authorized_keys=path, client_key=OTHER)
    with pytest.raises(PermissionError), refused:
        pass
