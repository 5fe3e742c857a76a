"""Demos: their options, and the service that each session has for itself."""
