"""Themes, and what is left out where a terminal has less colour, fewer characters or less room."""
