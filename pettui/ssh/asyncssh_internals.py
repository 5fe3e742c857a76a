"""The private names of asyncssh that the server uses; no other module uses any.

``tests/ssh/test_asyncssh_internals.py`` fails without them:

- ``SSHServerChannel._process_env_request``: where it changes, a client can set any number of
  variables of any size.
- ``SSHConnection._transport`` and ``_deferred_packets``: where they change, unsent bytes are not
  counted, and a client that does not read costs memory without bound.
- ``SSHConnection._cleanup`` and ``_recv_handler``, a method of its own: where they change, a
  connection that has ended is freed by a full collection only.
- ``SSHConnection._force_close``: where it changes, a client whose connection was closed is read
  until it is its turn.
- ``SSHConnection._kex_algs``, ``_server_host_key_algs`` and ``_ignore_first_kex``: where they
  change, clients that guess a key exchange, as Dropbear's does, cannot log in.
- ``SSHConnection._global_request_waiters``: where it changes, a reply that shows that a client is
  there ends its connection.
"""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from math import inf
from time import monotonic, thread_time
from typing import TYPE_CHECKING, Any, cast

import asyncssh
from asyncssh.packet import SSHPacket

from pettui.ssh.admission import network_of
from pettui.ssh.fair_loop import FairEventLoop, current_activity
from pettui.system.addresses import unmapped
from pettui.terminal.client_terminal import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Awaitable, Container

    from asyncssh.connection import SSHConnection

KEXINIT = 20  # SSH_MSG_KEXINIT (RFC 4253, 7.1)
COOKIE = 16  # bytes at the start of its payload
NAME_LISTS = 10  # after them, and then whether a guess follows
USERAUTH_REQUEST = 50  # SSH_MSG_USERAUTH_REQUEST (RFC 4252, 5)
GLOBAL_REQUEST = 80  # SSH_MSG_GLOBAL_REQUEST (RFC 4254, 4)
# OpenSSH's keepalive request, and that a reply is wanted: clients that do not know it refuse it.
REPLY_WANTED = b"\x00\x00\x00\x15keepalive@openssh.com\x01"
NOTHING: frozenset[str] = frozenset()
VARIABLES_MAXIMUM = 40
VALUE_MAXIMUM = 1_000  # bytes
RECEIVE_WINDOW = 64 * 1024  # bytes that a client may send ahead
PACKET_MAXIMUM = 32 * 1024  # bytes, which every client must accept (RFC 4253, 6.1)
READ_MAXIMUM = 4 * 1024  # bytes at once: a hundred packets of the smallest size
AT_ONCE = 256  # bytes that are processed at once, such as the packets of a key
# Clients change keys once an hour, or after a gigabyte; a user may do it by hand.
KEY_EXCHANGE_PAUSE = 10.0  # seconds from one exchange that a client begins to the next


class TooManyKeyExchangesError(asyncssh.DisconnectError):
    """A client exchanges keys again and again, which costs it next to nothing."""

    def __init__(self) -> None:
        super().__init__(asyncssh.DISC_PROTOCOL_ERROR, "too many key exchanges")


