"""ServedApp: a Textual app on a channel, one of many in a process.

``served`` makes one of any app, with this as its first base.

It uses these private names of Textual; ``tests/ssh/apps/test_served_app.py`` fails without them, or
``tests/peers/test_ssh_apart.py``:

- ``App._capture_stdout``, ``_capture_stderr``: where they change, apps that end leave the process's
  streams redirected to a closed one.
- ``App._thread_init``, ``_context``, ``_process_messages``, ``_shutdown``, ``_loop``,
  ``_thread_id``: what ``run_async`` does, which would set a task factory for the whole loop.
- ``App._exception``: where it changes, bugs that end an app are not reported.
- ``App._handle_exception``: where it changes, what awaits a ``sys.exit`` counts as a bug.
- ``App._fatal_error``, ``_close_messages_no_wait``: where they change, a bug holds up everybody.
- ``App._close_all``: where it changes, an app whose screens cannot be closed leaves its tasks.
- ``App._is_devtools_connected``, ``_log``, ``_log.LogGroup``: where they change, ``debug`` does not
  show what an app logs.
- ``App._set_pointer_shape``: where it changes, clients get a sequence that few terminals know.
- ``Screen._compositor``: where it changes, the first frame is drawn in parts.
- ``Screen._compositor_refresh``: where it changes, what differs from a first frame is not drawn.
- ``_context.active_app``: where it changes, apps print into the log.
- ``MessagePump._task``: where it changes, a widget's ``sys.exit`` counts as a bug.
- ``App._workers``, ``_register_child`` and ``_start_widget``, which are called for each screen and
  widget: without them an app that has ended is freed later.
- ``WorkerManager._remove_worker`` is called at the end of each worker; ``Worker._task``, ``_work``
  and ``_error`` refer to the worker, as does ``LRUCache._cache`` to itself: the same.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from contextlib import suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from functools import partial
from inspect import getfile
from io import BytesIO, StringIO
from operator import index
from pathlib import Path
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, Final, TextIO, cast
from uuid import uuid4
from weakref import WeakSet

from rich.console import Console, ConsoleDimensions, Group, RenderableType
from rich.text import Text
from textual import events
from textual._context import active_app
from textual._log import LogGroup
from textual.app import ReturnType, ScreenStackError
from textual.cache import LRUCache
from textual.css.query import NoMatches
from textual.dom import DOMNode, NoScreen
from textual.filter import LineFilter
from textual.geometry import Region
from textual.widget import AwaitMount, MountError, Widget
from textual.worker import Worker, WorkerFailed
from textual.worker_manager import WorkerManager

from pettui.ssh.app_tasks import EXITS, USUAL, AppEndedError, AppTask
from pettui.ssh.apps.stylesheets import ParsedStyles, SharedStylesheet
from pettui.ssh.fair_loop import activity_context
from pettui.system.background_tasks import Timer
from pettui.system.capabilities import Glyphs
from pettui.system.logs import EventLog, EventStream, Field, LogWriter
from pettui.terminal.cell_app import CellApp
from pettui.terminal.channel_driver import ChannelDriver, FirstFrame
from pettui.terminal.compositor import PieceCompositor
from pettui.terminal.driver import NoTerminal, Output
from pettui.terminal.tokenizer import (
    PASTE_MAXIMUM,
    TERMINAL_PASTE_MAXIMUM,
    PasteRefused,
    Tokenizer,
)
from pettui.text.amounts import size_text
from pettui.text.safe import safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rich.segment import Segment
    from textual.color import Color
    from textual.message import Message
    from textual.screen import Screen

    from pettui.terminal.client_terminal import ClientTerminal

# Seconds until a first screen is drawn although something is missing: for a user who sees nothing
# yet, and behind a first frame.
SOON, LONGEST = 0.05, 10.0
SETTLING: Final = 3  # updates after the first rows, until all sizes are final
LATER: Final = 5.0  # seconds until all is drawn behind a first frame, since others come meanwhile
PICTURE: Final = "image/svg+xml"
LOGGED: Final = (LogGroup.DEBUG, LogGroup.INFO, LogGroup.WARNING, LogGroup.ERROR)
# What widgets raise of a screen that is taken away while it is composed.
GONE: Final = (MountError, NoMatches, NoScreen, ScreenStackError)
CANCELLED: Final = "the app cancelled its own tasks, or raised this"
HELD: Final = 1.0  # seconds for which a key may wait for a widget
BEGUN_MAXIMUM: Final = 10_000  # characters of a line that has not ended
ROWS: Final = 8  # that are drawn at once behind a first frame


# What the class of an app may say of it, or the app before it runs, and what counts if it does not.
DECLARED: Final[Mapping[str, bool]] = MappingProxyType(
    {
        "takes_mouse": True,  # if the terminal has one
        "shows_cursor": False,  # the terminal's own
        "takes_command": False,  # what follows the host, in ``User.command``
        # It orders keys itself and wants Esc and then a letter, no chord, nothing that costs bytes
        # for keys and hovering, and draws no controls.
        "orders_keys": False,
        "is_busy": False,  # with what a server that drains should not cut off
    }
)


class ServedApp(CellApp[ReturnType]):
    """One user's app, among others in its process; it says of itself what ``DECLARED`` has.

    What it keeps has names of its class alone (``__name``): any app may be behind it.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Find the files of CSS_PATH beside the module of the class that says it."""
        super().__init_subclass__(**options)
        says = next(each for each in cls.__mro__ if "CSS_PATH" in vars(each))
        if says is not cls and cls.CSS_PATH is not None:
            here = Path(getfile(says)).parent
            paths = cls.CSS_PATH if isinstance(cls.CSS_PATH, list) else [cls.CSS_PATH]
            cls.CSS_PATH = [here / path for path in paths]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Pass everything on to the app."""
        # First, since what it does in ``__init__`` may need these, such as ``self.log``.
        self.__on_presented: Callable[[], None] = lambda: None
        self.__first: FirstScreen | None = None
        self.__redrawn: asyncio.Future[None] | None = None
        self.__has_user = self.__is_behind = self.__is_presented = False
        self.__log_fields: Mapping[str, Field] = {}
        self.__all_nodes: WeakSet[DOMNode] = WeakSet()  # that it ever had, and that exist
        self.__is_usual = not self.declares("orders_keys")
        self.__is_ended_by_server = False
        self.__task: AppTask | None = None  # that runs it
        self.__shutting_down: asyncio.Task[None] | None = None
        self.__debugging: LogWriter | None = None
        self.__last_words: RenderableType | None = None
        super().__init__(*arguments, **options)
        self._workers.__class__ = Workers  # which has the same state, and those that run already

    @property
    def console(self) -> Console:
        """What measures and draws what is Rich's, as wide as the client's terminal."""
        return self.__console

    @console.setter
    def console(self, _usual: Console) -> None:
        """Replace Textual's own console, which is as the server's terminal.

        Its colours are true ones: the driver has those that the client's terminal can show.
        """
        self.__console = Console(
            color_system="truecolor", file=cast("IO[str]", NoFile()), markup=True, highlight=False,
            emoji=False, legacy_windows=False, force_terminal=True, safe_box=False, _environ={},
        )  # fmt: skip
        if (terminal := MAKING.get()) is not None:
            self.__draw_for(terminal)

    # What would run in the context of whoever calls it, and end with them

    def push_screen(self, *arguments: Any, **options: Any) -> Any:
        """Push a screen; of another user's app by ``call_later``."""
        return self.__own("push_screen")(*arguments, **options)

    def switch_screen(self, *arguments: Any, **options: Any) -> Any:
        """Switch to a screen; in another user's app by ``call_later``."""
        return self.__own("switch_screen")(*arguments, **options)

    def switch_mode(self, *arguments: Any, **options: Any) -> Any:
        """Switch to a mode; in another user's app by ``call_later``."""
        return self.__own("switch_mode")(*arguments, **options)

    def mount(self, *widgets: Widget, **options: Any) -> AwaitMount:
        """Mount widgets; in another user's app by ``call_later``."""
        return cast("AwaitMount", self.__own("mount")(*widgets, **options))

    def set_interval(self, *arguments: Any, **options: Any) -> Any:
        """Call something again and again; in another user's app by ``call_later``."""
        return self.__own("set_interval")(*arguments, **options)

    def __own(self, name: str) -> Callable[..., Any]:
        if active_app.get(self) is not self:
            how = f"other.call_later(other.{name}, …)"
            raise RuntimeError(f"this is another user's app, in which {name} is called by {how}")
        return cast("Callable[..., Any]", getattr(super(), name))

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return filters of what is drawn: controls, such as those of pictures, can't be."""
        usual = super().get_line_filters()
        return [ControlFilter(), *usual] if self.__is_usual else usual

    def declares(self, name: str) -> bool:
        """Return what the app says of itself, see ``DECLARED``."""
        return getattr(self, name, DECLARED[name]) is True

    def __draw_for(self, terminal: ClientTerminal) -> None:
        is_ascii = terminal.glyphs is Glyphs.ASCII
        cast("NoFile", self.__console.file).encoding = "ascii" if is_ascii else "utf-8"
        self.__console.size = ConsoleDimensions(*terminal.size)

    def _register_child(
        self, parent: DOMNode, child: Widget, before: int | None, after: int | None
    ) -> None:
        self.__all_nodes.add(child)
        super()._register_child(parent, child, before, after)

    def _start_widget(self, parent: Widget, widget: Widget) -> None:
        self.__all_nodes.add(widget)
        super()._start_widget(parent, widget)

    def dismantle(self) -> bool:
        """Let an app that has ended be freed; return False while some of it is still running."""
        is_shut_down = self.__shutting_down is None or self.__shutting_down.done()
        if self.workers or not is_shut_down:
            return False
        driver = self.channel_driver
        dismantle((*self.__all_nodes, *filter(None, [driver]), self.animator, self))
        return True

    def draw_on(
        self,
        shared: SharedResources,
        terminal: ClientTerminal,
        output: Output | None = None,
        shown: FirstFrame | None = None,
    ) -> None:
        """Draw for a terminal, with what all apps of the process share; call it before it runs.

        Textual redirects the process's streams while an app runs. Apps end in any order and would
        restore streams of other apps, so all use the same ones. Without the quiet console a
        traceback with local variables would be printed on the server's terminal.

        Args:
            shared: by all apps.
            terminal: to draw on.
            output: of the terminal; without it the driver is attached to one later.
            shown: what the terminal shows already.
        """
        self.__debugging = shared.prints.debugging
        self.error_console = Console(quiet=True)
        self._capture_stdout = self._capture_stderr = shared.prints  # type: ignore[assignment]
        sheet = SharedStylesheet(self.get_css_variables(), shared.styles)
        for where, source in self.stylesheet.source.items():  # that ``__init__`` added
            sheet.add_css(where, source)
        self.stylesheet = sheet
        self.__draw_for(terminal)
        self.driver_class = partial(  # type: ignore[assignment]
            ChannelDriver,
            terminal=terminal,
            output=output or NoTerminal(),
            tokenizer=Tokenizer(
                paste_maximum=TERMINAL_PASTE_MAXIMUM if self.__is_usual else PASTE_MAXIMUM
            ),
            takes_alt=self.__is_usual,
            takes_hover=self.__is_usual,
            takes_kitty_keys=self.__is_usual,
            shows_cursor=self.declares("shows_cursor"),
            shown=shown,
        )

    @property
    def _is_devtools_connected(self) -> bool:
        """Whether ``self.log`` is of use."""
        return self.__debugging is not None

    def _log(self, group: LogGroup, *where_and_what: Any, **named: Any) -> None:
        """Write what the app logs, and not what Textual does of each event."""
        if self.__debugging is not None and group in LOGGED:
            _, _, *what = where_and_what
            words = (*map(str, what), *(f"{name}={value!r}" for name, value in named.items()))
            self.__debugging.write(f"{named_lines(self, ' '.join(words))}\n")

    @property
    def channel_driver(self) -> ChannelDriver | None:
        """The driver; None before the app runs."""
        driver = self.cell_driver
        return driver if isinstance(driver, ChannelDriver) else None

    @property
    def log_fields(self) -> Mapping[str, Field]:
        """Whose app it is, as the log says it; empty as long as it has no user."""
        return self.__log_fields

    def use_log_fields(self, fields: Mapping[str, Field]) -> None:
        """Say whose app it is."""
        self.__log_fields = fields

    @property
    def is_ending(self) -> bool:
        """Whether the app was asked to end, or ends because of a bug."""
        return self.return_code is not None

    @property
    def bug(self) -> BaseException | None:
        """The exception that ended the app."""
        return self._exception

    async def on_event(self, event: events.Event) -> None:
        """Let a key that acts before all widgets wait for the text before it."""
        if self.__is_usual and isinstance(event, PasteRefused):
            size, most = size_text(event.size), size_text(event.maximum)
            self.notify(f"A paste of {size} is too long: {most} at most", severity="warning")
            return
        if self.__is_usual and isinstance(event, events.Key) and not event.is_forwarded:
            await self.__wait_for_text(event)
        await super().on_event(event)

    async def __wait_for_text(self, key: events.Key) -> None:
        """Wait until the focused widget has handled what was typed before a key that overtakes it.

        Textual runs a binding with ``priority=True`` as soon as the app has the key, while letters
        before it may still be in the widget's queue: those of one packet over a bad line, or beside
        a neighbour who holds up the event loop. "Save" would then save a text without them.
        """
        focused = self.focused
        if focused is None or not focused.message_queue_size:
            return
        bound = self.screen.active_bindings.get(key.key)
        handled = asyncio.Event()
        if bound is not None and bound.binding.priority and focused.call_later(handled.set):
            with suppress(TimeoutError):  # it does not go on
                async with asyncio.timeout(HELD):
                    await handled.wait()

    @property
    def pending_events(self) -> int:
        """How many keys and other messages are in the app's queue."""
        return self.message_queue_size

    @property
    def unhandled_input(self) -> Sequence[Message]:
        """The keys and pastes that an app which is to be restarted leaves to the next one."""
        return ()

    def request_end(self) -> None:
        """Ask the app to end; may be called from outside of its context."""
        self.exit()

    def end_for_server(self) -> None:
        """Ask the app to end although it may be still starting: its user is gone, or has to go."""
        self.__is_ended_by_server = True
        self.request_end()

    def exit(
        self,
        result: ReturnType | None = None,
        return_code: int = 0,
        message: RenderableType | None = None,
    ) -> None:
        """End the app; the user gets the code from ssh, and the message once it has ended."""
        # Where the code is no number, that is raised here.
        super().exit(result, index(return_code))
        self.__last_words = message

    @property
    def last_words(self) -> str:
        """What the app said when it ended, as lines of text."""
        if not self.__last_words:
            return ""
        written = StringIO()
        # Highlighting is not seen here, and takes minutes for a long word.
        console = Console(file=written, color_system=None, width=self.size.width, highlight=False)
        console.print(self.__last_words, soft_wrap=True)
        return written.getvalue()

    def end_with(self, error: BaseException) -> None:
        """End the app as Python would end a program, by ``sys.exit`` or by a bug."""
        if not vars(self) or self.is_ending:  # it may have been dismantled
            return
        if isinstance(error, EXITS):
            self.__exit_with(error)
        else:
            self._handle_exception(error)

    def __exit_with(self, error: BaseException | None) -> None:
        code, message = exit_of(error)
        self.exit(return_code=code, message=Text(message) if message else None)

    def _handle_exception(self, error: BaseException) -> None:
        """Count it as no bug where it only tells whoever awaited that the app was ended."""
        ended_by = ending_of(error)
        if isinstance(error, GONE) and self.__is_over:  # it was to find what is there no more
            return
        if ended_by is None:
            super()._handle_exception(error)  # type: ignore[arg-type]  # any does
        elif not self.is_ending:
            self.__exit_with(ended_by)

    @property
    def __is_over(self) -> bool:
        """Whether the server has ended it, or cancelled it."""
        task = self.__task
        return self.__is_ended_by_server or (task is not None and task.is_cancelled_by_server)

    def panic(self, *renderables: RenderableType) -> None:
        """End the app because of an error; its user gets 1 from ssh, and reads what it shows."""
        super().panic(*renderables)
        if self.bug is None and not self.is_ending:
            self.exit(return_code=1, message=Group(*renderables))

    def forget_task(self, task: asyncio.Task[Any] | None) -> None:
        """Have nobody wait for a task that ended with the app; a widget's, too, as usual."""
        for node in self.__all_nodes:
            if node._task is task:  # noqa: SLF001
                node._task = None  # noqa: SLF001

    def deliver_text(
        self,
        path_or_file: str | Path | TextIO,
        *,
        encoding: str | None = None,
        mime_type: str | None = None,
        name: str | None = None,
        **options: Any,
    ) -> str | None:
        """Copy a text to the user's clipboard; a picture, such as a screenshot, is no text."""
        driver = self.channel_driver
        if driver is None:  # it does not run yet
            return None
        if mime_type == PICTURE:
            picture = BytesIO()
            return self.deliver_binary(picture, mime_type=mime_type, name=name, **options)
        if isinstance(path_or_file, str | Path):
            text = Path(path_or_file).read_text(encoding or "utf-8")
        else:
            with path_or_file:
                text = path_or_file.read()
        driver.deliver_text(text, delivery_key := uuid4().hex, name)
        return delivery_key

    def save_screenshot(self, *_arguments: Any, **_options: Any) -> str:
        """Refuse, with a notice: the file would be saved on the server; return no name."""
        self.notify("No file can be saved here.", severity="error")
        return ""

    def call_from_thread(self, *arguments: Any, **options: Any) -> Any:
        """Call something in the app's own context, also from a thread that was not begun in it."""
        context = copy_context()
        context.run(active_app.set, self)
        return context.run(super().call_from_thread, *arguments, **options)

    def caught_up(self) -> None:
        """Draw what was skipped while the client was behind."""
        if (driver := self.channel_driver) is not None:
            driver.caught_up()

    def hold_frames(self, screen: Screen[Any]) -> Callable[[], None]:
        """Hold back the frames of the first screen for a moment.

        Args:
            screen: that is not drawn yet.

        Returns:
            what releases them with the next change, to be called when all that it shows is there.
        """
        self.__first = FirstScreen(self, screen, self.presented)
        if self.__has_user:
            self.__first.begin(is_behind=self.__is_behind)
        return self.__first.complete

    def begin(self, on_presented: Callable[[], None], *, is_behind: bool = False) -> None:
        """Begin with a user.

        Args:
            on_presented: called once when the user sees the first screen.
            is_behind: whether the terminal shows its first frame already, drawn by another app.
        """
        self.__has_user, self.__is_behind = True, is_behind
        self.__on_presented = on_presented
        if self.__first is not None and self.__first.is_held:
            self.__first.begin(is_behind=is_behind)

    @property
    def is_drawn(self) -> bool:
        """Whether its first screen is drawn, or may be at any time."""
        return self.__first is None or not self.__first.is_held

    def presented(self) -> None:
        """Notice that the user sees the first screen."""
        if not self.__is_presented:
            self.__is_presented = True
            self.__on_presented()

    def post_display_hook(self) -> None:
        """Notice the first frame."""
        if not self.__is_presented and self.__has_user and self.is_running and self.is_drawn:
            self.presented()
        if self.__redrawn is not None and self.is_drawn:
            redrawn, self.__redrawn = self.__redrawn, None
            self.__settle(redrawn, SETTLING)

    def redrawn(self) -> asyncio.Future[None]:
        """Return what is done once an app without a user is drawn again, and has settled."""
        self.__redrawn = asyncio.get_running_loop().create_future()
        return self.__redrawn

    def __settle(self, redrawn: asyncio.Future[None], updates: int) -> None:
        if updates and self.screen_stack:
            self.screen.call_after_refresh(self.__settle, redrawn, updates - 1)
        elif not redrawn.done():
            redrawn.set_result(None)

    def _fatal_error(self) -> None:
        """End at once.

        Textual would draw a traceback with local variables, which nobody sees, for some seconds in
        which no other app runs.
        """
        self._close_messages_no_wait()

    async def run_on_channel(self, size: tuple[int, int]) -> None:
        """Run the app until it ends.

        Args:
            size: columns and rows.
        """
        self._thread_init()  # type: ignore[no-untyped-call]
        self._loop = asyncio.get_running_loop()
        task = cast("AppTask", asyncio.current_task())
        task.app, self.__task = self, task
        with self._context():
            try:
                await self._process_messages(mouse=self.declares("takes_mouse"), terminal_size=size)
                if not task.is_cancelled_by_server:  # Textual catches every cancellation
                    self.end_with(asyncio.CancelledError(CANCELLED))
            except USUAL:
                raise
            except BaseException as error:  # noqa: BLE001 - ends this app alone
                self.end_with(error)
            finally:
                if self.__first is not None:
                    self.__first.stop()
                # If it is cancelled now, the rest of the app still ends by itself.
                self.__shutting_down = asyncio.create_task(self._shutdown(), name="app shutdown")
                with suppress(asyncio.CancelledError):
                    await self.__shut_down(self.__shutting_down)
                self._loop = None
                self._thread_id = 0
                task.app = self.__task = None

    async def _close_all(self) -> None:
        """Close all screens; if that fails, ``on_unmount`` is called even so.

        Screens may be taken away while they are composed. What the app has beside its widgets, such
        as tasks, would be forgotten while it runs.
        """
        try:
            await super()._close_all()
        except asyncio.CancelledError:  # of what was waited for
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the rest is closed
            self._handle_exception(error)
        else:
            return
        for node in tuple(self.__all_nodes):
            node._close_messages_no_wait()  # noqa: SLF001

    async def __shut_down(self, task: asyncio.Task[None]) -> None:
        try:
            await asyncio.shield(task)
        except AppEndedError as error:  # of ``on_unmount``, which is the last that a program does
            if isinstance(error.__cause__, EXITS):
                self.__exit_with(error.__cause__)
            else:
                super()._handle_exception(error.__cause__)  # type: ignore[arg-type]  # any does

    def _set_pointer_shape(self, shape: str) -> None:
        """Do nothing: few terminals know the sequence."""


