"""TCP connections: authentication, limits and the sockets that accept them."""
