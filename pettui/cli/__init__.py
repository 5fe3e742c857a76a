"""The composition root: reads what was asked for, builds the parts, opens and closes them."""

from __future__ import annotations

import gc
import os
import sys

from pettui import __version__

TYPE_CHECKING = False  # as typing's, whose import would be half of what --version costs
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run pettui with these arguments, or with the process's own.

    Returns:
        The exit code; see ``exit_codes``.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words == ["--version"]:
        _say(f"pettui {__version__}\n")
        return 0
    # Modules are no garbage: collecting it is put off until they are imported, which is a tenth
    # of a start. The commands turn it on again.
    gc.disable()
    try:
        # Whoever asks for the version alone does not wait for this.
        from pettui.cli.commands import run_command

        return run_command(words)
    except KeyboardInterrupt:  # which may come in the middle of an import
        from pettui.cli.exit_codes import INTERRUPTED

        return INTERRUPTED
    finally:
        gc.enable()
        _say("")  # what argparse said, say


def _say(text: str) -> None:
    """Write to standard output, now, if there is anybody to read it."""
    if sys.stdout is None:  # was closed before the start
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError:
        # What is left in the stream would be tried again at the end, with an error of its own.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
