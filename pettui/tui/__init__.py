"""The app: its screens and widgets, in Textual, and what a session of one user knows."""
