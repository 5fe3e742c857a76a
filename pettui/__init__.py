"""pettui: a terminal client for the animal store service."""

__version__ = "0.1.0"
