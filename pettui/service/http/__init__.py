"""The interface over ASGI: endpoints, keys, bodies and errors; no socket is opened here."""
