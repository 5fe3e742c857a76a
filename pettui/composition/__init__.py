"""Puts apps together: opens their parts and closes them, and prints nothing.

There are the app of this terminal, those of users over SSH, the stores and what sends for users who
are away.
"""

from typing import Final

# Textual reads it once, when it loads. The first frame of each screen waits for one of its ticks.
FRAMES: Final = ("TEXTUAL_FPS", "120")
