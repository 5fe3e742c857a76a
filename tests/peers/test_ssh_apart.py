"""Apps of anybody's own, served to OpenSSH's client: they are apart, and say what they have to."""

from __future__ import annotations

import base64
import sys
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import pytest

from tests.peers.ssh_server import SshServer, need_ssh, wait_until
from tests.peers.terminal import QUIT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tests.peers.terminal import Terminal

    ServeApp = Callable[[str], SshServer]

# Its user's name is what the app runs at once; "nothing" is a neighbour.
APP = """
import asyncio, functools, socket, sys, time
from textual.app import App
from textual.widgets import Label
from pettui.ssh import ServedApp, serve, server

def hold(): time.sleep(600)

async def leave():
    await asyncio.sleep(0)
    sys.exit(9)

class Leaver(Label):
    def on_mount(self):
        sys.exit(9)

class Abort(BaseException):
    pass

class Apart(ServedApp[None], App):
    BINDINGS = [("x", "do")]

    def __init__(self, user):
        super().__init__()
        self.what = user.login
        if self.what == "constructor":
            sys.exit(9)
        if self.what == "held":
            hold()

    def compose(self):
        if self.what == "compose":
            sys.exit(9)
        yield Label(f"ready for {self.what}")

    async def action_do(self):
        result = getattr(self, self.what)()
        if asyncio.iscoroutine(result):
            await result

    def unmounting(self): self.exit(return_code=4, message="not said")
    def panicking(self): self.panic("no [b]disk[/b]")

    def on_unmount(self):
        if self.what == "unmounting":
            sys.exit(9)

    def nothing(self): self.query_one(Label).update("here")
    def action(self): sys.exit(9)
    def interrupt(self): raise KeyboardInterrupt
    def words(self): sys.exit("no [b]words[/b]")
    def usual(self): sys.exit()
    def timer(self): self.set_timer(0.01, lambda: sys.exit(9))
    def soon(self): asyncio.get_running_loop().call_soon(sys.exit, 9)
    def worker(self): self.run_worker(leave())
    def thread(self): self.run_worker(lambda: sys.exit(9), thread=True)
    def widget(self): self.mount(Leaver())

    def task(self):
        self.task_of_its_own = asyncio.create_task(leave())

    def reader(self):
        self.ends = socket.socketpair()
        asyncio.get_running_loop().add_reader(self.ends[0], sys.exit, 9)
        self.ends[1].send(b"x")

    def grouping(self): self.run_worker(self.group())

    async def group(self):
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(leave())

    async def awaiting(self):
        try:
            await asyncio.create_task(leave())
        except Exception as error:
            self.exit(return_code=33, message=type(error).__name__)

    def everybody(self): [task.cancel() for task in asyncio.all_tasks()]
    def cancelled(self): raise asyncio.CancelledError
    def abort(self): raise Abort
    def code(self): self.exit(return_code=7, message="[b]bye[/b] and \\x1b[31mthanks")
    def stop(self): asyncio.get_running_loop().stop()
    def sleep(self): hold()
    def c(self): sum(range(10 ** 15))

    def caught(self):
        try:
            hold()
        except BaseException:
            pass

    def spin(self):
        while True:
            try:
                int("no number")
            except Exception:
                pass

serve(Apart, port=0)
"""


@pytest.fixture
def serve_app(home: Path, environment: Mapping[str, str]) -> Iterator[ServeApp]:
    """Serves the app that a script makes; the log may have tracebacks of its bugs."""
    need_ssh()
    with ExitStack() as running:

        def serve_app(script: str) -> SshServer:
            server = SshServer(home, environment, program=[sys.executable, "-c", script])
            running.callback(server.stop)
            return server

        yield serve_app


@pytest.fixture
def apart(serve_app: ServeApp) -> SshServer:
    return serve_app(APP)


ENDS = {
    **dict.fromkeys(
        ("constructor", "compose", "action", "timer", "soon", "task", "worker", "thread", "widget",
         "reader", "unmounting", "grouping"),
        (9, ""),
    ),
    "interrupt": (130, ""), "panicking": (1, "no disk"), "words": (1, "no [b]words[/b]"),
    "usual": (0, ""), "awaiting": (33, "AppEndedError"), "code": (7, "bye and ␛[31mthanks"),
}  # fmt: skip


