"""The store service: the interface as an ASGI app, on a database."""