def exit_of(error: BaseException | None) -> tuple[int, str]:
    """Return the exit code, and the message for standard error, of a program that this ends."""
    code = error.code if isinstance(error, SystemExit) else 128 + signal.SIGINT
    return (code or 0, "") if code is None or isinstance(code, int) else (1, str(code))


def ending_of(error: BaseException) -> BaseException | None:
    """Return what ended the app where an error, or all of a group, comes of that alone."""
    match error:
        case AppEndedError():
            return error.__cause__
        case WorkerFailed():
            return ending_of(error.error)
        case BaseExceptionGroup():
            endings = [ending_of(each) for each in error.exceptions]
            return endings[0] if all(endings) else None
    return None


class ControlFilter(LineFilter):
    """Removes control segments, before Textual's own filters take them for text."""

    def apply(self, segments: list[Segment], _background: Color) -> list[Segment]:
        """Return segments of text."""
        return [segment for segment in segments if not segment.control]

    def __eq__(self, other: object) -> bool:
        """Whether it is the same, as all are: Textual keeps what one returned."""
        return isinstance(other, ControlFilter)

    def __hash__(self) -> int:
        """Return what is the same for all."""
        return hash(ControlFilter)


MAKING: Final[ContextVar[ClientTerminal | None]] = ContextVar("making", default=None)
"""The terminal that an app is being made for, whose size it may want to know at once."""


