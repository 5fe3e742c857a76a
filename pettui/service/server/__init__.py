"""Listening: sockets, TLS, HTTP/1.1, connections and signals."""
