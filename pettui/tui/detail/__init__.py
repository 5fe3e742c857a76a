"""One animal, and what is done with one or several on any screen."""
