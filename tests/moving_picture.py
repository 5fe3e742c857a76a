"""A moving picture of a terminal: plain SVG with CSS animation, no script, no font from outside.

A row is drawn once for all the frames in which it stands, so that a long picture stays small. What
a viewer without animation shows, or one that was asked for less motion, is the poster's frame.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from rich.cells import cell_len
from rich.color import Color
from rich.terminal_theme import SVG_EXPORT_THEME

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.segment import Segment
    from rich.style import Style

NAMESPACE = "http://www.w3.org/2000/svg"
LIGHTS = ("#ff5f57", "#febc2e", "#28c840")  # of the window
FONTS = '"DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace'
CELL_WIDTH, CELL_HEIGHT, FONT_SIZE = 8.4, 18, 14  # pixels
WORDS = re.compile(r"\S+(?: \S+)*")  # no viewer may draw two blanks as one
MARGIN, TITLE_HEIGHT, CAPTION_HEIGHT = 12, 30, 44


@dataclass(frozen=True, slots=True)
class Run:
    """Cells of a row that are drawn alike."""

    x: int
    width: int
    text: str
    colours: str  # of the text: CSS
    background: str


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands on the terminal, for how long, and what was pressed for it."""

    rows: tuple[tuple[Run, ...], ...]
    seconds: float
    keys: tuple[str, ...]
    caption: str


def runs_of(segments: Iterable[Segment]) -> tuple[Run, ...]:
    """Return a row's runs; neighbours that are drawn alike are one."""
    runs: list[Run] = []
    x = 0
    for segment in segments:
        if segment.control or not segment.text or segment.style is None:
            continue
        width = segment.cell_length
        run = Run(x, width, segment.text, _text_style(segment.style), _background(segment.style))
        x += width
        before = runs[-1] if runs else None
        is_alike = before is not None and before.background == run.background
        if before and is_alike and (run.colours == before.colours or not run.text.strip()):
            width += before.width
            runs[-1] = Run(before.x, width, before.text + run.text, before.colours, run.background)
        else:
            runs.append(run)
    return tuple(runs)


