"""How a running server does, and the way to ask it."""
