"""Commands: each reads its line and the settings, has the parts put together, and writes."""

from __future__ import annotations

import gc
import os
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


def _show_version() -> int:
    """Write the version, and return the exit code."""
    reason = "is closed"
    if sys.stdout is not None:
        try:
            os.write(sys.stdout.fileno(), f"pettui {build()}\n".encode())
        except BrokenPipeError:  # nobody reads it
            return 0
        except OSError:
            reason = "cannot be written"
        else:
            return 0
    # As other commands say it, whose modules are imported only then.
    from pettui.cli.output import SETTING, write_error_line

    write_error_line(f"pettui: {SETTING}: {reason}")
    return 2