def test_wherever_an_app_exits_it_ends_as_a_program_would_and_alone(apart: SshServer) -> None:
    """Also later, when what it left behind, such as a reader, would exit again."""
    neighbour = apart.terminal(user="nothing")
    neighbour.wait_for("ready")
    for what, (code, text) in ENDS.items():
        terminal = apart.terminal(user=what)
        if what not in ("constructor", "compose"):
            terminal.wait_for(f"ready for {what}")
            terminal.press("x")
        assert (what, terminal.wait_for_end()) == (what, code)
        assert terminal.after_screen().strip() == text
        terminal.assert_input_restored()
    neighbour.press("x")
    neighbour.wait_for("here")
    neighbour.press(QUIT)
    assert neighbour.wait_for_end() == 0
    apart.wait_for_event("end", len(ENDS) + 1)
    codes = {one["user"]: one.get("code", 0) for one in apart.events("end")}
    assert codes == {"nothing": 0, **{what: code for what, (code, _) in ENDS.items()}}
    assert not apart.events("bug")


def test_an_app_ends_by_whatever_is_raised_and_cancels_only_its_own_tasks(
    apart: SshServer,
) -> None:
    neighbour = apart.terminal(user="nothing")
    neighbour.wait_for("ready")
    kinds = {"everybody": "CancelledError", "cancelled": "CancelledError", "abort": "Abort"}
    for number, (what, kind) in enumerate(kinds.items(), 1):
        terminal = apart.terminal(user=what)
        terminal.wait_for(f"ready for {what}")
        terminal.press("x")
        assert (what, terminal.wait_for_end()) == (what, 1)
        assert "a bug in apart ended this session" in terminal.after_screen()
        assert kind in str(apart.wait_for_event("bug", number)["reason"])
    neighbour.press("x")
    neighbour.wait_for("here")
    neighbour.press(QUIT)
    assert neighbour.wait_for_end() == 0


def test_a_process_that_fails_says_so_to_its_users_and_in_the_log(apart: SshServer) -> None:
    neighbour, stopping = (apart.terminal(user=user) for user in ("nothing", "stop"))
    for terminal in (neighbour, stopping):
        terminal.wait_for("ready")
    stopping.press("x")
    for terminal in (neighbour, stopping):
        assert terminal.wait_for_end() == 1
        terminal.assert_restored()
        assert "a bug in apart ended this session" in terminal.after_screen()
    apart.wait_for_event("end", 2)
    assert {one["reason"] for one in apart.events("end")} == {"crashed"}
    assert apart.wait_for_event("bug")


# Apps that hold up the event loop of all


@pytest.fixture
def blocking(home: Path, serve_app: ServeApp) -> SshServer:
    """The same, in a file, where an app is replaced soon."""
    soon = "server.SshOptions = functools.partial(server.SshOptions, unresponsive_after=2.0)\n"
    (home / "apart.py").write_text(APP.replace("serve(Apart", f"{soon}serve(Apart"))
    return serve_app(
        f"import runpy; runpy.run_path({str(home / 'apart.py')!r}, run_name='__main__')"
    )


HOLDS = {"sleep": "in hold", "held": "in hold", "caught": "in hold", "spin": "in spin"}


def test_an_app_that_holds_up_the_others_ends_alone_with_its_line_in_the_log(
    blocking: SshServer,
) -> None:
    with closing(blocking.terminal(user="nothing")) as neighbour:
        neighbour.wait_for("ready")
        for number, (what, where) in enumerate(HOLDS.items(), 1):
            with closing(blocking.terminal(user=what)) as terminal:
                if what != "held":
                    terminal.wait_for(f"ready for {what}")
                    terminal.press("x")
                assert (what, terminal.wait_for_end()) == (what, 1)
                assert "a bug in apart ended this session" in terminal.after_screen()
                terminal.assert_input_restored()
            bug = blocking.wait_for_event("bug", number)
            assert bug["user"] == what
            assert str(bug["reason"]).startswith("pettui.ssh.watchdog.LoopBlockedError: it held up")
            assert "(apart.py, line " in str(bug["reason"])
            assert str(bug["reason"]).endswith(f"{where})")
        neighbour.press("x")
        neighbour.wait_for("here")
        neighbour.press(QUIT)
        assert neighbour.wait_for_end() == 0
    assert len(blocking.events("bug")) == len(HOLDS)
    assert not blocking.events("worker unresponsive")


