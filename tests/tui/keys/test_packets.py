"""Two keys in one packet mean what they mean one after the other."""

from __future__ import annotations

from itertools import product

import pytest

from tests.exhaustive import exhaustive_rows
from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import ScriptedService

ESC, F1, F6, F7, F9 = b"\x1b", b"\x1bOP", b"\x1b[17~", b"\x1b[18~", b"\x1b[20~"
CTRL_C = b"\x03"
PLACES = {  # the packets that lead there from the list
    "list": (), "detail": (b"\r",), "form": (b"aRex",), "outbox": (b"o",), "help": (F1,),
    "palette": (b":",), "key prompt": (F7,), "quit box": (b"aRex\t3\r", ESC, b"q"),
}  # fmt: skip
# Keys that open, close, move, ask and stop.
SOME = [
    ("list", b"\r", ESC), ("list", b"a", b"x"), ("list", b":", b"\r"), ("list", b"r", ESC),
    ("list", ESC, b"2"), ("form", ESC, b"a"), ("key prompt", ESC, b":"), ("quit box", ESC, b"a"),
]  # fmt: skip
FURTHER = [
    *(
        ("list", first, second)
        for first, second in (
            (b"\r", b"y"), (b"o", ESC), (F1, b"q"), (b"j", b"\r"), (b"2", b"\r"), (b"\r", b"j"),
            (b"\r", F1), (b"\r", b":"), (b"a", ESC), (b"a", F9), (b"a", F1), (b"a", CTRL_C),
            (b"o", F1), (b":", ESC), (b":", CTRL_C), (F1, ESC), (F1, F1), (ESC, b"j"), (b"G", b"k"),
            (b"r", b"\r"), (b"2", b"1"), (b"+", b"-"), (CTRL_C, b"j"), (CTRL_C, CTRL_C),
            (F6, b"j"), (F7, b"j"), (b"y", b"Y"), (b"m", b"G"),
        )
    ),
    *product(PLACES, (ESC,), (b"2", b":", b"a")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "first", "second"),
    [*SOME, *exhaustive_rows(*(row for row in FURTHER if row not in SOME))],
)
async def test_two_keys_in_one_packet_end_where_they_end_one_by_one(
    place: str, first: bytes, second: bytes
) -> None:
    screens = []
    for packets in ([first + second], [first, second]):
        async with open_app(ScriptedService(), size=(80, 24), delay=3600) as driver:
            for packet in (*PLACES[place], *packets):
                driver.send(packet)
                await driver.settled()
                await driver.until(lambda driver=driver: is_still(driver))
            await driver.settled()
            assert driver.app.failure is None
            screens.append((type(driver.screen).__name__, without_times(driver.text)))
    assert screens[0] == screens[1]


def is_still(driver: Driver) -> bool:
    """Whether no request is out on any screen."""
    headers = (getattr(screen, "header", None) for screen in driver.app.screen_stack)
    return all(header is None or not header.spinner for header in headers)


def without_times(text: str) -> str:
    """Return the screen without times, which differ in each run."""
    return " ".join(word for word in text.split() if not word.isdigit() and word != "ms")
