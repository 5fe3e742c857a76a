"""Styled text, keys and the widgets that several screens have."""