def test_where_signals_do_not_reach_the_log_has_the_stack_and_the_process_is_replaced(
    blocking: SshServer,
) -> None:
    with closing(blocking.terminal(user="c")) as terminal:
        terminal.wait_for("ready")
        terminal.press("x")
        assert terminal.wait_for_end() == 255
    stack = str(blocking.wait_for_event("worker unresponsive")["traceback"]).splitlines()
    assert "apart.py" in stack[-1]
    assert stack[-1].endswith(" in c")
    with closing(blocking.terminal(user="nothing")) as terminal:
        terminal.wait_for("ready")


# What an app delivers, and opens

DELIVERING = """
import io
from pathlib import Path
from textual import on
from textual.app import App
from textual.events import DeliveryComplete, DeliveryFailed
from textual.widgets import Label
from pettui.ssh import serve

class Delivering(App):
    BINDINGS = [("t", "text"), ("f", "file"), ("l", "large"), ("b", "binary"), ("u", "url"), ("s", "screenshot"), ("v", "save")]

    def compose(self):
        yield Label("ready")

    @on(DeliveryComplete)
    @on(DeliveryFailed)
    def show(self, event):
        self.query_one(Label).update(f"{type(event).__name__} {event.name} {event.key in self.keys}")

    keys = ()

    def action_text(self): self.keys = (self.deliver_text(io.StringIO("a text"), name="text"),)
    def action_file(self): self.keys = (self.deliver_text(Path("hello.csv"), name="file"),)
    def action_large(self): self.keys = (self.deliver_text(io.StringIO("x" * 74_995), name="large"),)
    def action_binary(self): self.keys = (self.deliver_binary(io.BytesIO(b"x"), name="binary"),)
    def action_screenshot(self): self.keys = (self.deliver_screenshot(),)
    def action_save(self): self.save_screenshot()
    def action_url(self): self.open_url("https://pets.example/59")

serve(Delivering, port=0)
"""


def copied(text: str) -> bytes:
    """What has a terminal copy a text: OSC 52."""
    return b"\x1b]52;c;" + base64.b64encode(text.encode()) + b"\x07"