class NoFile:
    """A file that goes nowhere, of a console that only measures and draws."""

    encoding = "utf-8"  # of an instance: whether frames are drawn with letters

    def write(self, text: str) -> int:
        """Discard the text."""
        return len(text)

    def flush(self) -> None:
        """Do nothing."""

    def isatty(self) -> bool:
        """Whether it is a terminal: it isn't."""
        return False


class Workers(WorkerManager):
    """Workers of an app, which at their end let go of what refers to them."""

    def _remove_worker(self, worker: Worker[Any]) -> None:
        super()._remove_worker(worker)
        worker._task = worker._work = None  # type: ignore[assignment]  # noqa: SLF001
        if worker.is_cancelled:
            worker._error = None  # noqa: SLF001 - its traceback


def dismantle(parts: Iterable[object]) -> None:
    """Remove all attributes of objects that are not used any more.

    All that an app consists of refers to the rest of it in so many ways that otherwise only a full
    collection would free it, which takes most of a second where hundreds of apps run.
    """
    for part in parts:
        for value in vars(part).values():
            if isinstance(value, LRUCache):
                for link in value._cache.values():  # noqa: SLF001
                    link.clear()
        vars(part).clear()


class FirstScreen:
    """Draws a screen when it is complete, or behind a first frame that is shown already.

    Behind one there is nothing to draw but the first row, which tells the time: all else would be
    the same. It is drawn even so, some seconds later, some rows at a time while nobody types, in
    case that something differs.
    """

    def __init__(
        self,
        app: CellApp[Any],
        screen: Screen[Any],
        presented: Callable[[], None],
    ) -> None:
        """Hold the frames of a screen that was not drawn yet.

        Args:
            app: that shows it.
            screen: to hold.
            presented: called when a user who sees a first frame may type.
        """
        self._app = app
        self._screen = screen
        self._presented = presented
        self._is_behind = False
        self._drawing = Timer()  # all of it, later
        self._context = copy_context()  # of the app
        compositor = screen._compositor  # noqa: SLF001
        self._compositor = compositor if isinstance(compositor, PieceCompositor) else None
        if self._compositor is not None:
            self._compositor.is_held = True

    @property
    def is_held(self) -> bool:
        """Whether nothing of it is drawn."""
        return self._compositor is not None and self._compositor.is_held

    def complete(self) -> None:
        """Notice that everything it shows is there."""
        if self._is_behind:
            self._screen.call_after_refresh(self._settle, SETTLING)
        elif self._compositor is not None:
            self._compositor.release()

    def begin(self, *, is_behind: bool) -> None:
        """Draw it for a user soon, even if something is missing.

        Args:
            is_behind: whether the terminal shows a first frame already.
        """
        self._is_behind = is_behind
        longest = LONGEST if is_behind else SOON
        self._context.copy().run(lambda: self._app.set_timer(longest, self._draw))

    def _draw(self) -> None:
        """Draw it although something is missing."""
        if self._compositor is not None and self._compositor.is_held:
            self._compositor.release()
            self._screen.refresh()

    def _settle(self, updates: int) -> None:
        """Wait for so many updates: rows bring scroll bars, and new sizes."""
        if updates:
            self._screen.call_after_refresh(self._settle, updates - 1)
        else:
            self._show()

    def _show(self) -> None:
        if self._compositor is None or not self._compositor.is_held:
            return
        driver = self._app.cell_driver
        if driver is not None and driver.is_resized:  # the first frame is to be cleared
            self._draw()
            return
        self._compositor.release(is_shown=True)
        self._presented()
        self._draw_rows(Region(0, 0, self._app.size.width, 1))
        self._drawing.start(LATER, self._draw_all)

    def stop(self) -> None:
        """Draw nothing later, since the app ends."""
        self._drawing.stop()

    def _draw_all(self) -> None:
        """Draw all rows, in case that something differs from the first frame."""
        context, _ = self._context.copy().run(activity_context)
        loop = asyncio.get_running_loop()
        width, height = self._app.size
        for y in range(0, height, ROWS):
            loop.call_soon(partial(self._draw_rows, Region(0, y, width, ROWS)), context=context)

    def _draw_rows(self, rows: Region) -> None:
        """Draw some rows of the screen on top.

        Textual's ``Screen.refresh`` of a region would drop what other widgets have to draw.
        """
        if not (self._app.is_running and self._app.screen_stack):
            return
        screen = self._app.screen
        if isinstance(screen._compositor, PieceCompositor):  # noqa: SLF001
            screen._compositor.change(rows)  # noqa: SLF001
            screen._compositor_refresh()  # noqa: SLF001


