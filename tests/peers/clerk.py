"""A clerk who adds animals by keys over SSH for as long as asked, whatever becomes of the servers."""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import asyncssh
import pyte

from tests.pyte_rows import screen_text

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

ENTER, ESCAPE, F4 = "\r", "\x1b", "\x1bOS"
ECHO = 6.0  # seconds after which a clerk gives up a server that does not answer
EMPTY = "a name, or paste several"
NO_CATEGORY = "a whole number"


class GoneError(Exception):
    """The session ended, or does not answer."""


class Session:
    """What one login shows, and keys into it."""

    def __init__(self, process: asyncssh.SSHClientProcess[bytes]) -> None:
        self._process = process
        self._screen = pyte.Screen(100, 30)
        self._stream = pyte.ByteStream(self._screen)
        self._changed = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        with suppress(OSError, asyncssh.Error):
            while data := await self._process.stdout.read(65536):
                self._stream.feed(data)
                self._changed.set()
        self._changed.set()

    def close(self) -> None:
        self._reading.cancel()

    @property
    def text(self) -> str:
        return screen_text(self._screen)

    def press(self, *keys: str) -> None:
        if self._reading.done():
            raise GoneError
        for key in keys:
            self._process.stdin.write(key.encode())

    async def until(self, is_so: Callable[[str], bool], seconds: float = ECHO) -> None:
        """Wait until the screen is as expected; raises GoneError if it is not in time."""
        try:
            async with asyncio.timeout(seconds):
                while not is_so(self.text):
                    if self._reading.done():
                        raise GoneError
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise GoneError(self.text) from None


class Clerk:
    """One person, what they typed, and what the form took."""

    def __init__(self, name: str, key: asyncssh.SSHKey, port: int) -> None:
        self.name = name
        self.taken: list[str] = []
        self.typed: list[str] = []
        self.drafts: list[str] = []
        self.logins = 0
        self.echoes: list[float] = []  # seconds
        self.refusals: list[str] = []  # what the form said in place of taking it
        self._key = key
        self._port = port
        self._number = 0

    async def work(self, ends_at: float, has_draft: Callable[[str], bool]) -> None:
        """Log in and add, again and again, until a time of ``time.monotonic``."""
        while time.monotonic() < ends_at:
            try:
                async with self._login() as session:
                    session.press("a")
                    await session.until(lambda text: "Add an animal" in text)
                    while time.monotonic() < ends_at:
                        await self._add(session)
                        if self._number % 7 == 3:
                            await self._leave_draft(session, has_draft)
            except (OSError, asyncssh.Error, GoneError, TimeoutError):
                await asyncio.sleep(random.uniform(0.1, 0.5))

    @asynccontextmanager
    async def _login(self) -> AsyncIterator[Session]:
        async with asyncio.timeout(ECHO):
            connection = await asyncssh.connect(
                "127.0.0.1", self._port, username=self.name, client_keys=[self._key],
                known_hosts=None, config=None, agent_path=None,
            )  # fmt: skip
        try:
            async with asyncio.timeout(ECHO):
                process = await connection.create_process(
                    term_type="xterm-256color", term_size=(100, 30), encoding=None
                )
            session = Session(process)
            try:
                await session.until(lambda text: "a Add" in text and self.name in text, 2 * ECHO)
                self.logins += 1
                yield session
            finally:
                session.close()
        finally:
            connection.abort()

    async def _add(self, session: Session) -> None:
        """Type an animal, and press Enter until the form took it."""
        self._number += 1
        name = f"{self.name}-{self._number:04d}"
        await self._type(session, name)
        if NO_CATEGORY in session.text:
            session.press("\t", "3")
            await session.until(lambda text: NO_CATEGORY not in text)
        self.typed.append(name)
        for _ in range(20):
            session.press(ENTER)
            with suppress(GoneError):
                await session.until(lambda text: EMPTY in text or "kept after all" in text, 3.0)
            if EMPTY in session.text:
                await session.until(lambda text: name in text)
                self.taken.append(name)
                break
            session.press()  # raises where it is gone
            self.refusals.append(session.text.splitlines()[-2].strip())
            if "kept after all" in session.text:
                session.press(F4)
                await session.until(lambda text: EMPTY in text)
                break
            await asyncio.sleep(1.0)
        else:
            raise GoneError(session.text)
        await asyncio.sleep(random.uniform(0.2, 1.5))

    async def _type(self, session: Session, name: str) -> None:
        for end in range(1, len(name) + 1):
            began = time.monotonic()
            session.press(name[end - 1])
            await session.until(lambda text, typed=name[:end]: typed in text)  # type: ignore[misc]
            self.echoes.append(time.monotonic() - began)
            await asyncio.sleep(0.02)

    async def _leave_draft(self, session: Session, has_draft: Callable[[str], bool]) -> None:
        """Type half of an animal, close the form, and go on with another one."""
        name = f"draft-{self.name}-{self._number:04d}"
        await self._type(session, name)
        await asyncio.sleep(1.5)
        if await asyncio.to_thread(has_draft, name):
            self.drafts.append(name)
        session.press(ESCAPE)
        await session.until(lambda text: "Add an animal" not in text)
        session.press("a")
        await session.until(lambda text: "Add an animal" in text)