def moving_picture(frames: Sequence[Frame], *, title: str, poster: int) -> str:
    """Return the SVG of frames that follow each other, again and again."""
    height = len(frames[0].rows)
    drawing = _Drawing(frames, poster)
    background = _usual_background(frames[0])
    width = sum(run.width for run in frames[0].rows[0]) * CELL_WIDTH + 2 * MARGIN
    bottom = TITLE_HEIGHT + height * CELL_HEIGHT
    total = bottom + CAPTION_HEIGHT
    for y in range(height):
        drawing.add(_row(y, frame.rows[y], drawing, background) for frame in frames)
    drawing.add(_caption(frame, bottom) for frame in frames)
    lines = [
        f'<svg xmlns="{NAMESPACE}" viewBox="0 0 {width:g} {total:g}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{drawing.style_sheet()}</style>",
        f'<rect width="{width:g}" height="{total:g}" rx="8" fill="{background}"/>',
        *(
            f'<circle cx="{20 + 18 * n}" cy="15" r="5" fill="{fill}"/>'
            for n, fill in enumerate(LIGHTS)
        ),
        *drawing.groups,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


class _Drawing:
    """What was drawn so far: groups that come and go, and the classes that they wear."""

    def __init__(self, frames: Sequence[Frame], poster: int) -> None:
        self.groups: list[str] = []
        self._poster = poster
        self._total = sum(frame.seconds for frame in frames)
        starts = [0.0]
        for frame in frames:
            starts.append(starts[-1] + frame.seconds)
        self._percent = [
            f"{100 * start / self._total:.2f}".rstrip("0").rstrip(".") for start in starts
        ]
        self._spans: dict[tuple[int, ...], int] = {}  # the frames in which something stands
        self._text_styles: dict[str, int] = {}

    def add(self, contents: Iterable[str]) -> None:
        """Draw what stands at one place, frame by frame; each different content once."""
        frames_of: dict[str, list[int]] = defaultdict(list)
        for index, content in enumerate(contents):
            frames_of[content].append(index)
        is_still = len(frames_of) == 1
        frames_of.pop("", None)
        for content, indices in frames_of.items():
            if is_still:
                self.groups.append(content)
            else:
                number = self._spans.setdefault(tuple(indices), len(self._spans))
                self.groups.append(f'<g class="k{number}">{content}</g>')

    def text_class(self, colours: str) -> str:
        return f"t{self._text_styles.setdefault(colours, len(self._text_styles))}"

    def style_sheet(self) -> str:
        rules = [
            f"text{{font:{FONT_SIZE}px {FONTS};dominant-baseline:central;white-space:pre}}",
            ".key{fill:#1c1f26;font-weight:bold}.caption{fill:#9aa4b2}",
            *(f".t{number}{{{colours}}}" for colours, number in self._text_styles.items()),
        ]
        for indices, number in self._spans.items():
            shown = "visible" if self._poster in indices else "hidden"
            rules.append(
                f".k{number}{{visibility:{shown};animation:k{number} {self._total:g}s step-end infinite}}"
            )
            rules.append(f"@keyframes k{number}{{{self._key_frames(indices)}}}")
        rules.append("@media (prefers-reduced-motion:reduce){g{animation:none!important}}")
        return "\n".join(rules)

    def _key_frames(self, indices: tuple[int, ...]) -> str:
        is_shown = [number in indices for number in range(len(self._percent) - 1)]
        changes = [n for n, now in enumerate(is_shown) if n == 0 or now != is_shown[n - 1]]
        return "".join(
            f"{self._percent[n]}%{{visibility:{'visible' if is_shown[n] else 'hidden'}}}"
            for n in changes
        )


def _usual_background(frame: Frame) -> str:
    cells: Counter[str] = Counter()
    for row in frame.rows:
        for run in row:
            cells[run.background] += run.width
    return cells.most_common(1)[0][0]


def _row(y: int, runs: Iterable[Run], drawing: _Drawing, background: str) -> str:
    top = TITLE_HEIGHT + y * CELL_HEIGHT
    parts = [
        f'<rect x="{_x(run.x)}" y="{top}" width="{run.width * CELL_WIDTH + 0.3:.1f}"'
        f' height="{CELL_HEIGHT + 0.3:g}" fill="{run.background}"/>'
        for run in runs
        if run.background != background
    ]
    for run in runs:
        for words in WORDS.finditer(run.text):
            x = run.x + cell_len(run.text[: words.start()])
            parts.append(_text(x, top, words.group(), drawing.text_class(run.colours)))
    return "".join(parts)


def _text(x: int, top: float, words: str, text_class: str) -> str:
    middle = top + CELL_HEIGHT / 2
    if words == "│":  # lines of boxes have no gaps
        path = f"M{MARGIN + (x + 0.5) * CELL_WIDTH:.1f} {top:g}v{CELL_HEIGHT}"
        return f'<path class="{text_class}" d="{path}" stroke="currentColor"/>'
    width = cell_len(words) * CELL_WIDTH
    return (
        f'<text class="{text_class}" x="{_x(x)}" y="{middle:g}" textLength="{width:.1f}">'
        f"{escape(words)}</text>"
    )


def _caption(frame: Frame, bottom: float) -> str:
    """Return the keys that were pressed, as caps, and what they do."""
    y = bottom + CAPTION_HEIGHT / 2 + 2
    x = float(MARGIN)
    parts = []
    for key in frame.keys:
        width = len(key) * CELL_WIDTH + 14
        parts.append(
            f'<rect x="{x:.1f}" y="{y - 12:g}" width="{width:.1f}" height="24" rx="5" fill="#d7dde6"/>'
            f'<text class="key" x="{x + 7:.1f}" y="{y:g}" textLength="{len(key) * CELL_WIDTH:.1f}">'
            f"{escape(key)}</text>"
        )
        x += width + 6
    if frame.caption:
        parts.append(
            f'<text class="caption" x="{x + 6:.1f}" y="{y:g}">{escape(frame.caption)}</text>'
        )
    return "".join(parts)


def _x(column: int) -> str:
    return f"{MARGIN + column * CELL_WIDTH:.1f}"


def _text_style(style: Style) -> str:
    colour = style.bgcolor if style.reverse else style.color
    colour_code = _hex(colour, is_text=not style.reverse)
    attributes = {
        "font-weight:bold": style.bold,
        "font-style:italic": style.italic,
        "text-decoration:underline": style.underline,
        "opacity:.6": style.dim,
    }
    set_ones = [rule for rule, is_set in attributes.items() if is_set]
    return ";".join([f"fill:{colour_code};color:{colour_code}", *set_ones])


def _background(style: Style) -> str:
    return _hex(style.color if style.reverse else style.bgcolor, is_text=bool(style.reverse))


def _hex(colour: Color | None, *, is_text: bool) -> str:
    shown = colour or Color.default()
    return shown.get_truecolor(SVG_EXPORT_THEME, foreground=is_text).hex
