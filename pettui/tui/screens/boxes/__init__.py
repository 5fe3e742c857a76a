"""Boxes over a screen: to read, to choose from, or to confirm in."""
