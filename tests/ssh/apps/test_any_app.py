"""Any Textual app can be served: a class of its own kind, a function, or where one of them is."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
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
from pettui.ssh.apps.served_app import ServedApp
from pettui.ssh.options import SshSetupError
from pettui.ssh.server import serve
from tests.ssh.conftest import Running, serving
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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


def app_of(running: Running) -> Any:
    """Return the app of the one session."""
    [session] = running.state.sessions.values()
    return session.terminal.app  # type: ignore[attr-defined]


class Plain(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("x", "quit", "Leave")]

    def compose(self) -> ComposeResult:
        yield Label("plain")


# Which app is made, and of what


def by_hand(app: type[App[None]]) -> type[App[None]]:
    """Return a class of this module, as it may be written, too."""
    return type("Clock", (ServedApp, app), {"__module__": __name__})


@pytest.mark.parametrize("make", [partial, by_hand])
async def test_an_app_of_another_folder_has_its_own_styles_and_title(
    clock: str, make: Callable[[Any], Any]
) -> None:
    app = make(found_app(f"{clock}:Clock"))
    async with serving(AnyApp(app)) as running, running.opened() as screen:
        await screen.wait_for("one", "two")
        shown = app_of(running)
        colours = [shown.query_one(name).styles.color.rgb for name in ("#file", "#default")]
        assert colours == [(4, 5, 6), (1, 2, 3)]
        assert shown.title == type(shown).__name__ == "Clock"
        screen.press("\x11")
        assert await screen.end() == 0
    assert running.bugs == []


def test_the_class_of_a_plain_app_is_not_changed() -> None:
    before = dict(vars(Plain))
    made_of_it = served(Plain)
    assert dict(vars(Plain)) == before
    assert not issubclass(Plain, ServedApp)
    assert (made_of_it.__name__, made_of_it.__module__) == ("Plain", __name__)
    assert "x" in made(Plain)._bindings.key_to_bindings


class Named(Plain):
    """Keeps what it is given, by its name or as the only one that it needs."""

    def __init__(self, size: int = 3, *, user: User | None = None, **_more: object) -> None:
        super().__init__()
        self.given = size, user


class OfPosition(Plain):
    def __init__(self, person: User, /, size: int = 3) -> None:
        super().__init__()
        self.given = size, person


class OfPath(Plain):
    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path


class Commanded(Plain):
    takes_command = True
    takes_mouse, shows_cursor = False, True


def with_given(*given: object) -> Any:
    app: Any = served(Plain)()
    app.given = given
    return app


class ByHand(ServedApp[None], OfPosition):
    """As it may be written, too."""


def of_unresolved(who: somewhere.else_.User) -> Any:  # type: ignore[name-defined]  # noqa: F821
    return with_given(3, who)


def of_other_user(user: str = "root") -> Any:
    return with_given(3, user)


@pytest.mark.parametrize(
    ("app", "size", "user"),
    [
        (Named, 3, ANNA), (OfPosition, 3, ANNA), (served(OfPosition), 3, ANNA),
        (ByHand, 3, ANNA), (of_unresolved, 3, ANNA), (of_other_user, 3, "root"),
        (lambda person: served(OfPosition)(person, size=5), 5, ANNA),
        (partial(OfPosition, size=4), 4, ANNA),
    ],
)  # fmt: skip
def test_the_user_goes_to_the_parameter_of_this_name_or_to_the_only_required_one(
    app: Any, size: int, user: object
) -> None:
    assert made(app).given == (size, user)
    assert not hasattr(made(Plain), "given")


def test_an_app_says_itself_whether_it_takes_the_mouse_and_shows_the_cursor() -> None:
    names = ("takes_mouse", "shows_cursor")
    assert [*map(made(Plain).declares, names)] == [True, False]
    assert [*map(made(Commanded).declares, names)] == [False, True]


def commanded_of(user: User, more: int = 0) -> Commanded:
    return Commanded()


def unresolved(user: nobody.User) -> Commanded:  # type: ignore[name-defined]  # noqa: F821
    return Commanded()


class OfCalls:
    def __call__(self, _user: User) -> Commanded:
        return Commanded()


@pytest.mark.parametrize(
    "app",
    [
        Commanded, served(Commanded), partial(commanded_of, more=1), unresolved, OfCalls(),
    ],
)  # fmt: skip
def test_what_is_returned_says_whether_it_takes_a_command(app: Any) -> None:
    assert AnyApp(app).takes_command
    assert not AnyApp(Plain).takes_command
    assert not AnyApp(lambda: Commanded()).takes_command  # noqa: PLW0108 - it says nothing


def test_a_function_that_returns_something_else_is_found_out_when_it_is_called() -> None:
    with pytest.raises(TypeError, match="must return a ServedApp, and returned one of Plain"):
        made(lambda _someone: Plain())


# What cannot be served


async def later(user: User) -> Plain:
    return Plain()


class TwoNeeded(Plain):
    def __init__(self, user: User, size: int, colour: str) -> None:
        super().__init__()
        self.given = user, size, colour


class Sharing(Plain):
    field = Input()
    _box = ModalScreen[None]()


class Clashing(Plain):
    def draw_on(self) -> None:
        """Be of this class."""


@pytest.mark.parametrize(
    ("app", "reason"),
    [
        (TwoNeeded, "TwoNeeded needs more than a user: size, colour"),
        (OfPath, "OfPath needs path, which is a str and no User"),
        (later, "later must be a function that returns an app"),
        (Sharing, r"Sharing .* all users would share: _box, field;"),
        (divmod, "divmod needs more than a user: x, y"),
        (Plain(), "Plain must be passed as a class"),
        (dict, "<class 'dict'> is neither a class of Textual apps nor makes one"),
        (Clashing, "Clashing can't be served while it has its own draw_on"),
        ("no_such_module:App", "there is no module no_such_module"),
        ("textual.app:Clock", "module textual.app has no Clock"),
        ("clock.py:Clock:", "must be a module and a class, such as clock:Clock"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_what_cannot_be_served_is_refused_at_the_start(app: Any, reason: str) -> None:
    with pytest.raises(SshSetupError, match=reason):
        serve(app)


def test_an_error_in_the_module_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text("import textual\n\nundefined\n")
    with pytest.raises(SshSetupError, match=r"'undefined' is not defined \(.*broken.py, line 3\)"):
        AnyApp("broken:App")


def test_serving_in_a_thread_is_refused_with_a_sentence() -> None:
    with ThreadPoolExecutor(1) as thread, pytest.raises(SshSetupError, match="the main thread"):
        thread.submit(serve, Plain).result()


# As in a terminal: what is pressed, and seen


class Chords(Plain):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("alt+s", "show('saved')", "Save"),
        Binding("escape", "show('given up')", "Give up"),
    ]

    def action_show(self, text: str) -> None:
        self.query_one(Label).update(text)


class Working(Plain):
    """Does what an app may do as soon as it is made."""

    def __init__(self) -> None:
        super().__init__()
        self.log("made")
        self.install_screen(Screen(), name="other")
        self.stylesheet.add_source("Label { color: rgb(9,8,7); }", read_from=("x", ""))
        self.run_worker(self.job())

    async def job(self) -> None:
        self.call_later(self.look)

    def look(self) -> None:
        self.query_one(Label).update(f"worked {self.query_one(Label).styles.color.rgb}")


class Notes(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", priority=True),
        Binding("alt+s", "save", "Save", priority=True),
    ]

    def compose(self) -> ComposeResult:
        yield Stuck()
        yield Label("saved:")

    def action_save(self) -> None:
        typed = self.query_one(Input)
        self.query_one(Label).update(f"saved: {typed.value[:8]}; {len(typed.value)}")
        typed.value = ""


class Stuck(Input):
    async def on_key(self, event: events.Key) -> None:
        if event.key == "z":
            await asyncio.Event().wait()


def three_times(typed: str) -> list[tuple[str, str]]:
    return [(typed.replace("Rex", f"Rex {each}"), f"saved: Rex {each}; 5") for each in range(3)]


PRESSED = {
    "alt and a key in one packet are a chord, and no Esc": (
        Chords, [("", "plain"), ("\x1bs", "saved"), ("\x1b", "given up")],
    ),
    "an app may log, and add styles and workers, while it is made": (
        Working, [("", "worked (9, 8, 7)")],
    ),
    "a control overtakes no letters": (Notes, three_times("Rex\x13")),
    "a chord overtakes no letters": (Notes, three_times("Rex\x1bs")),
    "a control overtakes no paste": (Notes, three_times("\x1b[200~Rex\x1b[201~\x13")),
    "a widget that does not go on keeps such a key for a moment alone": (
        Notes, [("Rex\x13", "saved: Rex; 3"), ("zap\x13", "saved: ; 0")],
    ),
    "a paste is as long as in a terminal": (
        Notes, [(f"\x1b[200~{'x' * 300_000}\x1b[201~\x13", "; 300000")],
    ),
    "a longer paste is refused in words": (
        Notes, [(f"\x1b[200~{'x' * 4_000_001}\x1b[201~", "is too long")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("app", "steps"), PRESSED.values(), ids=PRESSED)
async def test_what_is_pressed_and_seen_is_as_in_a_terminal(
    app: Any, steps: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pettui.ssh.apps.served_app.HELD", 0.2)
    monkeypatch.setattr("pettui.ssh.session.END_SECONDS", 0.2)
    async with serving(AnyApp(app)) as running, running.opened() as screen:
        for keys, sees in steps:
            screen.press(keys)
            await screen.wait_for(sees)
    assert running.bugs == []


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


class Leaving(Plain):
    def __init__(self) -> None:
        super().__init__()
        self.exit(return_code=5, message="no licence")


class Panicking(Plain):
    def __init__(self) -> None:
        super().__init__()
        self.panic("no disk")


@pytest.mark.parametrize(
    ("app", "code", "said"),
    [(Leaving, 5, b"no licence\r\n"), (Panicking, 1, b"no disk\r\n")],
)
async def test_an_app_may_end_while_it_is_made(app: type[Plain], code: int, said: bytes) -> None:
    async with serving(AnyApp(app)) as running, running.opened() as screen:
        assert await screen.end() == code
        assert screen.errors == said
        assert running.bugs == []


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


NOT_AT_ONCE = ("push_screen", "mount", "set_interval", "switch_screen", "switch_mode")


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
            case _:
                try:
                    getattr(other, NOT_AT_ONCE[int(event.key)])()
                except RuntimeError as error:
                    self.query_one("#ticks", Label).update(str(error))


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


async def test_what_must_not_be_called_of_another_app_says_how_it_is_called() -> None:
    async with serving(AnyApp(Chat)) as running, running.opened({"username": "ben"}) as ben:
        await ben.wait_for("ben", "0 ticks")
        async with running.opened({"username": "anna"}, term_size=(120, 20)) as anna:
            await anna.wait_for("anna")
            for key, name in enumerate(NOT_AT_ONCE):
                anna.press(str(key))
                await anna.wait_for("another user's app", f"other.call_later(other.{name}, …)")
        assert running.bugs == []
