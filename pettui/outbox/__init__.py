"""The outbox: animals on their way to the service; nothing here knows that a screen exists."""