@dataclass(slots=True)
class SharedResources:
    """Streams and styles, once for all apps of a process."""

    prints: RoutedPrints
    styles: ParsedStyles = field(default_factory=ParsedStyles)


def named_lines(app: Any, *lines: str) -> str:
    """Return lines of an app, made safe, with its user and the number of the session."""
    fields: Mapping[str, Field] = getattr(app, "log_fields", {})
    who = f"{fields.get('user')} {fields.get('session')}: " if fields else ""
    return "\n".join(safe(f"{who}{line}") for line in lines)


class RoutedPrints(EventStream):
    """A stream for what apps print; each line of anybody else is an event."""

    def __init__(self, event_log: EventLog, debugging: LogWriter | None = None) -> None:
        """Create it in the loop's thread.

        Args:
            event_log: for output outside of all apps.
            debugging: for what apps print and log; None to discard it.
        """
        super().__init__(event_log)
        self.debugging = debugging
        self._begun = ""  # a line of theirs

    def write(self, text: str) -> int:
        """Write; what apps print is discarded, unless they are debugged.

        So is what is printed in threads: all but that of the loop are apps' own.
        """
        app: Any = active_app.get(None)
        if app is None and threading.current_thread() is threading.main_thread():
            return super().write(text)
        if self.debugging is not None:
            *lines, begun = (self._begun + text).split("\n")
            self._begun = begun[-BEGUN_MAXIMUM:]
            if lines:
                self.debugging.write(f"{named_lines(app, *lines)}\n")
        return len(text)
