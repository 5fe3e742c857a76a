"""The store service: the interface as an ASGI app, on a database."""

import logging

# Embedded in an app that draws on the terminal it is silent; ``serving`` lets it speak.
logging.getLogger(__name__).addHandler(logging.NullHandler())
