"""Which animals a list shows, in which columns and which order."""
