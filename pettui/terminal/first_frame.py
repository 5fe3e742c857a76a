"""FirstFrame: what a terminal shows first, sent before the app that draws it has started."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pettui.terminal.output.screen_buffer import ScreenBuffer


@dataclass(frozen=True, slots=True)
class FirstFrame:
    """The first frame of apps that all show the same at first, on one kind of terminal."""

    buffer: ScreenBuffer  # of a terminal that shows it; to be copied
    output: str  # sets the terminal's modes, and draws the frame
    reset: str  # resets the modes
