"""Themes and glyphs, as data."""
