"""An app says who may log in, and takes what was asked for."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest
from textual.app import App, ComposeResult
from textual.widgets import Static

from pettui.ssh.apps.any_app import AnyApp, served
from pettui.ssh.apps.app_factory import Admitted, Refused, User
from pettui.ssh.asyncssh_internals import VALUE_MAXIMUM
from pettui.ssh.session import COMMAND_MAXIMUM
from tests.ssh.conftest import KEY, OTHER, KeyFile, line, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from pettui.ssh.key_files import AuthorizedKeys
    from tests.ssh.conftest import PassTime, Running

MINE = line(KEY).rsplit(" ", 1)[0]


class Greeting(App[None]):
    """Greets its user."""

    takes_command = True

    def __init__(self, user: User) -> None:
        super().__init__()
        self.user = user

    def compose(self) -> ComposeResult:
        sent = dict(self.user.environment)
        yield Static(f"Hello {self.user.name}, who sent {sent}", markup=False)


class Asked:
    """Answers as it was told, and keeps of whom it was asked."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.users: list[User] = []

    def __call__(self, user: User) -> Any:
        self.users.append(user)
        return self.answer(user) if callable(self.answer) else self.answer


@asynccontextmanager
async def greeting(
    authorize: Any, keys: AuthorizedKeys | None = None, **options: Any
) -> AsyncIterator[Running]:
    async with serving(AnyApp(Greeting), keys, authorize=authorize, **options) as running:
        yield running


async def is_let_in(running: Running, **login: Any) -> bool:
    login = {"username": "anna", "client_keys": [KEY], **login}
    try:
        async with running.opened(login) as screen:
            await screen.wait_for("Hello ")
    except asyncssh.PermissionDenied:
        return False
    return True


async def test_an_app_is_asked_once_by_name_address_and_key() -> None:
    asked = Asked(lambda user: user.public_key == MINE)
    async with greeting(asked) as running:
        assert await is_let_in(running)
        [user] = asked.users  # although the key was offered, and then used
        assert (user.name, user.login, user.address) == ("anna", "anna", "127.0.0.1")
        assert user.fingerprint == KEY.get_fingerprint()
        assert not await is_let_in(running, client_keys=[OTHER])
        assert running.events("login refused")[0]["reason"] == "not authorized"


async def test_an_account_is_what_the_line_of_the_key_names_whatever_the_client_sends(
    tmp_path: Path,
) -> None:
    asked = Asked(True)
    named = f'environment="PETTUI_USER=anna" {line(KEY)}'
    keys = KeyFile(tmp_path / "keys", named, line(OTHER)).keys
    async with greeting(asked, keys, accept_env=("PETTUI_USER",)) as running:
        for key in (KEY, OTHER):
            login = {"username": "boss", "client_keys": [key]}
            async with running.opened(login, env={"PETTUI_USER": "boss"}) as screen:
                await screen.wait_for("Hello ")
        assert [user.account for user in asked.users] == ["anna", None]
        assert [user.name for user in asked.users] == ["anna", "another"]
        begun = [event.get("account") for event in running.events("begin")]
        assert begun == ["anna", None]


async def test_a_login_needs_a_key_where_an_app_is_asked() -> None:
    asked = Asked(True)
    async with greeting(asked) as running:
        assert not await is_let_in(running, client_keys=[])
        assert asked.users == []


async def later(user: User) -> bool:
    await asyncio.sleep(0)
    return user.login == "anna"


def broken(_user: User) -> bool:
    raise ZeroDivisionError


def leaving(_user: User) -> bool:
    sys.exit(9)


def giving_up(_user: User) -> bool:
    raise asyncio.CancelledError


ANSWERS: dict[str, tuple[Any, bool, list[type]]] = {
    "True": (True, True, []),
    "a coroutine": (later, True, []),
    "a coroutine that refuses": (lambda user: later(replace(user, login="ben")), False, []),
    "1": (1, False, [TypeError]),
    "yes": ("yes", False, [TypeError]),
    "None": (None, False, [TypeError]),
    "False": (False, False, []),
    "a reason that is no text": (Refused(7), False, [TypeError]),  # type: ignore[arg-type]
    "an exception": (broken, False, [ZeroDivisionError]),
    "an exit": (leaving, False, [SystemExit]),
    "a cancellation": (giving_up, False, [asyncio.CancelledError]),
}


@pytest.mark.parametrize(("answer", "lets_in", "bugs"), ANSWERS.values(), ids=ANSWERS)
async def test_nothing_but_true_lets_anybody_in(
    answer: Any, lets_in: bool, bugs: list[type]
) -> None:
    async with greeting(Asked(answer)) as running:
        assert await is_let_in(running) is lets_in
        assert [type(each) for each in running.bugs] == bugs


class Bannered(asyncssh.SSHClient):
    """A client that keeps what it is to show before it has logged in."""

    def __init__(self) -> None:
        self.banner = ""

    def auth_banner_received(self, msg: str, _lang: str) -> None:
        self.banner += msg


async def banner_of(running: Running, **login: Any) -> str:
    """Log in, if that is possible; return what is to be shown before."""
    client = Bannered()
    with suppress(asyncssh.PermissionDenied):
        connection = await running.connect(client_factory=lambda: client, **login)
        connection.abort()
    return client.banner


