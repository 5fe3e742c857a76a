"""The outbox's entries as a list and as a table."""
