"""A TCP connection: who it is, and what it may do."""
