"""Exporting animals from a screen, to a file or the clipboard."""
