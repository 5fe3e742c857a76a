"""Serves any Textual app to users who log in over SSH: asyncssh is here and nowhere else."""
