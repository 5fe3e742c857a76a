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


KITTY_FLAGS = b"\x1b[?25u"

TERMINALS = {
    "xterm": _terminal(b"XTerm(390)", b"64;1;2;6;9;15;16;17;18;21;22;28", b"41;390;0"),
    "kitty": _terminal(b"kitty(0.35.2)", b"62;", b"1;4000;35", KITTY_FLAGS),
    "foot": _terminal(b"foot(1.17.2)", b"62;4;22;28;29;52", b"1;011702;0", KITTY_FLAGS),
    "alacritty": _terminal(b"", b"6", b"0;2402;1", KITTY_FLAGS),
    "wezterm": _terminal(b"WezTerm 20240203-110809-5046fc22", b"65;4;6;18;22;52", b"1;277;0"),
    "ghostty": _terminal(b"ghostty 1.1.3", b"62;22;52", b"1;10;0", KITTY_FLAGS),
    "VTE": _terminal(b"VTE(7600)", b"65;1;9", b"65;7600;1"),
    "konsole": _terminal(b"Konsole 24.02.0", b"62;1;4", b"1;240200;0", end=OSC_END),
    "iTerm2": _terminal(b"iTerm2 3.5.0", b"64;1;2;4;6;17;18;21;22;52", b"64;2500;0", KITTY_FLAGS),
    "tmux": _terminal(b"tmux 3.4", b"1;2;4", b"84;0;0"),
    "screen": _terminal(b"", b"1;2", b"83;50001;0", end=OSC_END),
    "mintty": _terminal(b"mintty 3.7.1", b"64;1;2;4;6;9;15;21;22;28;29", b"77;30701;0"),
    "Windows Terminal": _terminal(b"", b"61;4;6;7;14;21;22;23;24;28;32;42;52", b"0;10;1"),
    "Apple Terminal": _terminal(b"", b"1;2", b"1;95;0", end=OSC_END),
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
    "size in pixels": b"\x1b[4;768;1280t",
    "size of a cell": b"\x1b[6;32;16t",
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
