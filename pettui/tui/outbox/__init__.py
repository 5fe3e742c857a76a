"""The outbox's screen, the receipt, and what is asked before an end."""