def test_what_an_app_delivers_is_copied_or_refused_with_a_notice_and_never_kept(
    serve_app: ServeApp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    (home / "hello.csv").write_text("id,name\n")
    terminal = serve_app(DELIVERING).terminal()
    terminal.wait_for("ready")
    for key, *seen, text in (
        ("t", "DeliveryComplete text True", "Copied to your clipboard", "a text"),
        ("f", "DeliveryComplete file True", "Copied to your clipboard", "id,name\n"),
        ("u", "Copied https://pets.example/59", "https://pets.example/59"),
    ):
        terminal.press(key)
        terminal.wait_for(*seen)
        assert copied(text) in terminal.written
    before = terminal.written.count(b"]52;")
    for key, *seen in (
        ("l", "DeliveryFailed large True", "too long for your clipboard"),
        ("b", "DeliveryFailed binary True", "This is no text to copy"),
        ("s", "DeliveryFailed screenshot True", "Failed to save screenshot"),
        ("v", "No file can be saved here."),
    ):
        terminal.press(key)
        terminal.wait_for(*seen)
    assert terminal.written.count(b"]52;") == before
    terminal.press(QUIT)
    assert terminal.wait_for_end() == 0
    assert [path.name for path in home.iterdir() if path.suffix in (".txt", ".csv", ".svg")] == [
        "hello.csv"
    ]


# A bug is found by the log alone, in a minute

BUGGY = """
import asyncio, logging, threading
from textual.app import App
from textual.widgets import Label
from pettui.ssh import serve

class Buggy(App):
    BINDINGS = [("x", "do")]

    def __init__(self, user):
        super().__init__()
        self.what = user.login
        if self.what == "constructor":
            {}["constructor"]
        if self.what == "styles":
            self.CSS = "Label { colour: red; }"

    def compose(self):
        yield Label(f"ready for {self.what}")

    def action_do(self):
        secret = "hunter2"
        print("printed", self.what, "\\x1b[31m")
        self.log("said", number=5)
        logging.info("informed")
        getattr(self, self.what)()

    def handler(self):
        {}["handler"]

    def worker(self):
        self.run_worker(self.work())

    async def work(self):
        {}["worker"]

    def thread(self):
        self.run_worker(lambda: {}["thread"], thread=True)

    def group(self):
        self.run_worker(self.gather())

    async def gather(self):
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.fail())

    async def fail(self):
        {}["group"]

    def alone(self):
        threading.Thread(target=lambda: {}["alone"]).start()

LOGGING
serve(Buggy, port=0, DEBUG)
"""
LOGGING = "logging.basicConfig(filename='app.log', level=logging.INFO)"
BUGS = ("constructor", "handler", "worker", "thread", "group", "styles")


@pytest.fixture
def buggy(home: Path) -> Path:
    return home / "buggy.py"


def end_by_bug(server: SshServer, what: str) -> Terminal:
    terminal = server.terminal(user=what)
    if what not in ("constructor", "styles"):
        terminal.wait_for("ready")
        terminal.press("x")
    assert (what, terminal.wait_for_end()) == (what, 1)
    return terminal


def test_the_log_has_the_exception_and_the_line_of_each_bug(
    buggy: Path, serve_app: ServeApp
) -> None:
    buggy.write_text(
        BUGGY.replace(", DEBUG", "").replace("LOGGING", LOGGING.replace("app", str(buggy)))
    )
    server = serve_app(f"import runpy; runpy.run_path({str(buggy)!r}, run_name='__main__')")
    for number, what in enumerate(BUGS, 1):
        end_by_bug(server, what)
        bug = server.wait_for_event("bug", number)
        if what == "styles":
            assert "Invalid CSS property 'colour'" in bug["traceback"]
            continue
        numbers = [n for n, line in enumerate(BUGGY.splitlines(), 1) if f'{{}}["{what}"]' in line]
        assert f"KeyError: '{what}' (buggy.py, line {numbers[0]}, in " in bug["reason"]
        assert f'{{}}["{what}"]' in bug["traceback"]
        assert (bug["user"], bug["session"]) == (what, number)
        assert f"KeyError: '{what}'\n" in bug["traceback"][-100:]
    alone = server.terminal(user="alone")
    alone.wait_for("ready")
    alone.press("x")
    assert (
        "KeyError: 'alone' (buggy.py, line "
        in server.wait_for_event("bug", len(BUGS) + 1)["reason"]
    )
    alone.press(QUIT)
    assert alone.wait_for_end() == 0
    assert "printed" not in server.log
    assert "hunter2" not in server.log
    logged = buggy.with_name("buggy.py.log").read_text().splitlines()
    assert logged.count("INFO:root:informed") == 5
    assert not [line for line in logged if "asyncssh" in line]


def test_debugging_shows_bugs_to_users_and_prints_on_the_servers_terminal(
    buggy: Path, serve_app: ServeApp
) -> None:
    buggy.write_text(BUGGY.replace("DEBUG", "debug=True").replace("LOGGING", ""))
    server = serve_app(f"import runpy; runpy.run_path({str(buggy)!r}, run_name='__main__')")
    terminal = end_by_bug(server, "worker")
    terminal.assert_restored()
    assert "Traceback (most recent call last):\n" in terminal.after_screen()
    assert "KeyError: 'worker'\n" in terminal.after_screen()
    wait_until(lambda: "\nKeyError: 'worker'\n" in server.log, "the traceback")
    for line in (
        "\nworker 1: printed worker ␛[31m\n",
        "\nworker 1: said number=5\n",
        "\ninformed\n",
    ):
        assert line in server.log
    assert "\x1b[31m" not in server.log
    assert "hunter2" not in server.log + terminal.text
