"""An import: a file is checked, its animals are sent, and the outcome of each line is recorded.

The command line and the screens share this room, which knows neither.
"""
