"""Themes, and what adapts them to a terminal with fewer colours, characters or cells."""
