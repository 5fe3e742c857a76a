"""Textual lives here and nowhere else."""
