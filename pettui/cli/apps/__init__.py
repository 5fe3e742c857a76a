"""What puts the apps together: the one of this terminal, and those of users over SSH."""

from typing import Final

# Textual reads it once, when it loads. The first frame of each screen waits for one of its ticks.
FRAMES: Final = ("TEXTUAL_FPS", "120")
