"""The form for a new animal: how it opens, its draft, and refused entries."""
