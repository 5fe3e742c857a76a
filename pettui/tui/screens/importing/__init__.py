"""Importing a file: the prompt for it, and the screen that checks and sends its lines."""
