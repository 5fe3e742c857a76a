"""Importing a file: the line that asks for it, and the screen that shows and sends its lines."""
