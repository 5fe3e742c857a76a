"""What systemd hands over to a service, and hears of it; without its variables nothing happens.

These are sd_notify(3), a datagram, sd_listen_fds(3), descriptors from the third one on, and where
its journal is (systemd.exec(5)).
"""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress
from typing import Final

FIRST: Final = 3  # descriptor that is passed (SD_LISTEN_FDS_START)
SECONDS: Final = 1.0  # for systemd to take a message


def tell_ready() -> None:
    """Say that a start, or reading again, is over."""
    _tell("READY=1")


def tell_reloading() -> None:
    """Say that files are being read again; ``tell_ready`` follows."""
    # By the clock that systemd compares it with: CLOCK_MONOTONIC.
    _tell(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}")


def tell_status(text: str) -> None:
    """Say in words what the service does, for ``systemctl status``; "" for as usual."""
    _tell(f"STATUS={text}")


def tell_stopping() -> None:
    """Say that the service is about to end."""
    _tell("STOPPING=1")


def _tell(message: str) -> None:
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    if address.startswith("@"):  # abstract (unix(7))
        address = f"\0{address[1:]}"
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.settimeout(SECONDS)
        sender.sendto(message.encode(), address)


def is_journal(descriptor: int) -> bool:
    """Whether a descriptor is what systemd connected to its journal, by device and inode."""
    device, _, inode = os.environ.get("JOURNAL_STREAM", "").partition(":")
    if descriptor < 0 or not inode:
        return False
    try:
        status = os.fstat(descriptor)
    except OSError:  # it is closed
        return False
    return (device, inode) == (str(status.st_dev), str(status.st_ino))


def inherited_sockets() -> list[socket.socket]:
    """Return the listening sockets that were passed to this process; none without systemd.

    They are returned once: programs that this one starts do not take them for their own.

    Raises:
        OSError: one is not a TCP socket that listens; ``strerror`` says so.
    """
    names = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")
    process, count, _ = (os.environ.pop(name, "") for name in names)
    if process != str(os.getpid()):
        return []
    return [_listening(FIRST + index) for index in range(int(count))]


def _listening(descriptor: int) -> socket.socket:
    os.set_inheritable(descriptor, False)
    found = socket.socket(fileno=descriptor)
    is_tcp = found.family in (socket.AF_INET, socket.AF_INET6) and found.type == socket.SOCK_STREAM
    if not is_tcp or not found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        raise OSError(0, f"descriptor {descriptor} is not a TCP socket that listens")
    return found
