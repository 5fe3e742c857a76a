"""Keys: their order, what they do now, and which ones clash."""
