"""The form of a new animal: how it opens, what it keeps, and what becomes of it."""
