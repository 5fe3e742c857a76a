"""Mouse reports, in the form of SGR (xterm's ctlseqs, "Mouse Tracking", modes 1006 and 1016)."""

from __future__ import annotations

import re

from textual import events

_BUTTONS, _SHIFT, _META, _CTRL, _MOVED, _WHEEL = 3, 4, 8, 16, 32, 64
_SGR = re.compile(r"\x1b\[<([0-9]{1,5});([0-9]{1,5});([0-9]{1,5})([Mm])")
_WHEELS = (
    events.MouseScrollUp, events.MouseScrollDown, events.MouseScrollLeft, events.MouseScrollRight,
)  # fmt: skip


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
