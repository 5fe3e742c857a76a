"""A session: a channel, its input, its time and its end."""
