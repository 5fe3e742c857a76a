"""Commands: each reads its line and the settings, has the parts put together, and writes."""

from __future__ import annotations

import gc
import sys

from pettui.build import build

TYPE_CHECKING = False  # as typing's, whose import would be half of what --version costs
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run pettui with these arguments; by default with those of the process.

    Returns:
        The exit code; see ``exit_codes``.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words in (["--version"], ["-V"]):
        return _show_version()
    # While modules are imported there is no garbage, and looking for it takes a tenth of a start.
    # The commands enable it again.
    gc.disable()
    try:
        from pettui.cli.command_line import run_command

        return run_command(words)
    except KeyboardInterrupt:  # possible even during an import
        from pettui.cli.exit_codes import INTERRUPTED

        return INTERRUPTED
    finally:
        gc.enable()
        _write("")  # flushes what argparse wrote


def _show_version() -> int:
    """Write the version, and return the exit code."""
    if sys.stdout is not None and _write(f"pettui {build()}\n"):
        return 0
    # What cannot be written is said as for other commands, whose modules are imported only then.
    from pettui.cli.output import SETTING, write_error_line

    reason = "is closed" if sys.stdout is None else "cannot be written"
    write_error_line(f"pettui: {SETTING}: {reason}")
    return 2


def _write(text: str) -> bool:
    """Write to standard output, and flush it; return whether that is as good as done.

    If nobody can read it, it is dropped.
    """
    if sys.stdout is None:  # closed before the start
        return True
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        from pettui.cli.output import discard

        discard(sys.stdout)
        return isinstance(error, BrokenPipeError)
    return True
