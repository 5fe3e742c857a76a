"""Texts that steer a terminal, or a program that takes them for its own markup."""

from __future__ import annotations

TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "hidden")

# name → the text, and what of it stands on a screen
STEERING: dict[str, tuple[str, str]] = {
    "CSI": ("R\x1b[2J\x1b[31mex", "R␛[2J␛[31mex"),
    "OSC 52": ("R\x1b]52;c;aGFja2Vk\x07ex", "R␛]52;c;aGFja2Vk␇ex"),
    "OSC 8": ("R\x1b]8;;http://evil.example\x1b\\ex", "R␛]8;;http://evil.example␛\\ex"),
    "OSC 0": ("R\x1b]0;title\x07ex", "R␛]0;title␇ex"),
    "DCS": ("R\x1bPq#0\x1b\\ex", "R␛Pq#0␛\\ex"),
    "APC": ("R\x1b_Gi=1\x1b\\ex", "R␛_Gi=1␛\\ex"),
    "controls of 8 bits": ("R\x9b2J\x9d52;c;AA\x9c\x90ex", "R<U+009B>2J<U+009D>52;c;AA"),
    "a reset": ("R\x1bcex", "R␛cex"),
    "a report": ("R\x1b[6n\x05ex", "R␛[6n␅ex"),
    "backspaces": ("R\x08\x08\x7fex", "R␈␈␡ex"),
    "bidi": ("R\u202eab\u2066c\u200f\u061cex", "R<U+202E>ab<U+2066>c<U+200F><U+061C>ex"),
    "zero width": ("R\u200bR\u2060\ufeff\u00adex", "R<U+200B>R<U+2060><U+FEFF><U+00AD>ex"),
    "tag characters": (f"R{TAGS}ex", "R<U+E0068><U+E0069>"),
    "a stack of marks": ("Re" + "\u0301" * 60 + "x", "Re\u0301\u0301\u0301\u0301<+56 marks>x"),
    "markup": ("R[red]b[/red][@click=app.quit]q[/] [/]ex", "R[red]b[/red][@click=app.quit]q[/]"),
    "a placeholder": ("R{quit} $text :smile: %sex", "R{quit} $text :smile: %sex"),
    "line breaks": ("R\r\nx\n\x0by\u2028z\x85ex", "R"),
    "a character beyond Unicode's plan": ("R\U0010ffff\ufffeex", "R<U+10FFFF><U+FFFE>ex"),
    "100,000 characters": ("R" + "x" * 100_000, "Rxxxxxxxxxx"),
    "100,000 words": ("R " * 50_000, "R R R R"),
}