async def test_what_is_found_out_of_an_admitted_user_is_there_for_their_app() -> None:
    users: list[User] = []

    def app(user: User) -> Greeting:
        users.append(user)
        return served(Greeting)(user)

    data = {"plan": "gold"}  # which no user can be compared by
    async with serving(AnyApp(app), authorize=Asked(Admitted(data))) as running:
        assert await is_let_in(running)
        assert users[0].data is data
        assert "gold" not in repr(users[0])
        assert hash(users[0])
    async with serving(AnyApp(app), authorize=Asked(True)) as running:
        assert await is_let_in(running)
        assert users[1].data is None


REASON = "Your account has expired.\nWrite to \x1b[31mAnna."


async def test_who_is_refused_reads_why_and_the_log_has_it() -> None:
    async with greeting(Asked(Refused(REASON))) as running:
        shown = await banner_of(running, client_keys=[KEY])
        assert shown == "Your account has expired.\r\nWrite to ␛[31mAnna.\r\n"
        [refused] = running.events("login refused")
        assert (refused["reason"], refused["detail"]) == ("not authorized", REASON)
        assert refused["fingerprint"] == KEY.get_fingerprint()
        assert running.bugs == []


async def test_who_only_offers_the_key_of_another_is_not_told_why() -> None:
    class Impostor(asyncssh.SSHKeyPair):
        """Has a public key, and signs with another."""

        def __init__(self) -> None:
            public = KEY.convert_to_public()
            one = public.algorithm
            super().__init__(one, one, (one,), (one,), public.public_data, None)

        def sign(self, data: bytes) -> bytes:
            return OTHER.sign(data, OTHER.algorithm)

    async with greeting(Asked(Refused(REASON))) as running:
        assert await banner_of(running, client_keys=[Impostor()]) == ""
        assert [one["reason"] for one in running.events("login refused")] == ["bad signature"]


async def test_all_clients_show_the_banner_before_they_log_in(tmp_path: Path) -> None:
    async with greeting(None, banner="Maintenance\nat noon") as running:
        assert await banner_of(running) == "Maintenance\r\nat noon\r\n"
    keys = KeyFile(tmp_path / "keys", line(KEY)).keys
    async with greeting(None, keys, banner="Maintenance") as running:
        assert await banner_of(running, client_keys=[OTHER, KEY]) == "Maintenance\r\n"
        assert await banner_of(running, client_keys=[]) == "Maintenance\r\n"


SENT = {"TZ": "UTC", "LANG": "C.UTF-8", "SECRET": "x", "LONG": "x" * (VALUE_MAXIMUM + 1)}


@pytest.mark.parametrize(
    ("accepted", "got"),
    [
        (("TZ", "LANG"), "{'TZ': 'UTC', 'LANG': 'C.UTF-8'}"),
        (("TZ", "LONG"), "{'TZ': 'UTC'}"),
        ((), "{}"),
    ],
)
async def test_an_app_gets_the_variables_that_it_asks_for_if_they_are_not_too_long(
    accepted: tuple[str, ...], got: str
) -> None:
    async with (
        serving(AnyApp(Greeting), accept_env=accepted) as running,
        running.opened(env=SENT) as screen,
    ):
        await screen.wait_for(f"who sent {got}")


async def test_an_answer_that_outlasts_the_login_lets_nobody_in(pass_time: PassTime) -> None:
    answering = asyncio.Event()
    cancelled: list[bool] = []

    async def never(_user: User) -> bool:
        answering.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.append(True)
        return True

    async with greeting(never, login_timeout=30) as running:
        login = asyncio.create_task(running.connect(client_keys=[KEY]))
        await answering.wait()
        pass_time(30)
        with pytest.raises(asyncssh.DisconnectError, match="no session was opened in time"):
            await login
        await running.wait_until(lambda: cancelled)
        assert [type(each) for each in running.bugs] == [TimeoutError]
        assert [one["reason"] for one in running.events("login refused")] == ["not authorized"]


async def test_where_there_is_a_file_of_keys_too_both_must_allow(tmp_path: Path) -> None:
    keys = KeyFile(tmp_path / "keys", line(KEY)).keys
    asked = Asked(lambda user: user.login == "anna")
    async with greeting(asked, keys) as running:
        assert await is_let_in(running)
        assert asked.users[0].key == "anna"  # the comment in the file
        assert not await is_let_in(running, username="ben")
        assert not await is_let_in(running, client_keys=[OTHER])
        assert len(asked.users) == 2  # not of a key that the file refuses


NO_LINE = b"a command is a line of at most 1,000 characters"


@pytest.mark.parametrize(
    ("command", "takes_command", "words"),
    [
        *(
            (each, True, NO_LINE)
            for each in ("x" * (COMMAND_MAXIMUM + 1), "a\x1b[31m", "a\nb", "a\x9b")
        ),
        ("ls", False, b"commands are not supported"),
    ],
)
async def test_a_command_is_refused_that_is_no_line_or_that_the_app_does_not_take(
    command: str, takes_command: bool, words: bytes
) -> None:
    async with (
        serving(AnyApp(Greeting), takes_command=takes_command) as running,
        running.opened(command=command) as screen,
    ):
        assert await screen.end() == 1
        assert words in screen.errors


async def test_a_function_that_outlasts_the_login_lets_nobody_in(pass_time: PassTime) -> None:
    def slow(_user: User) -> bool:
        pass_time(30)
        return True

    async with greeting(slow, login_timeout=30) as running:
        with pytest.raises((asyncssh.DisconnectError, asyncssh.PermissionDenied)):
            await running.connect(client_keys=[KEY])
        assert [type(each) for each in running.bugs] == [TimeoutError]
