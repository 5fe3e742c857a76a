"""Exports and imports: their lines, their screens, and pasted lines."""
