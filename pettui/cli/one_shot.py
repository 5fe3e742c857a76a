"""Call: a command for scripts, cron and pipes: a few requests, then the end; no screen.

From ``pettui list`` to its output:

1. ``cli.main`` parses what ``declarations`` declare, and imports the command's own module alone.
2. ``Call`` reads the settings, and checks standard output before anything is asked.
3. ``Call.run`` opens a client (``opened_client``): of a service, or of the store in this process.
4. The command's task asks the client page by page, and ``PetOutput`` writes what each brings.
5. How it ended is the exit code, and a line on standard error (``exit_code``, ``StandardError``).
"""

from __future__ import annotations

import asyncio
import gc
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from pettui.cli.exit_codes import BAD_INPUT, INTERRUPTED, OK, exit_code
from pettui.cli.output import ClosedPipeError, StandardError, bug_hook, check_output
from pettui.composition.store import opened_client, with_path, with_store
from pettui.composition.threads import check_threads
from pettui.configuration.reading import read_settings
from pettui.settings.settings import Settings, StoreKind

if TYPE_CHECKING:
    import argparse
    from collections.abc import Awaitable, Callable, Mapping

    from pettui.client import PetClient

THREADS = 4  # opening the client, the embedded store, parsing large responses, a journal
MAYBE_ADDED = "the animal may have been added"


class Call:
    """The arguments of a command, what it works with, and how it ends."""

    def __init__(
        self,
        arguments: argparse.Namespace,
        environment: Mapping[str, str],
        *,
        uses_store: bool = True,
    ) -> None:
        """Read the settings; nothing is opened yet.

        Args:
            arguments: of the command line.
            environment: with the variables.
            uses_store: False where the store on this machine may be one that can't be used.

        Raises:
            ConfigurationError: a setting cannot be used, or there is no standard output.
        """
        # --limit of a list is the most that are printed; the app's is a page.
        options = {**vars(arguments), "limit": None}
        settings = read_settings(options, environment, has_keyboard=False)
        sys.excepthook = bug_hook(settings.profile.api_key)
        check_output()
        if settings.profile.kind is not StoreKind.SERVICE:
            find = with_store if uses_store else with_path
            settings = replace(settings, profile=find(settings.profile, environment))
        self.arguments = arguments
        self.settings = settings
        self.environment = environment
        self.stderr = StandardError(is_quiet=arguments.quiet, kind=environment.get("TERM", ""))
        self.unfinished = ""  # what to say if it is interrupted now

    def run(
        self, task: Callable[[PetClient], Awaitable[int]], settings: Settings | None = None
    ) -> int:
        """Run a command's task with an open client, and return the exit code.

        Args:
            task: whose data is on standard output when it ends, or in its file.
            settings: of the client, if they are others.

        Raises:
            ConfigurationError: standard output or a file cannot be written.
        """
        from pettui.client import PetClientError
        from pettui.transfer.files import TransferError

        check_threads(THREADS)
        used = settings or self.settings
        for warning in used.profile.warnings:
            self.stderr.notice(warning)
        database = used.profile.database
        if database is not None and not database.exists():
            self.stderr.notice(f"the store {database} is new")

        async def with_client() -> int:
            async with opened_client(used) as client:
                return await task(client)

        try:
            return asyncio.run(with_client())
        except ClosedPipeError:  # the reader has read enough
            return OK
        except PetClientError as error:
            self.stderr.notices(error.notices)
            self.stderr.error(f"{error}; {MAYBE_ADDED}" if error.maybe_sent else str(error))
            return exit_code(error)
        except TransferError as error:
            self.stderr.error(str(error))
            return BAD_INPUT
        except KeyboardInterrupt:
            if self.unfinished:
                self.stderr.error(f"interrupted; {self.unfinished}")
            return INTERRUPTED
        finally:
            self.stderr.clear_progress()
            gc.freeze()  # the process ends, so nothing needs to be collected
