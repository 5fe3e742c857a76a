"""Prompts: for words, a file, an API key."""
