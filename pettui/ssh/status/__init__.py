"""The status of a running server, and the socket that reports it."""
