"""Which cells of a row are sent: those that differ, in runs of whole clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.terminal.output.clusters import FILLER, is_sure, reach

if TYPE_CHECKING:
    from pettui.terminal.output.clusters import Clusters
    from pettui.terminal.output.sgr import Palette

BRIDGE = 4  # unchanged cells that are sent again, since moving over them costs no less


def changed_columns(
    wanted: tuple[str, str], shown: tuple[str, str], first: int, last: int
) -> list[int]:
    """Return the columns between two that differ in two rows, each of texts and styles."""
    return [
        x
        for x, (new, old, style, old_style) in enumerate(
            zip(
                wanted[0][first:last], shown[0][first:last],
                wanted[1][first:last], shown[1][first:last],
                strict=True,
            ),
            first,
        )
        if new != old or style != old_style
    ]  # fmt: skip


def runs_to_send(
    columns: list[int], row: tuple[str, str], clusters: Clusters, palette: Palette
) -> list[tuple[int, int]]:
    """Return starts and ends of runs of cells to send: whole clusters, near ones joined.

    Args:
        columns: that changed, from left to right.
        row: the texts and styles that it is to show.
        clusters: of its texts.
        palette: of its styles.
    """
    texts, styles = row
    runs: list[tuple[int, int]] = []
    before = -1  # the end of the last run
    for x in columns:
        if x < before:
            continue
        start = x - 1 if texts[x] == FILLER and x else x
        end = _end(start, texts, clusters)
        if runs and (start <= before or _is_bridge(before, start, texts, styles, palette)):
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
        before = end
    return runs


def _end(x: int, texts: str, clusters: Clusters) -> int:
    """Return the end of a run that starts at a cell.

    A terminal may draw a cluster over more cells than its own: these are sent again, too.
    """
    end = x + 1
    if texts[x : end + 1].isascii():  # as nearly all are
        return end
    while x < end:
        width = 2 if texts[x + 1 : x + 2] == FILLER else 1
        end = max(end, x + width)
        cluster = texts[x] if texts[x].isascii() else clusters.spelled(texts[x])
        if not cluster.isascii() and not is_sure(cluster, width):
            end = min(max(end, x + reach(cluster)), len(texts))
        x += width
    return end


def _is_bridge(start: int, end: int, texts: str, styles: str, palette: Palette) -> bool:
    """Whether to send the cells between two runs again: few, and in the same style."""
    if end - start > BRIDGE:
        return False
    style = styles[start - 1]
    same = {style, chr(palette.on_blanks[ord(style)])}
    return same.issuperset(styles[start:end]) and texts[start:end].isascii()
