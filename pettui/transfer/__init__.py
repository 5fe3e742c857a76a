"""Animals in files: written whole or not at all, read without trust, and the last list kept."""
