"""An import: a file that is checked, its animals on their way to the service, and what came of it.

What the command line and the screen have in common; neither is known here.
"""
