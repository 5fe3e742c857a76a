"""Any Textual app can be served: a class of its own kind, a function, or where one of them is."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from rich.segment import ControlType, Segment
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Label, RichLog

from pettui.ssh.apps.any_app import AnyApp, found_app, served
from pettui.ssh.apps.app_factory import User
from pettui.ssh.apps.app_pool import USUAL
from pettui.ssh.apps.bugs import bug_fields
from pettui.ssh.apps.served_app import ServedApp
from pettui.ssh.options import SshSetupError
from pettui.ssh.server import serve
from tests.ssh.conftest import serving
from tests.waiting import until

if TYPE_CHECKING:
    from textual import events

ANNA = User("anna", "192.0.2.1")
CLOCK = """
from textual.app import App
from textual.widgets import Label

class Base(App):
    CSS_PATH = "clock.tcss"
    DEFAULT_CSS = "Base #default { color: rgb(1,2,3); }"

class Clock(Base):
    def compose(self):
        yield Label("one", id="file")
        yield Label("two", id="default")

class Case:
    Inner = Clock

an_app = Clock()
"""


@pytest.fixture
def clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module of an app with styles in a file, in the current directory, and not on the path."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    name = f"clock_{abs(hash(tmp_path))}"
    (tmp_path / f"{name}.py").write_text(CLOCK)
    (tmp_path / "clock.tcss").write_text("Base #file { color: rgb(4,5,6); }")
    return name


def made(app: Any) -> Any:
    return AnyApp(app).claim(ANNA, USUAL, None)


async def test_a_plain_app_has_its_own_styles_wherever_its_module_is(clock: str) -> None:
    async with serving(AnyApp(f"{clock}:Clock")) as running, running.opened() as screen:
        await screen.wait_for("one", "two")
        [session] = running.state.sessions.values()
        app: Any = session.terminal.app  # type: ignore[attr-defined]
        colours = [app.query_one(name).styles.color.rgb for name in ("#file", "#default")]
        assert colours == [(4, 5, 6), (1, 2, 3)]
        assert type(app).__name__ == "Clock"
        assert isinstance(app, ServedApp)
        screen.press("\x11")
        assert await screen.end() == 0
    assert running.bugs == []


def test_what_is_served_may_be_within_a_class(clock: str) -> None:
    assert AnyApp(f"{clock}:Case.Inner").name == "Clock"


class Plain(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("x", "quit", "Leave")]

    def compose(self) -> ComposeResult:
        yield Label("plain")


class Named(Plain):
    def __init__(self, size: int = 3, *, user: User | None = None, **_more: object) -> None:
        super().__init__()
        self.given = size, user


class OfKeyword(Plain):
    def __init__(self, *, person: User) -> None:
        super().__init__()
        self.given = person


class OfPosition(Plain):
    def __init__(self, person: User, /, size: int = 3) -> None:
        super().__init__()
        self.given = person, size


def test_the_user_goes_to_the_parameter_of_this_name_or_to_the_only_required_one() -> None:
    assert made(Named).given == (3, ANNA)
    assert made(OfKeyword).given is ANNA
    assert made(OfPosition).given == (ANNA, 3)
    assert not hasattr(made(Plain), "given")


def test_the_class_of_a_plain_app_is_not_changed() -> None:
    before = dict(vars(Plain))
    made_of_it = served(Plain)
    assert dict(vars(Plain)) == before
    assert not issubclass(Plain, ServedApp)
    assert (made_of_it.__name__, made_of_it.__module__) == ("Plain", __name__)
    assert "x" in made(Plain)._bindings.key_to_bindings


class WithoutMouse(Plain):
    takes_mouse, shows_cursor = False, True


def test_an_app_says_itself_whether_it_takes_the_mouse_and_shows_the_cursor() -> None:
    assert (made(Plain).takes_mouse, made(Plain).shows_cursor) == (True, False)
    assert (made(WithoutMouse).takes_mouse, made(WithoutMouse).shows_cursor) == (False, True)


class Chords(Plain):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("alt+s", "show('saved')", "Save"),
        Binding("escape", "show('given up')", "Give up"),
    ]

    def action_show(self, text: str) -> None:
        self.query_one(Label).update(text)


async def test_alt_and_a_key_that_come_in_one_packet_are_a_chord_and_no_esc() -> None:
    async with serving(AnyApp(Chords)) as running, running.opened() as screen:
        await screen.wait_for("plain")
        screen.press("\x1bs")
        await screen.wait_for("saved")
        screen.press("\x1b")
        await screen.wait_for("given up")


class OfPath(Plain):
    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path


class OfOtherUser(Plain):
    def __init__(self, user: str = "root") -> None:
        super().__init__()
        self.given = user


class OfOptional(Plain):
    def __init__(self, who: User | None) -> None:
        super().__init__()
        self.given = who


class OfUnresolved(Plain):
    def __init__(self, who: somewhere.else_.User) -> None:  # type: ignore[name-defined]  # noqa: F821
        super().__init__()
        self.given = who


class Commanded(Plain):
    takes_command = True


class ByHand(ServedApp[None], Commanded):
    """As it may be written, too."""


def commanded_of(user: User, more: int = 0) -> Commanded:
    return Commanded()


def unresolved(user: nobody.User) -> Commanded:  # type: ignore[name-defined]  # noqa: F821
    return Commanded()


class OfCalls:
    def __call__(self, _user: User) -> Commanded:
        return Commanded()


async def later(user: User) -> Plain:
    return Plain()


def test_an_annotation_says_whether_a_parameter_gets_the_user() -> None:
    assert made(OfOtherUser).given == "root"
    assert made(OfOptional).given is ANNA
    assert made(OfUnresolved).given is ANNA
    with pytest.raises(SshSetupError, match="OfPath needs path, which is a str and no User"):
        AnyApp(OfPath)


@pytest.mark.parametrize(
    "app",
    [
        Commanded,
        served(Commanded),
        ByHand,
        partial(served(Commanded)),
        commanded_of,
        partial(commanded_of, more=1),
        unresolved,
        OfCalls(),
    ],
)
def test_what_is_returned_says_whether_it_takes_a_command(app: Any) -> None:
    assert AnyApp(app).takes_command
    assert not AnyApp(Plain).takes_command
    assert not AnyApp(lambda: Commanded()).takes_command  # noqa: PLW0108 - it says nothing


def test_a_lambda_and_a_partial_are_read_as_functions_are() -> None:
    its_class = served(OfPosition)
    assert made(lambda person: its_class(person)).given == (ANNA, 3)  # noqa: PLW0108
    assert made(its_class).given == (ANNA, 3)
    assert made(partial(its_class, size=4)).given == (ANNA, 4)
    assert made(partial(OfPosition, size=4)).given == (ANNA, 4)
    assert AnyApp(partial(OfPosition, size=4)).name == "OfPosition"
    with pytest.raises(SshSetupError, match="needs path, which is a str"):
        AnyApp(partial(OfPath))


@pytest.mark.parametrize("app", [later, partial(later)])
def test_an_async_function_is_refused_at_the_start(app: Any) -> None:
    with pytest.raises(SshSetupError, match="later must be a function that returns an app"):
        AnyApp(app)


def test_serving_in_a_thread_is_refused_with_a_sentence() -> None:
    with ThreadPoolExecutor(1) as thread, pytest.raises(SshSetupError, match="the main thread"):
        thread.submit(serve, Plain).result()


# As in a terminal


class Wide(Plain):
    def __init__(self) -> None:
        super().__init__()
        self.width_at_first = self.console.width

    def compose(self) -> ComposeResult:
        yield Label(id="said")
        yield RichLog()

    def on_resize(self) -> None:
        console = self.console
        said = (*console.size, console.encoding, console.color_system, self.width_at_first)
        self.query_one("#said", Label).update(" ".join(map(str, said)))


@pytest.mark.parametrize(("language", "encoding"), [("C.UTF-8", "utf-8"), ("C", "ascii")])
async def test_the_console_of_an_app_is_that_of_its_client_in_true_colours(
    language: str, encoding: str
) -> None:
    options: dict[str, Any] = {"term_size": (130, 20), "env": {"LANG": language}}
    async with serving(AnyApp(Wide)) as running, running.opened(**options) as screen:
        await screen.wait_for(f"130 20 {encoding} truecolor 130")
        screen.resize(90, 20)
        await screen.wait_for(f"90 20 {encoding} truecolor 130")


class Early(Plain):
    """Does what an app may do as soon as it is made."""

    what = ""

    def __init__(self) -> None:
        super().__init__()
        match self.what:
            case "log":
                self.log("made")
                self.install_screen(Screen(), name="other")
            case "styles":
                self.stylesheet.add_source("Label { color: rgb(9,8,7); }", read_from=("x", ""))
            case "worker":
                self.run_worker(self.job())
            case "exit":
                self.exit(return_code=5, message="no licence")
            case "panic":
                self.panic("no disk")

    async def job(self) -> None:
        self.call_later(lambda: self.query_one(Label).update("worked"))


@pytest.mark.parametrize(
    ("what", "code", "said"),
    [("exit", 5, b"no licence\r\n"), ("panic", 1, b"no disk\r\n")],
)
async def test_an_app_may_end_while_it_is_made(
    what: str, code: int, said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Early, "what", what)
    async with serving(AnyApp(Early)) as running, running.opened() as screen:
        assert await screen.end() == code
        assert screen.errors == said
        assert running.bugs == []


@pytest.mark.parametrize("what", ["log", "styles", "worker"])
async def test_an_app_may_log_and_add_styles_and_workers_while_it_is_made(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Early, "what", what)
    async with serving(AnyApp(Early)) as running, running.opened() as screen:
        await screen.wait_for("worked" if what == "worker" else "plain")
        [session] = running.state.sessions.values()
        app: Any = session.terminal.app  # type: ignore[attr-defined]
        if what == "styles":
            assert app.query_one(Label).styles.color.rgb == (9, 8, 7)
        assert running.bugs == []


@pytest.mark.parametrize("is_by_hand", [False, True])
async def test_the_styles_of_an_app_in_another_folder_are_found(
    clock: str, is_by_hand: bool
) -> None:
    its_class: Any = found_app(f"{clock}:Clock")
    if is_by_hand:

        class Mine(ServedApp[None], its_class):  # type: ignore[misc]
            """In the module of this test."""

        app: Any = Mine
    else:
        app = served(its_class)
    async with serving(AnyApp(app)) as running, running.opened() as screen:
        await screen.wait_for("one", "two")
        [session] = running.state.sessions.values()
        shown: Any = session.terminal.app  # type: ignore[attr-defined]
        assert shown.query_one("#file").styles.color.rgb == (4, 5, 6)
        assert shown.title == ("Mine" if is_by_hand else "Clock")


class Hovered(Plain):
    CSS = "Label:hover { text-style: reverse; }"

    def compose(self) -> ComposeResult:
        yield Label("over here")
        yield Label("0 moves", id="moves")
        self.count = 0

    def on_mouse_move(self) -> None:
        self.count += 1
        self.query_one("#moves", Label).update(f"{self.count} moves")

    def on_key(self, event: events.Key) -> None:
        self.query_one("#moves", Label).update(event.key)


async def test_the_mouse_hovers_with_one_event_a_cell_and_keys_are_kittys() -> None:
    async with serving(AnyApp(Hovered)) as running, running.opened() as screen:
        await screen.wait_for("over here")
        set_up, reset = screen.written, (b"\x1b[?1003l", b"\x1b[<u")
        assert set_up.index(b"\x1b[?1049h") < set_up.index(b"\x1b[?1003h")
        assert set_up.index(b"\x1b[?1049h") < set_up.index(b"\x1b[>25u")
        for _ in range(3):
            screen.press("\x1b[<35;3;1M")
            await screen.wait_for("1 moves")
        screen.press("\x1b[<35;4;1M")
        await screen.wait_for("2 moves")
        assert screen.terminal.buffer[0][3].reverse
        screen.press("\x1b[115;7u")
        await screen.wait_for("alt+ctrl+s")
        screen.press("\x1b[113;5u")
        assert await screen.end() == 0
        assert all(screen.written.index(each) > len(set_up) for each in reset)
        assert max(map(screen.written.index, reset)) < screen.written.index(b"\x1b[?1049l")


class Controlling(Plain):
    def compose(self) -> ComposeResult:
        yield Picture()


class Picture(Widget):
    """Draws a picture by a control, as sixels are, which no screen of cells can show."""

    def render_line(self, y: int) -> Strip:
        control = Segment("\x1bPq#0~\x1b\\", None, [(ControlType.CURSOR_MOVE_TO, 1, 1)])
        return Strip([Segment("before"), control, Segment(f"after {y}")])


async def test_controls_that_cannot_be_drawn_are_dropped() -> None:
    async with serving(AnyApp(Controlling)) as running, running.opened() as screen:
        await screen.wait_for("beforeafter 1")
        assert b"Pq#0" not in screen.written


# The apps of users reach each other


class Chat(Plain):
    """Does something in the app of the other user, at once or later."""

    there: ClassVar[list[Any]] = []

    def __init__(self, user: User) -> None:
        super().__init__()
        self.user = user
        self.ticks = 0

    def compose(self) -> ComposeResult:
        yield Label(self.user.login)
        yield Label("0 ticks", id="ticks")

    def on_mount(self) -> None:
        self.there.append(self)

    def on_unmount(self) -> None:
        self.there.remove(self)

    def tick(self) -> None:
        self.ticks += 1
        self.query_one("#ticks", Label).update(f"{self.ticks} ticks")

    def on_key(self, event: events.Key) -> None:
        [other] = [each for each in self.there if each is not self]
        match event.key:
            case "s":
                other.call_later(other.push_screen, Visited())
            case "m":
                other.call_later(other.mount, Label("mounted"))
            case "i":
                other.call_later(other.set_interval, 0.01, other.tick)
            case "f":
                other.call_later(lambda: 1 // 0)
            case _:
                at_once = {
                    "1": lambda: other.push_screen(Visited()),
                    "2": lambda: other.mount(Label("mounted")),
                    "3": lambda: other.set_interval(0.01, other.tick),
                    "4": lambda: other.switch_screen(Visited()),
                    "5": lambda: other.switch_mode("visited"),
                }
                try:
                    at_once[event.key]()
                except RuntimeError as error:
                    self.query_one("#ticks", Label).update(str(error))


LINE_OF_BUG = 1 + Path(__file__).read_text().splitlines().index(
    "                other.call_later(lambda: 1 // 0)"
)


class Visited(ModalScreen[None]):
    def compose(self) -> ComposeResult:
        yield Label("a visit")
        yield Input()


async def test_what_one_app_has_another_one_do_goes_on_after_its_user_has_left() -> None:
    async with serving(AnyApp(Chat)) as running, running.opened({"username": "ben"}) as ben:
        await ben.wait_for("ben", "0 ticks")
        async with running.opened({"username": "anna"}) as anna:
            await anna.wait_for("anna")
            anna.press("m")
            await ben.wait_for("mounted")
            anna.press("i")
            await ben.wait_until(lambda: "0 ticks" not in ben.text)
            anna.press("s")
            await ben.wait_for("a visit")
            anna.press("\x11")
            assert await anna.end() == 0
        ben.press("typed")
        await ben.wait_for("typed")
        [app] = Chat.there
        ticks = app.ticks
        await until(lambda: app.ticks > ticks + 3)
        ben.press("\x11")
        assert await ben.end() == 0
        assert running.bugs == []


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("1", "push_screen"),
        ("2", "mount"),
        ("3", "set_interval"),
        ("4", "switch_screen"),
        ("5", "switch_mode"),
    ],
)
async def test_what_must_not_be_called_of_another_app_says_how_it_is_called(
    key: str, name: str
) -> None:
    async with serving(AnyApp(Chat)) as running, running.opened({"username": "ben"}) as ben:
        await ben.wait_for("ben", "0 ticks")
        async with running.opened({"username": "anna"}, term_size=(120, 20)) as anna:
            await anna.wait_for("anna")
            anna.press(key)
            await anna.wait_for("another user's app", f"other.call_later(other.{name}, …)")
        assert running.bugs == []


async def test_a_bug_of_what_one_app_has_another_one_do_says_whose_it_is_and_where() -> None:
    async with serving(AnyApp(Chat)) as running, running.opened({"username": "ben"}) as ben:
        await ben.wait_for("ben", "0 ticks")
        async with running.opened({"username": "anna"}) as anna:
            await anna.wait_for("anna")
            anna.press("f")
            assert await ben.end() == 1
            [bug] = running.bugs
            fields = bug_fields(bug)
            assert fields["reason"] == (
                "ZeroDivisionError: integer division or modulo by zero "
                f"(test_any_app.py, line {LINE_OF_BUG}, in <lambda>)"
            )
            assert str(fields["traceback"]).endswith(
                "passed to call_later by the app of anna, session 2 "
                f"(test_any_app.py, line {LINE_OF_BUG}, in on_key)\n"
            )
            anna.press("\x11")
            assert await anna.end() == 0


class Sharing(Plain):
    field = Input()
    _box = ModalScreen[None]()


def test_a_widget_that_all_users_would_share_is_refused() -> None:
    with pytest.raises(SshSetupError, match=r"Sharing .* all users would share: _box, field;"):
        AnyApp(Sharing)


class Patient(Plain):
    def call_later(self, *arguments: Any, **options: Any) -> bool:
        return super().call_later(*arguments, **options)


async def test_an_app_may_have_its_own_of_what_textual_s_apps_have() -> None:
    async with serving(AnyApp(Patient)) as running, running.opened() as screen:
        await screen.wait_for("plain")


class Careless(Plain):
    def __init__(self) -> None:
        super().__init__()
        self._first = self._is_behind = self._has_user = self._last_words = "mine"


async def test_what_an_app_keeps_for_itself_is_not_touched() -> None:
    async with serving(AnyApp(Careless)) as running, running.opened() as screen:
        await screen.wait_for("plain")
        [session] = running.state.sessions.values()
        app: Any = session.terminal.app  # type: ignore[attr-defined]
        assert {app._first, app._is_behind, app._has_user, app._last_words} == {"mine"}
        screen.press("x")
        assert await screen.end() == 0
        assert screen.errors == b""


async def test_in_a_terminal_an_app_saves_and_says_what_it_does_without_a_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = served(Plain)()
    async with app.run_test():
        assert Path(app.save_screenshot(path=str(tmp_path))).parent == tmp_path
        app.exit(message="goodbye")
    assert capsys.readouterr().err == "goodbye\n"
    app = served(Plain)()
    with pytest.raises(ZeroDivisionError):
        async with app.run_test():
            app.call_next(lambda: 1 // 0)
    assert "1 // 0" in capsys.readouterr().err


def test_a_function_returns_a_served_app_which_is_checked_at_its_calls() -> None:
    its_class = served(OfKeyword)
    assert made(lambda: its_class(person=ANNA)).given is ANNA
    with pytest.raises(TypeError, match="must return a ServedApp, and returned one of Plain"):
        made(lambda _someone: Plain())


class TwoNeeded(Plain):
    def __init__(self, user: User, size: int, colour: str) -> None:
        super().__init__()
        self.given = user, size, colour


class Clashing(Plain):
    def draw_on(self) -> None:
        """Be of this class."""


@pytest.mark.parametrize(
    ("app", "reason"),
    [
        (TwoNeeded, "TwoNeeded needs more than a user: size, colour"),
        (divmod, "divmod needs more than a user: x, y"),
        (Plain(), "Plain must be passed as a class"),
        (dict, "<class 'dict'> is neither a class of Textual apps nor makes one"),
        (3, "3 is neither"),
        (Clashing, "Clashing can't be served while it has its own draw_on"),
        ("no_such_module:App", "there is no module no_such_module"),
        ("textual.app:Clock", "module textual.app has no Clock"),
        ("clock.py:Clock:", "must be a module and a class, such as clock:Clock"),
        ("clock", "must be a module and a class"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_what_cannot_be_served_is_refused_at_the_start(app: Any, reason: str) -> None:
    with pytest.raises(SshSetupError, match=reason):
        serve(app)


def test_a_misspelled_limit_is_no_option_that_nobody_reads() -> None:
    limits: dict[str, Any] = {"max_sesions": 3}
    with pytest.raises(TypeError, match="max_sesions"):
        serve(Plain, **limits)


def test_an_error_in_the_module_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken_one.py").write_text("import textual\n\nundefined\n")
    (tmp_path / "broken_two.py").write_text("def f(:\n")
    (tmp_path / "broken_three.py").write_text("import no_such_module\n")
    for module, reason in {
        "broken_one": r"NameError: name 'undefined' is not defined \(.*broken_one.py, line 3\)",
        "broken_two": r"invalid syntax \(broken_two.py, line 1\)",
        "broken_three": r"No module named 'no_such_module' \(.*broken_three.py, line 1\)",
    }.items():
        with pytest.raises(SshSetupError, match=f"module {module} can't be imported: .*{reason}"):
            AnyApp(f"{module}:App")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"workers": 65}, "workers must be a whole number from 1 to 64, not 65"),
        ({"port": 99_999}, "port must be a whole number from 0 to 65535, not 99999"),
        ({"max_sessions": 0}, "max_sessions must be a whole number from 1"),
        ({"workers": 1.5}, "workers must be a whole number"),
        ({"idle_timeout": -1}, "idle_timeout must be seconds from 0 to 1000000, not -1"),
        ({"host": "0.0.0.0"}, "host 0.0.0.0 would let anyone on the network in; add public=True"),
        ({"host": "192.0.2.1", "public": True}, "cannot listen on .*; choose another host or port"),
        ({"authorized_keys": "~/nowhere"}, "authorized_keys /.*/nowhere can't be read"),
        ({"trusted_proxies": "10.0.0.0/33"}, "trusted_proxies must be addresses or networks"),
        ({"trusted_proxies": 5}, "trusted_proxies must be addresses or networks"),
        ({"metrics": ("0.0.0.0", 1)}, "metrics must be on loopback"),
        ({"metrics": ("127.0.0.1", "1")}, "metrics must be on loopback"),
        ({"authorize": True}, "authorize must be a function of a user, not True"),
        ({"host": "0.0.0.0", "public": "no"}, "public must be True or False, not 'no'"),
        ({"name": "../hello"}, "name must be a text without slashes, not '../hello'"),
        ({"authorized_keys": 5}, "authorized_keys must be a path, not 5"),
    ],
    ids=lambda value: next(iter(value), "") if isinstance(value, dict) else "",
)
def test_an_argument_that_cannot_be_used_is_named_as_it_is_written_in_python(
    arguments: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(SshSetupError, match=reason) as refused:
        serve(Plain, **{"port": 0, "directory": tmp_path, **arguments})
    assert "--" not in str(refused.value)


class Notes(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", priority=True),
        Binding("alt+s", "save", "Save", priority=True),
    ]

    def compose(self) -> ComposeResult:
        yield Input()
        yield Label("saved:")

    def action_save(self) -> None:
        typed = self.query_one(Input)
        self.query_one(Label).update(f"saved: {typed.value[:8]}; {len(typed.value)}")
        typed.value = ""


TYPED = {
    "letters and a control": "Rex\x13",
    "letters and a chord": "Rex\x1bs",
    "a paste": "\x1b[200~Rex\x1b[201~\x13",
}


@pytest.mark.parametrize("typed", TYPED.values(), ids=TYPED)
async def test_a_key_that_acts_before_all_widgets_overtakes_no_text(typed: str) -> None:
    async with serving(AnyApp(Notes)) as running, running.opened() as screen:
        await screen.wait_for("saved:")
        for number in range(3):
            screen.press(typed.replace("Rex", f"Rex {number}"))
            await screen.wait_for(f"saved: Rex {number}; 5")


class Stuck(Input):
    async def on_key(self, event: events.Key) -> None:
        if event.key == "z":
            await asyncio.Event().wait()


class StuckNotes(Notes):
    def compose(self) -> ComposeResult:
        yield Stuck()
        yield Label("saved:")


async def test_a_widget_that_does_not_go_on_keeps_such_a_key_for_a_moment_alone() -> None:
    async with serving(AnyApp(StuckNotes)) as running, running.opened() as screen:
        await screen.wait_for("saved:")
        screen.press("Rex\x13")
        await screen.wait_for("saved: Rex; 3")
        screen.press("zap\x13")
        await screen.wait_for("saved: ; 0")


async def test_a_paste_is_as_long_as_in_a_terminal_and_a_longer_one_is_refused_in_words() -> None:
    async with serving(AnyApp(Notes)) as running, running.opened() as screen:
        await screen.wait_for("saved:")
        screen.press(f"\x1b[200~{'x' * 300_000}\x1b[201~")
        screen.press("\x13")
        await screen.wait_for("; 300000")
