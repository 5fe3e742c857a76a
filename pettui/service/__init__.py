"""The store service: the interface as an ASGI app, on a database."""

import logging

# Silent inside an app that draws on the terminal; ``logs.logged`` adds a handler that writes.
logging.getLogger(__name__).addHandler(logging.NullHandler())


class SetupError(Exception):
    """What keeps the service from starting; its text is one line that says what to do."""
