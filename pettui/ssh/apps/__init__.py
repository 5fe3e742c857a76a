"""The apps that are served, and what those of one process share."""
