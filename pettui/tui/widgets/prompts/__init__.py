"""The lines that ask for something: a word, a file, an API key."""
