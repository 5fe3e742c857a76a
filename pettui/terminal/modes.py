"""The terminal modes that an app sets, and how they are reset (xterm's ctlseqs)."""

from __future__ import annotations

# Alternate screen; no wrapping at the end of a line; no cursor.
ENTER_SCREEN = "\x1b[?1049h\x1b[?7l\x1b[?25l\x1b[0m\x1b[2J\x1b[H"
LEAVE_SCREEN = "\x1b[0m\x1b[?7h\x1b[?1049l\x1b[?25h"
# Buttons, movement while one is held, in SGR's form.
ENABLE_MOUSE, DISABLE_MOUSE = (
    "\x1b[?1000h\x1b[?1002h\x1b[?1006h",
    "\x1b[?1006l\x1b[?1002l\x1b[?1000l",
)
# Pastes in brackets; focus.
ENABLE_PASTES, DISABLE_PASTES = "\x1b[?2004h\x1b[?1004h", "\x1b[?1004l\x1b[?2004l"
CLEAR = "\x1b[0m\x1b[2J"
# Movement of the mouse without a button.
ENABLE_MOVES, DISABLE_MOVES = "\x1b[?1003h", "\x1b[?1003l"
# The kitty keyboard protocol: no ambiguous Esc (1), all keys (8), with the text they type (16).
ENABLE_KEYS, DISABLE_KEYS = "\x1b[>25u", "\x1b[<u"
# Synchronized output: a query of whether the terminal supports it, and what encloses a frame.
REQUEST_FRAMES = "\x1b[?2026$p"
BEGIN_FRAME, END_FRAME = "\x1b[?2026h", "\x1b[?2026l"
