"""Mouse reports: all forms that terminals send are converted to that of mode 1006 (SGR).

Forms (xterm's ctlseqs, "Mouse Tracking"): X10 and its UTF-8 variant (mode 1005) count from 32 in
three characters, urxvt's (mode 1015) in numbers, SGR's (modes 1006 and 1016) from 0.
"""

from __future__ import annotations

import re

from textual import events

BASE = 32  # what X10's form adds to each number
_RELEASED = 3  # the button of a release in the old forms
_BUTTONS, _SHIFT, _META, _CTRL, _MOVED, _WHEEL = 3, 4, 8, 16, 32, 64
_URXVT = re.compile(rb"\x1b\[([0-9]{1,5});([0-9]{1,5});([0-9]{1,5})M")
_SGR = re.compile(r"\x1b\[<([0-9]{1,5});([0-9]{1,5});([0-9]{1,5})([Mm])")
_WHEELS = (
    events.MouseScrollUp, events.MouseScrollDown, events.MouseScrollLeft, events.MouseScrollRight,
)  # fmt: skip


def x10_report(data: bytes) -> tuple[int, str] | None:
    """Return the length of the three characters after ``ESC [ M``, and the report in SGR's form.

    None if more bytes are needed. Two bytes that are one character in UTF-8 are one number.
    """
    numbers: list[int] = []
    index = 0
    while len(numbers) < 3:
        piece = data[index : index + 2]
        is_pair = bool(piece) and 0xC2 <= piece[0] <= 0xDF
        if not piece or (is_pair and len(piece) < 2):
            return None
        if is_pair and 0x80 <= piece[1] <= 0xBF:
            numbers.append(ord(piece.decode()) - BASE)
            index += 2
        else:
            numbers.append(piece[0] - BASE)
            index += 1
    return index, _sgr(*numbers)


def urxvt_report(sequence: bytes) -> str | None:
    """Return a report of mode 1015 in SGR's form; None where it is none."""
    match = _URXVT.fullmatch(sequence)
    return None if match is None else _sgr(int(match[1]) - BASE, int(match[2]), int(match[3]))


def _sgr(buttons: int, column: int, row: int) -> str:
    """Return SGR's form; the old forms do not say which button was released: the first is used."""
    is_release = buttons & (_BUTTONS | _MOVED | _WHEEL) == _RELEASED
    if is_release:
        buttons -= _RELEASED
    return f"\x1b[<{buttons};{column};{row}{'m' if is_release else 'M'}"


def mouse_event(
    report: str, size: tuple[int, int], last: tuple[int, int] = (0, 0)
) -> events.MouseEvent | None:
    """Return the event of a report in SGR's form; None for an unknown button, or off the screen.

    A release or a move beyond the edge counts at the edge: no button ever stays pressed.

    Args:
        report: of mode 1006.
        size: columns and rows.
        last: column and row of the previous report.
    """
    match = _SGR.fullmatch(report)
    if match is None:
        return None
    buttons, x, y = int(match[1]), int(match[2]) - 1, int(match[3]) - 1
    button, kind = _kind(buttons, is_release=match[4] == "m")
    if kind is None or x < 0 or y < 0:
        return None
    if x >= size[0] or y >= size[1]:
        if kind not in (events.MouseUp, events.MouseMove):
            return None
        x, y = min(x, size[0] - 1), min(y, size[1] - 1)
    return kind(
        None, x, y, x - last[0], y - last[1], button,
        bool(buttons & _SHIFT), bool(buttons & _META), bool(buttons & _CTRL),
        screen_x=x, screen_y=y,
    )  # fmt: skip


def _kind(buttons: int, *, is_release: bool) -> tuple[int, type[events.MouseEvent] | None]:
    if buttons & ~0x7F:  # back and forward, and further buttons
        return 0, None
    if buttons & _WHEEL:
        return 0, None if is_release else _WHEELS[buttons & _BUTTONS]
    button = (buttons + 1) & _BUTTONS
    if buttons & _MOVED or button == 0:
        return button, events.MouseMove
    return button, events.MouseUp if is_release else events.MouseDown
