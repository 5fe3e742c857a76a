"""One request over httpx: sent, retried, read within bounds, and its errors made the client's."""
