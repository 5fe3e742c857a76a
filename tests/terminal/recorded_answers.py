"""What terminals say by themselves, as it was recorded: each a name and the bytes."""

from __future__ import annotations

OSC_END, ST = b"\x07", b"\x1b\\"


def _terminal(version: bytes, da1: bytes, da2: bytes, *more: bytes, end: bytes = ST) -> bytes:
    """Return the answers to XTVERSION, DA1, DA2, OSC 4, 10 and 11, DECRPM and kitty's flags."""
    colours = b"".join(
        b"\x1b]" + number + b";rgb:1e1e/1e1e/2e2e" + end for number in (b"4;0", b"10", b"11")
    )
    named = b"\x1bP>|" + version + b"\x1b\\" if version else b""
    modes = b"\x1b[?2026;2$y\x1b[?2048;0$y\x1b[?1016;4$y"
    return named + b"\x1b[?" + da1 + b"c\x1b[>" + da2 + b"c" + colours + modes + b"".join(more)


TERMINALS = {
    "xterm": _terminal(b"XTerm(390)", b"64;1;2;6;9;15;16;17;18;21;22;28", b"41;390;0"),
    "kitty": _terminal(b"kitty(0.35.2)", b"62;", b"1;4000;35", b"\x1b[?25u"),
    "tmux": _terminal(b"tmux 3.4", b"1;2;4", b"84;0;0"),
    "konsole": _terminal(b"Konsole 24.02.0", b"62;1;4", b"1;240200;0", end=OSC_END),
    "rxvt-unicode": _terminal(b"", b"1;2", b"85;95;0", end=OSC_END),
}
"""By terminal, all of its answers at once."""

OTHERS = {
    "cursor": b"\x1b[24;80R",
    "cursor in the first row": b"\x1b[1;5R",
    "cursor (DECXCPR)": b"\x1b[?24;80;1R",
    "status": b"\x1b[0n",
    "colour scheme": b"\x1b[?997;1n",
    "size in characters": b"\x1b[8;24;80t",
    "size, told by itself": b"\x1b[48;24;80;768;1280t",
    "size that divides by nought": b"\x1b[48;0;0;0;0t",
    "title": b"\x1b]ltitle \xe2\x80\x9c of \xe2\x80\x9d it\x1b\\",
    "clipboard": b"\x1b]52;c;cXFxcQ==\x1b\\",
    "terminfo": b"\x1bP1+r544e=787465726d\x1b\\",
    "setting": b"\x1bP1$r0m\x1b\\",
    "unit": b"\x1bP!|00000000\x1b\\",
    "graphics": b"\x1b_Gi=31;OK\x1b\\",
    "mode of ANSI": b"\x1b[4;2$y",
}
