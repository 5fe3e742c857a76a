"""The themes of our own: dark, light, and the terminal's own sixteen colours.

Texts have a contrast of at least 4.5 to 1 on every ground they stand on (WCAG 2.2, 1.4.3);
``tests/tui/test_themes.py`` measures it.
"""

from __future__ import annotations

from textual.theme import BUILTIN_THEMES, Theme

LABELS = {
    "red": ("#ffffff", "#b3363e"),
    "orange": ("#ffffff", "#a8560f"),
    "yellow": ("#1d1a10", "#e0b53a"),
    "green": ("#ffffff", "#2a7549"),
    "blue": ("#ffffff", "#2c66aa"),
    "violet": ("#ffffff", "#7550ae"),
    "grey": ("#ffffff", "#56606b"),
}

DARK = {
    "ground": "#15191e",
    "band": "#1c2229",
    "raised": "#252d36",
    "ink": "#dbe1e8",
    "quiet": "#97a3b0",
    "bright": "#f4f7fa",
    "accent-ink": "#6cc5ba",
    "available": "#86cf91",
    "pending": "#e3b866",
    "sold": "#9db2d0",
    "error-ink": "#ff9a94",
    "error-ground": "#3a1d21",
    "notice-ink": "#ecc878",
    "notice-ground": "#2b2618",
    "cursor-ground": "#1e3b44",
    "cursor-blurred": "#262f38",
}

LIGHT = {
    "ground": "#fcfbf8",
    "band": "#f1efe9",
    "raised": "#e7e3da",
    "ink": "#22282f",
    "quiet": "#545d68",
    "bright": "#0d1116",
    "accent-ink": "#0f665e",
    "available": "#1a6434",
    "pending": "#7c4f00",
    "sold": "#41546f",
    "error-ink": "#98202b",
    "error-ground": "#fbe4e3",
    "notice-ink": "#6f4a00",
    "notice-ground": "#faf0d6",
    "cursor-ground": "#cde4e4",
    "cursor-blurred": "#e6e8e4",
}

TERMINAL = {
    "ground": "ansi_default",
    "band": "ansi_default",
    "raised": "ansi_default",
    "ink": "ansi_default",
    "quiet": "ansi_default",
    "bright": "ansi_default",
    "accent-ink": "ansi_cyan",
    "available": "ansi_green",
    "pending": "ansi_yellow",
    "sold": "ansi_blue",
    "error-ink": "ansi_red",
    "error-ground": "ansi_default",
    "notice-ink": "ansi_yellow",
    "notice-ground": "ansi_default",
    "cursor-ground": "ansi_default",
    "cursor-blurred": "ansi_default",
}

ANSI_LABELS = {
    "red": ("ansi_bright_white", "ansi_red"),
    "orange": ("ansi_black", "ansi_yellow"),
    "yellow": ("ansi_black", "ansi_yellow"),
    "green": ("ansi_black", "ansi_green"),
    "blue": ("ansi_bright_white", "ansi_blue"),
    "violet": ("ansi_bright_white", "ansi_magenta"),
    "grey": ("ansi_bright_white", "ansi_bright_black"),
}


def themes() -> tuple[Theme, ...]:
    """Give the three themes."""
    return (
        _theme("pettui-dark", DARK, LABELS, dark=True),
        _theme("pettui-light", LIGHT, LABELS, dark=False),
        _theme("ansi", TERMINAL, ANSI_LABELS, dark=True, ansi=True),
    )


def _theme(
    name: str,
    colours: dict[str, str],
    labels: dict[str, tuple[str, str]],
    *,
    dark: bool,
    ansi: bool = False,
) -> Theme:
    label_variables = {
        f"label-{label}{part}": colour
        for label, pair in labels.items()
        for part, colour in zip(("-ink", "-ground"), pair, strict=True)
    }
    return Theme(
        name=name,
        primary=colours["accent-ink"],
        secondary=colours["sold"],
        accent=colours["accent-ink"],
        warning=colours["notice-ink"],
        error=colours["error-ink"],
        success=colours["available"],
        foreground=colours["ink"],
        background=colours["ground"],
        surface=colours["band"],
        panel=colours["raised"],
        boost=colours["raised"],
        dark=dark,
        ansi=ansi,
        variables={
            **(
                BUILTIN_THEMES["ansi-dark"].variables if ansi else {}
            ),  # Textual's own styles need it
            **{f"pt-{key}": value for key, value in {**colours, **label_variables}.items()},
        },
    )