class ServerConnection(asyncssh.SSHServerConnection):
    """A client's connection, which knows when it was used, and what it costs."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        options: asyncssh.SSHServerConnectionOptions,
        *,
        address: str = "",
        received: bytes = b"",
    ) -> None:
        """Begin without a transport.

        Args:
            loop: of the process.
            options: of all connections.
            address: of the client, where a proxy has named it.
            received: what came with that, which is processed in the client's turn.
        """
        super().__init__(loop, options)
        self.address, self.network = address, ""  # of the client, once the connection is made
        self._received = received
        self.channels: set[object] = set()  # that are open
        self._sessions: set[object] = set()  # that have begun
        self.waits_since = inf  # when it had to open a session, by the loop's clock
        self.silent_since = monotonic()  # when anything was received, or a reply requested
        self.unanswered = 0  # requests for a reply since anything was received
        self._activity = current_activity()
        self.share = self._activity.share
        self._exchanged_at: float | None = None  # when the last exchange of keys began
        self._login_method = ""  # of the last request to log in
        self._pauses = 0  # in which the client is not read
        self._own_context = copy_context()

    @property
    def is_authenticated(self) -> bool:
        """Whether the client has logged in."""
        return self.get_extra_info("username") is not None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note whose it is."""
        peer = transport.get_extra_info("peername", ("",))
        self.address = self.address or unmapped(str(peer[0]))
        self.network = network_of(self.address)
        loop = asyncio.get_running_loop()
        if isinstance(loop, FairEventLoop):
            self.share.address = loop.address_share(self.network)
        super().connection_made(transport)

    def proceed(self) -> None:
        """Read what the client sends, which has to open a session from now on."""
        self.waits_since = asyncio.get_running_loop().time()
        self.resume()

    def session_began(self, session: object) -> None:
        """Count a session, and read less at once from now on.

        asyncio would read 256 kB, thousands of tiny packets. Not before: where a connection is
        closed with bytes unread, the system discards the last message.
        """
        self._sessions.add(session)
        self.waits_since = inf
        if self._transport is not None:
            self._transport.max_size = READ_MAXIMUM  # type: ignore[attr-defined]

    def session_ended(self, session: object) -> None:
        """Count it no longer, even if the client leaves its channel open."""
        if session in self._sessions:
            self._sessions.remove(session)
            if not self._sessions:  # the client has some time for another
                self.waits_since = asyncio.get_running_loop().time()

    def data_received(self, data: bytes, datatype: asyncssh.DataType = None) -> None:
        """Process bytes of the client, whatever they are: a key at once, more when it is its turn.

        Thousands of tiny packets, such as new sizes, fit into what a client may send at once, and
        each costs some time to decrypt, whatever its session does with it.
        """
        self.silent_since, self.unanswered = monotonic(), 0
        if len(data) > AT_ONCE:
            self.pause()
            asyncio.get_running_loop().call_soon(self._process, data, datatype)
            return
        began = thread_time()
        super().data_received(data, datatype)
        self.share.add(thread_time() - began, gives_way=self._activity.gives_way)
        self._wait_for_share()

    def _process(self, data: bytes, datatype: asyncssh.DataType) -> None:
        """Process bytes in the client's turn, which the loop counts."""
        if self._transport is not None:
            super().data_received(data, datatype)
        self._wait_for_share()
        self.resume()

    def _wait_for_share(self) -> None:
        """Leave the client unread for a while if it is over its share."""
        if pause := self.share.pause():
            self.pause()
            asyncio.get_running_loop().call_later(pause, self.resume)

    def process_packet(self, pkttype: int, pktid: int, packet: SSHPacket) -> bool | Awaitable[None]:
        """Process a packet that is not a channel's.

        Raises:
            TooManyKeyExchangesError: it begins another exchange of keys too soon.
        """
        if pkttype == KEXINIT:
            self._check_key_exchange()
            offer = SSHPacket(packet.get_remaining_payload())
            processing = cast("Awaitable[None]", super().process_packet(pkttype, pktid, packet))
            return self._follow_guess(offer, processing)
        if pkttype == USERAUTH_REQUEST:
            request = SSHPacket(packet.get_remaining_payload())
            *_, method = (request.get_string() for _ in ("user name", "service", "method"))
            self._login_method = method.decode("ascii", "replace")
        return super().process_packet(pkttype, pktid, packet)

    async def _follow_guess(self, offer: SSHPacket, processing: Awaitable[None]) -> None:
        """Process a client's offer, and ignore the packet after it if that is of a wrong guess.

        A guess is right if the first key exchanges and the first host keys of both are the same
        (RFC 4253, 7.1). asyncssh takes it for right if the key exchange is the one that both use in
        the end, and answers a packet that the client itself then sends again.
        """
        offer.get_bytes(COOKIE)
        key_exchanges, host_keys, *_ = [offer.get_namelist() for _ in range(NAME_LISTS)]
        is_guessing = offer.get_boolean()
        await processing
        if is_guessing:
            theirs = key_exchanges[:1], host_keys[:1]
            ours = list(self._kex_algs[:1]), list(self._server_host_key_algs or ())[:1]
            self._ignore_first_kex = theirs != ours

    async def reload_config(self) -> None:
        """Do nothing: no option depends on who logs in. asyncssh reads them all, in a thread."""

    async def validate_public_key(
        self, username: str, key_data: bytes, msg: bytes, signature: bytes
    ) -> bool:
        """Whether a key may log in, and has signed the request if that is signed.

        Who has proved in this way to have the key may be told why it is refused.
        """
        is_valid = await super().validate_public_key(username, key_data, msg, signature)
        if is_valid and msg:
            owner: Any = self.get_owner()  # a ``Connection``
            return bool(await owner.key_proved())
        return is_valid

    def send_userauth_failure(self, partial_success: bool) -> None:
        """Refuse a request to log in."""
        owner: Any = self.get_owner()
        owner.login_failed(self._login_method)
        super().send_userauth_failure(partial_success)

    def _check_key_exchange(self) -> None:
        now = monotonic()
        if self._exchanged_at is None:  # the first does not count: somebody may soon ask for more
            self._exchanged_at = -KEY_EXCHANGE_PAUSE
        elif now - self._exchanged_at < KEY_EXCHANGE_PAUSE:
            raise TooManyKeyExchangesError
        else:
            self._exchanged_at = now

    def _force_close(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._transport.pause_reading()  # it is aborted in the client's turn only
        super()._force_close(exc)

    def _cleanup(self, exc: Exception | None) -> None:
        super()._cleanup(exc)
        self._recv_handler = lambda: False  # nothing more is read

    def pause(self) -> None:
        """Stop reading from the client until there was a ``resume`` for each pause."""
        self._pauses += 1
        if self._transport is not None and not self._transport.is_closing():
            self._transport.pause_reading()

    def resume(self) -> None:
        """End a pause."""
        self._pauses -= 1
        transport = self._transport
        if not self._pauses and transport is not None and not transport.is_closing():
            # The reader is to be of this connection's activity, whoever ends the pause.
            context = self._own_context.copy()
            if self._received:
                self._pauses += 1
                received, self._received = self._received, b""
                context.run(asyncio.get_running_loop().call_soon, self._process, received, None)
            else:
                context.run(transport.resume_reading)

    def request_reply(self) -> None:
        """Have the client send something, if it is there."""
        self.silent_since = monotonic()
        self.unanswered += 1
        nobody = asyncio.get_running_loop().create_future()
        nobody.cancel()
        self._global_request_waiters.append(nobody)
        self.send_packet(GLOBAL_REQUEST, REPLY_WANTED)


class SessionChannel(asyncssh.SSHServerChannel[bytes]):
    """A session's channel (RFC 4254, 6) of bytes.

    asyncssh offers no public way to limit environment variables.
    """

    def __init__(
        self, connection: asyncssh.SSHServerConnection, accepts: Container[str] = NOTHING
    ) -> None:
        """Begin a channel that accepts variables of these names for the app."""
        super().__init__(
            connection,
            asyncio.get_running_loop(),
            allow_pty=True,
            line_editor=False,
            line_echo=False,
            line_history=0,
            max_line_length=0,
            encoding=None,
            errors="strict",
            window=RECEIVE_WINDOW,
            max_pktsize=PACKET_MAXIMUM,
        )
        self.environment: dict[str, str] = {}  # that, and what describes the terminal
        self._accepts = accepts

    def get_connection(self) -> ServerConnection:
        """Return the client's connection."""
        return cast("ServerConnection", super().get_connection())

    def _process_env_request(self, packet: SSHPacket) -> bool:
        name = packet.get_string().decode("ascii", "replace")
        value = packet.get_string()
        packet.check_end()
        is_wanted = name in self._accepts or ENVIRONMENT.fullmatch(name) is not None
        has_room = len(self.environment) < VARIABLES_MAXIMUM and len(value) <= VALUE_MAXIMUM
        if is_wanted and has_room:
            self.environment[name] = value.decode("utf-8", "replace")
        return is_wanted and has_room


def unsent(connection: SSHConnection) -> int:
    """Return the unsent bytes: in the transport's buffer, or deferred by a key exchange."""
    transport = connection._transport  # noqa: SLF001
    in_transport = transport.get_write_buffer_size() if transport is not None else 0
    deferred = connection._deferred_packets  # noqa: SLF001
    return in_transport + sum(len(part) for _, parts in deferred for part in parts)
