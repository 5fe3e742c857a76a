"""SetupError: what keeps the service from starting, in one line."""


class SetupError(Exception):
    """What keeps the service from starting; its text is one line that says what to do."""
